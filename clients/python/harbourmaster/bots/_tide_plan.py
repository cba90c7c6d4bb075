"""A rearrangement of the bot's own making: all melds that can be taken up are made anew.

Lines that cross others, or have a joker, stay; but cards may be added at their ends, and the card
at an end of a long one may be taken.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from harbourmaster.bots._tide_melds import Meld, Melds
from harbourmaster.bots._tide_table import Line, Table, cells_of, clusters, fits_at
from harbourmaster.cards import JOKER, rank
from harbourmaster.v1 import tide_pb2 as pb

ADDABLE = 0.25
"""What a card that can also be added to a line that stays is worth, of its worth."""
TAKEN = -0.5
"""What it is worth to take a card from the end of a long line that stays."""


def opening(view: pb.TideView) -> pb.TideMove | None:
    """Return the opening that is worth most without jokers, or `None` if none is enough."""
    hand = [int(card) for card in view.hand if card != JOKER]
    melds = Melds((), [(card, rank(card)) for card in hand]).best()
    if not melds or sum(rank(card) for meld in melds for card in meld) < view.opening_minimum:
        return None
    table = Table.of(view.table)
    return table.to_move() if _lay(table, melds) else None


def rearrangement(view: pb.TideView, worths: Mapping[int, float]) -> pb.TideMove | None:
    """Return a move that gets the most worth out of the hand, or `None` if none is found.

    *worths* holds what each card of the hand is worth on the table.
    """
    table = Table.of(view.table)
    hand = Counter(map(int, view.hand))
    lines = table.lines()
    free = _movable(table, lines)
    staying = [line for line in lines if line not in free]
    taken = _take_up(table, free, staying, hand, worths)
    left = [line for line in staying if line not in taken]
    _add_at_ends(table, left, hand, worths)
    if hand[JOKER] == hand.total() == 1:
        _add_at_ends(table, table.lines(), hand, {JOKER: 1.0})
    return table.to_move() if hand.total() < len(view.hand) else None


def _movable(table: Table, lines: Sequence[Line]) -> list[Line]:
    """Return the lines whose cards can be laid anew, every card in one meld.

    Those that cross others can if there are melds of all their cards together with the rest.
    """
    movable: list[Line] = []
    for cluster in clusters(lines):
        cells = cells_of([*movable, *cluster])
        if len(cluster) == 1 or Melds(_meanings(table, cells), ()).best():
            movable += cluster
    return movable


def _meanings(table: Table, cells: Iterable[int]) -> list[int]:
    return [table.stands_for.get(cell, table.cards[cell]) for cell in cells]


def _take_up(
    table: Table,
    free: Sequence[Line],
    staying: Sequence[Line],
    hand: Counter[int],
    worths: Mapping[int, float],
) -> list[Line]:
    """Make the *free* lines anew with cards of the *hand*; return the lines that lost a card.

    What was laid leaves the *hand*.
    """
    must = _meanings(table, cells_of(free))
    addable = {card for line in staying for _, fits in _ends(table, line) for card in fits}
    may = []
    for card, count in hand.items():
        if card != JOKER:
            worth = worths[card] * (ADDABLE if card in addable else 1)
            may += [(card, worth)] * count
    loose = _loose(table, staying)
    melds = Melds(must, may + [(card, TAKEN) for card in loose]).best()
    if melds is None:
        return []
    used = Counter(card for meld in melds for card in meld) - Counter(must)
    laid = used & hand
    if not laid:
        return []
    before = dict(table.cards), dict(table.stands_for)
    lost = [loose[card] for card in used - laid]
    for _, cell in lost:
        del table.cards[cell]
    if not _relay(table, free, melds):
        table.cards, table.stands_for = before
        return []
    hand.subtract(laid)
    return [line for line, _ in lost]


def _relay(table: Table, free: Sequence[Line], melds: Sequence[Meld]) -> bool:
    """Lay *melds* instead of the lines *free*, those that are among them as they lie."""
    new = Counter(tuple(sorted(meld)) for meld in melds)
    crossings = Counter(cell for line in free for cell in line)
    kept: set[int] = set()
    for line in free:
        old = tuple(sorted(table.meaning(line)))
        if new[old] and all(crossings[cell] == 1 for cell in line):
            new[old] -= 1
            kept.update(line)
    jokers = []
    for cell in cells_of(free) - kept:
        if table.cards.pop(cell) == JOKER:
            jokers.append(table.stands_for.pop(cell))
    return _lay(table, list(new.elements()), jokers)


def _lay(table: Table, melds: Sequence[Meld], jokers: Sequence[int] = ()) -> bool:
    """Lay *melds* where they touch nothing, with a joker for each card that *jokers* stand for.

    Return whether there was room for all, and no meld that would have two jokers.
    """
    wanted = Counter(jokers)
    for meld in sorted(melds, key=len, reverse=True):
        room = table.room(len(meld))
        if room is None:
            return False
        table.cards.update(zip(room, sorted(meld), strict=True))
        joker = next((cell for cell in room if wanted[table.cards[cell]]), None)
        if joker is not None:
            table.stands_for[joker] = table.cards[joker]
            wanted[table.cards[joker]] -= 1
            table.cards[joker] = JOKER
    return not wanted.total()


def _ends(table: Table, line: Line) -> list[tuple[int, set[int]]]:
    """Return the open ends of *line* with the cards that fit there."""
    meaning = table.meaning(line)
    return [
        (cell, fits_at(meaning, 0 if end == line[0] else -1)) for cell, end in table.open_ends(line)
    ]


def _loose(table: Table, staying: Sequence[Line]) -> dict[int, tuple[Line, int]]:
    """Return cards at ends of long lines that can be taken, with their line and cell.

    From each line at most one card is offered, because it has to stay a meld.
    """
    crossings = Counter(cell for line in staying for cell in line)
    found: dict[int, tuple[Line, int]] = {}
    for line in staying:
        if len(line) > 3 and all(table.cards[cell] != JOKER for cell in line):
            for cell in (line[0], line[-1]):
                if crossings[cell] == 1 and table.cards[cell] not in found:
                    found[table.cards[cell]] = line, cell
                    break
    return found


def _add_at_ends(
    table: Table, lines: Sequence[Line], hand: Counter[int], worths: Mapping[int, float]
) -> None:
    """Put cards of the *hand* at the ends of *lines*, those of most worth first."""
    growing = list(lines)
    while growing:
        line = growing.pop()
        has_joker = any(table.cards[cell] == JOKER for cell in line)
        options = [
            (worths[card], card, cell)
            for cell, fits in _ends(table, line)
            for card in hand
            if hand[card]
            and card in worths
            and (card in fits or (card == JOKER and fits and not has_joker))
        ]
        if options:
            _, card, cell = max(options)
            table.cards[cell] = card
            hand[card] -= 1
            if card != JOKER:
                growing.append(tuple(sorted((*line, cell))))
