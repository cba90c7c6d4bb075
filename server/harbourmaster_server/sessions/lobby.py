"""Who is there, and which match gets whom: by identity and room, never by counting connections."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from harbourmaster_server.sessions.session import Session
from harbourmaster_server.terms import MatchTerms

POLL_SECONDS: Final = 0.1
"""How often at most a match looks again for bots that are there but busy."""


@dataclass(slots=True)
class _Waiting:
    """A match that waits for its bots."""

    bots: Sequence[str | None]
    terms: MatchTerms
    found: asyncio.Future[list[Session | None]] = field(repr=False)


class Lobby:
    """The sessions that are there, and the matches that wait for some of them.

    A match takes all its bots at once: a match that held one bot while it waited for another could
    wait for ever for a match that does the same the other way round. Earlier matches come first.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, list[Session]] = defaultdict(list)
        self._waiting: list[_Waiting] = []
        self._given_up: set[str] = set()
        """Bots that will never come: their process is gone."""

    def give_up(self, bot: str) -> None:
        """Wait for *bot* no longer."""
        self._given_up.add(bot)
        self._serve()

    def forget(self, bot: str) -> None:
        """Forget that *bot* was given up."""
        self._given_up.discard(bot)

    def enter(self, session: Session) -> None:
        """Let *session* play, and any match that waits for it begin."""
        if session not in self._sessions[session.bot]:
            self._sessions[session.bot].append(session)
        self._serve()

    def leave(self, session: Session) -> None:
        """Give *session* no more matches."""
        if session in self._sessions[session.bot]:
            self._sessions[session.bot].remove(session)
        if not self._sessions[session.bot]:
            del self._sessions[session.bot]

    def freed(self, session: Session) -> None:
        """Take note that *session* has more room."""
        if self._waiting:
            self._serve()

    def sessions_of(self, bot: str) -> list[Session]:
        """Return the sessions of *bot* that may play."""
        return list(self._sessions.get(bot, ()))

    async def claim(
        self, bots: Sequence[str | None], terms: MatchTerms, seconds: float
    ) -> list[Session | None]:
        """Return a session for each of *bots*, as soon as there is room for all of them.

        After *seconds* without them, returns what there is: `None` for a bot that never came. A bot
        that is there but busy is waited for, as its other matches come to an end.
        """
        loop = asyncio.get_running_loop()
        waiting = _Waiting(bots, terms, loop.create_future())
        self._waiting.append(waiting)
        try:
            self._serve()
            while not waiting.found.done():
                done, _ = await asyncio.wait({waiting.found}, timeout=max(seconds, POLL_SECONDS))
                if not done and (absent := self._absent(waiting)):
                    present = [None if bot in absent else bot for bot in bots]
                    waiting.bots = present
                    self._serve()
                    seconds = POLL_SECONDS
            return waiting.found.result()
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)

    def _absent(self, waiting: _Waiting) -> set[str]:
        """Return the bots of *waiting* that have no session that would play this match."""
        return {
            bot
            for bot in waiting.bots
            if bot is not None
            and not any(s.accepts(waiting.terms) for s in self._sessions.get(bot, ()))
        }

    def _serve(self) -> None:
        """Give every waiting match its bots, as far as there are all of them."""
        for waiting in list(self._waiting):
            if waiting.found.done():
                continue
            found = self._find(waiting)
            if found is not None:
                waiting.found.set_result(found)
                self._waiting.remove(waiting)
                for session in {each.id: each for each in found if each is not None}.values():
                    session.reserve()

    def _find(self, waiting: _Waiting) -> list[Session | None] | None:
        """Return a session for each seat of *waiting*, or `None` if one is missing.

        A session that has one seat of the match has room for more: it is one match.
        """
        taken: Counter[str] = Counter()
        found: list[Session | None] = []
        for bot in waiting.bots:
            if bot is None or (bot in self._given_up and bot not in self._sessions):
                found.append(None)
                continue
            free = [
                session
                for session in self._sessions.get(bot, ())
                if (session.room > 0 or taken[session.id]) and session.accepts(waiting.terms)
            ]
            if not free:
                return None
            # A bot at two seats gets two sessions where it can.
            session = max(free, key=lambda each: (-taken[each.id], each.room))
            taken[session.id] += 1
            found.append(session)
        return found
