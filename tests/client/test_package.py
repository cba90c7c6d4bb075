"""What the package offers, and what it needs."""

import subprocess
import sys
import tomllib
from inspect import ismodule
from pathlib import Path

import pytest

import harbourmaster
from harbourmaster import cards, errors
from support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
SUBPACKAGES = ("cards", "errors")


def test_all_lists_what_is_public() -> None:
    public = [
        name
        for name, value in vars(harbourmaster).items()
        if not name.startswith("_") and not (ismodule(value) and name not in SUBPACKAGES)
    ]
    assert sorted([*public, "__version__"]) == sorted(harbourmaster.__all__)


def test_the_tree_of_errors_names_every_error() -> None:
    drawn = errors.__doc__ or ""
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    assert len(classes) == 14
    for kind in classes:
        assert f" {kind.__name__} " in drawn or kind is errors.HarbourmasterError
        assert issubclass(kind, errors.HarbourmasterError)


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert harbourmaster.__version__ == project["version"]


NOTHING_ELSE = """
import importlib, pkgutil, sys

# grpcio itself needs typing_extensions.
ALLOWED = {"harbourmaster", "grpc", "google", "typing_extensions", *sys.stdlib_module_names}

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ALLOWED:
            raise ModuleNotFoundError(f"{name} is not there", name=name)

sys.meta_path.insert(0, Nothing())
import harbourmaster
for module in pkgutil.walk_packages(harbourmaster.__path__, "harbourmaster."):
    importlib.import_module(module.name)
print(len([name for name in sys.modules if name.startswith("harbourmaster.")]))
"""


def run_python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def test_the_client_needs_nothing_but_grpcio_and_protobuf() -> None:
    """Every module of the package is imported where nothing else can be."""
    done = run_python(NOTHING_ELSE)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


def test_the_check_of_imports_notices_one_too_many() -> None:
    """The twin of the test above, with a module taken away that the client does need."""
    done = run_python(NOTHING_ELSE.replace('"google", ', ""))
    assert done.returncode == 1
    assert "google" in done.stderr


def test_cards_have_names_that_can_be_read_back() -> None:
    assert len(set(cards.NAMES)) == 53
    for card in range(1, 54):
        assert cards.parse_card(cards.card_name(card)) == card
        assert cards.Card.Name(card) == f"CARD_{cards.card_name(card)}"  # type: ignore[arg-type]


def test_a_card_is_thirteen_times_its_suit_plus_its_rank() -> None:
    ten_of_hearts = cards.parse_card("10h")
    assert ten_of_hearts == cards.Card.CARD_10H == 2 * 13 + 10
    assert (cards.rank(ten_of_hearts), cards.suit(ten_of_hearts)) == (10, "H")
    assert (cards.rank(cards.parse_card("KS")), cards.suit(52)) == (13, "S")
    assert (cards.rank(cards.JOKER), cards.suit(cards.JOKER)) == (0, "")


@pytest.mark.parametrize("card", [0, 54, -1])
def test_a_number_that_is_no_card_is_an_error(card: int) -> None:
    with pytest.raises(ValueError, match="1 to 53"):
        cards.card_name(card)


@pytest.mark.parametrize("name", ["1H", "11S", "H10", ""])
def test_a_name_that_is_no_card_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="10H"):
        cards.parse_card(name)
