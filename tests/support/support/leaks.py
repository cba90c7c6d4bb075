"""The leak test: what a seat sees must not depend on what it cannot know.

A state is dealt again in everything that a seat cannot know. Whatever that seat is shown or told
must then be the same to the byte.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, AnyState, ForfeitReason
from support.cases import Case
from support.places import all_cards, hidden_from
from support.play import Position


def shown_to(state: AnyState, seat: int, wrong: Iterable[object] = ()) -> dict[str, bytes]:
    """Return all that *seat* may be shown in *state*, as bytes.

    That is its view and the spectators', and, if it is to move, the offered moves in their order
    and what it is told about each of the *wrong* moves.
    """
    shown: dict[str, Any] = {
        "view": state.view(seat),
        "spectator's view": state.view(SPECTATOR),
        "seat to move": state.to_move,
        "turns": state.turns,
        "scores": state.scores,
        "outcome": state.outcome(),
    }
    if state.to_move == seat:
        shown["offered moves"] = state.legal_moves()
        shown["short offer"] = state.legal_moves(5)
        shown["default move"] = state.default_move()
        shown["refusals"] = [state.check(move) for move in wrong]
    return {name: repr(value).encode() for name, value in shown.items()}


@dataclass
class Evidence:
    """What a leak test has seen, so that one which saw nothing cannot pass."""

    varied: set[tuple[int, str]] = field(default_factory=set)
    """The seats and hidden places in which a deal held other cards than the true one."""
    could_vary: set[tuple[int, str]] = field(default_factory=set)
    """The seats and hidden places that held two different cards at some time."""
    compared: Counter[str] = field(default_factory=Counter)

    def assert_enough(self) -> None:
        """Assert that every hidden place varied and that everything was compared."""
        assert self.could_vary, "nothing was hidden from anybody"
        missing = self.could_vary - self.varied
        assert not missing, f"these never varied: {sorted(missing)}"
        for what in ("view", "offered moves", "refusals", "events"):
            assert self.compared[what], f"no {what} were compared"


def assert_no_leak(
    case: Case,
    position: Position,
    seat: int,
    wrong: Sequence[object],
    rng: Stream,
    evidence: Evidence,
    deals: int = 3,
) -> None:
    """Assert that *seat* cannot tell the state of *position* from *deals* other deals of it."""
    state = position.state
    shown = shown_to(state, seat, wrong)
    hidden = hidden_from(seat, case.game.id, state)
    whole = all_cards(case.game.id, state)
    before = state.fingerprint()
    evidence.could_vary |= {(seat, name) for name, cards in hidden.items() if len(set(cards)) > 1}
    for _ in range(deals):
        twin = state.redeal(seat, rng)
        assert state.fingerprint() == before, "redeal changed the state"
        assert all_cards(case.game.id, twin) == whole, "redeal lost or made cards"
        for name, value in shown_to(twin, seat, wrong).items():
            assert value == shown[name], f"seat {seat} could tell two deals apart by the {name}"
            evidence.compared[name] += 1
        for name, cards in hidden_from(seat, case.game.id, twin).items():
            assert len(cards) == len(hidden[name]), f"redeal changed how many cards are in {name}"
            if cards != hidden[name]:
                evidence.varied.add((seat, name))
        _compare_events(case, position, twin, seat, evidence)


def _public(case: Case, state: AnyState) -> tuple[str, Any]:
    """Return what a spectator sees, and how the rounds ended that are over."""
    return repr(state.view(SPECTATOR)), case.game.notation.summary(state).get("round_log")


def _compare_events(
    case: Case, position: Position, twin: AnyState, seat: int, evidence: Evidence
) -> None:
    """Make the move of *position* in *twin* too, and compare what everybody is told of it.

    A move may reveal hidden cards, and then the table looks different afterwards. Where a spectator
    sees the same before and after the move, the events must be the same, because they are public:
    this holds also for the seat that moves, whose hand may have got other cards. The settlement of
    a round may reveal who won it.
    """
    move = position.move
    if twin.check(move) is not None:
        return
    told = twin.apply(move)
    after = position.state.clone()
    assert repr(after.apply(move)) == repr(position.events), "a move has other events when repeated"
    if _public(case, after) == _public(case, twin):
        assert repr(told) == repr(position.events), f"an event tells seat {seat} what is hidden"
        evidence.compared["events"] += 1


def assert_leaving_tells_nothing(state: AnyState, leaves: int, seat: int, rng: Stream) -> None:
    """Assert that *seat* is told the same when the seat *leaves* forfeits in another deal.

    Its hand leaves play unseen. Where the match ends, scores may depend on hidden cards.
    """
    twin, here = state.redeal(seat, rng), state.clone()
    told = [each.forfeit(leaves, ForfeitReason.TIMEOUT) for each in (here, twin)]
    if here.to_move is not None:
        assert repr(told[0]) == repr(told[1]), f"seat {seat} is told what is hidden"
        assert repr(here.view(seat)) == repr(twin.view(seat)), f"seat {seat} sees what is hidden"
