"""The position of a match of Anchor, and how moves change it."""

from bisect import insort
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Self

from harbourmaster_engine.anchor import worlds
from harbourmaster_engine.anchor.board import CENTRE, faces
from harbourmaster_engine.anchor.checks import (
    check_cycle,
    check_exchange,
    check_pick,
    drawable,
    plan_anchor_play,
    plan_play,
)
from harbourmaster_engine.anchor.lines import Placement
from harbourmaster_engine.anchor.moves import (
    HAND_SIZE,
    MARKET_SIZE,
    MAX_SWAP,
    AcesReturned,
    AnchorEvent,
    AnchorMove,
    AnchorPlay,
    AnchorSet,
    AnchorView,
    CardsDiscarded,
    CardsDrawn,
    CardsPlaced,
    Cycle,
    Exchange,
    MarketTaken,
    Pass,
    Passed,
    Pick,
    PileRebuilt,
    Play,
    Scored,
    TurnStarted,
)
from harbourmaster_engine.anchor.rules import Rules
from harbourmaster_engine.anchor.sample import Sight, sample
from harbourmaster_engine.anchor.search import find_placement
from harbourmaster_engine.anchor.stock import DRAWN, Step, Stock
from harbourmaster_engine.anchor.table import Table
from harbourmaster_engine.cards import JOKER, NAMES, RANK, Card, fresh_deck
from harbourmaster_engine.chance import Stream
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

PASS: Final = Pass()
LIMIT: Final = 32
"""How many moves are offered unless another number is asked for."""

_SEATS_OF: Final = tuple(
    tuple(seat for seat in range(6) if mask >> seat & 1) for mask in range(1 << 6)
)
_ACE_OF_CLUBS: Final = 0
REDEALS: Final = 20
"""How many worlds are tried to find one in which every seat that passed had to."""


class AnchorState:
    """One position of Anchor."""

    __slots__ = (
        "_gone",
        "_hands",
        "_history",
        "_idle",
        "_longest",
        "_melds",
        "_out",
        "_passed",
        "_played",
        "_reason",
        "_reasons",
        "_rules",
        "_scores",
        "_stock",
        "_table",
        "_to_move",
        "turns",
    )

    def __init__(self, options: Mapping[str, Any], seats: int, stream: Stream) -> None:
        """Make a position with nothing on the board or in the hands, from resolved *options*."""
        self._rules = Rules.from_options(options)
        self._stock = Stock([], [], stream)
        self._table = Table()
        self._hands: list[list[Card]] = [[] for _ in range(seats)]
        # The hands of seats that forfeited, which nobody sees any more.
        self._gone: list[list[Card]] = [[] for _ in range(seats)]
        self._scores = [0] * seats
        self._melds = [0] * seats
        self._longest = [0] * seats
        self._to_move = 0
        self._passed = 0
        self._idle = 0
        self._played = False
        self._out: tuple[int, ...] = ()
        self._reasons: tuple[ForfeitReason | None, ...] = (None,) * seats
        self._reason = ""
        self.turns = 0
        self._history: worlds.History = (None, ())

    @classmethod
    def deal(cls, options: Mapping[str, Any], seats: int, seed: bytes) -> Self:
        """Shuffle, deal seven cards to each seat and set the first anchor."""
        state = cls(options, seats, Stream.for_round(seed, 1))
        pile = fresh_deck(2, 4)
        state._stock.stream.shuffle(pile)
        for _ in range(HAND_SIZE):
            for hand in state._hands:
                hand.append(pile.pop())
        aces = [place for place, card in enumerate(pile) if RANK[card] == 1]
        first_anchor = pile.pop(aces[-1]) if aces else _ACE_OF_CLUBS
        state._stock.pile = pile
        state._table.lay({CENTRE: first_anchor}, (CENTRE,))
        state.begin(extra_ace=not aces)
        return state

    def begin(self, *, extra_ace: bool = False) -> None:
        """Take the position as the one that the match begins with."""
        for hand in self._hands:
            hand.sort()
        hands = tuple(tuple(hand) for hand in self._hands)
        self._history = (None, (worlds.BEGIN, hands, tuple(self._stock.pile), extra_ace))

    @property
    def seats(self) -> int:
        """The number of seats the match began with."""
        return len(self._hands)

    @property
    def to_move(self) -> int | None:
        """The seat whose turn it is, or `None` when the match is over."""
        return None if self._reason else self._to_move

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat."""
        return tuple(self._scores)

    def check(self, move: object) -> Refusal | None:
        """Return why *move* is illegal, or `None`."""
        plan = self._plan(move)
        return plan if type(plan) is Refusal else None

    def apply(self, move: AnchorMove) -> tuple[AnchorEvent, ...]:
        """Make *move*; raise `IllegalMove` if `check` refuses it."""
        plan = self._plan(move)
        if type(plan) is Refusal:
            raise IllegalMove(plan)
        seat = self._to_move
        events: list[AnchorEvent] = []
        if type(plan) is Placement:
            self._place(seat, move, plan, events)  # type: ignore[arg-type]
        elif type(move) is Cycle:
            self._discard(seat, move.discard, events)
            self._draw(seat, len(move.discard), events)
        elif type(move) is Pick:
            self._stock.take(move.take)
            self._discard(seat, move.discard, events, taken=move.take)
        elif type(move) is Exchange:
            self._exchange(seat, move.aces, events)
        else:
            self._history = (self._history, (worlds.PASS, seat, self._table.board))
            events.append(Passed(seat))
        self._passed = self._passed | 1 << seat if type(move) is Pass else 0
        self.turns += 1
        self._next_turn(events)
        return tuple(events)

    def view(self, seat: int) -> AnchorView:
        """Return what *seat* (or `SPECTATOR`) may see."""
        if not -1 <= seat < self.seats:
            raise no_such_seat(seat, self.seats)
        stock = self._stock
        discards = stock.discards
        return AnchorView(
            faces(self._table.board),
            self._table.anchors,
            tuple(self._hands[seat]) if seat >= 0 else (),
            tuple([len(hand) for hand in self._hands]),
            tuple(discards[-MARKET_SIZE:]),
            len(discards),
            len(stock.pile),
            tuple(self._scores),
            tuple(self._melds),
            tuple(self._longest),
            None if self._reason else self._to_move,
            self.turns,
            _SEATS_OF[self._passed],
            self._idle,
            self._played,
            self._out,
            self._rules,
        )

    def legal_moves(self, limit: int = LIMIT) -> LegalMoves[AnchorMove]:
        """Return a sample of up to *limit* legal moves; only a pass is known to be all of them.

        The sample is decided by what the seat to move sees.
        """
        if self._reason:
            return LegalMoves((), True)
        return self._sample(Stream(self._visible()), max(1, limit))

    def default_move(self) -> AnchorMove:
        """Return a move that changes little: a cycle of one card, else a pick, else what there is.

        The card is the first of the hand; which card that is depends on the hand alone.
        """
        return self._any_move() or PASS

    def sample_move(self, rng: Stream) -> AnchorMove:
        """Return a legal move chosen with *rng*."""
        return rng.choice(self._sample(rng, LIMIT).moves)

    def redeal(self, seat: int, rng: Stream) -> Self:
        """Return another state that *seat* could not tell from this one, chosen with *rng*."""
        twin = self.clone()
        twin._stock.stream = rng.fork()
        for _ in range(REDEALS):
            world = worlds.other_world(self._history, self._stock.pile, seat, rng)
            if self._passes_fit(world, seat):
                twin._hands, twin._stock.pile = world.hands, world.pile
                twin._gone, twin._history = world.gone, world.history
                break
        return twin

    def forfeit(self, seat: int, reason: ForfeitReason) -> tuple[AnchorEvent | SeatForfeited, ...]:
        """Take *seat* and its hand out of the match."""
        if self._reason or not 0 <= seat < self.seats or seat in self._out:
            raise ValueError(f"seat {seat} cannot forfeit: it is out already or there is none")
        self._out += (seat,)
        self._reasons = (*self._reasons[:seat], reason, *self._reasons[seat + 1 :])
        # A new list: copies of this state share the old one.
        self._gone = [*self._gone[:seat], self._hands[seat], *self._gone[seat + 1 :]]
        self._hands[seat] = []
        self._history = (self._history, (worlds.FORFEIT, seat))
        events: list[Any] = [SeatForfeited(seat, reason)]
        if len(self._out) == self.seats - 1:
            self._reason = LAST_SEAT
            events.append(self._turn_started())
        elif seat == self._to_move:
            self._next_turn(events)
        else:
            self._look_for_end(round_ended=False)
            events.append(self._turn_started())
        return tuple(events)

    def outcome(self) -> Outcome | None:
        """Return how the match ended, or `None`."""
        if not self._reason:
            return None
        keys = list(zip(self._scores, self._melds, self._longest, strict=True))
        return Outcome(self.scores, placements(keys, self._out), self._reason, self._reasons)

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin._rules = self._rules
        twin._table = self._table.clone()
        twin._hands = [hand.copy() for hand in self._hands]
        twin._gone = self._gone
        twin._stock = self._stock.clone()
        twin._scores = self._scores.copy()
        twin._melds = self._melds.copy()
        twin._longest = self._longest.copy()
        twin._to_move = self._to_move
        twin._passed = self._passed
        twin._idle = self._idle
        twin._played = self._played
        twin._out = self._out
        twin._reasons = self._reasons
        twin._reason = self._reason
        twin.turns = self.turns
        twin._history = self._history
        return twin

    def fingerprint(self) -> bytes:
        """Return a hash of everything, the hidden cards and the chance included."""
        parts = (
            self._rules,
            self._table.board,
            self._table.anchors,
            self._hands,
            self._gone,
            self._stock.pile,
            self._stock.discards,
            self._scores,
            self._melds,
            self._longest,
            self._to_move,
            self._passed,
            self._idle,
            self._played,
            self._out,
            self._reasons,
            self._reason,
            self.turns,
            self._stock.stream.key(),
        )
        return sha256(repr(parts).encode()).digest()

    def _plan(self, move: object) -> Placement | Refusal | None:
        """Return what *move* puts on the board, `None` for a legal swap or pass, or a refusal."""
        if self._reason:
            return Refusal("over", "the match is over")
        hand, stock = self._hands[self._to_move], self._stock
        kind = type(move)
        if kind is Play:
            groups = move.groups  # type: ignore[attr-defined]
            return plan_play(self._table.board, hand, groups, self._rules)
        if kind is AnchorPlay:
            cells, cards = move.cells, move.cards  # type: ignore[attr-defined]
            return plan_anchor_play(self._table.board, hand, cells, cards, self._rules)
        if kind is Cycle:
            counts = len(stock.pile), len(stock.discards)
            return check_cycle(hand, move.discard, *counts)  # type: ignore[attr-defined]
        if kind is Pick:
            take, discard = move.take, move.discard  # type: ignore[attr-defined]
            return check_pick(hand, stock.market, take, discard)
        if kind is Exchange:
            return check_exchange(hand, move.aces, len(stock.pile))  # type: ignore[attr-defined]
        if kind is Pass:
            return self._check_pass()
        return Refusal("malformed", f"{kind.__name__[:40]} is not a move of Anchor")

    def _check_pass(self) -> Refusal | None:
        move = self._any_move()
        if move is None:
            return None
        if isinstance(move, Cycle):
            what = f"you can cycle {NAMES[move.discard[0]]}"
        elif isinstance(move, Pick):
            what = f"you can take {NAMES[move.take[0]]} from the market"
        else:
            what = "you can put cards on the board"
        return Refusal("may_not_pass", f"you may not pass: {what}")

    def _any_move(self) -> AnchorMove | None:
        """Return a legal move that is no pass, swaps first, or `None` if a pass is all there is."""
        hand, stock = self._hands[self._to_move], self._stock
        # With a card in the pile a cycle of one is legal, so exchanges need no look.
        for number in range(1, min(len(hand), MAX_SWAP) + 1):
            if drawable(len(stock.pile), len(stock.discards) + number) >= number:
                return Cycle(tuple(hand[:number]))
        if hand and stock.discards:
            return Pick((stock.discards[-1],), (hand[0],))
        return find_placement(self._table.board, hand, self._rules)

    def _place(
        self, seat: int, move: Play | AnchorPlay, plan: Placement, events: list[AnchorEvent]
    ) -> None:
        """Put the cards of *move* on the board, score them and fill the hand."""
        hand = self._hands[seat]
        cards = self._table.place(plan)
        for card in cards:
            hand.remove(card)
        self._scores[seat] += plan.points
        self._melds[seat] += plan.melds
        if plan.longest_run > self._longest[seat]:
            self._longest[seat] = plan.longest_run
        self._played = True
        self._history = (self._history, (worlds.LEAVE, seat, cards))
        self._tell_placed(seat, move, events)
        events.append(Scored(seat, plan.points, plan.melds, plan.longest_run))
        if len(hand) < HAND_SIZE:
            self._draw(seat, HAND_SIZE - len(hand), events)

    def _tell_placed(self, seat: int, move: Play | AnchorPlay, events: list[AnchorEvent]) -> None:
        if type(move) is Play:
            for group in move.groups:
                events.append(CardsPlaced(seat, group.cells, group.cards))
            return
        cells, cards = move.cells, move.cards  # type: ignore[union-attr]
        ace = next(i for i, card in enumerate(cards) if RANK[card] == 1)
        events.append(AnchorSet(seat, cells[ace], cards[ace]))
        rest = [i for i in range(len(cards)) if i != ace]
        cells, cards = tuple([cells[i] for i in rest]), tuple([cards[i] for i in rest])
        events.append(CardsPlaced(seat, cells, cards))

    def _discard(
        self,
        seat: int,
        cards: tuple[Card, ...],
        events: list[AnchorEvent],
        taken: tuple[Card, ...] = (),
    ) -> None:
        """Put *cards* down; a pick has *taken* others from the market just before."""
        hand = self._hands[seat]
        for card in cards:
            hand.remove(card)
        self._history = (self._history, (worlds.LEAVE, seat, cards))
        if taken:
            for card in taken:
                insort(hand, card)
            self._history = (self._history, (worlds.TAKE, seat, taken))
            events.append(MarketTaken(seat, taken))
        events.append(CardsDiscarded(seat, cards))
        self._follow(seat, self._stock.discard(cards), events)

    def _draw(self, seat: int, number: int, events: list[AnchorEvent]) -> None:
        self._follow(seat, self._stock.draw(number), events)

    def _follow(self, seat: int, steps: list[Step], events: list[AnchorEvent]) -> None:
        """Do to the hand of *seat* what the stock did, and tell what may be told of it."""
        hand = self._hands[seat]
        for kind, cards in steps:
            if kind == DRAWN:
                for card in cards:
                    insort(hand, card)
                self._history = (self._history, (worlds.DRAW, seat, cards))
                events.append(CardsDrawn(seat, len(cards)))
            else:
                self._history = (self._history, (worlds.REBUILD, cards))
                events.append(PileRebuilt(len(cards)))

    def _exchange(self, seat: int, aces: tuple[Card, ...], events: list[AnchorEvent]) -> None:
        for card in aces:
            self._hands[seat].remove(card)
        self._history = (self._history, (worlds.EXCHANGE, seat, aces))
        events.append(AcesReturned(seat, len(aces)))
        self._stock.shuffle_in(aces)
        self._draw(seat, len(aces), events)

    def _next_turn(self, events: list[Any]) -> None:
        """Give the turn to the next seat that is not out, and see whether the match is over."""
        seat, seats = self._to_move, self.seats
        following = (seat + 1) % seats
        while following in self._out:
            following = (following + 1) % seats
        self._to_move = following
        self._look_for_end(round_ended=following <= seat)
        events.append(self._turn_started())

    def _look_for_end(self, *, round_ended: bool) -> None:
        """Set the reason if the match is over; a round of the table may just have ended."""
        if round_ended:
            self._idle = 0 if self._played else self._idle + 1
            self._played = False
        passed = self._passed.bit_count() + sum(not self._passed >> seat & 1 for seat in self._out)
        if round_ended and max(self._scores) >= self._rules.target_score:
            self._reason = "target"
        elif passed == self.seats:
            self._reason = "all_passed"
        elif round_ended and self._idle >= self._rules.no_play_rounds:
            self._reason = "no_play"

    def _turn_started(self) -> TurnStarted:
        return TurnStarted(self.to_move, self.turns, self._idle, self._played)

    def _visible(self) -> bytes:
        """Return a hash of what the seat to move sees, as far as the offered moves depend on it."""
        stock = self._stock
        counts = (self._to_move, self.turns, len(stock.pile), len(stock.discards))
        cards = bytes((*self._hands[self._to_move], JOKER + 1, *stock.market))
        return sha256(b"%b%b%r" % (self._table.board, cards, counts)).digest()

    def _sample(self, stream: Stream, limit: int) -> LegalMoves[AnchorMove]:
        stock, hand = self._stock, self._hands[self._to_move]
        sight = Sight(
            self._table.board,
            self._table.taken,
            self._table.gaps(),
            hand,
            stock.market,
            len(stock.pile),
            len(stock.discards),
            self._rules,
        )
        moves = sample(sight, stream, limit)
        if moves:
            return LegalMoves(tuple(moves), False)
        move = self._any_move()
        return LegalMoves((PASS,), True) if move is None else LegalMoves((move,), False)

    def _passes_fit(self, world: worlds.World, observer: int) -> bool:
        """Return whether in *world* every other seat that passed had nothing else to do."""
        return not any(
            seat != observer and find_placement(board, hand, self._rules)
            for seat, board, hand in worlds.hands_at_passes(self._history, world)
        )
