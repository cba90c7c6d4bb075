"""Bringing a match's bots to their seats, before any clock runs."""

import asyncio
from typing import Final

from harbourmaster.v1 import match_service_pb2
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server.matches.match import Match, Seat
from harbourmaster_server.sessions.lobby import Lobby

COMING_BACK_SECONDS: Final = 30.0
"""The least that bots get to come back after a restart: they wait between their tries."""


async def gather(match: Match, lobby: Lobby) -> None:
    """Seat the bots of *match* and wait until they are ready; who fails to come forfeits."""
    sessions = await lobby.claim(_wanted(match), match.terms, _connect_seconds(match))
    for seat, session in zip(match.seats, sessions, strict=True):
        if session is not None and seat.forfeit is None:
            seat.session = session
            seat.name = session.identity.shown
            session.join(match)
    for seat in match.seats:
        if seat.session is not None:
            seat.session.send(match_start=match.start_message(seat))
    waits = [_ready(match, seat, lobby) for seat in match.seats if seat.forfeit is None]
    faults = await asyncio.gather(*waits)
    if match.lost is not None:
        raise match.lost
    for seat, reason, text in filter(None, faults):
        match.forfeit(seat, reason, text)
    if match.state.to_move is not None:
        _begin(match)


def _wanted(match: Match) -> list[str | None]:
    """Return the bot for each seat, or `None` for a seat that is out already."""
    return [None if seat.forfeit is not None else seat.bot for seat in match.seats]


def _connect_seconds(match: Match) -> float:
    seconds = match.terms.clock.connect_time / 1e6
    return max(seconds, COMING_BACK_SECONDS) if match.restored else seconds


async def _ready(match: Match, seat: Seat, lobby: Lobby) -> tuple[Seat, ForfeitReason, str] | None:
    """Wait until *seat* is ready; return what is wrong if it does not become so."""
    clock = match.terms.clock
    how = match.desk.exits.get(seat.bot)
    if seat.session is None:
        within = how or f"it had {_connect_seconds(match):g} s"
        if match.began:
            text = f"the bot {seat.name} did not come back after a restart: {within}"
            return seat, ForfeitReason.DISCONNECTED, text
        text = f"the bot {seat.name} did not connect: {within}"
        if lobby.sessions_of(seat.bot):
            text = (
                f"the bot {seat.name} is connected, but does not take this match: the games of its "
                f"hello do not cover {match.terms.game.id} with these seats and options"
            )
        return seat, ForfeitReason.NOT_CONNECTED, text
    try:
        async with asyncio.timeout(clock.ready_time / 1e6):
            ready = asyncio.create_task(seat.ready.wait())
            gone = asyncio.create_task(seat.session.wait_lost(match.terms.policy.reconnect_time))
            try:
                await asyncio.wait({ready, gone}, return_when=asyncio.FIRST_COMPLETED)
                came = ready.done()
            finally:
                ready.cancel()
                gone.cancel()
    except TimeoutError:
        seconds = clock.ready_time / 1e6
        text = f"the bot {seat.name} did not say within {seconds:g} s that it is ready"
        return seat, ForfeitReason.NOT_READY, text
    if seat.condemned is not None:
        return seat, seat.condemned.reason, seat.condemned.text
    if came:
        return None
    how = match.desk.exits.get(seat.bot, "it did not come back")
    text = f"the bot {seat.name} lost its connection before it was ready: {how}"
    return seat, ForfeitReason.DISCONNECTED, text


def _begin(match: Match) -> None:
    """Record the beginning and start the match's longest duration."""
    if not match.began:
        match.began = match.desk.time.now()
        entry = match.new_entry()
        entry.begin.names.extend(seat.name for seat in match.seats)
        match.record(entry)
    match.phase = match_service_pb2.MATCH_PHASE_PLAYING
    match.turn = (match.state.to_move, match.state.turns)
    match.deadline.start_ceiling(match.desk.time.now() - match.began)
    match.log.info("match begins", bots=[seat.bot for seat in match.seats])
