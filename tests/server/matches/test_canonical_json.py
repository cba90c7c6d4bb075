"""The canonical form that `game_hash` is over."""

from typing import Any

import rfc8785
from hypothesis import given
from hypothesis import strategies as some

from harbourmaster_engine.game import ForfeitReason
from harbourmaster_engine.registry import games
from harbourmaster_server.matches.closing import canonical_json

KEYS = some.text("abcxyz_ABC", min_size=1, max_size=8)
WHOLE = some.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
TEXT = some.text('aZ09 _-"\\/<&\n\t\x07\x7fé€😀', max_size=12)
VALUES = some.recursive(
    some.booleans() | WHOLE | TEXT | some.none(),
    lambda each: some.lists(each, max_size=4) | some.dictionaries(KEYS, each, max_size=4),
    max_leaves=12,
)


@given(some.dictionaries(KEYS, VALUES, max_size=6))
def test_it_is_what_a_general_encoder_writes(data: dict[str, Any]) -> None:
    assert canonical_json(data) == rfc8785.dumps(data)


def test_it_is_so_for_the_end_of_a_match_of_every_game() -> None:
    for game in games().values():
        state = game.start(bytes(32), game.min_seats)
        state.forfeit(0, ForfeitReason.TIMEOUT)
        summary = game.notation.summary(state)

        assert canonical_json(summary) == rfc8785.dumps(summary)
