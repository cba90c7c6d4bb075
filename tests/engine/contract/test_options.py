"""Options: defaults are good, and a wrong one is an error that says what would be good."""

from typing import Any

import pytest

from harbourmaster_engine.game import Game
from harbourmaster_engine.registry import games
from support.cases import VARIANTS, Case, all_cases

GAMES = list(games().values())
CASES = all_cases()
NONSENSE: tuple[Any, ...] = (
    -1,
    10**9,
    1.5,
    "nonsense",
    [],
    ["nonsense"],
    {},
    True,
    [[[]]] * 4,
    object(),
)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_every_option_has_a_line_of_help_and_a_default_that_is_allowed(game: Game) -> None:
    for seats in range(game.min_seats, game.max_seats + 1):
        values = game.resolve(seats, {})
        assert list(values) == [option.name for option in game.options]
        assert game.resolve(seats, values) == values
        assert game.non_defaults(values, seats) == {}
    for option in game.options:
        assert option.help
        assert "\n" not in option.help


@pytest.mark.parametrize("case", CASES, ids=str)
def test_e10_the_options_that_differ_from_the_defaults_are_told_apart(case: Case) -> None:
    values = case.game.resolve(case.seats, case.options)
    for name, value in case.options.items():
        assert values[name] == value
    told = case.game.non_defaults(values, case.seats)
    assert told.items() <= dict(case.options).items()
    assert case.game.resolve(case.seats, told) == values


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_an_unknown_option_is_an_error_that_lists_the_good_ones(game: Game) -> None:
    with pytest.raises(ValueError, match="no option 'speed'") as caught:
        game.resolve(game.min_seats, {"speed": 1})
    for option in game.options:
        assert option.name in str(caught.value)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_wrong_number_of_seats_is_an_error_that_says_the_range(game: Game) -> None:
    for seats in (game.min_seats - 1, game.max_seats + 1, 0, -1):
        with pytest.raises(ValueError, match=f"{game.min_seats}.*seats, not {seats}"):
            game.start(bytes(32), seats)


@pytest.mark.parametrize(
    ("game", "name"),
    [(game, option.name) for game in GAMES for option in game.options],
    ids=lambda value: value.id if isinstance(value, Game) else value,
)
def test_a_bad_value_is_an_error_that_names_the_option(game: Game, name: str) -> None:
    errors = [error for value in NONSENSE if (error := refused(game, {name: value}))]
    assert len(errors) >= len(NONSENSE) // 2
    for error in errors:
        assert error.startswith(f"{game.id}: option {name} is ")


def refused(game: Game, options: dict[str, Any]) -> str:
    """Return why *game* cannot be played with *options*, or an empty text."""
    try:
        game.resolve(game.min_seats, options)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_seed_has_thirty_two_bytes(game: Game) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        game.start(b"short", game.min_seats)


def test_variants_are_of_games_that_have_them() -> None:
    for game in GAMES:
        names = {option.name for option in game.options}
        for variant in VARIANTS.get(game.id, ()):
            assert set(variant) <= names
