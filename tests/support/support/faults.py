"""States with planted faults, to show that the contract tests would notice them.

Each wraps a sound state of any game and does one thing wrong.
"""

from dataclasses import replace
from hashlib import sha256
from typing import Any, Self

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import (
    SPECTATOR,
    AnyState,
    Event,
    ForfeitReason,
    IllegalMove,
    LegalMoves,
    Outcome,
    Refusal,
)
from support.cases import Case
from support.places import hidden_from


class Faulty:
    """A state that does what the sound one inside does; its subclasses do not."""

    def __init__(self, inner: Any, case: Case) -> None:
        self._inner = inner
        self._case = case

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def clone(self) -> Self:
        return type(self)(self._inner.clone(), self._case)

    def redeal(self, seat: int, rng: Stream) -> Self:
        return type(self)(self._inner.redeal(seat, rng), self._case)

    def secrets(self) -> str:
        """Return all that lies where no spectator can look."""
        return repr(hidden_from(SPECTATOR, self._case.game.id, self._inner))

    def dice(self, sides: int) -> int:
        """Return a number below *sides* that only the secrets decide."""
        return sha256(self.secrets().encode()).digest()[0] % sides


class OffersInAnOrderThatTells(Faulty):
    """The same moves, but hidden cards decide which one comes first."""

    def legal_moves(self, limit: int = 100) -> LegalMoves[Any]:
        offered = self._inner.legal_moves(limit)
        first = self.dice(len(offered.moves) or 1)
        return replace(offered, moves=offered.moves[first:] + offered.moves[:first])


class OffersWhatThePileAllows(Faulty):
    """Hidden cards decide how many moves are offered."""

    def legal_moves(self, limit: int = 100) -> LegalMoves[Any]:
        offered = self._inner.legal_moves(limit)
        return replace(offered, moves=offered.moves[: 1 + self.dice(3)])


class TellsAHandInARefusal(Faulty):
    """A refusal names hidden cards."""

    def check(self, move: object) -> Refusal | None:
        refusal: Refusal | None = self._inner.check(move)
        return refusal and Refusal(refusal.code, f"{refusal.text} ({self.secrets()})")


class RefusesByHiddenCards(Faulty):
    """The code of a refusal depends on hidden cards."""

    def check(self, move: object) -> Refusal | None:
        refusal: Refusal | None = self._inner.check(move)
        return refusal and Refusal("over" if self.dice(2) else refusal.code, refusal.text)


class TellsADrawnCardInAnEvent(Faulty):
    """An event holds the cards that were hidden when the move was made."""

    def apply(self, move: Any) -> tuple[Event, ...]:
        secrets = self.secrets()
        return (*self._inner.apply(move), secrets)


class TellsAHandWhenASeatLeaves(Faulty):
    """The event of a forfeit holds hidden cards, and the match goes on."""

    to_move = 0

    def forfeit(self, seat: int, reason: ForfeitReason) -> tuple[Event, ...]:
        return (*self._inner.forfeit(seat, reason), self.secrets())


class ShowsAHandInTheView(Faulty):
    """A view holds hidden cards."""

    def view(self, seat: int) -> Any:
        return self._inner.view(seat), self.secrets()


class DefaultsByHiddenCards(Faulty):
    """Hidden cards decide which move is made for a seat that made none."""

    def default_move(self) -> Any:
        moves = self._inner.legal_moves().moves
        return moves[self.dice(len(moves))]


class NeverDealsAgain(Faulty):
    """Its other deals are the true one."""

    def redeal(self, seat: int, rng: Stream) -> Self:
        return self.clone()


class DealsAMoveAhead(Faulty):
    """Its other deals differ in what everybody sees."""

    def redeal(self, seat: int, rng: Stream) -> Self:
        twin = super().redeal(seat, rng)
        twin._inner.apply(twin._inner.default_move())
        return twin


class ChangesWhenRefusing(Faulty):
    """A refused move is answered by making another."""

    def apply(self, move: Any) -> tuple[Event, ...]:
        try:
            events: tuple[Event, ...] = self._inner.apply(move)
        except IllegalMove:
            self._inner.apply(self._inner.default_move())
            raise
        return events


class ChangesWhenAsked(Faulty):
    """Checking a move uses up a word of the match's chance."""

    def check(self, move: object) -> Refusal | None:
        self._inner._stream.word()
        refusal: Refusal | None = self._inner.check(move)
        return refusal


class ChecksTooLittle(Faulty):
    """`check` allows what `apply` refuses."""

    def check(self, move: object) -> Refusal | None:
        return None


class ChecksTooMuch(Faulty):
    """`check` refuses what `apply` allows."""

    def check(self, move: object) -> Refusal | None:
        return Refusal(next(iter(self._case.game.codes)), "it is refused")


class InventsCodes(Faulty):
    """Refuses with a code that is not documented."""

    def check(self, move: object) -> Refusal | None:
        refusal: Refusal | None = self._inner.check(move)
        return refusal and Refusal("because", refusal.text)

    def apply(self, move: Any) -> tuple[Event, ...]:
        if refusal := self.check(move):
            raise IllegalMove(refusal)
        events: tuple[Event, ...] = self._inner.apply(move)
        return events


class SharesItself(Faulty):
    """A clone is the same state."""

    def clone(self) -> Self:
        return type(self)(self._inner, self._case)


class SharesItsChance(Faulty):
    """A clone draws from the same stream."""

    def clone(self) -> Self:
        twin = super().clone()
        twin._inner._stream = self._inner._stream
        return twin


class OffersNothing(Faulty):
    """No move is offered."""

    def legal_moves(self, limit: int = 100) -> LegalMoves[Any]:
        return LegalMoves((), True)


class OffersAnything(Faulty):
    """An illegal move is offered."""

    def legal_moves(self, limit: int = 100) -> LegalMoves[Any]:
        offered = self._inner.legal_moves(limit)
        return replace(offered, moves=(*offered.moves, "my move"))


class DefaultsToNothing(Faulty):
    """The default move is illegal."""

    def default_move(self) -> Any:
        return None


class NeverEnds(Faulty):
    """Moves change nothing."""

    def apply(self, move: Any) -> tuple[Event, ...]:
        twin: AnyState = self._inner.clone()
        return twin.apply(move)


class HidesTheEnd(Faulty):
    """There is nothing to see after the end."""

    def view(self, seat: int) -> Any:
        assert self._inner.to_move is not None, "the match is over"
        return self._inner.view(seat)


class CountsSeatsFromTheEnd(Faulty):
    """A seat below -1 is taken for another one."""

    def view(self, seat: int) -> Any:
        return self._inner.view(seat % self.seats if -4 < seat < -1 else seat)


class PlacesEverybodyFirst(Faulty):
    """All seats win, whatever their scores."""

    def outcome(self) -> Outcome | None:
        outcome: Outcome | None = self._inner.outcome()
        return outcome and replace(outcome, placements=(1,) * self._case.seats)


class ScoresInHalves(Faulty):
    """Scores are no whole numbers."""

    @property
    def scores(self) -> tuple[float, ...]:
        return tuple(score + 0.5 for score in self._inner.scores)

    def outcome(self) -> Outcome | None:
        outcome: Any = self._inner.outcome()
        return outcome and replace(outcome, scores=self.scores)  # type: ignore[no-any-return]


class ForgivesForfeits(Faulty):
    """A seat that forfeited is placed as if it had not."""

    def outcome(self) -> Outcome | None:
        outcome: Outcome | None = self._inner.outcome()
        return outcome and replace(outcome, placements=tuple(range(1, self._case.seats + 1)))
