"""Anchorline: things, set-up, and what a seat may do in its turn."""

import pytest

from harbourmaster_engine.anchorline import GAME, AnchorlineState, Place, ReturnCoin, Shift
from harbourmaster_engine.anchorline.moves import CARD_NAMES, DIRECTIONS
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, IllegalMove
from support.anchorline import FULL, SEED, board, code, places, shifts, shows, stacks_of

DEFAULT_ARROWS = {
    1: {"N", "E", "S", "W"},
    2: {"NE", "SE", "SW", "NW"},
    3: {"W", "NW", "N", "NE", "E"},
    4: {"E", "SE", "S", "SW", "W"},
}


def start(**options: object) -> AnchorlineState:
    state = GAME.start(SEED, 2, options)
    assert isinstance(state, AnchorlineState)
    return state


def test_there_are_nine_cards_the_anchor_and_four_of_each_side() -> None:
    assert CARD_NAMES == ("Anchor", "S1", "S2", "S3", "S4", "G1", "G2", "G3", "G4")
    seals, gulls = stacks_of(start())
    assert sorted(seals) == ["S1", "S2", "S3", "S4"]
    assert sorted(gulls) == ["G1", "G2", "G3", "G4"]


def test_two_seats_play() -> None:
    assert (GAME.min_seats, GAME.max_seats) == (2, 2)


def test_the_grid_is_unbounded() -> None:
    far = "## S1 G1 S2 G2 S3 G3 S4*"
    state = board(far, ((), ("G4",)), turn=1)
    state.apply(Place((8, 0)))
    assert shows(state, "## S1 G1 S2 G2 S3 G3 S4 G4*")


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("side", ["S", "G"])
def test_the_number_of_a_card_is_the_place_of_its_arrows(side: str, number: int) -> None:
    """Cards are not turned: both sides' arrows point the same ways for both seats."""
    card = f"{side}{number}"
    pointed = {(2 + DIRECTIONS[name][0], DIRECTIONS[name][1]) for name in DEFAULT_ARROWS[number]}
    seals, gulls = (tuple(name for name in stack if name != card) for stack in FULL)
    for turn in (0, 1):
        assert places(board(f"## . {card}*", (seals, gulls), turn=turn)) == pointed


def test_the_arrows_of_the_anchor_point_everywhere() -> None:
    assert places(board("##", FULL)) == set(DIRECTIONS.values())


def test_the_arrows_are_options() -> None:
    options = {"anchor_arrows": ["N", "SW"], "card_arrows": [["S"], ["E"], [], ["NW", "NE"]]}
    assert places(board("##", FULL, options)) == {(0, 1), (-1, -1)}
    state = board("G4*\n##", (FULL[0], ("G3", "G2", "G1")), options)
    assert places(state) == {(-1, 2), (1, 2)}


def test_the_order_in_which_an_option_lists_arrows_does_not_matter() -> None:
    one = board("##", FULL, {"anchor_arrows": ["N", "E", "SW"]})
    other = board("##", FULL, {"anchor_arrows": ["SW", "E", "N"]})
    assert one.legal_moves() == other.legal_moves()


@pytest.mark.parametrize(
    "options",
    [
        {"anchor_arrows": ["UP"]},
        {"anchor_arrows": ["N", "N"]},
        {"anchor_arrows": "N"},
        {"anchor_arrows": [["N"]]},
        {"card_arrows": [["N"]]},
        {"card_arrows": [["N"], ["N"], ["N"], ["UP"]]},
        {"arrows_bind_moves": 1},
        {"target_score": 0},
        {"max_turns": True},
    ],
)
def test_bad_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"option {next(iter(options))} is .* it takes"):
        start(**options)


def test_each_sides_cards_are_shuffled_in_the_order_of_their_numbers_seat_0_first() -> None:
    stream = Stream.for_round(SEED, 1)
    seals, gulls = ["S1", "S2", "S3", "S4"], ["G1", "G2", "G3", "G4"]
    stream.shuffle(seals)
    stream.shuffle(gulls)
    assert stacks_of(start()) == [seals, gulls]


def test_the_top_card_of_a_stack_is_seen_and_the_order_below_is_not() -> None:
    state = board("##", FULL)
    other = board("##", (("S2", "S4", "S3", "S1"), ("G3", "G2", "G4", "G1")))
    for seat in (0, 1, SPECTATOR):
        assert state.view(seat) == other.view(seat)
        assert state.view(seat).tops == (1, 5)
        assert state.view(seat).stack_counts == (4, 4)


def test_at_first_the_coin_is_on_the_anchor_and_seat_0_begins() -> None:
    state = start()
    assert shows(state, "##*")
    assert state.to_move == 0
    assert state.scores == (0, 0)
    assert state.turns == 0


def test_seats_take_turns() -> None:
    state = start()
    seats = []
    for _ in range(4):
        seats.append(state.to_move)
        state.apply(state.default_move())
    assert seats == [0, 1, 0, 1]
    assert state.turns == 4


def test_the_top_card_goes_where_an_arrow_points_and_the_coin_goes_onto_it() -> None:
    state = board("##", FULL)
    state.apply(Place((1, 1)))
    assert shows(state, ".  S1*\n## .")
    assert stacks_of(state)[0] == ["S4", "S3", "S2"]
    assert state.to_move == 1


def test_the_cell_that_an_arrow_points_to_is_the_neighbouring_one() -> None:
    state = board("##", FULL)
    assert code(state, Place((2, 0))) == "no_arrow"
    assert code(state, Place((0, -2))) == "no_arrow"


def test_a_card_goes_only_where_an_arrow_of_the_card_with_the_coin_points() -> None:
    state = board("## S1*", (("S4", "S3", "S2"), FULL[1]), turn=1)
    assert places(state) == {(1, 1), (2, 0), (1, -1)}
    assert code(state, Place((2, 1))) == "no_arrow"
    assert code(state, Place((0, 1))) == "no_arrow"


def test_a_card_goes_only_to_a_free_cell() -> None:
    state = board("G1 .\n## S1*", (("S2",), ("G2",)))
    assert code(state, Place((0, 0))) == "occupied"
    assert code(state, Place((0, 1))) == "occupied"
    assert code(state, Place((1, 0))) == "occupied"


def test_only_the_top_card_can_be_placed() -> None:
    state = board("##", FULL)
    state.apply(Place((0, 1)))
    state.apply(Place((0, 2)))
    assert shows(state, "G1*\nS1\n##")


def test_with_cards_in_the_own_stack_no_card_on_the_table_moves() -> None:
    state = board("S1 . .\n## G1* .", (("S2",), ("G2",)))
    assert code(state, Shift((0, 1), (1, 1))) == "stack_not_empty"
    assert shifts(state) == set()


def test_with_an_empty_stack_no_card_is_placed() -> None:
    state = board("S1 . .\n## G1* .", ((), ("G2",)))
    assert code(state, Place((1, 1))) == "stack_empty"
    assert places(state) == set()


def test_with_an_empty_stack_an_own_card_moves_where_an_arrow_points() -> None:
    state = board("S1 . .\n## G1* .\n. . .", ((), ("G2",)))
    assert shifts(state) == {((0, 1), (1, 1)), ((0, 1), (2, 0)), ((0, 1), (1, -1))}
    state.apply(Shift((0, 1), (2, 0)))
    assert shows(state, "## G1 S1*")


def test_only_an_own_card_moves() -> None:
    state = board("S1 . .\n## G1* G2", ((), ("G3",)))
    assert code(state, Shift((1, 0), (1, 1))) == "not_your_card"
    assert code(state, Shift((2, 0), (1, 1))) == "not_your_card"
    assert code(state, Shift((0, 0), (1, 1))) == "not_your_card"
    assert code(state, Shift((5, 5), (1, 1))) == "no_card_there"


def test_a_card_moves_to_another_free_cell() -> None:
    state = board("S1 S2\n## G1*", ((), ("G2",)))
    assert code(state, Shift((0, 1), (1, 1))) == "occupied"
    assert code(state, Shift((1, 1), (1, 1))) == "occupied"
    assert code(state, Shift((0, 1), (0, 0))) == "occupied"


def test_the_arrow_rule_binds_moves() -> None:
    state = board("S1 . .\n## G1* .", ((), ("G2",)))
    assert code(state, Shift((0, 1), (2, 1))) == "no_arrow"


def test_the_arrow_rule_for_moves_can_be_switched_off() -> None:
    state = board("S1 . .\n## G1* .", ((), ("G2",)), {"arrows_bind_moves": False})
    assert shifts(state) == {
        ((0, 1), end) for end in [(1, 1), (2, 1), (2, 0), (2, -1), (1, -1), (0, -1)]
    }
    assert code(state, Shift((0, 1), (3, 0))) == "no_arrow"


def test_switching_it_off_changes_nothing_for_placing() -> None:
    state = board("S1 . .\n## G1* .", (("S2",), ("G2",)), {"arrows_bind_moves": False})
    assert places(state) == {(1, 1), (2, 0), (1, -1)}


def test_next_to_is_orthogonal_or_diagonal() -> None:
    diagonal = board(". . S2\n. G2 .\n## G1* .", ((), ("G3",)))
    diagonal.apply(Shift((2, 2), (2, 0)))
    assert shows(diagonal, ". G2 .\n## G1 S2*")


def test_e41_a_move_may_not_leave_a_card_unconnected() -> None:
    state = board("## S1 G1* .\n.  .  .  .", ((), ("G2",)))
    refusal = state.check(Shift((1, 0), (3, 0)))
    assert refusal is not None
    assert refusal.code == "disconnects"
    assert refusal.text == "moving S1 to (3, 0) would leave G1 at (2, 0) unconnected"


def test_a_card_two_cells_away_is_not_connected() -> None:
    state = board(". . .\n## S1 G1*", ((), ("G2",)), {"arrows_bind_moves": False})
    assert shifts(state) == {((1, 0), (1, 1)), ((1, 0), (1, -1))}


def test_e41_connection_is_judged_after_the_move() -> None:
    """The only link of G1 leaves and becomes its link again from another side."""
    state = board(". G1* .\nS1 . .\n## . .", ((), ("G2",)), {"arrows_bind_moves": False})
    assert code(state, Shift((0, 1), (1, 1))) == ""
    assert code(state, Shift((0, 1), (2, 2))) == "disconnects"


def test_a_chain_is_connected_through_its_cards() -> None:
    state = board("S2 . . .\n## S1 G1 G2*", ((), ("G3",)), {"arrows_bind_moves": False})
    assert ((0, 1), (4, 0)) in shifts(state)
    assert {start for start, _ in shifts(state)} == {(0, 1)}


def test_the_coin_goes_back_only_when_no_card_can_be_placed() -> None:
    assert code(board("##", FULL), ReturnCoin()) == "place_possible"


def test_the_coin_goes_back_only_when_no_card_can_be_moved() -> None:
    state = board("S1 . .\n## G1* .", ((), ("G2",)))
    assert code(state, ReturnCoin()) == "move_possible"


def test_a_returned_coin_goes_to_the_anchor_and_gives_the_opponent_a_point() -> None:
    state = board(". S2 .\n## G1* S1\n. G2 .", (("S3",), ("G3",)))
    assert state.legal_moves().moves == (ReturnCoin(),)
    state.apply(ReturnCoin())
    assert shows(state, ". S2 .\n##* G1 S1\n. G2 .")
    assert state.scores == (0, 1)
    assert state.to_move == 1


def test_the_coin_goes_back_when_every_move_would_disconnect() -> None:
    options = {"card_arrows": [["E"], [], [], []]}
    state = board("## S1 G1*", ((), ("G2",)), options)
    assert state.legal_moves().moves == (ReturnCoin(),)


def test_without_arrows_the_coin_always_goes_back() -> None:
    state = start(anchor_arrows=[])
    for seat in (1, 0):
        assert state.legal_moves().moves == (ReturnCoin(),)
        state.apply(ReturnCoin())
        assert state.scores[seat] == 1


def test_an_illegal_move_raises_and_changes_nothing() -> None:
    state = board("##", FULL)
    before = state.fingerprint()
    with pytest.raises(IllegalMove, match=r"\(2, 0\) is not next to Anchor"):
        state.apply(Place((2, 0)))
    assert state.fingerprint() == before


@pytest.mark.parametrize(
    "cell", [(1.0, 0), (True, 0), [1, 0], (1,), (1, 0, 0), None, "N", (10**5000, 0), (1001, 0)]
)
def test_what_is_no_cell_in_reach_is_refused(cell: object) -> None:
    state = board("##", FULL)
    assert code(state, Place(cell)) == "malformed"  # type: ignore[arg-type]
    assert code(state, Shift((0, 0), cell)) == "malformed"  # type: ignore[arg-type]
    assert code(state, Shift(cell, (0, 0))) == "malformed"  # type: ignore[arg-type]
    assert code(state, Place((1000, 0))) == "no_arrow"
