"""The bench of the rules: that it measures what it says, and that its corpus is varied."""

import json
import sys
import types
from pathlib import Path

import pytest

from harbourmaster_engine.game import SPECTATOR
from harbourmaster_engine.registry import OWN, find_game
from harbourmaster_tournaments.bench import floors, others
from harbourmaster_tournaments.bench.corpus import Form, forms_of, play, positions, wrong_moves
from harbourmaster_tournaments.bench.engine import MEASURES, WORDS, Figure
from harbourmaster_tournaments.bench.full import full_boards, full_table
from harbourmaster_tournaments.bench.timing import nanoseconds_each
from support.commands import harbourmaster


def test_every_game_has_floors_for_steps_and_for_what_all_games_do() -> None:
    for game in OWN:
        assert floors.floor_of(game.id, floors.LISTED_STEP)
        for what in (floors.CLONE, floors.VIEW, floors.WORST_CHECK, floors.WORST_LIST):
            assert floors.floor_of(game.id, what)
    assert floors.floor_of("tide", floors.VIEW) == 40
    assert floors.floor_of("claim", floors.BARE_STEP) is None


@pytest.mark.parametrize(
    ("unit", "value", "floor", "reached"),
    [
        (floors.PER_SECOND, 99.0, 100.0, False),
        (floors.PER_SECOND, 100.0, 100.0, True),
        (floors.MICROS, 99.0, 100.0, True),
        (floors.MICROS, 101.0, 100.0, False),
        (floors.MICROS, 1.0, None, None),
    ],
)
def test_a_floor_is_reached_by_more_a_second_or_by_less_time(
    unit: str, value: float, floor: float | None, reached: bool | None
) -> None:
    assert Figure("a game", "a step", value, unit, floor).reached is reached


def test_the_median_is_of_one_operation_and_leaves_out_the_first_batches() -> None:
    batches: list[int] = []

    def work() -> int:
        batches.append(sum(range(100_000 if len(batches) < 2 else 1_000)))
        return 10

    slow = nanoseconds_each(lambda: len(range(1)) + sum(range(100_000)) * 0, 3)
    quick = nanoseconds_each(work, 5)
    assert len(batches) == 7
    assert 0 < quick < slow


def test_the_numbers_that_choose_moves_are_varied() -> None:
    assert len(set(WORDS)) > len(WORDS) - 10


def test_every_format_of_a_game_is_measured() -> None:
    assert [str(form) for game in OWN for form in forms_of(game)] == [
        "anchor",
        "claim",
        "tide EMPTY_HAND",
        "tide CLASSIC",
        "tide MELD_SCORE",
        "wild_rummy",
        "anchorline",
    ]


def test_a_full_board_has_most_cards_of_its_matches_and_its_plays_are_legal() -> None:
    form = Form(find_game("anchor"), 2, {"target_score": 400})
    matches = [play(form, number) for number in range(4)]
    found = full_boards(matches, 5)
    assert len(found) == 5
    states = [state for match in matches for state in positions(match, len(match.moves))]
    most = max(map(cards_on, states))
    for state, move in found:
        assert state.check(move) is None
        assert cards_on(state) > most * 0.8


def cards_on(state: object) -> int:
    return sum(code > 0 for code in state.view(SPECTATOR).board)  # type: ignore[attr-defined]


def test_the_full_table_has_104_cards_each_in_two_melds() -> None:
    state, move = full_table(find_game("tide"))
    assert state.check(move) is None
    assert len(move.cards) == 104
    assert len(state.view(SPECTATOR).cards) == 103


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.id)
def test_of_the_moves_that_are_asked_about_some_are_legal_and_most_are_not(game: object) -> None:
    form = forms_of(game)[0]  # type: ignore[arg-type]
    match, rng = play(form, 1), form.rng("test")
    legal = refused = 0
    for state in positions(match, 10):
        for move in (*state.legal_moves().moves[:4], *wrong_moves(match.moves, rng, 30)):
            if state.check(move) is None:
                legal += 1
            else:
                refused += 1
    assert legal >= 10
    assert refused > legal


def test_every_measure_gives_a_figure_of_a_short_game() -> None:
    form = Form(find_game("anchorline"), 2, {})
    for what, measure in MEASURES.items():
        value, unit, note = measure(form, [play(form, 0)], 3)
        assert value > 0, what
        assert unit in (floors.PER_SECOND, floors.MICROS)
        assert note


def test_the_command_prints_floors_and_writes_where_it_was_measured(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "bench.json"
    done = harbourmaster(
        "bench", "engine", "--game", "anchorline", "--repeats", "3", "--json", str(out)
    )
    written = json.loads(out.read_text())
    assert written["machine"]["name"]
    assert written["machine"]["python"].count(".") == 2
    assert {figure["what"] for figure in written["figures"]} == set(MEASURES)
    assert all(figure["reached"] in (True, False, None) for figure in written["figures"])
    assert "random step" in done.stdout


def test_an_unknown_game_is_an_error_in_one_sentence() -> None:
    done = harbourmaster("bench", "engine", "--game", "chess", check=False)
    assert done.returncode == 1
    assert "there is no game 'chess' to measure: there are anchor, " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_library_that_is_missing_is_said_to_be_and_one_that_is_there_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = types.ModuleType("cardlib")
    monkeypatch.setitem(sys.modules, "cardlib", module)
    measures = (("as it is", lambda lib: lambda: len(range(500))),)
    libraries = (("cardlib", "CardLib", measures), ("no_such_lib", "NoLib", measures))
    monkeypatch.setattr(others, "LIBRARIES", libraries)
    monkeypatch.setattr(others, "find_spec", lambda name: sys.modules.get(name))
    figures, missing = others.bench_others(3, lambda text: None)
    assert [figure.form for figure in figures] == ["CardLib gin rummy"]
    assert missing == [f"NoLib is not installed and was left out: {others.INSTALL}"]
