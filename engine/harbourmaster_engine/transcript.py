"""Replay neutral transcripts and print every disagreement.

    python -m harbourmaster_engine.transcript FILE.jsonl...

Each line of a file is one transcript. The command exits with 1 if there is a disagreement or a
file that cannot be read, and with 0 otherwise.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from harbourmaster_engine.notation import Disagreement, replay
from harbourmaster_engine.registry import find_game


def disagreements(path: Path) -> Iterator[Disagreement]:
    """Yield every disagreement of the transcripts in the file at *path*."""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            transcript = json.loads(line)
            yield from replay(transcript, find_game(transcript["game"]))
        except KeyError as error:
            yield Disagreement(where, None, f"the transcript has no {error}")
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            yield Disagreement(where, None, f"the transcript cannot be played: {error}")


def main(arguments: Sequence[str]) -> int:
    """Replay the files named in *arguments* and return the exit code."""
    if not arguments:
        sys.stderr.write("transcript: name one file or more, such as games.jsonl\n")
        return 1
    failures = 0
    for name in arguments:
        path = Path(name)
        try:
            found = list(disagreements(path))
        except OSError as error:
            sys.stderr.write(f"transcript: cannot read {name}: {error.strerror}\n")
            failures += 1
            continue
        except UnicodeDecodeError:
            sys.stderr.write(f"transcript: cannot read {name}: it is not UTF-8 text\n")
            failures += 1
            continue
        failures += len(found)
        for each in found:
            sys.stdout.write(f"{each}\n")
        sys.stdout.write(f"{path.name}: {len(found) or 'no'} disagreements\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
