"""What a tournament was begun with: the check that it goes on with the same."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harbourmaster_tournaments.ledger.codec import to_json
from harbourmaster_tournaments.ledger.rows import Entrant

_SHOWN: Final = 3
"""How many differences a sentence names."""


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return in words each difference between two terms, nested ones by their dotted names."""
    old, new = dict(_flat(before)), dict(_flat(after))
    found = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            found.append(f"{name} was {old[name]} and is not given")
        elif name not in old:
            found.append(f"{name} is {new[name]} and was not given")
        elif old[name] != new[name]:
            found.append(f"{name} was {old[name]} and is {new[name]}")
    return found


def bot_differences(before: Sequence[Entrant], after: Sequence[Entrant]) -> list[str]:
    """Return in words each difference between two lists of entrants; order does not matter."""
    old = {entrant.name: entrant for entrant in before}
    new = {entrant.name: entrant for entrant in after}
    found = [f"bot {name} is missing" for name in old if name not in new]
    found += [f"bot {name} is new" for name in new if name not in old]
    for name in sorted(old.keys() & new.keys()):
        found += [
            f"bot {name}: {text}" for text in differences(_facts(old[name]), _facts(new[name]))
        ]
    return found


def refusal(place: str, found: Sequence[str]) -> str:
    """Return the sentence that refuses to go on in spite of the differences in *found*."""
    more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
    return (
        f"the tournament in {place} was begun otherwise: {'; '.join(found[:_SHOWN])}{more}: go "
        f"back to what it was, begin another tournament in a folder of its own (--into), or record "
        f"the change with --force and the reason for it"
    )


def _facts(entrant: Entrant) -> dict[str, Any]:
    return {**entrant.definition, **({"owner": entrant.owner} if entrant.owner else {})}


def _flat(terms: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in terms.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", to_json(value)
