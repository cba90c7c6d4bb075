"""Other deals that a seat cannot tell from the true one, given all that it has seen.

A match keeps its history as a chain of entries. From it comes, for every hidden card, the way it
went: through the pile of one shuffle or more (a *generation*: the first pile, each rebuilt pile,
each pile that aces were shuffled into) and out of it into a hand. Cards that were in the same
shuffled pile could as well have come out of it in each other's place, with all that followed, as
long as what was seen still fits: a card that the seat drew itself is that card, what a hand
exchanged was an ace, and a rebuilt pile holds the discards that everybody had seen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from harbourmaster_engine.cards import RANK, Card
from harbourmaster_engine.chance import Stream

History = tuple[Any, Any]
"""The history before the last entry (or `None`), and the last entry: a kind and its values."""

BEGIN: Final = "begin"
"""Hands, pile, and whether an extra ace stands in the centre because every ace was dealt."""
DRAW: Final = "draw"
"""A seat and the cards that it drew."""
LEAVE: Final = "leave"
"""A seat and the cards that it put on the board or discarded."""
TAKE: Final = "take"
"""A seat and the cards that it took from the market."""
EXCHANGE: Final = "exchange"
"""A seat and the aces that it shuffled into the pile."""
REBUILD: Final = "rebuild"
"""The cards of the new pile."""
PASS: Final = "pass"
"""A seat that passed and the board at that time."""
FORFEIT: Final = "forfeit"
"""A seat that left with its hand."""

_ANY: Final = -1
_ACE: Final = -2
_NO_ACE: Final = -3


@dataclass(frozen=True, slots=True)
class _Leg:
    """A card's way through one generation."""

    generation: int
    need: int
    """What the card must be to fit what was seen: a card, or one of `_ANY`, `_ACE`, `_NO_ACE`."""
    told: tuple[tuple[int, int, int], ...] = ()
    """Where the history names the card on this leg: the entry, the list in it, the place there."""


@dataclass(slots=True, eq=False)
class _Token:
    """A card on its way; what everybody knows to be in a hand has no legs."""

    card: Card
    legs: list[_Leg]
    place: tuple[str, int] = ("", 0)


@dataclass(slots=True)
class World:
    """Where the hidden cards lie."""

    hands: list[list[Card]]
    pile: list[Card]
    gone: list[list[Card]]
    """The hands of the seats that forfeited."""
    history: History
    """The history as it would have been."""


def entries(history: History) -> list[tuple[Any, ...]]:
    """Return the entries of *history*, the oldest first."""
    found = []
    link: Any = history
    while link is not None:
        link, entry = link
        found.append(entry)
    return found[::-1]


def other_world(history: History, pile: Sequence[Card], observer: int, rng: Stream) -> World:
    """Return a world, chosen with *rng*, that *observer* cannot tell from the true one.

    *pile* is the true pile, bottom first.
    """
    told = entries(history)
    trace = _Trace(observer)
    for number, (kind, *values) in enumerate(told):
        trace.follow(number, kind, values)
    tokens = trace.place(pile)
    for generation in range(trace.generation + 1):
        _mix(tokens, generation, rng)
    hands: list[list[Card]] = [[] for _ in trace.hands]
    gone: list[list[Card]] = [[] for _ in trace.hands]
    other_pile = [0] * len(pile)
    for token in tokens:
        where, number = token.place
        if where == "pile":
            other_pile[number] = token.card
        else:
            (hands if where == "hand" else gone)[number].append(token.card)
    for hand in hands:
        hand.sort()
    return World(hands, other_pile, gone, _retell(told, tokens))


def hands_at_passes(history: History, world: World) -> Iterator[tuple[int, Any, list[Card]]]:
    """Yield the seat, the board and the hand in *world* of every pass, the latest first.

    A seat passes only when there is nothing left to draw or to take, so that from then on cards
    only leave its hand.
    """
    left: list[list[Card]] = [[*a, *b] for a, b in zip(world.hands, world.gone, strict=True)]
    for kind, *values in reversed(entries(history)):
        if kind == LEAVE:
            left[values[0]].extend(values[1])
        elif kind == PASS:
            yield values[0], values[1], left[values[0]]


def _retell(told: Sequence[tuple[Any, ...]], tokens: Iterable[_Token]) -> History:
    """Return the history *told* with the cards of *tokens* in it."""
    lists = [_lists(entry) for entry in told]
    for token in tokens:
        for leg in token.legs:
            for entry, which, place in leg.told:
                lists[entry][which][place] = token.card
    history: Any = None
    for entry_told, cards in zip(told, lists, strict=True):
        history = (history, _with_lists(entry_told, cards))
    return history  # type: ignore[no-any-return]


def _lists(entry: tuple[Any, ...]) -> list[list[Card]]:
    if entry[0] == BEGIN:
        return [list(hand) for hand in entry[1]]
    return [list(entry[2])] if entry[0] in (DRAW, EXCHANGE) else []


def _with_lists(entry: tuple[Any, ...], lists: list[list[Card]]) -> tuple[Any, ...]:
    if entry[0] == BEGIN:
        pile = [card for hand in entry[1] for card in hand] + list(entry[2])
        for hand in lists:
            for card in hand:
                pile.remove(card)
        return (BEGIN, tuple(map(tuple, lists)), tuple(pile), entry[3])
    if entry[0] in (DRAW, EXCHANGE):
        return (entry[0], entry[1], tuple(lists[0]))
    return entry


def _mix(tokens: Iterable[_Token], generation: int, rng: Stream) -> None:
    """Let the cards that went through *generation* come out of it in another order."""
    found = []
    for token in tokens:
        legs = token.legs
        at = next((i for i, leg in enumerate(legs) if leg.generation == generation), None)
        if at is not None and all(leg.need < 0 for leg in legs[at:]):
            found.append((token, at))
    for i in range(len(found) - 1, 0, -1):
        (one, at), (other, other_at) = found[i], found[rng.below(i + 1)]
        tail, other_tail = one.legs[at:], other.legs[other_at:]
        if _fits(one.card, other_tail) and _fits(other.card, tail):
            one.legs[at:], other.legs[other_at:] = other_tail, tail
            one.place, other.place = other.place, one.place


def _fits(card: Card, legs: Iterable[_Leg]) -> bool:
    if RANK[card] == 1:
        return all(leg.need != _NO_ACE for leg in legs)
    return all(leg.need != _ACE for leg in legs)


class _Trace:
    """Follows every card through the history, as *observer* saw it."""

    def __init__(self, observer: int) -> None:
        self.observer = observer
        self.generation = 0
        self.hands: list[list[_Token]] = []
        self.pile: list[_Token] = []
        self.gone: dict[int, list[_Token]] = {}

    def follow(self, number: int, kind: str, values: Sequence[Any]) -> None:
        """Follow the entry of *kind* with its *values*, the one with that *number*."""
        if kind == BEGIN:
            self._begin(number, values[0], values[1], extra_ace=values[2])
        elif kind == DRAW:
            self._draw(number, values[0], values[1])
        elif kind == LEAVE:
            for card in values[1]:
                _pop(self.hands[values[0]], card, known_first=True)
        elif kind == TAKE:
            self.hands[values[0]].extend(_Token(card, []) for card in values[1])
        elif kind == EXCHANGE:
            self._exchange(number, values[0], values[1])
        elif kind == REBUILD:
            self.generation += 1
            self.pile = [_Token(card, [_Leg(self.generation, _ANY)]) for card in values[0]]
        elif kind == FORFEIT:
            self.gone[values[0]], self.hands[values[0]] = self.hands[values[0]], []

    def _begin(
        self,
        number: int,
        hands: Sequence[Sequence[Card]],
        pile: Sequence[Card],
        *,
        extra_ace: bool,
    ) -> None:
        for seat, hand in enumerate(hands):
            own = seat == self.observer
            self.hands.append(
                [
                    _Token(card, [_Leg(0, card if own else _ANY, ((number, seat, place),))])
                    for place, card in enumerate(hand)
                ]
            )
        need = _NO_ACE if extra_ace else _ANY
        self.pile = [_Token(card, [_Leg(0, need)]) for card in pile]

    def _draw(self, number: int, seat: int, cards: Sequence[Card]) -> None:
        for place, card in enumerate(cards):
            token = _pop(self.pile, card)
            need = card if seat == self.observer else token.legs[-1].need
            token.legs[-1] = _Leg(self.generation, need, ((number, 0, place),))
            self.hands[seat].append(token)

    def _exchange(self, number: int, seat: int, aces: Sequence[Card]) -> None:
        for place, card in enumerate(aces):
            token = _pop(self.hands[seat], card)
            if token.legs:
                last = token.legs[-1]
                need = last.need if seat == self.observer else _ACE
                told = (*last.told, (number, 0, place))
                token.legs[-1] = _Leg(last.generation, need, told)
            self.pile.append(token)
        self.generation += 1
        for token in self.pile:
            token.legs.append(_Leg(self.generation, _ANY))

    def place(self, pile: Sequence[Card]) -> list[_Token]:
        """Note where each card lies, the true *pile* included, and return all of them."""
        tokens: list[_Token] = []
        for where, lots in (("hand", enumerate(self.hands)), ("gone", self.gone.items())):
            for seat, lot in lots:
                for token in lot:
                    token.place = (where, seat)
                    tokens.append(token)
        for number, card in enumerate(pile):
            token = _pop(self.pile, card)
            token.place = ("pile", number)
            tokens.append(token)
        return tokens


def _pop(tokens: list[_Token], card: Card, *, known_first: bool = False) -> _Token:
    """Remove one of *tokens* that is *card*: a known one first, or a hidden one first."""
    at = [i for i, token in enumerate(tokens) if token.card == card]
    at.sort(key=lambda i: bool(tokens[i].legs) is known_first)
    return tokens.pop(at[0])
