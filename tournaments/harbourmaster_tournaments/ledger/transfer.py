"""Games as JSON lines: one object for each finished game, and one for each ruling.

A game needs `number`, `pool`, `group`, `entrants` and `placements`; whatever else a `GameRow` has
may be left out. A ruling is an object with a `kind`. A file of games alone is enough for a table:
`effective(*read_lines(file))` are the results that count.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from harbourmaster_tournaments.ledger.codec import to_json
from harbourmaster_tournaments.ledger.effective import effective
from harbourmaster_tournaments.ledger.errors import BadImport
from harbourmaster_tournaments.ledger.rows import CORRECTABLE, GameRow, Ruling, RulingKind

MOST_SEATS = 6
"""The largest table that there is."""
_NEEDED = ("number", "pool", "group", "entrants", "placements")
_SEATED = ("entrants", "placements", "scores", "forfeits")
_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("number", "seating", "attempt", "deal", "started", "finished"), int),
    **dict.fromkeys(("stage", "group", "match_id", "pool", "reason", "think"), str),
    **dict.fromkeys(("game_hash", "record"), str),
    **dict.fromkeys(_SEATED, list),
    "played": bool,
}
_ITEMS: Mapping[str, tuple[type, ...]] = {
    "entrants": (str,),
    "placements": (int,),
    "scores": (int,),
    "forfeits": (str, type(None)),
}
_OF_RULINGS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("number", "attempt"), (int, type(None))),
    **dict.fromkeys(("group", "entrant"), (str, type(None))),
    **dict.fromkeys(("who", "why"), (str,)),
    **dict.fromkeys(("issued", "at"), (int,)),
    "change": (dict,),
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
            data = _parsed(line)
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
    try:
        _check_together(games.values(), rulings)
    except (TypeError, ValueError) as error:
        raise BadImport(f"{name}: {error}; correct or remove it") from error
    return list(games.values()), rulings


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise ValueError(f"it is no JSON ({error})") from error


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
    _check_items(data)
    if data["number"] < 1 or data.get("attempt", 1) < 1:
        raise ValueError("numbers and attempts of games count from 1")
    seats = data["entrants"]
    if not 2 <= len(seats) <= MOST_SEATS:
        raise ValueError(f"the game has {len(seats)} seats: it takes 2 to {MOST_SEATS}")
    if len(set(seats)) < len(seats):
        raise ValueError("an entrant sits at the table twice")
    _check_think(data.get("think", ""), len(seats))


def _check_items(data: Mapping[str, Any]) -> None:
    for key, types in _ITEMS.items():
        for item in data.get(key, ()):
            if type(item) not in types:
                raise ValueError(f"{key} holds {item!r}, which is no {types[0].__name__}")
            if isinstance(item, int) and abs(item) >= 2**63:
                raise ValueError(f"{key} holds a number of more than 64 bits")


def _check_think(think: str, seats: int) -> None:
    if not think:
        return
    try:
        found = json.loads(think)
        whole = [
            number
            for total, count, buckets in found
            for number in (total, count, *(part for pair in buckets for part in pair))
        ]
        good = len(found) == seats and all(type(n) is int and n >= 0 for n in whole)
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError("think is no list of [total, count, [[bucket, count], ...]] by seat")


def _ruling(data: Mapping[str, Any]) -> Ruling:
    unknown = sorted(data.keys() - set(Ruling.__slots__))
    if unknown:
        raise ValueError(f"a ruling has no {unknown[0]}")
    for key, types in _OF_RULINGS.items():
        if key in data and type(data[key]) not in types:
            raise ValueError(f"{key} of the ruling is {data[key]!r}")
    if wrong := sorted(data.get("change", {}).keys() - set(CORRECTABLE)):
        raise ValueError(f"a ruling cannot correct {wrong[0]}")
    return Ruling(**{**data, "kind": RulingKind(data["kind"])})


def _check_together(games: Iterable[GameRow], rulings: Sequence[Ruling]) -> None:
    """Raise `ValueError` if the games and rulings, each good by itself, make no tournament."""
    seats: dict[str, int] = {}
    for row in effective(games, rulings):
        if seats.setdefault(row.pool, len(row.entrants)) != len(row.entrants):
            raise ValueError(
                f"game {row.number} has {len(row.entrants)} seats, and others of {row.pool!r} have "
                f"{seats[row.pool]}"
            )
        for key in ("placements", "scores"):
            if any(type(item) is not int for item in getattr(row, key)):
                raise ValueError(f"game {row.number} is corrected to {key} that are no numbers")
