"""Between the ledger's values and the columns of its tables."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import RowMapping

from harbourmaster_tournaments.ledger.rows import Entrant, GameRow, Ruling, RulingKind
from harbourmaster_tournaments.schedules.planned import PlannedGame

_SEATED = ("entrants", "placements", "scores", "forfeits")
"""The fields of a game that hold one value per seat."""
_SEATED_PLACES = tuple(GameRow.__slots__.index(name) for name in _SEATED)


def to_json(value: Any) -> str:
    """Return *value* as compact JSON with sorted keys: equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def digest(value: Any) -> str:
    """Return the SHA-256 of *value*'s JSON text, in hexadecimal."""
    return sha256(to_json(value).encode()).hexdigest()


@lru_cache(maxsize=65536)
def _seated(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))


def game_columns(row: GameRow) -> dict[str, Any]:
    """Return the columns of *row*."""
    columns: dict[str, Any] = {name: getattr(row, name) for name in GameRow.__slots__}
    columns.update((name, to_json(columns[name])) for name in _SEATED)
    return columns


def game_from(columns: RowMapping) -> GameRow:
    """Return the game in *columns*, which may hold more than a game's own."""
    return game_of([columns[name] for name in GameRow.__slots__])


def game_of(values: Sequence[Any]) -> GameRow:
    """Return the game whose columns are *values*, in the order of the fields of `GameRow`."""
    fields = list(values)
    for place in _SEATED_PLACES:
        fields[place] = _seated(fields[place])
    return GameRow(*fields)


def planned_columns(game: PlannedGame, at: int) -> dict[str, Any]:
    """Return the columns of *game*, issued at *at*."""
    return {
        "number": game.number,
        "stage": game.stage,
        "entrants": to_json(game.entrants),
        "group": game.group,
        "deal": game.deal,
        "seating": game.seating,
        "key": game.key,
        "at": at,
    }


def planned_from(columns: RowMapping) -> PlannedGame:
    """Return the planned game in *columns*."""
    values = {name: columns[name] for name in PlannedGame.__slots__}
    return PlannedGame(**{**values, "entrants": _seated(values["entrants"])})


def ruling_columns(ruling: Ruling) -> dict[str, Any]:
    """Return the columns of *ruling*."""
    columns: dict[str, Any] = {name: getattr(ruling, name) for name in Ruling.__slots__}
    return {**columns, "kind": ruling.kind.value, "change": to_json(dict(ruling.change))}


def ruling_from(columns: RowMapping | Mapping[str, Any]) -> Ruling:
    """Return the ruling in *columns*."""
    values = {name: columns[name] for name in Ruling.__slots__}
    change = json.loads(values["change"])
    return Ruling(**{**values, "kind": RulingKind(values["kind"]), "change": change})


def entrant_columns(entrant: Entrant, at: int, who: str, why: str) -> dict[str, Any]:
    """Return the columns of *entrant*, written by *who* for the reason *why*."""
    return {
        "name": entrant.name,
        "owner": entrant.owner,
        "definition": to_json(dict(entrant.definition)),
        "joined": entrant.joined,
        "at": at,
        "who": who,
        "why": why,
    }


def entrant_from(columns: RowMapping) -> Entrant:
    """Return the entrant in *columns*."""
    definition = json.loads(columns["definition"])
    return Entrant(columns["name"], columns["owner"], definition, columns["joined"])
