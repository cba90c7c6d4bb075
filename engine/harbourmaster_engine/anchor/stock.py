"""The draw pile and the discards: what a match draws from, and the chance that shuffles it."""

from collections.abc import Sequence
from typing import Final, Self

from harbourmaster_engine.anchor.moves import MARKET_SIZE
from harbourmaster_engine.cards import Card
from harbourmaster_engine.chance import Stream

DRAWN: Final = "draw"
REBUILT: Final = "rebuild"

Step = tuple[str, tuple[Card, ...]]
"""Cards that were drawn, or the cards of which a new pile was made."""


class Stock:
    """The draw pile, the discards and the stream of the match's round."""

    __slots__ = ("discards", "pile", "stream")

    def __init__(self, pile: list[Card], discards: list[Card], stream: Stream) -> None:
        self.pile = pile
        """Bottom first: the last card is the top one."""
        self.discards = discards
        """The oldest first; the last three are the market."""
        self.stream = stream

    @property
    def market(self) -> list[Card]:
        """The discards that can be taken, the oldest first."""
        return self.discards[-MARKET_SIZE:]

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.pile = self.pile.copy()
        twin.discards = self.discards.copy()
        twin.stream = self.stream.clone()
        return twin

    def take(self, cards: Sequence[Card]) -> None:
        """Take *cards* out of the market, of equal ones the older."""
        discards = self.discards
        start = max(0, len(discards) - MARKET_SIZE)
        for card in cards:
            del discards[discards.index(card, start)]

    def discard(self, cards: Sequence[Card]) -> list[Step]:
        """Put *cards* down in their order, and rebuild the pile if it is empty."""
        self.discards.extend(cards)
        return self._rebuild()

    def draw(self, number: int) -> list[Step]:
        """Draw *number* cards, or as many as there are.

        The pile is rebuilt the moment it is empty: looked at before and after every card.
        """
        steps: list[Step] = []
        pile = self.pile
        while number > 0:
            steps += self._rebuild()
            if not pile:
                break
            count = min(number, len(pile))
            steps.append((DRAWN, tuple(pile[: -count - 1 : -1])))
            del pile[-count:]
            number -= count
            steps += self._rebuild()
        return steps

    def shuffle_in(self, cards: Sequence[Card]) -> None:
        """Put *cards* on top of the pile in their order and shuffle it."""
        self.pile.extend(cards)
        self.stream.shuffle(self.pile)

    def _rebuild(self) -> list[Step]:
        discards = self.discards
        if self.pile or len(discards) <= MARKET_SIZE:
            return []
        older = discards[:-MARKET_SIZE]
        del discards[:-MARKET_SIZE]
        fresh = tuple(older)
        self.stream.shuffle(older)
        self.pile += older
        return [(REBUILT, fresh)]
