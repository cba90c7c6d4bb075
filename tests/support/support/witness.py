"""A bot that writes down what it was asked and how long it took, for tests to compare later.

Run as `python -m support.witness FOLDER [NAME]`: it takes a random offered move after thinking for
as many seconds as the file `seconds` in FOLDER says, and appends a line of JSON per decision to a
file of its own there.
"""

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import SystemRandom
from typing import Any, TypedDict

from google.protobuf.message import Message

import harbourmaster


class Sighting(TypedDict):
    """What a bot was asked."""

    match: str
    decision: int
    attempt: int
    seat: int
    view: str
    offered: str
    left: float | None


def digest(messages: Iterable[Message]) -> str:
    """Return a short hash of *messages*."""
    sha = hashlib.sha256()
    for message in messages:
        sha.update(message.SerializeToString(deterministic=True) + b"/")
    return sha.hexdigest()[:16]


def main(folder: str, name: str = "witness") -> None:
    """Play, and write down every decision before it is answered."""
    path = Path(folder) / f"{os.getpid()}.jsonl"
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    seconds = Path(folder) / "seconds"
    thought = float(seconds.read_text()) if seconds.exists() else 0.0

    def choose(decision: harbourmaster.Decision) -> int:
        sighting = Sighting(
            match=decision.match.id,
            decision=decision.number,
            attempt=decision.attempt,
            seat=decision.seat,
            view=digest([decision.view]),
            offered=digest(decision.offered),
            left=decision.time_left,
        )
        os.write(out, (json.dumps(sighting) + "\n").encode())
        if thought:
            time.sleep(thought)
        # Never the same twice: a match that is played again must not look like one that went on.
        return SystemRandom().randrange(len(decision.offered))

    harbourmaster.play(choose, name=name, log=None)


def sightings(folder: Path) -> Iterator[Sighting]:
    """Yield all that the witnesses with this *folder* were asked."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            found: Any = json.loads(line)
            yield found


if __name__ == "__main__":
    main(*sys.argv[1:])
