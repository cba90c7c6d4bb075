"""The registry: our games, and those that other packages announce."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from harbourmaster_engine import registry
from harbourmaster_engine.anchorline import GAME as ANCHORLINE


class Announced:
    """An entry point as `importlib.metadata` has them."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self._value = value

    def load(self) -> Any:
        return self._value


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Announced]]:
    """Return the list of what other packages announce."""
    found: list[Announced] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: found)
    registry.games.cache_clear()
    yield found
    registry.games.cache_clear()


def test_our_games_are_known_by_their_ids() -> None:
    assert list(registry.games())[: len(registry.OWN)] == [game.id for game in registry.OWN]
    for game in registry.OWN:
        assert registry.find_game(game.id) is game


def test_an_unknown_game_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"there is no game 'chess': there are .*anchorline"):
        registry.find_game("chess")


def test_the_registry_cannot_be_changed_from_outside() -> None:
    with pytest.raises(TypeError):
        registry.games()["chess"] = ANCHORLINE  # type: ignore[index]


def test_another_package_can_bring_a_game(announced: list[Announced]) -> None:
    stranger = replace(ANCHORLINE, id="stranger")
    announced.append(Announced("stranger", stranger))
    assert registry.find_game("stranger") is stranger
    assert list(registry.games())[-1] == "stranger"


def test_another_package_cannot_replace_a_game_of_ours(announced: list[Announced]) -> None:
    announced.append(Announced("mine", replace(ANCHORLINE, name="Mine")))
    assert registry.find_game("anchorline") is ANCHORLINE


def test_what_is_announced_must_be_a_game(announced: list[Announced]) -> None:
    announced.append(Announced("odd", object()))
    with pytest.raises(TypeError, match=r"'odd' of harbourmaster\.games is not a Game"):
        registry.games()
