"""The gRPC server around a referee: addresses, keepalive, health, reflection."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

import grpc

from harbourmaster.v1 import admin_service_pb2_grpc
from harbourmaster_server.errors import CannotStart
from harbourmaster_server.referee import Referee
from harbourmaster_server.services import AdminService, BotService, MatchService
from harbourmaster_server.services.standard import NOT_SERVING, SERVING, Health, add_standard

DEFAULT_PORT: Final = 50111
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
"""Addresses that mean every interface, and what is dialled instead of them on this machine."""
CALLS_END_SECONDS: Final = 1.0
HARD_MESSAGE_BYTES: Final = 16 * 1024 * 1024
"""Above this the transport itself refuses a message; the referee's own limit is far below."""
OPTIONS: Final = (
    # A peer that vanished without a word is noticed within ten seconds.
    ("grpc.keepalive_time_ms", 4_000),
    ("grpc.keepalive_timeout_ms", 4_000),
    # The pings of grpcio 1.85 go by this one, which is a minute by default.
    ("grpc.http2.ping_timeout_ms", 4_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Clients may ping as often as they like: by default the server throws them out for it.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.http2.max_pings_without_data", 0),
    # Two referees on one port would share its connections.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", HARD_MESSAGE_BYTES),
    ("grpc.max_send_message_length", HARD_MESSAGE_BYTES),
)

Servicer = Callable[[grpc.aio.Server], str]
"""Adds a service to the server and returns its full name."""


class RefereeServer:
    """Listens for a referee. Used as `async with`, inside the referee's own."""

    def __init__(
        self,
        referee: Referee,
        *,
        host: str = "localhost",
        port: int = DEFAULT_PORT,
        tls: tuple[Path, Path] | None = None,
        insecure: bool = False,
        launches: bool = False,
        more: Sequence[Servicer] = (),
    ) -> None:
        """Serve on *host* and *port* (0 for a free one).

        *tls* names a certificate chain and its key, both PEM files. With it, and if the referee
        *launches* bots, those get a plain port of their own on the loopback: the certificate is
        for a name that they do not dial. Raises `CannotStart` for plain text off the loopback
        without *insecure*.
        """
        if tls is None and host not in LOOPBACK and not insecure:
            raise CannotStart(
                f"{host} is not the loopback, and plain text would show tokens to the network: "
                "give --tls-cert and --tls-key, or --insecure if the network is trusted"
            )
        self._referee = referee
        self._host = host
        self._wanted_port = port
        self._tls = tls
        self._own_port = launches and tls is not None
        self._launched_port = 0
        self._more = more
        self._server = grpc.aio.server(options=OPTIONS)
        self._health = Health(referee.config.limits.health_watches)
        self.port = 0
        """The port that the server listens on, once it does."""

    @property
    def address(self) -> str:
        """Where bots find the server."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{host}:{self.port}"

    @property
    def launched_address(self) -> str:
        """Where bots find the server that are launched on this machine: always in plain text."""
        if self._own_port:
            return f"127.0.0.1:{self._launched_port}"
        here = EVERYWHERE.get(self._host)
        return self.address if here is None else f"{here}:{self.port}"

    async def __aenter__(self) -> Self:
        """Listen."""
        names = self._add_services()
        self._bind()
        await self._server.start()
        self._health.tell(("", *names), SERVING)
        return self

    async def __aexit__(self, *error: object) -> None:
        """End every call and listen no longer."""
        await self.stop()

    def drain(self) -> None:
        """Say that nothing new is taken: to the bots, and to whoever asks for the health."""
        self._health.tell_all(NOT_SERVING)
        self._referee.drain()

    async def stop(self, grace: float = 0.2) -> None:
        """End every call after *grace* seconds, and listen no longer.

        The matches stop first: none is decided by the end of its bots' calls.
        """
        self.drain()
        self._referee.halt()
        self._referee.hang_up()
        await self._server.stop(grace)
        await _let_calls_end()

    def _add_services(self) -> list[str]:
        bots = BotService(self._referee)
        self._server.add_generic_rpc_handlers((bots.handler(),))
        MatchService(self._referee).register(self._server)
        admin_service_pb2_grpc.add_AdminServiceServicer_to_server(
            AdminService(self._referee), self._server
        )
        names = [f"harbourmaster.v1.{name}Service" for name in ("Bot", "Match", "Admin")]
        names += [add(self._server) for add in self._more]
        add_standard(self._server, self._health, names, self._referee)
        return names

    def _bind(self) -> None:
        """Listen on the address; for `localhost` on both families, where both are there."""
        hosts = ["127.0.0.1", "::1"] if self._host == "localhost" else [self._host]
        self.port = self._bind_one(hosts[0], self._wanted_port)
        for host in hosts[1:]:
            # A machine without IPv6 has no ::1.
            with contextlib.suppress(CannotStart):
                self._bind_one(host, self.port)
        if self._own_port:
            self._launched_port = self._server.add_insecure_port("127.0.0.1:0")

    def _bind_one(self, host: str, port: int) -> int:
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            if self._tls is not None:
                return self._server.add_secure_port(where, _credentials(*self._tls))
            return self._server.add_insecure_port(where)
        except RuntimeError:
            raise CannotStart(
                f"cannot listen on {where}: {_why_not(host, port)}. Choose another port with "
                "--port (0 for a free one), or another address with --host"
            ) from None


async def _let_calls_end() -> None:
    """Wait a while until the transport has let go of every call.

    It has a task for each, and one that is cancelled with the loop prints a traceback.
    """
    calls = {task for task in asyncio.all_tasks() if _is_of_a_call(task)}
    if calls:
        await asyncio.wait(calls, timeout=CALLS_END_SECONDS)


def _is_of_a_call(task: asyncio.Task[Any]) -> bool:
    return getattr(task.get_coro(), "__name__", "") == "_schedule_rpc_coro"


def _why_not(host: str, port: int) -> str:
    """Return why nobody can listen there: gRPC does not say."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[
            0
        ]
        with socket.socket(family, kind, protocol) as tried:
            tried.bind(place)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return "it is in use, or was until just now"


def _credentials(certificate: Path, key: Path) -> grpc.ServerCredentials:
    try:
        pair = (key.read_bytes(), certificate.read_bytes())
        # gRPC takes anything here, and then cannot listen.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, _no_password)
    except ssl.SSLError as error:
        raise CannotStart(
            f"{certificate} and {key} are not a certificate and its key, in PEM and without a "
            f"password ({error.reason or error}): see --tls-cert and --tls-key"
        ) from None
    except OSError as error:
        raise CannotStart(f"cannot read {error.filename}: {error.strerror}") from None
    return grpc.ssl_server_credentials([pair])


def _no_password() -> str:
    """Be asked for the password of a key, which would otherwise be asked of the terminal."""
    return ""
