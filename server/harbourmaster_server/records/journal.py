"""The journal: every entry of every open match, written before anything that depends on it leaves.

The journal is a row of segment files. A frame is the length of its entry, the CRC-32 of what
follows, the number of the match and the entry. A crash can only tear the last frame, which then was
never acted upon. A segment is deleted when every match in it has its record on disk.
"""

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HEADER: Final = struct.Struct(">IIQ")
SEGMENT_BYTES: Final = 64 * 1024 * 1024
SUFFIX: Final = ".journal"


class Journal:
    """Appends entries, one `write` for all that gathered."""

    def __init__(
        self, folder: Path, *, synced: bool = False, segment_bytes: int = SEGMENT_BYTES
    ) -> None:
        """Use *folder*; *synced* forces every write to the disk, against a loss of power."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._synced = synced
        self._segment_bytes = segment_bytes
        self._pending: list[bytes] = []
        self._open: dict[int, set[int]] = {}
        """For each segment, the matches in it that still need it."""
        self._segment = max((int(path.stem) for path in folder.glob(f"*{SUFFIX}")), default=0)
        self._handle = -1
        self._size = 0
        self._next_segment()

    @property
    def pending(self) -> bool:
        """Whether entries wait for `flush`."""
        return bool(self._pending)

    def append(self, match: int, entry: bytes) -> None:
        """Add an *entry* of the match with the number *match* to what the next `flush` writes."""
        body = match.to_bytes(8, "big") + entry
        self._pending.append(struct.pack(">II", len(entry), zlib.crc32(body)) + body)
        self._open[self._segment].add(match)

    def flush(self) -> None:
        """Write what gathered; raise `OSError` if the disk refuses, and keep all of it."""
        if not self._pending:
            return
        data = b"".join(self._pending)
        self._write(data)
        self._pending.clear()
        self._size += len(data)
        if self._size > self._segment_bytes:
            self._next_segment()

    def release(self, match: int) -> None:
        """Forget *match*, whose record is on disk; delete the segments that nobody needs."""
        for number, matches in list(self._open.items()):
            matches.discard(match)
            if not matches and number != self._segment:
                del self._open[number]
                self._path(number).unlink(missing_ok=True)

    def close(self) -> None:
        """Write what gathered and close the file; raise `OSError` if the disk refuses."""
        try:
            self.flush()
        finally:
            os.close(self._handle)
        if not self._open[self._segment]:
            self._path(self._segment).unlink(missing_ok=True)

    def _write(self, data: bytes) -> None:
        try:
            written = os.write(self._handle, data)
            if written < len(data):
                raise OSError(28, os.strerror(28))
            if self._synced:
                os.fdatasync(self._handle)
        except OSError:
            # Take a torn frame back, so that a later attempt leaves no gap.
            os.ftruncate(self._handle, self._size)
            raise

    def _next_segment(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._segment += 1
        self._size = 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._handle = os.open(self._path(self._segment), flags, 0o600)
        self._open[self._segment] = set()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:08}{SUFFIX}"


def read_journal(folder: Path) -> dict[int, list[bytes]]:
    """Return the entries of every match in the journal in *folder*, by the match's number."""
    matches: dict[int, list[bytes]] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        for match, entry in _frames(path.read_bytes()):
            matches.setdefault(match, []).append(entry)
    return matches


def delete_journal(folder: Path) -> None:
    """Delete every segment in *folder*; for who has taken over all that it held."""
    for path in folder.glob(f"*{SUFFIX}"):
        path.unlink()


def _frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the frames of a segment, but not a torn end.

    A frame that is damaged and has good ones behind it was acted upon: it is yielded as an empty
    entry, which follows no other, so that its match is not taken for sound.
    """
    place = 0
    damaged: list[int] = []
    while place + HEADER.size <= len(data):
        length, checksum, match = HEADER.unpack_from(data, place)
        body = data[place + 8 : place + HEADER.size + length]
        if len(body) < 8 + length or zlib.crc32(body) != checksum:
            damaged.append(match)
            place = _next_good(data, place + 1)
            continue
        place += HEADER.size + length
        yield from ((number, b"") for number in damaged)
        damaged.clear()
        yield match, body[8:]


def _next_good(data: bytes, place: int) -> int:
    """Return where the next good frame begins, also behind one whose length is damaged."""
    for start in range(place, len(data) - HEADER.size + 1):
        length, checksum, _ = HEADER.unpack_from(data, start)
        end = start + HEADER.size + length
        if end <= len(data) and zlib.crc32(data[start + 8 : end]) == checksum:
            return start
    return len(data)
