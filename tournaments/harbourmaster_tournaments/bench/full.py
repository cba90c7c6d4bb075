"""The largest positions of Anchor and Tide, which cost most to check."""

from collections.abc import Sequence
from typing import Any

from harbourmaster_engine.anchor.moves import Play
from harbourmaster_engine.cards import NAMES
from harbourmaster_engine.game import SPECTATOR, AnyState, Game
from harbourmaster_tournaments.bench.corpus import Form, Played, positions


def full_boards(matches: Sequence[Played], count: int) -> list[tuple[AnyState, Any]]:
    """Return positions of Anchor with the most cards on the board, each with a legal play."""
    found: list[tuple[int, int, AnyState, Any]] = []
    for match in matches:
        for state in positions(match, len(match.moves)):
            for move in state.legal_moves().moves:
                if type(move) is Play:
                    found.append((_on_board(state), len(found), state, move))
    found.sort(key=lambda each: each[:2], reverse=True)
    return [(state, move) for _, _, state, move in found[:count]]


def _on_board(state: AnyState) -> int:
    return sum(code > 0 for code in state.view(SPECTATOR).board)


def full_table(game: Game) -> tuple[AnyState, Any]:
    """Return a position of Tide with 103 cards on the table, and the move that makes it 104.

    Two blocks of 4 rows and 13 columns: each row is a run of a whole suit and each column a set of
    four, so that every card is in two melds. The last card comes out of the hand.
    """
    suits = [[name for name in NAMES[:52] if name.endswith(suit)] for suit in "CDHS"]
    table = [
        {"cell": [row, column], "card": card}
        for block in (0, 5)
        for row, cards in enumerate(suits, block)
        for column, card in enumerate(cards)
    ]
    last = table[-1]["card"]
    setup = {"table": table[:-1], "hands": [[last, "2C"], ["3C"]], "opened": [True, True]}
    form = Form(game, 2, game.resolve(2, {}))
    state = game.notation.from_setup(setup, form.options, form.seats, bytes(32))
    return state, game.notation.move_from_json({"rearrange": table})
