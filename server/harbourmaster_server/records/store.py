"""The folder of finished records."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from harbourmaster_server.records.chain import frame, read_record

SUFFIX = ".hmr"


class RecordStore:
    """Keeps one file per finished match, named after the match."""

    def __init__(self, folder: Path, *, synced: bool = False) -> None:
        """Use *folder*, made if need be; *synced* forces every record to the disk."""
        self.folder = folder
        self._synced = synced
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, match_id: str) -> Path:
        """Return where the record of *match_id* is, or would be."""
        return self.folder / f"{match_id}{SUFFIX}"

    def has(self, match_id: str) -> bool:
        """Return whether the record of *match_id* is there."""
        return self.path(match_id).exists()

    def save(self, match_id: str, entries: Iterable[bytes]) -> Path:
        """Write a record whole or not at all; return its path. Raises `OSError`."""
        path = self.path(match_id)
        draft = path.with_suffix(".part")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(b"".join(frame(entry) for entry in entries))
            if self._synced:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
        return path

    def load(self, match_id: str) -> list[bytes]:
        """Return the stored entries of a record; raise `RecordError` if it is damaged."""
        return read_record(self.path(match_id))

    def ids(self) -> Iterator[str]:
        """Yield the ids of all matches with a record."""
        return (path.stem for path in self.folder.glob(f"*{SUFFIX}"))
