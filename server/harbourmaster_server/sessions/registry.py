"""All sessions of a referee: who may open one, who takes one up again, who is given up."""

import asyncio
import enum
from collections.abc import Iterable
from typing import Final

import grpc

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster_engine.registry import games
from harbourmaster_server.desk import Desk
from harbourmaster_server.errors import (
    AlreadyExists,
    BadRequest,
    LimitExceeded,
    NotNow,
    UnknownMatch,
)
from harbourmaster_server.identity import Identity, check_name
from harbourmaster_server.sessions.connection import Connection
from harbourmaster_server.sessions.lobby import Lobby
from harbourmaster_server.sessions.session import Session

PROTOCOL_MAJOR: Final = 1
PROTOCOL_MINOR: Final = 0


class SecondSession(enum.StrEnum):
    """What becomes of a second session of the same bot. A resume token always takes over."""

    REFUSE = "refuse"
    """The second one is refused, unless the first one has lost its connection."""
    REPLACE = "replace"
    """The second one takes the first one's matches."""
    ALLOW = "allow"
    """Both play; a bot that plays against itself needs this."""


class Sessions:
    """The sessions of one referee."""

    def __init__(self, desk: Desk, lobby: Lobby, second_session: SecondSession) -> None:
        self._desk = desk
        self._lobby = lobby
        self._second_session = second_session
        self._by_token: dict[bytes, Session] = {}
        self._expiries: dict[Session, asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self._by_token)

    def all(self) -> list[Session]:
        """Return the sessions, those without a connection included."""
        return list(self._by_token.values())

    def of_bot(self, bot: str) -> list[Session]:
        """Return the sessions of *bot*."""
        return [session for session in self._by_token.values() if session.bot == bot]

    def open(self, identity: Identity, hello: pb.Hello, connection: Connection) -> Session:
        """Open a session, or take one up again; raise what `errors` has for each refusal."""
        check_hello(hello, self._desk)
        if hello.resume_token:
            session = self._by_token.get(hello.resume_token)
            if session is None or session.bot != identity.bot:
                raise UnknownMatch("the resume token is not known: say hello without it")
            return self._take_up(session, hello, connection)
        others = self.of_bot(identity.bot)
        if others and self._second_session is not SecondSession.ALLOW:
            there = any(session.connection is not None for session in others)
            if there and self._second_session is SecondSession.REFUSE:
                raise AlreadyExists(
                    f"{identity.bot} has a session, and a second one is refused here"
                )
            return self._take_up(others[0], hello, connection)
        return self._open_new(identity, hello, connection)

    def dropped(self, session: Session, connection: Connection) -> None:
        """Take note that *connection* is gone; the session waits a while to be taken up again."""
        if session.connection is not connection:
            return
        session.detach(connection)
        self._lobby.leave(session)
        if session.leaving and not session.matches:
            self._forget(session)
            return
        self._expire_later(session)

    def give_up(self, bot: str) -> None:
        """Give up the dropped sessions of *bot*, whose process is known to be gone."""
        for session in self.of_bot(bot):
            session.abandon()
            for match in list(session.matches.values()):
                match.deadline.arm()

    def _expire_later(self, session: Session) -> None:
        loop = asyncio.get_running_loop()
        seconds = self._desk.limits.resume_seconds
        self._expiries[session] = loop.call_later(seconds, self._expire, session)

    def _expire(self, session: Session) -> None:
        """Forget a dropped session; not while a match of it stands still, perhaps in a debugger."""
        if any(match.paused for match in session.matches.values()):
            self._expire_later(session)
        else:
            self._forget(session)

    def _open_new(self, identity: Identity, hello: pb.Hello, connection: Connection) -> Session:
        limits = self._desk.limits
        if len(self._by_token) >= limits.sessions:
            self._forget_idle(self.all())
        if len(self.of_bot(identity.bot)) >= limits.sessions_per_bot:
            self._forget_idle(self.of_bot(identity.bot))
        others = len(self.of_bot(identity.bot))
        if len(self._by_token) >= limits.sessions:
            raise LimitExceeded(f"the referee has {limits.sessions} sessions and takes no more")
        if others >= limits.sessions_per_bot:
            raise LimitExceeded(
                f"{identity.bot} has {others} sessions; a bot may have {limits.sessions_per_bot}"
            )
        session = Session(identity, hello, self._desk)
        self._by_token[session.resume_token] = session
        session.attach(connection, resumed=False)
        session.log.info("session opened", name=hello.name, version=hello.software_version)
        return session

    def _take_up(self, session: Session, hello: pb.Hello, connection: Connection) -> Session:
        if session.connection is not None:
            old = session.connection
            session.detach(old)
            old.end(grpc.StatusCode.ABORTED, "another connection took the session over")
        expiry = self._expiries.pop(session, None)
        if expiry is not None:
            expiry.cancel()
        session.hello = hello
        session.attach(connection, resumed=True)
        session.log.info("session resumed", matches=len(session.matches))
        return session

    def _forget_idle(self, sessions: Iterable[Session]) -> None:
        """Forget those of *sessions* that are gone and have no match to come back to."""
        for session in sessions:
            if session.connection is None and not session.matches:
                self._forget(session)

    def _forget(self, session: Session) -> None:
        expiry = self._expiries.pop(session, None)
        if expiry is not None:
            expiry.cancel()
        self._by_token.pop(session.resume_token, None)
        session.abandon()
        for match in list(session.matches.values()):
            match.deadline.arm()
        session.log.info("session closed")


def end_calls(sessions: Iterable[Session], code: grpc.StatusCode, text: str) -> None:
    """End the call of each of *sessions* with *code*, when all is sent that it was to be sent."""
    for session in sessions:
        if session.connection is not None:
            session.connection.finish(code, text)


def check_hello(hello: pb.Hello, desk: Desk) -> None:
    """Raise `BadRequest` or `NotNow` for a hello that is out of range; the message says how."""
    version = hello.protocol_version
    if version.major != PROTOCOL_MAJOR:
        raise NotNow(
            f"the bot speaks protocol version {version.major}.{version.minor}, the referee "
            f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}: use a client of major version {PROTOCOL_MAJOR}"
        )
    check_name(hello.name)
    limits = desk.limits
    if len(hello.software_version) > 64:
        raise BadRequest("software_version has more than 64 characters")
    if len(hello.features) > 32 or len(hello.games) > 32:
        raise BadRequest("hello names more than 32 features or games")
    if hello.open_matches > limits.open_matches:
        raise BadRequest(
            f"open_matches is {hello.open_matches}: at most {limits.open_matches} here"
        )
    if hello.open_decisions > limits.open_decisions:
        raise BadRequest(
            f"open_decisions is {hello.open_decisions}: at most {limits.open_decisions} here"
        )
    for support in hello.games:
        if support.game not in games():
            raise UnknownMatch(
                f"there is no game {support.game[:80]!r} here: there are {', '.join(games())}"
            )
