"""Games as JSON lines: one object for each finished game, and one for each ruling.

A game needs `number`, `pool`, `group`, `entrants` and `placements`; whatever else a `GameRow` has
may be left out. A ruling is an object with a `kind`. A file of games alone is enough for a table:
`effective(*read_lines(file))` are the results that count.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from harbourmaster_tournaments.ledger.codec import to_json
from harbourmaster_tournaments.ledger.errors import BadImport
from harbourmaster_tournaments.ledger.rows import GameRow, Ruling, RulingKind

_NEEDED = ("number", "pool", "group", "entrants", "placements")
_SEATED = ("entrants", "placements", "scores", "forfeits")
_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("number", "seating", "attempt", "deal", "started", "finished"), int),
    **dict.fromkeys(("stage", "group", "match_id", "pool", "reason", "think"), str),
    **dict.fromkeys(("game_hash", "record"), str),
    **dict.fromkeys(_SEATED, list),
    "played": bool,
}


def write_lines(games: Iterable[GameRow], rulings: Iterable[Ruling] = ()) -> Iterator[str]:
    """Yield a line (without its end) for each game and each ruling."""
    for row in games:
        yield to_json(asdict(row))
    for ruling in rulings:
        yield to_json({**asdict(ruling), "kind": ruling.kind.value})


def read_lines(lines: Iterable[str], name: str = "the file") -> tuple[list[GameRow], list[Ruling]]:
    """Return the games and rulings in *lines*; a game that comes twice is taken once.

    Raises `BadImport`, with the line in the file *name*, for anything that cannot be read, and for
    two different results of the same attempt at a game.
    """
    games: dict[tuple[int, int], GameRow] = {}
    rulings: list[Ruling] = []
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if not isinstance(data, dict):
                raise ValueError("it is no JSON object")
            if "kind" in data:
                rulings.append(_ruling(data))
                continue
            row = _game(data)
            if games.setdefault((row.number, row.attempt), row) != row:
                raise ValueError(f"game {row.number} has another result further up")
        except (TypeError, ValueError) as error:
            raise BadImport(f"{name}, line {place}: {error}; correct or remove the line") from error
    return list(games.values()), rulings


def _game(data: Mapping[str, Any]) -> GameRow:
    if missing := [key for key in _NEEDED if key not in data]:
        raise ValueError(f"the game has no {missing[0]}")
    _check_types(data)
    seats = len(data["entrants"])
    values: dict[str, Any] = {
        "stage": "imported",
        "seating": 0,
        "attempt": 1,
        "deal": 0,
        "match_id": "",
        "scores": [0] * seats,
        "reason": "",
        "forfeits": [None] * seats,
        **data,
    }
    values.update((key, tuple(values[key])) for key in _SEATED)
    return GameRow(**values)


def _check_types(data: Mapping[str, Any]) -> None:
    for key, value in data.items():
        expected = _TYPES.get(key)
        if key == "void_cause":
            expected = str if value is not None else type(None)
        if expected is None:
            raise ValueError(f"a game has no {key}")
        if type(value) is not expected:
            raise ValueError(f"{key} is {value!r}, which is no {expected.__name__}")
    for key, item_type in (("entrants", str), ("placements", int), ("scores", int)):
        for item in data.get(key, ()):
            if type(item) is not item_type:
                raise ValueError(f"{key} holds {item!r}, which is no {item_type.__name__}")
    if data["number"] < 1 or data.get("attempt", 1) < 1:
        raise ValueError("numbers and attempts of games count from 1")


def _ruling(data: Mapping[str, Any]) -> Ruling:
    unknown = sorted(data.keys() - set(Ruling.__slots__))
    if unknown:
        raise ValueError(f"a ruling has no {unknown[0]}")
    return Ruling(**{**data, "kind": RulingKind(data["kind"])})
