"""A bot of Anchorline that remembers every deal, to see what a memory is worth.

It keeps the order of both stacks of each match, in its process and in a file in its folder. In a
later match that agrees with an earlier one so far, it says beforehand which card comes up next.
After each such card it writes `foretold` or `mistaken` to stderr. It plays at random: what it
knows is measured, whatever a cleverer bot could make of it.
"""

import json
import random
import sys
from pathlib import Path

import harbourmaster

NOTEBOOK = Path("notebook.json")
CERTAIN = 3
"""After so many cards that agree, out of eight, a deal passes for a known one."""

Deal = dict[str, int]
"""The card at each place of each stack: `0/4` is the top one of four of seat 0."""


class Memoriser:
    """Remembers the deals of all matches."""

    def __init__(self) -> None:
        self._deals: dict[str, Deal] = json.loads(NOTEBOOK.read_text()) if NOTEBOOK.exists() else {}
        self._left: dict[tuple[str, int], int] = {}
        """How many cards of each stack were not seen yet, by match and seat."""

    def choose(self, decision: harbourmaster.Decision) -> harbourmaster.Answer:
        """Note the cards on top, and move at random."""
        match = decision.match.id
        deal = self._deals.setdefault(match, {})
        for seat, (card, left) in enumerate(
            zip(decision.view.tops, decision.view.stack_counts, strict=True)
        ):
            before = self._left.get((match, seat), 5)
            # Cards that come back to a stack are no longer the deal.
            self._left[match, seat] = left if left <= before else 0
            if 0 < left < before:
                place = f"{seat}/{left}"
                self._compare(match, place, card)
                deal[place] = card
        NOTEBOOK.write_text(json.dumps(self._deals))
        return random.Random(f"{decision.seat}/{decision.number}").randrange(len(decision.offered))

    def _compare(self, match: str, place: str, card: int) -> None:
        deal = self._deals[match]
        for other, known in self._deals.items():
            shared = deal.keys() & known.keys()
            agrees = all(deal[key] == known[key] for key in shared)
            if other != match and place in known and len(shared) >= CERTAIN and agrees:
                word = "foretold" if known[place] == card else "mistaken"
                sys.stderr.write(f"{word}\n")
                sys.stderr.flush()
                return


if __name__ == "__main__":
    harbourmaster.main(Memoriser().choose, name="memoriser")
