"""Who may play: bearer tokens, kept as hashes, and what each of them stands for."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from harbourmaster_server.errors import BadRequest, NoIdentity

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
        """Keep them in the file at *path*, or in memory only."""
        self._path = path
        self._known: dict[str, Identity] = {}
        self._read_at = -1
        self._read()
        self._passing: dict[str, Identity] = {}
        """Tokens of launched processes, which end with this run and are kept nowhere."""

    def _read(self) -> None:
        """Read the file if it was changed: tokens are issued and revoked while the referee runs."""
        if self._path is None or not self._path.exists():
            return
        changed = self._path.stat().st_mtime_ns
        if changed != self._read_at:
            self._read_at = changed
            self._known = {
                key: Identity(value["bot"], value["owner"], tuple(value["rights"]))
                for key, value in json.loads(self._path.read_text()).items()
            }

    def issue(self, identity: Identity) -> str:
        """Return a new token for *identity*: 32 random bytes as text. It is shown only now."""
        self._read()
        token = secrets.token_urlsafe(32)
        self._known[_hash(token)] = identity
        self._save()
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
        self._read()
        gone = [key for key, identity in self._known.items() if identity.bot == bot]
        for key in gone:
            del self._known[key]
        self._save()
        return len(gone)

    def identities(self) -> list[Identity]:
        """Return whom there are tokens for."""
        self._read()
        return list(self._known.values())

    def identify(self, token: str) -> Identity:
        """Return whom *token* stands for; raise `NoIdentity` if it is not known."""
        self._read()
        key = _hash(token)
        identity = self._known.get(key) or self._passing.get(key)
        if identity is None:
            raise NoIdentity("the token is not known, or was revoked: ask the organiser for one")
        return identity

    def _save(self) -> None:
        if self._path is None:
            return
        draft = self._path.with_suffix(".part")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({key: asdict(value) for key, value in self._known.items()}, file, indent=1)
        draft.replace(self._path)


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


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
