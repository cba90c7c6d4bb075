"""A varied sample of the rearrangements that a seat can make."""

from collections.abc import Callable
from typing import Final

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.tide.draft import Draft, Luck
from harbourmaster_engine.tide.moves import Rearrange
from harbourmaster_engine.tide.prospect import Prospect, value_of
from harbourmaster_engine.tide.table import Table

PARTS: Final[tuple[Callable[[Draft], bool], ...]] = (
    Draft.lay_meld,
    Draft.divide,
    Draft.extend,
    Draft.take,
    Draft.shift,
    Draft.swap,
    Draft.gather,
    Draft.bridge,
    Draft.wild_take,
)
"""What a rearrangement of a seat that has opened is made of, besides `Draft.hook`.

A hook comes last, because lines that cross can no longer be cut, moved or taken from.
"""

MOST_PARTS: Final = 10
MOST_AGAIN: Final = 6
"""After so many drafts in a row that were there already, no more are made."""
MOST_MELDS: Final = 60
"""So many melds of the hand are tried for one opening."""
LONG_SAMPLE: Final = 24
"""No sample is longer."""


def sample(
    table: Table, hand: tuple[int, ...], minimum: int | None, limit: int, rng: Stream
) -> tuple[Rearrange, ...]:
    """Return up to *limit* different legal rearrangements, chosen with *rng*.

    *minimum* is the opening minimum for a seat that has not opened, and `None` for one that has.
    There may be none in the sample although there is one.
    """
    prospect = Prospect(table, hand, opened=minimum is None)
    luck = Luck(rng)
    moves: dict[object, Rearrange] = {}
    again = 0
    for number in range(min(limit, LONG_SAMPLE)):
        draft = Draft(prospect, luck)
        if minimum is not None:
            done = _open(draft, minimum, best_first=number == 0)
        else:
            done = _rearrange(draft, number)
        if not done:
            break
        key = draft.key()
        if key not in moves:
            moves[key] = draft.move()
            again = 0
        elif (again := again + 1) == MOST_AGAIN:
            break
    return tuple(moves.values())


def _open(draft: Draft, minimum: int, *, best_first: bool) -> bool:
    """Lay melds of the hand until they are worth *minimum*, and then perhaps more."""
    melds = draft.prospect.melds
    if not melds:
        return False
    if best_first:
        order = sorted(melds, key=value_of, reverse=True)
    else:
        cut = draft.luck.below(len(melds))
        order = melds[cut:] + melds[:cut]
    total = 0
    for meld in order[:MOST_MELDS]:
        if draft.lay(meld):
            total += value_of(meld)
            if total >= minimum and draft.luck.below(4) == 0:
                break
    return total >= minimum


def _rearrange(draft: Draft, number: int) -> bool:
    """Do one part or several; which comes first differs from draft to draft.

    Three drafts of four do as much as they find to do, so that hands get empty.
    """
    first = number % len(PARTS)
    parts = [*PARTS[first:], *PARTS[:first], Draft.hook]
    done = 0
    while parts:
        able = []
        for part in parts:
            if part(draft):
                done += 1
                if done == MOST_PARTS or (number % 4 == 3 and draft.luck.below(2)):
                    return True
                able.append(part)
        # What could not be done once cannot be done with fewer cards and less room.
        parts = able
    return done > 0
