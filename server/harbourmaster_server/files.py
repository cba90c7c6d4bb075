"""Small files that must be there whole or not at all: keys, secrets, tokens."""

import os
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600
"""Readable by its owner alone."""
PUBLIC: Final = 0o644


def write_whole(path: Path, data: bytes, *, mode: int = PRIVATE) -> None:
    """Write *data* to the file at *path*, whole or not at all; *mode* are its rights if it is new.

    A full disk or the end of the process leaves what was there before. The caller sees to it that
    nobody else writes the same file at once. Raises `OSError`.
    """
    draft = path.with_name(f".{path.name}.part")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
