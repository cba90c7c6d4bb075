"""Which melds can be made of some cards: the best choice, found rank by rank.

Runs and sets are built from the ace up. All that matters of the ranks so far is how long the
unfinished runs of each suit are, so that each such state is solved once. The method is that of
J. N. van Rijn, F. W. Takes and J. K. Vis, "The Complexity of Rummikub Problems" (2015).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, Final

from harbourmaster.cards import JOKER

Runs = tuple[int, ...]
"""The lengths of the unfinished runs of a suit, at most two; 3 stands for 3 and more."""
State = tuple[Runs, Runs, Runs, Runs]
Meld = tuple[int, ...]
Sets = tuple[tuple[int, ...], ...]
"""Sets of one rank, by the suits in them."""

KING: Final = 13
NEVER: Final = float("-inf")
MOST_STEPS: Final = 1_500
"""A search that takes more steps is given up: it would take too long."""

_SETS: Final = [set_ for size in (3, 4) for set_ in combinations(range(4), size)]


def _set_choices() -> dict[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return, by the number of cards of each suit in them, the sets that one rank can make."""
    found: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = {}
    for sets in [(), *((one,) for one in _SETS), *((a, b) for a in _SETS for b in _SETS)]:
        used = tuple(sum(suit in one for one in sets) for suit in range(4))
        found.setdefault(used, sets)
    return found


SET_CHOICES: Final = _set_choices()


@cache
def sets_within(held: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], Sets], ...]:
    """Return those of `SET_CHOICES` for which it is enough to have *held* cards of each suit."""
    return tuple(
        (used, sets)
        for used, sets in SET_CHOICES.items()
        if all(own <= most for own, most in zip(used, held, strict=True))
    )


@cache
def steps(runs: Runs, count: int) -> tuple[tuple[Runs, Runs], ...]:
    """Return what *count* cards of the next rank can do to *runs*: the runs that they make longer,
    by length, and the runs after that. Every other run ends, which it may from three cards on.
    """
    found = set()
    for size in range(min(count, len(runs)) + 1):
        for chosen in combinations(range(len(runs)), size):
            if all(runs[i] == 3 for i in range(len(runs)) if i not in chosen):
                longer = tuple(runs[i] for i in chosen)
                after = [min(length + 1, 3) for length in longer] + [1] * (count - size)
                found.add((longer, tuple(sorted(after))))
    return tuple(sorted(found))


Uses = tuple[tuple[int, float], ...]
"""Numbers of cards of one suit that can go to runs, with the worth of those that need not."""
Choice = tuple[Sets, tuple[Runs, ...], State]
"""The sets made of a rank, the runs of each suit that become longer, and the state after it."""


def _choices(
    rank: int, must: Mapping[int, int], worths: Mapping[int, list[float]]
) -> list[tuple[Sets, tuple[Uses, ...]]]:
    """Return the sets that the cards of *rank* can make, each with what is left for runs."""
    cards = range(rank, JOKER, KING)
    needs = [must.get(card, 0) for card in cards]
    gains = [worths.get(card, []) for card in cards]
    held = tuple([need + len(gain) for need, gain in zip(needs, gains, strict=True)])
    found = []
    for used, sets in sets_within(held):
        suits = []
        for need, gain, own in zip(needs, gains, used, strict=True):
            counts = range(max(0, need - own), need + len(gain) - own + 1)
            suits.append(tuple([(count, sum(gain[: count + own - need])) for count in counts]))
        found.append((sets, tuple(suits)))
    return found


def _ways(state: State, suits: Sequence[Uses]) -> list[tuple[float, tuple[Runs, ...], State]]:
    """Return all that runs can do with the cards of one rank: worth, what grows, and state."""
    ways: list[Any] = [(0.0, (), ())]
    for runs, uses in zip(state, suits, strict=True):
        more = [
            (worth, longer, after) for count, worth in uses for longer, after in steps(runs, count)
        ]
        if len(more) == 1:
            worth, longer, after = more[0]
            ways = [(w + worth, (*t, longer), (*s, after)) for w, t, s in ways]
        else:
            ways = [
                (w + worth, (*t, longer), (*s, after))
                for w, t, s in ways
                for worth, longer, after in more
            ]
        if not ways:
            break
    return ways


class _GaveUp(Exception):
    """The search took too many steps."""


class Melds:
    """The search for the best melds out of some cards.

    *must* holds the cards that have to be used, *may* those that can be, with what each is worth;
    cards are the numbers 1 to 52, and none comes more than twice in both together.
    """

    def __init__(self, must: Iterable[int], may: Iterable[tuple[int, float]]) -> None:
        counts = Counter(must)
        worths: dict[int, list[float]] = {}
        for card, worth in may:
            worths.setdefault(card, []).append(worth)
        for each in worths.values():
            each.sort(reverse=True)
        self._ranks = [_choices(rank, counts, worths) for rank in range(1, KING + 1)]
        # The most that the cards from each rank on can be worth.
        self._most = [0.0] * (KING + 2)
        for rank in range(KING, 0, -1):
            own = [w for suit in range(4) for w in worths.get(13 * suit + rank, ()) if w > 0]
            self._most[rank] = self._most[rank + 1] + sum(own)
        self._known: dict[tuple[int, State], tuple[float, Choice | None]] = {}
        self._steps = 0

    def best(self) -> list[Meld] | None:
        """Return the melds that are worth most.

        `None` says that no melds use all that must be used, or that it takes too long to find them.
        """
        try:
            worth = self._solve(1, ((), (), (), ()))
        except _GaveUp:
            return None
        return None if worth == NEVER else self._read()

    def _solve(self, rank: int, state: State) -> float:
        """Return the most that the cards from *rank* on are worth after *state*."""
        if rank > KING:
            return 0.0 if all(length == 3 for runs in state for length in runs) else NEVER
        known = self._known.get((rank, state))
        if known is not None:
            return known[0]
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise _GaveUp
        best, choice = NEVER, None
        for sets, suits in self._ranks[rank - 1]:
            for worth, longer, after in _ways(state, suits):
                if worth + self._most[rank + 1] <= best:
                    continue
                value = worth + self._solve(rank + 1, after)
                if value > best:
                    best, choice = value, (sets, longer, after)
            if best >= self._most[rank]:
                break
        self._known[rank, state] = best, choice
        return best

    def _read(self) -> list[Meld]:
        """Return the melds of the best choices that were found."""
        melds: list[Meld] = []
        going: list[list[Meld]] = [[], [], [], []]
        state: State = ((), (), (), ())
        for rank in range(1, KING + 1):
            choice = self._known[rank, state][1]
            assert choice is not None
            sets, longer, state = choice
            melds += [tuple([13 * suit + rank for suit in one]) for one in sets]
            for suit in range(4):
                grown = []
                for length in longer[suit]:
                    run = next(run for run in going[suit] if min(len(run), 3) == length)
                    going[suit].remove(run)
                    grown.append((*run, 13 * suit + rank))
                melds += going[suit]
                begun = len(state[suit]) - len(grown)
                going[suit] = grown + [(13 * suit + rank,)] * begun
        return melds + [run for runs in going for run in runs]
