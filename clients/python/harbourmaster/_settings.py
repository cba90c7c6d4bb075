"""How a bot wants to play: address, token and wishes."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from harbourmaster._version import PROTOCOL_MAJOR, PROTOCOL_MINOR, __version__
from harbourmaster.errors import BadSetting
from harbourmaster.v1 import bot_service_pb2 as pb

DEFAULT_PORT: Final = 50111
DEFAULT_ADDRESS: Final = f"localhost:{DEFAULT_PORT}"
"""Where the client dials when it is told nothing else."""

SOFTWARE_VERSION: Final = f"harbourmaster-python {__version__}"
"""What a bot without a version of its own is shown as."""

ADDRESS_VARIABLE: Final = "HARBOURMASTER_ADDRESS"
TOKEN_VARIABLE: Final = "HARBOURMASTER_TOKEN"
TLS_VARIABLE: Final = "HARBOURMASTER_TLS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a bot wants to play; every field is settled."""

    address: str
    token: str = field(default="", repr=False)
    name: str
    software_version: str = SOFTWARE_VERSION
    games: tuple[pb.GameSupport, ...] = ()
    open_matches: int = 1
    open_decisions: int = 1
    offered_moves: bool = True
    match_events: bool = False
    reconnect: bool = True
    give_up_after: float = 60.0
    """For how many seconds an unreachable referee is dialled, or the resume time if longer."""
    tls: bool | Path = False
    """Whether to encrypt, or the file with the certificates to trust."""

    def __post_init__(self) -> None:
        """Raise `BadSetting` for a number that is too small."""
        for name in ("open_matches", "open_decisions"):
            if getattr(self, name) < 1:
                raise BadSetting(f"{name} is {getattr(self, name)}: it takes 1 or more")

    def hello(self, resume_token: bytes) -> pb.Hello:
        """Return what opens a session, or takes one up again."""
        version = pb.ProtocolVersion(major=PROTOCOL_MAJOR, minor=PROTOCOL_MINOR)
        return pb.Hello(
            protocol_version=version,
            name=self.name,
            software_version=self.software_version,
            games=self.games,
            open_matches=self.open_matches,
            open_decisions=self.open_decisions,
            offered_moves_wanted=self.offered_moves,
            match_events_wanted=self.match_events,
            resume_token=resume_token,
        )


def settled_address(address: str | None) -> str:
    """Return where to dial, as host and port; raise `BadSetting`.

    Without *address* it is what HARBOURMASTER_ADDRESS says, else `DEFAULT_ADDRESS`.
    """
    wanted = (address or os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS).strip()
    if wanted.startswith("unix:"):
        return wanted
    host, port = _split(wanted)
    good_host = host and not any(sign in host for sign in "/@ ")
    if not good_host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise BadSetting(
            f"the address {wanted!r} is not good: write host:port, such as {DEFAULT_ADDRESS}"
        )
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def settled_token(token: str | None) -> str:
    """Return *token*, else what HARBOURMASTER_TOKEN says, else an empty one."""
    return (token if token is not None else os.environ.get(TOKEN_VARIABLE, "")).strip()


def settled_tls(tls: bool | str | Path | None) -> bool | Path:
    """Return *tls*, else what HARBOURMASTER_TLS says: nothing, `1`, or a file of certificates.

    Raises `BadSetting` if there is no such file.
    """
    if tls is None:
        tls = os.environ.get(TLS_VARIABLE, "")
    if isinstance(tls, bool) or tls in ("", "0", "1"):
        return tls is True or tls == "1"
    if not Path(tls).is_file():
        raise BadSetting(
            f"there is no file {tls} with certificates: give one, or 1 for the system's"
        )
    return Path(tls)


def settled_name(name: str | None) -> str:
    """Return *name*, else the name of the program that runs."""
    return name or Path(sys.argv[0] if sys.argv else "").stem.strip("_ -") or "bot"


def settled_games(games: Iterable[str | pb.GameSupport] | None) -> tuple[pb.GameSupport, ...]:
    """Return what to tell of *games*; one given by its id is played with any options."""
    if games is None:
        return ()
    if isinstance(games, str):
        games = (games,)
    return tuple(
        pb.GameSupport(game=game, options=["*"]) if isinstance(game, str) else game
        for game in games
    )


def _split(address: str) -> tuple[str, str]:
    """Return host and port of *address*; the port may be left out, brackets are taken off."""
    if address.startswith("["):
        host, closed, rest = address[1:].partition("]")
        return (host if closed else ""), (rest.removeprefix(":") or str(DEFAULT_PORT))
    if address.count(":") > 1:
        return address, str(DEFAULT_PORT)
    host, _, port = address.partition(":")
    return host, port or str(DEFAULT_PORT)
