"""What has to hold for every state of every game, as functions that assert it.

They take what they judge as arguments, so that the tests of the tests can hand them a state with a
planted fault.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import (
    LAST_SEAT,
    SPECTATOR,
    AnyState,
    ForfeitReason,
    IllegalMove,
    Outcome,
    Refusal,
    SeatForfeited,
)
from support.cases import Case
from support.places import all_cards
from support.play import Position


def assert_check_agrees_with_apply(case: Case, state: AnyState, move: object) -> bool:
    """Assert that `check` and `apply` say the same of *move*; return whether it is legal.

    Neither `check` nor a refused `apply` may change anything.
    """
    before = state.fingerprint()
    refusal = state.check(move)
    assert state.fingerprint() == before, "check changed the state"
    assert state.check(move) == refusal, "check does not answer the same twice"
    twin = state.clone()
    refused = refusal_by_apply(twin, move)
    if refused is None:
        assert refusal is None, f"apply makes a move that check refuses: {refusal}"
        return True
    assert refusal is not None, f"check allows what apply refuses: {refused.text}"
    assert refused == refusal, "check and apply give different reasons"
    assert twin.fingerprint() == before, "a refused move changed the state"
    assert_refusal_is_documented(case, refusal)
    return False


def refusal_by_apply(state: AnyState, move: object) -> Refusal | None:
    """Make *move* and return `None`, or return why `apply` refuses it."""
    try:
        state.apply(move)
    except IllegalMove as error:
        return error.refusal
    return None


def assert_refusal_is_documented(case: Case, refusal: Refusal) -> None:
    """Assert that *refusal* has a code of the game and a sentence of a bounded length."""
    assert refusal.code in case.game.codes, f"{refusal.code!r} is not a documented code"
    assert 0 < len(refusal.text) <= 400, f"a refusal has {len(refusal.text)} characters"


def assert_offers_are_legal(case: Case, state: AnyState) -> None:
    """Assert that moves are offered exactly while a seat is to move, and that all are legal."""
    offered = state.legal_moves()
    if state.to_move is None:
        assert offered.moves == (), "moves are offered after the end"
        assert offered.complete
        return
    assert offered.moves, "no move is offered to the seat to move"
    for move in offered.moves:
        refusal = state.check(move)
        assert refusal is None, f"an offered move is refused: {refusal}"
    assert len(set(map(repr, offered.moves))) == len(offered.moves), "a move is offered twice"
    assert state.check(state.default_move()) is None, "the default move is illegal"
    assert state.default_move() == state.default_move()


def assert_same_cards(case: Case, states: Iterable[AnyState]) -> None:
    """Assert that all *states* of a match, or of one round of it, hold the same cards."""
    states = list(states)
    first = all_cards(case.game.id, states[0])
    for number, state in enumerate(states):
        now = all_cards(case.game.id, state)
        assert now == first, f"position {number}: {now - first} came, {first - now} went"


def assert_clones_are_independent(positions: Sequence[Position], end: AnyState) -> None:
    """Assert that playing a match from clones leaves every ancestor as it was.

    Each state is cloned from the one before, so that a part they share would be changed by all
    later moves; every ancestor is hashed again at the end.
    """
    state = positions[0].state.clone()
    ancestors: list[tuple[AnyState, bytes]] = []
    for _, move, _ in positions:
        ancestors.append((state, state.fingerprint()))
        state = state.clone()
        assert state.fingerprint() == ancestors[-1][1], "a clone differs from its original"
        state.apply(move)
    assert state.fingerprint() == end.fingerprint(), "the clones did not play the same match"
    for number, (ancestor, then) in enumerate(ancestors):
        assert ancestor.fingerprint() == then, f"a later move changed the state before {number}"
        assert ancestor.to_move is not None


def assert_forfeit_stays_in_a_clone(state: AnyState) -> None:
    """Assert that no seat which leaves a clone of *state* leaves *state* or another clone."""
    before, other = state.fingerprint(), state.clone()
    for seat in range(state.seats - 1):
        twin = state.clone()
        twin.forfeit(seat, ForfeitReason.RESIGNED)
        assert twin.fingerprint() != before
        assert state.fingerprint() == before, f"seat {seat} left a clone and the original with it"
        assert other.fingerprint() == before, f"seat {seat} left a clone and another with it"


def assert_views_work(case: Case, state: AnyState) -> None:
    """Assert that everybody has a view of *state*, twice the same, and that it can be drawn."""
    for seat in (*range(case.seats), SPECTATOR):
        view = state.view(seat)
        assert repr(view) == repr(state.view(seat)), "a view differs when it is made again"
        assert case.game.text.picture(view).strip()
    summary = case.game.notation.summary(state)
    assert summary["scores"] == list(state.scores)
    assert summary["turn"] == state.to_move
    assert summary["over"] == (state.outcome() is not None)


def assert_no_other_views(case: Case, state: AnyState) -> None:
    """Assert that only the seats and `SPECTATOR` have a view, and that others are told so."""
    for seat in (-1000, -case.seats - 1, -2, case.seats, case.seats + 1, 10**9):
        told = ""
        try:
            state.view(seat)
        except ValueError as error:
            told = str(error)
        assert told, f"a view for seat {seat}"
        assert told == f"there is no seat {seat}: name 0 to {case.seats - 1}, or -1 to watch"


def assert_outcome_is_consistent(
    case: Case, state: AnyState, forfeits: Sequence[tuple[int, ForfeitReason]] = ()
) -> None:
    """Assert that *state* is over and that its outcome makes sense.

    *forfeits* lists the seats that forfeited with their reasons, the earliest first.
    """
    outcome = state.outcome()
    assert state.to_move is None, "the match is not over"
    assert outcome is not None, "the match is over without an outcome"
    assert outcome.scores == state.scores
    for per_seat in (outcome.scores, outcome.placements, outcome.forfeits):
        assert len(per_seat) == case.seats
    assert all(type(score) is int for score in outcome.scores), "a score is no whole number"
    _assert_placements(outcome, [seat for seat, _ in forfeits])
    reasons = dict(forfeits)
    assert outcome.forfeits == tuple(reasons.get(seat) for seat in range(case.seats))
    assert outcome.reason in (*case.game.reasons, LAST_SEAT), f"{outcome.reason!r} is no reason"
    assert (outcome.reason == LAST_SEAT) == (len(reasons) == case.seats - 1)


# A line of five wins a match of Anchorline whatever the scores are.
WINS_WHATEVER_THE_SCORE = ("five",)


def _assert_placements(outcome: Outcome, forfeited: Sequence[int]) -> None:
    places = outcome.placements
    for place in places:
        assert place == 1 + sum(other < place for other in places), f"{places} are no placements"
    played = [seat for seat in range(len(places)) if seat not in forfeited]
    ranked = sorted(played, key=lambda seat: places[seat])
    assert [*ranked, *reversed(forfeited)] == sorted(
        [*ranked, *reversed(forfeited)], key=lambda seat: places[seat]
    ), "a seat that forfeited is placed too well"
    assert len({places[seat] for seat in forfeited}) == len(forfeited)
    if outcome.reason not in WINS_WHATEVER_THE_SCORE:
        for a in played:
            for b in played:
                assert outcome.scores[a] <= outcome.scores[b] or places[a] < places[b], (
                    "a higher score is not placed higher"
                )


def assert_forfeit_works(case: Case, state: AnyState, seat: int, reason: ForfeitReason) -> None:
    """Take *seat* out of *state*, and assert what holds for a forfeit in every game."""
    turns = state.turns
    events = state.forfeit(seat, reason)
    assert events[0] == SeatForfeited(seat, reason)
    assert state.to_move != seat, "a seat that forfeited is to move"
    before = state.fingerprint()
    for who in (seat, -1, case.seats):
        try:
            state.forfeit(who, reason)
        except ValueError:
            assert state.fingerprint() == before, "a refused forfeit changed the state"
        else:
            raise AssertionError(f"seat {who} could forfeit")
    assert state.turns in (turns, turns + 1)


def assert_ends(case: Case, state: AnyState, rng: Stream, longest: int) -> int:
    """Play *state* to its end at random; assert that it takes *longest* moves at most."""
    for number in range(longest):
        if state.to_move is None:
            return number
        state.apply(state.sample_move(rng))
    raise AssertionError(f"the match has not ended after {longest} moves")


def notation_agrees(case: Case, move: Any) -> Any:
    """Return what *move* becomes when it is written in the neutral form and read again."""
    text = json.dumps(case.game.notation.move_to_json(move))
    return case.game.notation.move_from_json(json.loads(text))
