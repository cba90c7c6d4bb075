"""Writing matches as neutral transcripts."""

from collections.abc import Iterable
from typing import Any

from harbourmaster_engine.game import AnyState, ForfeitReason
from support.cases import Case
from support.play import Position


class Scribe:
    """Writes down a match while it is played."""

    def __init__(self, case: Case, number: int = 0) -> None:
        self.case = case
        self.state: AnyState = case.start(number)
        self._notation = case.game.notation
        self._head = {
            "id": f"{case}-{number}",
            "game": case.game.id,
            "options": dict(case.options),
            "players": case.seats,
            "seed": case.seed(number).hex(),
            "deal": self._notation.deal(self.state),
            "facts": self._notation.facts(self.state),
        }
        self._steps: list[dict[str, Any]] = []

    def move(self, move: Any) -> None:
        """Write down *move* and make it; if it is illegal, write down the refusal's code."""
        before = self.state.scores
        data = self._notation.move_to_json(move)
        step: dict[str, Any] = {"seat": self.state.to_move, "move": data, "legal": True}
        refusal = self.state.check(move)
        if refusal is None:
            self.state.apply(move)
        else:
            step |= {"legal": False, "why": refusal.code}
        if self.state.scores != before:
            step["scores"] = list(self.state.scores)
        self._steps.append(step)

    def forfeit(self, seat: int, reason: ForfeitReason) -> None:
        """Write down that *seat* leaves, and take it out."""
        self.state.forfeit(seat, reason)
        self._steps.append({"seat": seat, "forfeit": reason.value})

    def transcript(self) -> dict[str, Any]:
        """Return the transcript up to here."""
        final = self._notation.summary(self.state)
        return self._head | {"steps": list(self._steps), "final": final}


def transcript_of(case: Case, number: int, positions: Iterable[Position]) -> dict[str, Any]:
    """Return the transcript of a match whose *positions* are known."""
    scribe = Scribe(case, number)
    for position in positions:
        scribe.move(position.move)
    return scribe.transcript()
