"""The position of a match of Anchorline, and how moves change it."""

from collections.abc import Mapping
from hashlib import sha256
from itertools import accumulate, chain
from typing import Any, Final, Self

from harbourmaster_engine.anchorline.moves import (
    CARD_NAMES,
    CODES,
    AnchorlineEvent,
    AnchorlineMove,
    AnchorlineView,
    CoinReturned,
    LinesScored,
    Place,
    ReturnCoin,
    Shift,
    TopTurned,
)
from harbourmaster_engine.anchorline.table import (
    BIT,
    CELLS,
    EVERYWHERE,
    HOLDS_TOGETHER,
    MEMBERS,
    REACH,
    TOUCH,
    Table,
    number_in_reach,
    number_of,
)
from harbourmaster_engine.anchorline.values import (
    ONLY_RETURN,
    OWN_OR_ANCHOR,
    OWNER,
    POINTS,
    SIDE,
    Rules,
    card_placed,
    card_shifted,
    places,
    shifts,
    top_turned,
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
    no_such_seat,
    placements,
)

NO_CELL: Final = f"the cell is not a pair of whole numbers from {-REACH} to {REACH}"


def refuse(code: str, text: str) -> Refusal:
    """Return the refusal with *code*, which is one of the game's."""
    assert code in CODES
    return Refusal(code, text)


def show(number: int) -> str:
    """Return the cell with *number* as people write it."""
    return "({}, {})".format(*CELLS[number])


class AnchorlineState:
    """One position of Anchorline."""

    __slots__ = (
        "_coin",
        "_five",
        "_forfeits",
        "_layers",
        "_offered",
        "_over",
        "_rules",
        "_scores",
        "_stacks",
        "_stream",
        "_table",
        "_to_move",
        "_whole",
        "turns",
    )

    seats: Final = 2

    def __init__(self, options: Mapping[str, Any], stream: Stream) -> None:
        """Make a position with empty stacks, from resolved *options*."""
        self._rules = Rules.from_options(options)
        self._stream = stream
        self._table = Table()
        # Whether the match began with every card connected; each turn then leaves it so.
        self._whole = True
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
        # The moves of cards that were offered in this turn, which need no further check.
        self._offered: tuple[AnchorlineMove, ...] = ()
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
        for offered in self._offered:
            if offered is move:
                return None
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
        self.turns += 1
        self._to_move = 1 - seat
        self._offered = ()
        self._over = self._reason() != ""
        return events

    def view(self, seat: int) -> AnchorlineView:
        """Return what may be seen, which is the same for every *seat* and for spectators."""
        if not -1 <= seat < self.seats:
            raise no_such_seat(seat, self.seats)
        low, high = self._stacks
        return AnchorlineView(
            tuple(self._table.shown.values()),
            CELLS[self._coin],
            (low[-1] if low else None, high[-1] if high else None),
            (len(low), len(high)),
            (self._scores[0], self._scores[1]),
            None if self._over else self._to_move,
            self.turns,
            self._rules.terms,
        )

    def legal_moves(self, limit: int = 0) -> LegalMoves[AnchorlineMove]:
        """Return all legal moves; there are never more than 32, so that *limit* is not needed."""
        if self._over:
            return LegalMoves((), True)
        coin, table, seat = self._coin, self._table, self._to_move
        card = table.cards[coin]
        if self._stacks[seat]:
            free = self._rules.arrows[card] & ~table.rings[card]
            if not free:
                return ONLY_RETURN
            placing = places(coin, free)
            self._offered = placing.moves
            return placing
        free = self._rules.shift_arrows[card] & ~table.rings[card]
        if not free:
            return ONLY_RETURN
        moves: list[AnchorlineMove] = []
        where, rings, whole = table.where, table.rings, self._whole
        for own in MEMBERS[table.present & SIDE[seat]]:
            if whole and own != card and HOLDS_TOGETHER[rings[own]]:
                moves += shifts(where[own], coin, free)
            elif ends := self._ends(own, free):
                moves += shifts(where[own], coin, ends)
        if not moves:
            return ONLY_RETURN
        self._offered = tuple(moves)
        return LegalMoves(self._offered, True)

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
        twin._table = self._table.clone()
        twin._stacks = (self._stacks[0].copy(), self._stacks[1].copy())
        twin._layers = (self._layers[0].copy(), self._layers[1].copy())
        twin._coin = self._coin
        twin._scores = self._scores.copy()
        twin._to_move = self._to_move
        twin._whole = self._whole
        twin._over = self._over
        twin._five = self._five
        twin._forfeits = self._forfeits.copy()
        twin._offered = self._offered
        twin.turns = self.turns
        return twin

    def fingerprint(self) -> bytes:
        """Return a hash of everything, the order of the stacks and the chance included."""
        parts = (
            self._rules,
            tuple(self._table.shown.values()),
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
        number = number_in_reach(cell)
        if number is None:
            return refuse("malformed", NO_CELL)
        if not self._stacks[self._to_move]:
            return refuse("stack_empty", "your stack is empty: move a card or return the coin")
        return self._check_target(number, self._rules.arrows)

    def _check_shift(self, origin: object, target: object) -> Refusal | None:
        start, end = number_in_reach(origin), number_in_reach(target)
        if start is None or end is None:
            return refuse("malformed", NO_CELL)
        if self._stacks[self._to_move]:
            return refuse("stack_not_empty", "your stack is not empty: place its top card")
        card = self._table.cards.get(start)
        if card is None:
            return refuse("no_card_there", f"no card lies on {show(start)}")
        if OWNER[card] != self._to_move:
            return refuse("not_your_card", f"{CARD_NAMES[card]} on {show(start)} is not yours")
        refusal = self._check_target(end, self._rules.shift_arrows)
        if refusal is None and not self._ends(card, BIT[end - self._coin]):
            refusal = self._explain_cut(start, end)
        return refusal

    def _check_target(self, number: int, arrows: tuple[int, ...]) -> Refusal | None:
        """Check the cell that a card goes to, where *arrows* are those that bind."""
        table, coin = self._table, self._coin
        card = table.cards[coin]
        if BIT.get(number - coin, 0) & arrows[card] & ~table.rings[card]:
            return None
        if number in table.cards:
            name = CARD_NAMES[table.cards[number]]
            return refuse("occupied", f"{show(number)} is occupied by {name}")
        name = f"{CARD_NAMES[card]}, which has the coin,"
        if arrows[card] == EVERYWHERE:
            return refuse("no_arrow", f"{show(number)} is not next to {name} at {show(coin)}")
        return refuse("no_arrow", f"no arrow of {name} points to {show(number)}")

    def _explain_cut(self, start: int, end: int) -> Refusal:
        """Return the refusal of a move that would leave a card unconnected."""
        after = self._table.clone()
        card = after.take(start)
        after.put(end, card)
        cut = after.cut_off_without(())[0]
        left = "itself" if cut == end else f"{CARD_NAMES[after.cards[cut]]} at {show(cut)}"
        text = f"moving {CARD_NAMES[card]} to {show(end)} would leave {left} unconnected"
        return refuse("disconnects", text)

    def _check_return(self) -> Refusal | None:
        move = self.legal_moves().moves[0]
        if type(move) is Place:
            text = f"you can place a card on {show(number_of(move.cell))}"
            return refuse("place_possible", text)
        if type(move) is Shift:
            start, end = number_of(move.origin), number_of(move.target)
            return refuse("move_possible", f"you can move {show(start)} to {show(end)}")
        return None

    def _ends(self, card: int, free: int) -> int:
        """Return those *free* directions from the coin in which *card* may go.

        Every card must be connected afterwards. A card whose neighbours hold together without it
        is no link between others, and next to the coin's card it is connected again.
        """
        table, coin = self._table, self._coin
        coin_card = table.cards[coin]
        if self._whole and HOLDS_TOGETHER[table.rings[card]] and card != coin_card:
            return free
        near, where = table.near, table.where
        left = table.present & ~(1 << card)
        # Of a table that is connected, every part that comes off lay next to the card.
        parts = near[card] if self._whole else left
        while parts:
            # What `Table.spread` does is written out: this is most of the work of a list.
            part = [MEMBERS[parts][0]]
            left ^= 1 << part[0]
            for other in part:
                if fresh := near[other] & left:
                    left ^= fresh
                    part += MEMBERS[fresh]
            parts &= left
            if coin_card in part and card != coin_card:
                continue
            touched = 0
            for other in part:
                touched |= TOUCH.get(where[other] - coin, 0)
            free &= touched
            if not free:
                break
        return free

    def _place(self, seat: int, number: int) -> tuple[AnchorlineEvent, ...]:
        stack = self._stacks[seat]
        card = stack.pop()
        layers = self._layers[seat]
        layers[-1] -= 1
        if not layers[-1]:
            layers.pop()
        self._table.put(number, card)
        self._coin = number
        turned = top_turned(seat, stack[-1] if stack else None)
        return (card_placed(card, number), turned, *self._score(seat, number))

    def _shift(self, seat: int, start: int, end: int) -> tuple[AnchorlineEvent, ...]:
        card = self._table.take(start)
        self._table.put(end, card)
        self._coin = end
        return (card_shifted(card, start, end), *self._score(seat, end))

    def _score(self, seat: int, number: int) -> tuple[AnchorlineEvent, ...]:
        """Score the lines through the card at *number* and clear them away."""
        table, own = self._table, OWN_OR_ANCHOR[seat]
        if not table.has_line(own, number):
            return ()
        lines = table.lines(own, number)
        lengths = tuple([len(line) for line in lines])
        points = sum([POINTS[length] for length in lengths])
        self._scores[seat] += points
        if 5 in lengths:
            self._five = seat
        # The Anchor and a card where lines cross are in several lines.
        gone = [number for number in dict.fromkeys(chain(*lines)) if number]
        cut_off = table.cut_off_without(gone)
        cards = table.clear(gone + cut_off)
        self._coin = 0
        cells = tuple([CELLS[number] for number in gone + cut_off])
        scored = LinesScored(seat, lengths, points, cells)
        return (scored, *self._give_back(cards))

    def _give_back(self, cards: int) -> list[TopTurned]:
        """Put the set *cards* under their stacks, seat 0's first; return the new tops."""
        turned = []
        for seat in (0, 1):
            back = [*MEMBERS[cards & SIDE[seat]]]
            if back:
                stack = self._stacks[seat]
                was_empty = not stack
                self._put_under(seat, back)
                if was_empty:
                    turned.append(top_turned(seat, stack[-1]))
        return turned

    def _put_under(self, seat: int, cards: list[int]) -> None:
        """Shuffle *cards* and put them under the stack of *seat*, the last one uppermost."""
        self._stream.shuffle(cards)
        self._stacks[seat][:0] = cards
        self._layers[seat].insert(0, len(cards))

    def _reason(self) -> str:
        """Return why the match is over by the rules, or an empty word."""
        first, second = self._scores
        rules = self._rules
        if first >= rules.target_score or second >= rules.target_score:
            return "target"
        if self._five is not None:
            return "five"
        return "max_turns" if self.turns >= rules.max_turns else ""
