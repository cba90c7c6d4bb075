"""The position of a match of Tide, and how moves change it."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Self

from harbourmaster_engine.cards import fresh_deck
from harbourmaster_engine.chance import SEED_BYTES, Stream
from harbourmaster_engine.game import (
    LAST_SEAT,
    ForfeitReason,
    IllegalMove,
    LegalMoves,
    Outcome,
    Refusal,
    SeatForfeited,
    no_such_seat,
    placements,
)
from harbourmaster_engine.tide.judge import Play, judge, refuse
from harbourmaster_engine.tide.moves import (
    BLOCKED,
    EMPTY_HAND,
    MELD_SCORE,
    WENT_OUT,
    CardDrawn,
    Draw,
    Pass,
    Passed,
    Rearrange,
    RoundBegan,
    RoundEnded,
    TableRearranged,
    TideEvent,
    TideMove,
    TideView,
)
from harbourmaster_engine.tide.sampling import sample
from harbourmaster_engine.tide.scoring import blocked_winners, laid_value, settle
from harbourmaster_engine.tide.table import EMPTY_TABLE, Table, count

DRAW: Final = Draw()
PASS: Final = Pass()
OFFERED: Final = 12
"""How many moves `legal_moves` offers at most, unless it is told another number."""

FLAGS: Final = tuple(
    tuple(tuple(bool(bits >> seat & 1) for seat in range(seats)) for bits in range(1 << seats))
    for seats in range(7)
)
"""For each number of seats and each bit mask of seats, a truth value for each seat."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of one match."""

    format: str
    hand_size: int
    opening_minimum: int
    target_score: int
    max_rounds: int


class TideState:
    """One position of Tide."""

    __slots__ = (
        "_forfeits",
        "_hands",
        "_left",
        "_log",
        "_opened",
        "_over",
        "_passed",
        "_pile",
        "_pile_count",
        "_playing",
        "_reason",
        "_round",
        "_rules",
        "_scores",
        "_seed",
        "_stream",
        "_table",
        "_to_move",
        "seats",
        "turns",
    )

    def __init__(self, options: Mapping[str, Any], seats: int, seed: bytes) -> None:
        """Make a position with no cards, from resolved *options*."""
        self._rules = Rules(**options)
        self._seed = seed
        self._stream = Stream.for_round(seed, 1)
        self.seats = seats
        self.turns = 0
        self._round = 1
        self._to_move = 0
        self._table: Table = EMPTY_TABLE
        self._hands: list[tuple[int, ...]] = [()] * seats
        # The cards that seats took with them when they left, of this round.
        self._left: tuple[tuple[int, ...], ...] = ((),) * seats
        # The top of the pile is at `_pile_count - 1`; what was drawn stays behind it.
        self._pile: tuple[int, ...] = ()
        self._pile_count = 0
        self._scores = [0] * seats
        # Bit masks of seats.
        self._opened = 0
        self._passed = 0
        self._playing = (1 << seats) - 1
        self._log: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...] = ()
        self._forfeits: tuple[tuple[int, ForfeitReason], ...] = ()
        self._over = False
        self._reason = ""

    @classmethod
    def deal(cls, options: Mapping[str, Any], seats: int, seed: bytes) -> Self:
        """Deal the first round; *options* are resolved."""
        state = cls(options, seats, seed)
        state._deal_round()
        return state

    @property
    def to_move(self) -> int | None:
        """The seat whose turn it is, or `None` when the match is over."""
        return None if self._over else self._to_move

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat."""
        return tuple(self._scores)

    def check(self, move: object) -> Refusal | None:
        """Return why *move* is illegal, or `None`."""
        found = self._judge(move)
        return found if type(found) is Refusal else None

    def apply(self, move: TideMove) -> tuple[TideEvent, ...]:
        """Make *move*; raise `IllegalMove` if `check` refuses it."""
        found = self._judge(move)
        if isinstance(found, Refusal):
            raise IllegalMove(found)
        if found is not None:
            return self._rearrange(found)
        if type(move) is Draw:
            return self._draw()
        return self._pass()

    def view(self, seat: int) -> TideView:
        """Return what *seat* or a spectator may see."""
        if not -1 <= seat < self.seats:
            raise no_such_seat(seat, self.seats)
        flags, rules, table = FLAGS[self.seats], self._rules, self._table
        hands = self._hands
        return TideView(
            hands[seat] if seat >= 0 else (),
            tuple([len(hand) for hand in hands]),
            self._pile_count,
            table.cells,
            table.cards,
            table.jokers,
            tuple(self._scores),
            flags[self._opened],
            flags[self._passed],
            flags[self._playing],
            self._round,
            None if self._over else self._to_move,
            self.turns,
            rules.format,
            rules.hand_size,
            rules.opening_minimum,
            rules.target_score,
            rules.max_rounds,
        )

    def legal_moves(self, limit: int = OFFERED) -> LegalMoves[TideMove]:
        """Return at most *limit* moves, and at least one: a sample out of very many.

        The first one draws or passes. The others are chosen by chance that only the table, the
        own hand and the number of turns decide.
        """
        if self._over:
            return LegalMoves((), True)
        first = self.default_move()
        if limit < 2:
            return LegalMoves((first,), False)
        seat, table = self._to_move, self._table
        seen = b"%b%b%r%d %d" % (
            table.board,
            bytes(self._hands[seat]),
            table.jokers,
            seat,
            self.turns,
        )
        rng = Stream(sha256(seen).digest())
        found = sample(table, self._hands[seat], self._minimum(seat), limit - 1, rng)
        return LegalMoves((first, *found), False)

    def default_move(self) -> TideMove:
        """Return the draw, or with an empty pile the pass."""
        return DRAW if self._pile_count else PASS

    def sample_move(self, rng: Stream) -> TideMove:
        """Return a legal move: mostly one that puts cards on the table, if one is found."""
        seat = self._to_move
        found = sample(self._table, self._hands[seat], self._minimum(seat), 3, rng)
        if not found or rng.below(8) == 0:
            return self.default_move()
        return rng.choice(found)

    def redeal(self, seat: int, rng: Stream) -> Self:
        """Shuffle the pile and all hands but that of *seat*, those of seats that left included."""
        twin = self.clone()
        twin._stream = rng.fork()
        places = [other for other in range(self.seats) if other != seat]
        hidden = list(self._pile[: self._pile_count])
        for other in places:
            hidden += self._hands[other]
            hidden += self._left[other]
        rng.shuffle(hidden)
        twin._pile = tuple(hidden[: self._pile_count])
        at = self._pile_count
        left = list(self._left)
        for other in places:
            end = at + len(self._hands[other])
            twin._hands[other] = tuple(sorted(hidden[at:end]))
            at = end + len(left[other])
            left[other] = tuple(sorted(hidden[end:at]))
        twin._left = tuple(left)
        twin._seed = rng.fork().key()[:SEED_BYTES]
        return twin

    def forfeit(self, seat: int, reason: ForfeitReason) -> tuple[SeatForfeited | TideEvent, ...]:
        """Take *seat* out; the others go on while there are two or more."""
        if self._over or not 0 <= seat < self.seats or not self._playing >> seat & 1:
            raise ValueError(
                f"seat {seat} cannot forfeit: the match is over or it is not in the match"
            )
        self._forfeits += ((seat, reason),)
        self._playing &= ~(1 << seat)
        self._left = (*self._left[:seat], self._hands[seat], *self._left[seat + 1 :])
        self._hands[seat] = ()
        event = SeatForfeited(seat, reason)
        if self._playing & (self._playing - 1) == 0:
            self._end_match(LAST_SEAT)
            return (event,)
        if self._all_passed():
            return (event, *self._block())
        if self._to_move == seat:
            self._to_move = self._next(seat)
        return (event,)

    def outcome(self) -> Outcome | None:
        """Return how the match ended, or `None`."""
        if not self._over:
            return None
        reasons = dict(self._forfeits)
        scores = self.scores
        winners = self._log[-1][1] if self._rules.format == EMPTY_HAND and self._log else ()
        keys = [(seat in winners, score) for seat, score in enumerate(scores)]
        return Outcome(
            scores,
            placements(keys, [seat for seat, _ in self._forfeits]),
            self._reason,
            tuple(reasons.get(seat) for seat in range(self.seats)),
        )

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin._rules = self._rules
        twin._seed = self._seed
        twin._stream = self._stream.clone()
        twin.seats = self.seats
        twin.turns = self.turns
        twin._round = self._round
        twin._to_move = self._to_move
        twin._table = self._table
        twin._hands = self._hands.copy()
        twin._left = self._left
        twin._pile = self._pile
        twin._pile_count = self._pile_count
        twin._scores = self._scores.copy()
        twin._opened = self._opened
        twin._passed = self._passed
        twin._playing = self._playing
        twin._log = self._log
        twin._forfeits = self._forfeits
        twin._over = self._over
        twin._reason = self._reason
        return twin

    def fingerprint(self) -> bytes:
        """Return a hash of everything, the order of the pile and the chance included."""
        parts = (
            self._rules,
            self._seed,
            self._stream.key(),
            self.seats,
            self.turns,
            self._round,
            self._to_move,
            self._table.cells,
            self._table.cards,
            self._table.jokers,
            self._hands,
            self._left,
            self._pile[: self._pile_count],
            self._scores,
            self._opened,
            self._passed,
            self._playing,
            self._log,
            self._forfeits,
            self._over,
            self._reason,
        )
        return sha256(repr(parts).encode()).digest()

    def _judge(self, move: object) -> Play | Refusal | None:
        """Return what a rearrangement does, why *move* is refused, or `None` if it is legal."""
        if self._over:
            return refuse("over", "the match is over")
        kind = type(move)
        if kind is Rearrange:
            seat = self._to_move
            hand = count(self._hands[seat])
            return judge(self._table, hand, self._minimum(seat), move)  # type: ignore[arg-type]
        if kind is Draw:
            if not self._pile_count:
                return refuse("pile_empty", "the pile is empty: rearrange or pass")
            return None
        if kind is Pass:
            if self._pile_count:
                text = f"the pile has {self._pile_count} cards: rearrange or draw"
                return refuse("pile_not_empty", text)
            return None
        return refuse("malformed", f"{kind.__name__[:40]} is not a move of Tide")

    def _minimum(self, seat: int) -> int | None:
        """Return what the first cards of *seat* must be worth; `None` when it has opened."""
        return None if self._opened >> seat & 1 else self._rules.opening_minimum

    def _rearrange(self, play: Play) -> tuple[TideEvent, ...]:
        seat, table = self._to_move, play.table
        self._table = table
        hand = list(self._hands[seat])
        for card in play.added:
            hand.remove(card)
        self._hands[seat] = tuple(hand)
        self._opened |= 1 << seat
        self._passed = 0
        self.turns += 1
        meld_score = self._rules.format == MELD_SCORE
        points = laid_value(play.added) if meld_score else 0
        self._scores[seat] += points
        event = TableRearranged(seat, table.cells, table.cards, table.jokers, play.added, points)
        if meld_score and self._scores[seat] >= self._rules.target_score:
            self._end_match("target")
            return (event,)
        if not hand:
            return (event, *self._end_round(WENT_OUT, (seat,)))
        self._to_move = self._next(seat)
        return (event,)

    def _draw(self) -> tuple[TideEvent, ...]:
        seat = self._to_move
        self._pile_count -= 1
        self._hands[seat] = tuple(sorted((*self._hands[seat], self._pile[self._pile_count])))
        self._passed = 0
        self.turns += 1
        self._to_move = self._next(seat)
        return (CardDrawn(seat),)

    def _pass(self) -> tuple[TideEvent, ...]:
        seat = self._to_move
        self._passed |= 1 << seat
        self.turns += 1
        if self._all_passed():
            return (Passed(seat), *self._block())
        self._to_move = self._next(seat)
        return (Passed(seat),)

    def _next(self, seat: int) -> int:
        """Return the seat to the left of *seat*, leaving out those that left."""
        seats, playing = self.seats, self._playing
        seat = (seat + 1) % seats
        while not playing >> seat & 1:
            seat = (seat + 1) % seats
        return seat

    def _remaining(self) -> dict[int, tuple[int, ...]]:
        return {seat: self._hands[seat] for seat in range(self.seats) if self._playing >> seat & 1}

    def _all_passed(self) -> bool:
        return self._passed & self._playing == self._playing

    def _block(self) -> tuple[TideEvent, ...]:
        return self._end_round(BLOCKED, blocked_winners(self._remaining()))

    def _end_round(self, how: str, winners: tuple[int, ...]) -> tuple[TideEvent, ...]:
        rules = self._rules
        if rules.format != MELD_SCORE:
            for seat, points in settle(self._remaining(), winners).items():
                self._scores[seat] += points
        scores = self.scores
        self._log += ((how, winners, scores),)
        ended = RoundEnded(self._round, how, winners, scores)
        reason = self._reason_to_end()
        if reason:
            self._end_match(reason)
            return (ended,)
        self._round += 1
        return (ended, self._deal_round())

    def _reason_to_end(self) -> str:
        """Return why the match is over after a round, or an empty word."""
        rules = self._rules
        if rules.format == EMPTY_HAND:
            return "one_round"
        best = max(self._scores[seat] for seat in self._remaining())
        if best >= rules.target_score:
            return "target"
        return "max_rounds" if self._round >= rules.max_rounds else ""

    def _end_match(self, reason: str) -> None:
        self._over = True
        self._reason = reason

    def _start_stream(self) -> None:
        self._stream = Stream.for_round(self._seed, self._round)

    def _deal_round(self) -> RoundBegan:
        """Shuffle a fresh deck and deal round `_round`, which has not begun."""
        self._start_stream()
        deck = fresh_deck(2, 2)
        self._stream.shuffle(deck)
        # The seat whose round it is may have left; its duty passes to the left.
        first = self._next((self._round - 2) % self.seats)
        order = [first]
        while (seat := self._next(order[-1])) != first:
            order.append(seat)
        dealt = deck[::-1][: self._rules.hand_size * len(order)]
        self._hands = [()] * self.seats
        for place, seat in enumerate(order):
            self._hands[seat] = tuple(sorted(dealt[place :: len(order)]))
        self._left = ((),) * self.seats
        self._pile = tuple(deck[: len(deck) - len(dealt)])
        self._pile_count = len(self._pile)
        self._table = EMPTY_TABLE
        self._opened = self._passed = 0
        self._to_move = first
        counts = tuple([len(hand) for hand in self._hands])
        return RoundBegan(self._round, first, counts, self._pile_count)
