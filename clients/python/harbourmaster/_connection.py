"""One call to the referee: a reader, and a writer that sends what has gathered."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import grpc

from harbourmaster._settings import Settings
from harbourmaster._status import Dropped, error_of
from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import bot_service_pb2_grpc as service

WELCOME_SECONDS: Final = 10.0
"""How long a referee may take to say welcome before it counts as unreachable."""
EVENTS_PER_MESSAGE: Final = 256
"""The most that the protocol allows."""

_OPTIONS: Final = (
    # A referee that is dead or cut off is noticed within 15 seconds, also while nothing is sent.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    # The pings of grpcio 1.85 go by this one, which is a minute by default.
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),
    # Histories of long matches, after a drop.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # Without it, a new channel would inherit the waiting time of one that failed.
    ("grpc.use_local_subchannel_pool", 1),
)


class Connection:
    """One call of `Play`, greeted with a hello. It lives in the loop that made it."""

    def __init__(self, settings: Settings, resume_token: bytes) -> None:
        self._resuming = bool(resume_token)
        self._channel = _channel(settings)
        metadata = (("authorization", f"Bearer {settings.token}"),) if settings.token else ()
        self._call = service.BotServiceStub(self._channel).Play(metadata=metadata)
        self._gathered = [pb.BotEvent(hello=settings.hello(resume_token))]
        self._wake = asyncio.Event()
        self._wake.set()
        self._writer = asyncio.create_task(self._write())
        self.welcomed = False
        """Whether the referee said welcome."""

    def send(self, **event: Any) -> None:
        """Send one event, given as `name=message`, with all that gathers meanwhile."""
        self._gathered.append(pb.BotEvent(**event))
        self._wake.set()

    async def read(self) -> pb.PlayResponse | None:
        """Return the referee's next message, or `None` when it ended the call well.

        Raises `Dropped`, `ResumeRefused` or a `Refused` when the call ended otherwise.
        """
        try:
            async with asyncio.timeout(None if self.welcomed else WELCOME_SECONDS):
                message = await self._call.read()
        except TimeoutError:
            raise Dropped(f"no welcome within {WELCOME_SECONDS:g} seconds") from None
        except grpc.aio.AioRpcError as error:
            resuming = self._resuming and not self.welcomed
            raise error_of(error.code(), error.details() or "", resuming=resuming) from None
        return message if isinstance(message, pb.PlayResponse) else None

    async def close(self) -> None:
        """Close the call and its channel, whatever state they are in."""
        self._writer.cancel()
        with suppress(asyncio.CancelledError):
            await self._writer
        self._call.cancel()
        await self._channel.close()

    async def _write(self) -> None:
        # Reading tells why a call has ended; writing need not.
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._gathered:
                    batch = self._gathered[:EVENTS_PER_MESSAGE]
                    del self._gathered[:EVENTS_PER_MESSAGE]
                    await self._call.write(pb.PlayRequest(events=batch))


def _channel(settings: Settings) -> grpc.aio.Channel:
    options = (*_OPTIONS, ("grpc.enable_http_proxy", 0 if _is_here(settings.address) else 1))
    if settings.tls is False:
        return grpc.aio.insecure_channel(settings.address, options=options)
    roots = settings.tls.read_bytes() if isinstance(settings.tls, Path) else None
    credentials = grpc.ssl_channel_credentials(root_certificates=roots)
    return grpc.aio.secure_channel(settings.address, credentials, options=options)


def _is_here(address: str) -> bool:
    """Return whether *address* is on this machine, where no proxy is wanted."""
    host = address.rpartition(":")[0].strip("[]")
    return host in ("localhost", "::1", "unix") or host.startswith(("127.", "unix"))
