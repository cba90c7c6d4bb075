"""All bytes that a referee sends in a match, and the search in them for what is secret.

Two things are held against what was sent. No message may hold the bytes of the seed, the salt, or
a hidden place's cards in order. And every message must be what the engine's own view, offers,
public events and refusals give for that seat, of which the leak test of the engine shows that they
tell nothing.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, Final

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster_engine.anchorline.moves import CARD_NAMES
from harbourmaster_engine.cards import NAMES
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR
from harbourmaster_engine.registry import find_game
from harbourmaster_server.codec import codec_for
from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.matches.decision import Decision
from harbourmaster_server.matches.match import Match
from harbourmaster_server.pacing import Pace
from harbourmaster_server.services.watching import watch
from support.arena import Arena, ScriptedBot, open_arena, run
from support.places import hidden_from

SHORTEST: Final = 6
"""Fewer hidden cards than that may lie side by side somewhere else by chance."""

START_FIELDS: Final = frozenset({"match_id", "terms", "seat", "players", "deal_commitment"})
KINDS: Final = ("welcome", "match_start", "decision_request", "move_receipt", "match_end")
REQUEST_FIELDS: Final = frozenset(
    {"match_id", "decision", "attempt", "seat", "view", "events", "time_left_micros", "offered"}
)


@dataclass(frozen=True)
class Sent:
    """One message, whoever got it, and the secrets of the moment when it was sent."""

    seat: int
    """The seat that it was sent to, or `SPECTATOR`."""
    data: bytes
    secrets: Mapping[str, bytes]


@dataclass
class Tapped:
    """A whole match with everything that was sent."""

    game: str
    options: Mapping[str, Any]
    seed: bytes
    sent: list[Sent] = field(default_factory=list)
    moves: list[tuple[int, Any]] = field(default_factory=list)
    tried: dict[int, game_pb2.Move] = field(default_factory=dict)
    """The moves of other moments that decisions were answered with first."""
    log: str = ""
    """What the referee logged."""
    tokens: list[bytes] = field(default_factory=list)
    """The resume tokens of the bots."""

    def to(self, seat: int) -> Iterator[pb.RefereeEvent]:
        """Yield the events that *seat* was sent."""
        for each in self.sent:
            if each.seat == seat:
                yield from pb.PlayResponse.FromString(each.data).events


class TappedBot(ScriptedBot):
    """A bot that keeps the bytes it is sent."""

    tapped: Tapped
    seat = SPECTATOR
    asked = pb.DecisionRequest()
    """The last request."""

    def put(self, batch: bytes, to_start: list[Decision]) -> None:
        match = next(iter(self.arena.referee._matches.values()), None)
        self._keep(batch, match)
        super().put(batch, to_start)
        for event in pb.PlayResponse.FromString(batch).events:
            if event.HasField("decision_request"):
                self.asked = event.decision_request

    def come_again(self) -> None:
        """Lose the connection, and take the session up again."""
        sessions = self.arena.referee.sessions
        sessions.dropped(self.session, self)  # type: ignore[arg-type]
        self._open(self.session.hello, self.session.resume_token)

    def _keep(self, data: bytes, match: Match | None) -> None:
        secrets = secrets_of(match, self.seat) if match is not None else {}
        self.tapped.sent.append(Sent(self.seat, data, secrets))


def secrets_of(match: Match, seat: int) -> dict[str, bytes]:
    """Return the bytes that *seat* may not be sent now, by what they are."""
    secrets: dict[str, bytes] = {}
    if match.state.to_move is not None or match.sealed:
        secrets |= {"the seed": match.deal.seed, "the salt": match.deal.salt}
    names = CARD_NAMES[1:] if match.terms.game.id == "anchorline" else NAMES
    number = {name: place for place, name in enumerate(names, 1)}
    for place, cards in hidden_from(seat, match.terms.game.id, match.state).items():
        if len(cards) >= SHORTEST and len(set(cards)) > 2:
            there = bytes(number[card] for card in cards)
            secrets |= {place: there, f"{place}, backwards": there[::-1]}
    return secrets


def assert_no_secret_was_sent(tapped: Tapped) -> int:
    """Assert that no message holds a secret; return how many were searched for."""
    searched = 0
    for each in tapped.sent:
        for what, secret in each.secrets.items():
            assert secret not in each.data, f"seat {each.seat} was sent {what}"
            searched += 1
    return searched


def assert_only_public_things_were_sent(tapped: Tapped) -> int:
    """Assert that every seat was sent exactly what the engine has for it; count the requests."""
    game = find_game(tapped.game)
    seats = max(each.seat for each in tapped.sent) + 1
    codec = codec_for(tapped.game)
    state = game.start(tapped.seed, seats, tapped.options)
    asked = {
        seat: [e.decision_request for e in tapped.to(seat) if e.HasField("decision_request")]
        for seat in range(seats)
    }
    refused = {
        receipt.decision: receipt.refusal
        for seat in range(seats)
        for e in tapped.to(seat)
        if (receipt := e.move_receipt).HasField("refusal")
    }
    told: list[game_pb2.Event] = []
    seen = [0] * seats
    compared = 0
    for mover, move in tapped.moves:
        request = asked[mover].pop(0)
        _assert_fields(request, REQUEST_FIELDS)
        view = game_pb2.View()
        codec.write_view(state.view(mover), view)
        assert request.view == view, f"seat {mover} saw something else than its view"
        assert list(request.events) == told[seen[mover] :], f"seat {mover} heard something else"
        legal = state.legal_moves()
        offered = pb.OfferedMoves(moves=map(codec.move, legal.moves), complete=legal.complete)
        assert request.offered == offered, f"seat {mover} was offered something else"
        seen[mover] = len(told)
        if request.decision in tapped.tried:
            tried = codec.read_move(tapped.tried[request.decision])
            refusal = state.check(tried)
            expected = None if refusal is None else codec.refusal(refusal)
            assert refused.get(request.decision) == expected, (
                f"seat {mover} was told something else"
            )
        told += codec.events(state.apply(move))
        compared += 1
    _assert_other_messages(tapped, seats)
    return compared


def _assert_other_messages(tapped: Tapped, seats: int) -> None:
    """Assert that nothing else was sent than what tells nothing of cards by its fields."""
    for seat in range(seats):
        for event in tapped.to(seat):
            kind = event.WhichOneof("event")
            assert not _unknown(event), f"a {kind} holds fields that nobody knows"
            if kind == "match_start":
                _assert_fields(event.match_start, START_FIELDS)
            assert kind in KINDS, f"seat {seat} was sent a {kind}"


def _assert_fields(message: Any, known: frozenset[str]) -> None:
    found = {descriptor.name for descriptor, _ in message.ListFields()}
    assert found <= known, f"a message holds {sorted(found - known)}"


def _unknown(event: pb.RefereeEvent) -> bool:
    bare = type(event).FromString(event.SerializeToString())
    bare.DiscardUnknownFields()
    return bare.ByteSize() != event.ByteSize()


def tap(
    folder: Path,
    game: str,
    seats: int,
    options: Mapping[str, Any],
    *,
    sealed: bool = False,
    plant: Any = None,
    drops: bool = False,
) -> Tapped:
    """Play a match of bots that choose at random, and keep what they and a watcher were sent.

    Every ninth answer is first a move of another moment. *plant* is called with the match before
    the first decision, to put a fault into it. With *drops* every fifth decision finds its bot cut
    off, which then comes back.
    """
    seed = sha256(f"{game} {seats} {sorted(options.items())}".encode()).digest()
    tapped = Tapped(game, options, seed)
    run(_tap(folder, tapped, seats, sealed, plant, drops))
    return tapped


async def _tap(
    folder: Path, tapped: Tapped, seats: int, sealed: bool, plant: Any, drops: bool
) -> None:
    game = find_game(tapped.game)
    terms = match_pb2.MatchTerms(
        policy=match_pb2.FaultPolicy(
            illegal_move=match_pb2.FaultRule(retries=3, action=match_pb2.FAULT_ACTION_DEFAULT_MOVE),
            max_strikes=0,
        )
    )
    terms.options.CopyFrom(codec_for(tapped.game).options(game.resolve(seats, tapped.options)))
    log = StringIO()
    async with open_arena(folder, log=set_up_logging(level="debug", stream=log)) as arena:
        bots = [await _bot(arena, tapped, seat) for seat in range(seats)]
        for bot in bots:
            bot.auto_ready = plant is None
        names = [bot.name for bot in bots]
        match_id = await arena.match(
            *names, game=tapped.game, terms=terms, seed=tapped.seed, sealed=sealed
        )
        match = arena.referee._matches[match_id]
        watcher = asyncio.create_task(_watch(tapped, match)) if not sealed else None
        if plant is not None:
            await _start_with(match, bots, plant)
        await _play(match, bots, drops)
        tapped.log, tapped.tokens = log.getvalue(), [bot.session.resume_token for bot in bots]
        tapped.moves = list(match.moves)
        await arena.referee.wait(match_id)
        if watcher is not None:
            await watcher
        sent = list(tapped.sent)
    # Without the notice that the referee shuts down.
    tapped.sent = sent


async def _bot(arena: Arena, tapped: Tapped, seat: int) -> TappedBot:
    bot = TappedBot(arena, f"bot-{seat}")
    bot.tapped, bot.seat = tapped, seat
    version = pb.ProtocolVersion(major=1)
    bot._open(
        pb.Hello(protocol_version=version, name=bot.name, offered_moves_wanted=True, open_matches=1)
    )
    await asyncio.sleep(0)
    return bot


async def _start_with(match: Match, bots: list[TappedBot], plant: Any) -> None:
    plant(match)
    for bot in bots:
        start = bot.last("match_start")
        bot.session.take_ready(pb.MatchReady(match_id=start.match_id, seat=start.seat))
    await asyncio.sleep(0)


async def _watch(tapped: Tapped, match: Match) -> None:
    async def write(message: bytes) -> None:
        tapped.sent.append(Sent(SPECTATOR, message, secrets_of(match, SPECTATOR)))

    await watch(match, write, Pace(1_000_000))


async def _play(match: Match, bots: list[TappedBot], drops: bool) -> None:
    """Answer every decision until the match is over."""
    rng = Stream(sha256(b"tapped").digest())
    other = game_pb2.Move()
    answered = dropped = 0
    for _ in range(1_000_000):
        if match.outcome is not None:
            return
        decision = match.decision
        bot = _asked(bots, decision)
        if decision is None or bot is None:
            await asyncio.sleep(0)
        elif drops and decision.number % 5 == 0 and dropped != decision.number:
            dropped = decision.number
            bot.asked = pb.DecisionRequest()
            bot.come_again()
        elif answered % 9 == 8 and decision.attempt == 1:
            answered += 1
            bot.tapped.tried[decision.number] = other
            _answer(bot, decision, move=other)
        else:
            answered += 1
            chosen = rng.below(len(bot.asked.offered.moves))
            other = bot.asked.offered.moves[chosen]
            _answer(bot, decision, offered_index=chosen)
    raise AssertionError("the match has not ended")


def _asked(bots: list[TappedBot], decision: Decision | None) -> TappedBot | None:
    """Return the bot that has got *decision* and not yet answered it."""
    if decision is None or decision.answered:
        return None
    bot = bots[decision.seat]
    return bot if bot.asked.decision == decision.number else None


def _answer(bot: TappedBot, decision: Decision, **answer: Any) -> None:
    reply = pb.MoveReply(
        match_id=bot.asked.match_id,
        decision=decision.number,
        attempt=decision.attempt,
        **answer,
    )
    bot.session.take_reply(reply, bot.arena.time.arrival())
