"""The referee's file: a TOML file that says how `harbourmaster serve` runs a referee.

Every key has a default, so that an empty file is a good one; `docs/serve.md` lists them.
"""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError, create_model, model_validator

from harbourmaster_server.limits import BOUNDS, Limits
from harbourmaster_server.referee import RefereeConfig
from harbourmaster_server.server import DEFAULT_PORT
from harbourmaster_server.sessions.registry import SecondSession
from harbourmaster_tournaments.running.definition import (
    ClockPart,
    FaultsPart,
    Part,
    explain,
    parse_toml,
)

DEFAULT_FOLDER: Final = Path("harbourmaster-data")
Port = Annotated[int, Field(ge=0, le=65_535)]


class BadServeFile(ValueError):
    """A referee's file, or a flag that changes it, cannot be used; the message says why."""


class ServerPart(Part):
    """`[server]`: where the referee listens, what it keeps where, and whom it lets in."""

    host: str = "localhost"
    port: Port = DEFAULT_PORT
    data: Path = DEFAULT_FOLDER
    open: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False
    durability: Literal["process", "power"] = "process"
    second_session: SecondSession = SecondSession.ALLOW
    metrics_host: str = "127.0.0.1"
    metrics_port: Port | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_json: bool = False

    @model_validator(mode="after")
    def check(self) -> "ServerPart":
        """Refuse a certificate without its key, and a key without its certificate."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key belong together: give both")
        return self

    @property
    def tls(self) -> tuple[Path, Path] | None:
        """The certificate chain and its key, if there are any."""
        if self.tls_cert is None or self.tls_key is None:
            return None
        return self.tls_cert, self.tls_key


class _Limits(Part):
    """What all limits share."""

    @model_validator(mode="after")
    def check(self) -> "_Limits":
        """Refuse what is out of range."""
        for name in type(self).model_fields:
            value, (low, high) = getattr(self, name), BOUNDS[name]
            if not low <= value <= high:
                raise ValueError(f"{name} is {value:.10g}: it takes {low:.10g} to {high:.10g}")
        return self


_LIMITS: Final[dict[str, Any]] = {f.name: (f.type, f.default) for f in fields(Limits)}
LimitsPart: Final[type[_Limits]] = create_model(
    "LimitsPart", __base__=_Limits, __doc__="`[limits]`: see `Limits`.", **_LIMITS
)


class ServeFile(Part):
    """A whole referee's file."""

    server: ServerPart = ServerPart()
    clock: ClockPart = ClockPart.model_validate({"bank": "60s", "increment": "100ms"})
    """The clock of matches that name none."""
    faults: FaultsPart = FaultsPart()
    """The fault policy of matches that name none."""
    limits: LimitsPart = LimitsPart()  # type: ignore[valid-type]

    def config(self) -> RefereeConfig:
        """Return how the referee is run."""
        return RefereeConfig(
            self.server.data,
            open_mode=self.server.open,
            durability=self.server.durability,
            second_session=self.server.second_session,
            clock=self.clock.terms(),
            policy=self.faults.policy(),
            limits=Limits(**self.limits.model_dump()),  # type: ignore[attr-defined]
        )


PARTS: Final = (ServeFile, ServerPart, ClockPart, FaultsPart, LimitsPart)


def read_serve_file(path: Path | None, flags: Mapping[str, Any]) -> ServeFile:
    """Return the file at *path*, or the defaults without one; *flags* win over `[server]`.

    A flag that was not given is `None`. Raises `BadServeFile`.
    """
    file = ServeFile() if path is None else _read(path)
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        server = ServerPart.model_validate(file.server.model_dump() | given)
    except ValidationError as error:
        text = explain(error, PARTS)
        name = str(error.errors()[0]["loc"][0]) if error.errors()[0]["loc"] else ""
        flag = f"--{name.replace('_', '-')}"
        raise BadServeFile(text.replace(name, flag, 1) if name else text) from None
    return file.model_copy(update={"server": server})


def _read(path: Path) -> ServeFile:
    try:
        return ServeFile.model_validate(parse_toml(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadServeFile(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadServeFile(f"{path} is not TOML: it is not UTF-8 text") from None
    except ValidationError as error:
        raise BadServeFile(f"{path}: {explain(error, PARTS)}") from None
    except ValueError as error:
        raise BadServeFile(f"{path} is not TOML: {error}") from None
