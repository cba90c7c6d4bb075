"""The position of a match of Anchorline, and how moves change it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from typing import Any, Final, Self

from harbourmaster_engine.anchorline.moves import (
    CARD_NAMES,
    CODES,
    DIRECTIONS,
    AnchorlineEvent,
    AnchorlineMove,
    AnchorlineView,
    CardPlaced,
    CardShifted,
    Cell,
    CoinReturned,
    LinesScored,
    Place,
    ReturnCoin,
    Shift,
    TopTurned,
)
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import (
    LAST_SEAT,
    ForfeitReason,
    IllegalMove,
    LegalMoves,
    Outcome,
    Refusal,
    SeatForfeited,
    placements,
)

# A cell (x, y) is the number x * WIDTH + y inside a state, so that a step in a direction is an
# addition. No card gets further than eight cells from the Anchor; a setup may start further out.
WIDTH: Final = 4096
REACH: Final = 1000
STEPS: Final = {name: x * WIDTH + y for name, (x, y) in DIRECTIONS.items()}
AROUND: Final = tuple(STEPS.values())
AXES: Final = (STEPS["N"], STEPS["E"], STEPS["NE"], STEPS["SE"])
POINTS: Final = (0, 0, 0, 1, 2, 5)
OWNER: Final = (None, 0, 0, 0, 0, 1, 1, 1, 1)
OWN_OR_ANCHOR: Final = (frozenset((0, 1, 2, 3, 4)), frozenset((0, 5, 6, 7, 8)))
RETURN_COIN: Final = ReturnCoin()

_NEAR: Final = range(-9, 10)
_CELLS: Final = {x * WIDTH + y: (x, y) for x in _NEAR for y in _NEAR}
_PLACES: Final = {number: Place(cell) for number, cell in _CELLS.items()}


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of one match, in the form in which the state uses them."""

    arrows: tuple[tuple[int, ...], ...]
    """For each card, the Anchor first, the steps that its arrows point."""
    arrows_bind_moves: bool
    target_score: int
    max_turns: int

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Return the rules for resolved *options*."""
        own = [tuple(STEPS[name] for name in names) for names in options["card_arrows"]]
        anchor = tuple(STEPS[name] for name in options["anchor_arrows"])
        return cls(
            (anchor, *own, *own),
            options["arrows_bind_moves"],
            options["target_score"],
            options["max_turns"],
        )


def number_of(cell: Cell) -> int:
    """Return the number that stands for *cell* inside a state."""
    return cell[0] * WIDTH + cell[1]


def cell_of(number: int) -> Cell:
    """Return the cell that *number* stands for."""
    cell = _CELLS.get(number)
    if cell is None:
        x = (number + WIDTH // 2) // WIDTH
        cell = (x, number - x * WIDTH)
    return cell


def connected(table: Mapping[int, int]) -> set[int]:
    """Return the numbers of the cells of *table* that are connected to the Anchor."""
    seen = {0}
    edge = [0]
    while edge:
        cell = edge.pop()
        for step in AROUND:
            beside = cell + step
            if beside in table and beside not in seen:
                seen.add(beside)
                edge.append(beside)
    return seen


def refuse(code: str, text: str) -> Refusal:
    """Return the refusal with *code*, which is one of the game's."""
    assert code in CODES
    return Refusal(code, text)


def show(number: int) -> str:
    """Return the cell with *number* as people write it."""
    return "({}, {})".format(*cell_of(number))


class AnchorlineState:
    """One position of Anchorline."""

    __slots__ = (
        "_coin",
        "_five",
        "_forfeits",
        "_layers",
        "_over",
        "_rules",
        "_scores",
        "_stacks",
        "_stream",
        "_table",
        "_to_move",
        "turns",
    )

    seats: Final = 2

    def __init__(self, options: Mapping[str, Any], stream: Stream) -> None:
        """Make a position with empty stacks, from resolved *options*."""
        self._rules = Rules.from_options(options)
        self._stream = stream
        self._table: dict[int, int] = {0: 0}
        self._stacks: tuple[list[int], list[int]] = ([], [])
        # How many cards of each stack came to it together, bottom first: what is known of the
        # hidden order is that a later layer lies below an earlier one.
        self._layers: tuple[list[int], list[int]] = ([], [])
        self._coin = 0
        self._scores = [0, 0]
        self._to_move = 0
        self._over = False
        self._five: int | None = None
        self._forfeits: list[tuple[int, ForfeitReason]] = []
        self.turns = 0

    @classmethod
    def deal(cls, options: Mapping[str, Any], seats: int, seed: bytes) -> Self:
        """Shuffle both stacks; *options* are resolved and *seats* is 2."""
        assert seats == cls.seats
        state = cls(options, Stream.for_round(seed, 1))
        for seat, cards in enumerate(([1, 2, 3, 4], [5, 6, 7, 8])):
            state._put_under(seat, cards)
        return state

    @property
    def to_move(self) -> int | None:
        """The seat whose turn it is, or `None` when the match is over."""
        return None if self._over else self._to_move

    @property
    def scores(self) -> tuple[int, int]:
        """The points of each seat."""
        return self._scores[0], self._scores[1]

    def check(self, move: object) -> Refusal | None:
        """Return why *move* is illegal, or `None`."""
        if self._over:
            return refuse("over", "the match is over")
        kind = type(move)
        if kind is Place:
            return self._check_place(move.cell)  # type: ignore[attr-defined]
        if kind is Shift:
            return self._check_shift(move.origin, move.target)  # type: ignore[attr-defined]
        if kind is ReturnCoin:
            return self._check_return()
        return refuse("malformed", f"{type(move).__name__} is not a move of Anchorline")

    def apply(self, move: AnchorlineMove) -> tuple[AnchorlineEvent, ...]:
        """Make *move*; raise `IllegalMove` if `check` refuses it."""
        refusal = self.check(move)
        if refusal is not None:
            raise IllegalMove(refusal)
        seat = self._to_move
        if type(move) is Place:
            events = self._place(seat, number_of(move.cell))
        elif type(move) is Shift:
            events = self._shift(seat, number_of(move.origin), number_of(move.target))
        else:
            self._coin = 0
            self._scores[1 - seat] += 1
            events = (CoinReturned(seat),)
        self._end_turn()
        return events

    def view(self, seat: int) -> AnchorlineView:
        """Return what may be seen, which is the same for every *seat* and for spectators."""
        cell_at = _CELLS
        low, high = self._stacks
        table = self._table
        return AnchorlineView(
            tuple([(cell_at.get(n) or cell_of(n), card) for n, card in table.items() if card]),
            cell_at.get(self._coin) or cell_of(self._coin),
            (low[-1] if low else None, high[-1] if high else None),
            (len(low), len(high)),
            (self._scores[0], self._scores[1]),
            None if self._over else self._to_move,
            self.turns,
            self._rules.target_score,
            self._rules.max_turns,
        )

    def legal_moves(self, limit: int = 0) -> LegalMoves[AnchorlineMove]:
        """Return all legal moves; there are never more than 32, so that *limit* is not needed."""
        if self._over:
            return LegalMoves((), True)
        moves: list[AnchorlineMove]
        if self._stacks[self._to_move]:
            table = self._table
            coin = self._coin
            moves = [
                _PLACES.get(coin + step) or Place(cell_of(coin + step))
                for step in self._rules.arrows[table[coin]]
                if coin + step not in table
            ]
        else:
            moves = [Shift(cell_of(a), cell_of(b)) for a, b in self._shifts()]
        return LegalMoves(tuple(moves) or (RETURN_COIN,), True)

    def default_move(self) -> AnchorlineMove:
        """Return the first legal move."""
        return self.legal_moves().moves[0]

    def sample_move(self, rng: Stream) -> AnchorlineMove:
        """Return a legal move, every one equally likely."""
        return rng.choice(self.legal_moves().moves)

    def redeal(self, seat: int, rng: Stream) -> Self:
        """Shuffle what lies below the tops, within the layers that are known to be apart."""
        twin = self.clone()
        twin._stream = rng.fork()
        for stack, layers in zip(twin._stacks, twin._layers, strict=True):
            for end, size in zip(accumulate(layers), layers, strict=True):
                # The top card of the whole stack is seen.
                last = min(end, len(stack) - 1)
                part = stack[end - size : last]
                rng.shuffle(part)
                stack[end - size : last] = part
        return twin

    def forfeit(self, seat: int, reason: ForfeitReason) -> tuple[SeatForfeited, ...]:
        """Take *seat* out, which ends the match."""
        if self._over or seat not in (0, 1):
            raise ValueError(f"seat {seat} cannot forfeit: the match is over or has no such seat")
        self._forfeits.append((seat, reason))
        self._over = True
        return (SeatForfeited(seat, reason),)

    def outcome(self) -> Outcome | None:
        """Return how the match ended, or `None`."""
        if not self._over:
            return None
        reasons = dict(self._forfeits)
        keys = [(self._five == seat, self._scores[seat]) for seat in (0, 1)]
        return Outcome(
            self.scores,
            placements(keys, [seat for seat, _ in self._forfeits]),
            LAST_SEAT if reasons else self._reason(),
            (reasons.get(0), reasons.get(1)),
        )

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin._rules = self._rules
        twin._stream = self._stream.clone()
        twin._table = self._table.copy()
        twin._stacks = (self._stacks[0].copy(), self._stacks[1].copy())
        twin._layers = (self._layers[0].copy(), self._layers[1].copy())
        twin._coin = self._coin
        twin._scores = self._scores.copy()
        twin._to_move = self._to_move
        twin._over = self._over
        twin._five = self._five
        twin._forfeits = self._forfeits.copy()
        twin.turns = self.turns
        return twin

    def fingerprint(self) -> bytes:
        """Return a hash of everything, the order of the stacks and the chance included."""
        parts = (
            self._rules,
            tuple(self._table.items()),
            self._stacks,
            self._layers,
            self._coin,
            self._scores,
            self._to_move,
            self._over,
            self._five,
            self._forfeits,
            self.turns,
            self._stream.key(),
        )
        return sha256(repr(parts).encode()).digest()

    def _check_place(self, cell: object) -> Refusal | None:
        number = _as_number(cell)
        if number is None:
            return refuse("malformed", f"{cell!r} is not a cell: it takes two whole numbers x, y")
        if not self._stacks[self._to_move]:
            return refuse("stack_empty", "your stack is empty: move a card or return the coin")
        return self._check_target(number, bound=True)

    def _check_target(self, number: int, *, bound: bool) -> Refusal | None:
        """Check the cell that a card goes to; *bound* says whether arrows must point there."""
        if number in self._table:
            name = CARD_NAMES[self._table[number]]
            return refuse("occupied", f"{show(number)} is occupied by {name}")
        coin = self._coin
        if number - coin not in (self._rules.arrows[self._table[coin]] if bound else AROUND):
            name = CARD_NAMES[self._table[coin]]
            what = f"no arrow of {name}, which has the coin, points to"
            if not bound:
                what = f"{name}, which has the coin, is not next to"
            return refuse("no_arrow", f"{what} {show(number)}")
        return None

    def _check_shift(self, origin: object, target: object) -> Refusal | None:
        start, end = _as_number(origin), _as_number(target)
        if start is None or end is None:
            bad = origin if start is None else target
            return refuse("malformed", f"{bad!r} is not a cell: it takes two whole numbers x, y")
        if self._stacks[self._to_move]:
            return refuse("stack_not_empty", "your stack is not empty: place its top card")
        if start not in self._table:
            return refuse("no_card_there", f"no card lies on {show(start)}")
        card = self._table[start]
        if OWNER[card] != self._to_move:
            return refuse("not_your_card", f"{CARD_NAMES[card]} on {show(start)} is not yours")
        refusal = self._check_target(end, bound=self._rules.arrows_bind_moves)
        if refusal is None and (cut := self._cut_off(start, end)) is not None:
            name = CARD_NAMES[self._table[cut]]
            text = f"moving {CARD_NAMES[card]} would leave {name} at {show(cut)} unconnected"
            return refuse("disconnects", text)
        return refusal

    def _check_return(self) -> Refusal | None:
        if self._stacks[self._to_move]:
            free = [
                self._coin + step
                for step in self._rules.arrows[self._table[self._coin]]
                if self._coin + step not in self._table
            ]
            if free:
                return refuse("place_possible", f"you can place a card on {show(free[0])}")
        elif shifts := self._shifts():
            start, end = shifts[0]
            return refuse("move_possible", f"you can move {show(start)} to {show(end)}")
        return None

    def _shifts(self) -> list[tuple[int, int]]:
        """Return every legal shift as origin and target."""
        rules, coin, table = self._rules, self._coin, self._table
        steps = rules.arrows[table[coin]] if rules.arrows_bind_moves else AROUND
        ends = [coin + step for step in steps if coin + step not in table]
        starts = [n for n, card in table.items() if OWNER[card] == self._to_move]
        return [(a, b) for a in starts for b in ends if self._cut_off(a, b) is None]

    def _cut_off(self, start: int, end: int) -> int | None:
        """Return a cell that is unconnected once the card at *start* lies at *end*, if any."""
        table = self._table.copy()
        table[end] = table.pop(start)
        seen = connected(table)
        if len(seen) == len(table):
            return None
        cut = next(n for n in table if n not in seen)
        return start if cut == end else cut

    def _place(self, seat: int, number: int) -> tuple[AnchorlineEvent, ...]:
        stack = self._stacks[seat]
        card = stack.pop()
        layers = self._layers[seat]
        layers[-1] -= 1
        if not layers[-1]:
            layers.pop()
        self._table[number] = card
        self._coin = number
        placed = CardPlaced(seat, card, cell_of(number))
        turned = TopTurned(seat, stack[-1] if stack else None)
        return (placed, turned, *self._score(seat, number))

    def _shift(self, seat: int, start: int, end: int) -> tuple[AnchorlineEvent, ...]:
        card = self._table.pop(start)
        self._table[end] = card
        self._coin = end
        shifted = CardShifted(seat, card, cell_of(start), cell_of(end))
        return (shifted, *self._score(seat, end))

    def _score(self, seat: int, number: int) -> tuple[AnchorlineEvent, ...]:
        """Score the lines through the card at *number* and clear them away."""
        lines = self._lines(OWN_OR_ANCHOR[seat], number)
        if not lines:
            return ()
        points = sum(POINTS[len(line)] for line in lines)
        self._scores[seat] += points
        if any(len(line) == 5 for line in lines):
            self._five = seat
        table = self._table
        gone = {n: table.pop(n) for n in dict.fromkeys(n for line in lines for n in line if n)}
        seen = connected(table)
        gone |= {n: table.pop(n) for n in [n for n in table if n not in seen]}
        self._coin = 0
        scored = LinesScored(
            seat,
            tuple(len(line) for line in lines),
            points,
            tuple(cell_of(n) for n in gone),
        )
        return (scored, *self._give_back(gone.values()))

    def _lines(self, own: frozenset[int], number: int) -> list[list[int]]:
        """Return the cells of every line of three or more through *number*."""
        table = self._table
        found = []
        for axis in AXES:
            line = [number]
            for step in (axis, -axis):
                n = number + step
                while table.get(n, -1) in own:
                    line.append(n)
                    n += step
            if len(line) >= 3:
                found.append(line)
        return found

    def _give_back(self, cards: Collection[int]) -> tuple[TopTurned, ...]:
        """Put the cards that left under their stacks, seat 0's first; return the new tops."""
        turned = []
        for seat in (0, 1):
            back = sorted(card for card in cards if OWNER[card] == seat)
            was_empty = not self._stacks[seat]
            self._put_under(seat, back)
            if back and was_empty:
                turned.append(TopTurned(seat, self._stacks[seat][-1]))
        return tuple(turned)

    def _put_under(self, seat: int, cards: list[int]) -> None:
        """Shuffle *cards* and put them under the stack of *seat*, the last one uppermost."""
        if cards:
            self._stream.shuffle(cards)
            self._stacks[seat][:0] = cards
            self._layers[seat].insert(0, len(cards))

    def _end_turn(self) -> None:
        self.turns += 1
        self._to_move = 1 - self._to_move
        self._over = self._reason() != ""

    def _reason(self) -> str:
        """Return why the match is over by the rules, or an empty word."""
        if max(self._scores) >= self._rules.target_score:
            return "target"
        if self._five is not None:
            return "five"
        return "max_turns" if self.turns >= self._rules.max_turns else ""


def _as_number(cell: object) -> int | None:
    """Return the number of *cell*, or `None` if it is no pair of whole numbers in reach."""
    if not isinstance(cell, tuple) or len(cell) != 2:
        return None
    x, y = cell
    if type(x) is not int or type(y) is not int or not (-REACH < x < REACH and -REACH < y < REACH):
        return None
    return x * WIDTH + y
