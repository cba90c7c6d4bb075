"""Who may play: bearer tokens, kept as hashes, and what each of them stands for."""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from harbourmaster_server.errors import BadRequest, CannotStart, NoIdentity
from harbourmaster_server.files import PRIVATE, write_whole

PLAY: Final = "play"
WATCH: Final = "watch"
ADMIN: Final = "admin"
RIGHTS: Final = (PLAY, WATCH, ADMIN)
MAX_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom the referee takes a caller for."""

    bot: str
    """The name that matches seat it by."""
    owner: str = ""
    rights: tuple[str, ...] = (PLAY,)
    label: str = ""
    """The name to show; empty for `bot`. One bot may have a process of its own for every match."""

    @property
    def shown(self) -> str:
        """The name to show."""
        return self.label or self.bot

    def may(self, right: str) -> bool:
        """Return whether this identity has *right*; an admin has all of them."""
        return right in self.rights or ADMIN in self.rights


def launched_name(bot: str, place: str) -> str:
    """Return the identity of a process of *bot* that a referee launches for *place*."""
    return f"{bot}@{place}"


def is_launched(identity: str) -> bool:
    """Return whether *identity* is that of a process that a referee launched."""
    return "@" in identity


def shown_identity(identity: str) -> str:
    """Return the name of the bot whose *identity* it is, without the place of a launched one."""
    return identity.partition("@")[0]


def check_name(name: str) -> str:
    """Return *name* if it can name a bot: 1 to 64 printable characters; raise `BadRequest`."""
    if not 0 < len(name) <= MAX_NAME or not name.isprintable() or name.strip() != name:
        raise BadRequest(
            f"the name {name[:80]!r} is not good: it takes 1 to {MAX_NAME} printable characters, "
            "without space at the ends"
        )
    return name


class Tokens:
    """The tokens of a referee. Only their hashes are kept."""

    def __init__(self, path: Path | None = None) -> None:
        """Keep them in the file at *path*, or in memory only.

        This, and every method but `identify`, raises `CannotStart` if the file holds no tokens.
        """
        self._path = path
        self._known: dict[str, Identity] = {}
        self._read_at = (-1, -1)
        self._read()
        self._passing: dict[str, Identity] = {}
        """Tokens of launched processes, which end with this run and are kept nowhere."""

    def _read(self) -> None:
        """Read the file if it was changed: tokens are issued and revoked while the referee runs."""
        if self._path is None:
            return
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._known = {}
            return
        changed = (found.st_mtime_ns, found.st_ino)
        if changed != self._read_at:
            self._known = _read_tokens(self._path)
            self._read_at = changed

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Change what is in the file; nobody else changes it meanwhile, in any process."""
        if self._path is None:
            yield
            return
        lock = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._read()
            yield
            tokens = {key: asdict(value) for key, value in self._known.items()}
            write_whole(self._path, json.dumps(tokens, indent=1).encode())
        finally:
            os.close(lock)

    def issue(self, identity: Identity) -> str:
        """Return a new token for *identity*: 32 random bytes as text. It is shown only now."""
        token = secrets.token_urlsafe(32)
        with self._changing():
            self._known[_hash(token)] = identity
        return token

    def issue_passing(self, identity: Identity) -> str:
        """Return a new token for *identity* that is good for this run of the referee only."""
        token = secrets.token_urlsafe(32)
        self._passing[_hash(token)] = identity
        return token

    def shown(self, bot: str) -> str:
        """Return the name to show for *bot*."""
        return next((i.shown for i in self._passing.values() if i.bot == bot), bot)

    def drop_passing(self, bot: str) -> None:
        """Forget the passing tokens of *bot*."""
        self._passing = {k: v for k, v in self._passing.items() if v.bot != bot}

    def revoke(self, bot: str) -> int:
        """Revoke every token of *bot* and return how many there were."""
        with self._changing():
            gone = [key for key, identity in self._known.items() if identity.bot == bot]
            for key in gone:
                del self._known[key]
        return len(gone)

    def identities(self) -> list[Identity]:
        """Return whom there are tokens for."""
        self._read()
        return list(self._known.values())

    def identify(self, token: str) -> Identity:
        """Return whom *token* stands for; raise `NoIdentity` if it is not known.

        While the file is damaged, the tokens that it held before are in force.
        """
        with contextlib.suppress(CannotStart):
            self._read()
        key = _hash(token)
        identity = self._known.get(key) or self._passing.get(key)
        if identity is None:
            raise NoIdentity("the token is not known, or was revoked: ask the organiser for one")
        return identity


class Gatekeeper:
    """Tells who a caller is from the metadata of its call."""

    def __init__(self, tokens: Tokens, *, open_mode: bool = False) -> None:
        """Know *tokens*; in *open_mode* callers without one may do everything."""
        self._tokens = tokens
        self.open_mode = open_mode

    def identify(self, metadata: Mapping[str, str], name: str = "") -> Identity:
        """Return who calls; raise `NoIdentity`.

        In open mode a caller without a token is whoever *name* says.
        """
        value = metadata.get("authorization", "")
        scheme, _, token = value.partition(" ")
        if value and (scheme.lower() != "bearer" or not token):
            raise NoIdentity("the authorization metadata must be: Bearer TOKEN")
        if token:
            return self._tokens.identify(token)
        if self.open_mode:
            return Identity(name, rights=RIGHTS)
        raise NoIdentity(
            "a token is needed: send it as the metadata authorization: Bearer TOKEN "
            "(the client takes --token or HARBOURMASTER_TOKEN)"
        )


def _read_tokens(path: Path) -> dict[str, Identity]:
    """Return what the file at *path* holds, by hash; raise `CannotStart` if those are no tokens."""
    try:
        return {
            key: Identity(str(value["bot"]), str(value["owner"]), tuple(map(str, value["rights"])))
            for key, value in json.loads(path.read_text(encoding="utf-8")).items()
        }
    except OSError as error:
        raise CannotStart(f"cannot read the tokens in {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise CannotStart(
            f"{path} does not hold tokens as the referee writes them: put it back as it was, or "
            "remove it and issue new ones"
        ) from None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
