"""Entries that hold the hash of the one before, so that a record cannot be changed in parts."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from google.protobuf.message import DecodeError

from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_server.wire import VARINT, tag

MAX_ENTRY_BYTES = 16 * 1024 * 1024
_HASH: Final = tag(pb.RecordEntry, "previous_hash") + VARINT[32]


class RecordError(ValueError):
    """A record is damaged or was changed; the message says where."""


class Chain:
    """The entries of one match so far, as stored bytes, and the hash of the last one."""

    __slots__ = ("entries", "head")

    def __init__(self, entries: Iterable[bytes] = ()) -> None:
        self.entries = list(entries)
        self.head = sha256(self.entries[-1]).digest() if self.entries else b""

    def append(self, entry: pb.RecordEntry) -> bytes:
        """Chain *entry* to the last one and return its stored bytes."""
        entry.ClearField("previous_hash")
        return self.append_bytes(entry.SerializeToString())

    def append_bytes(self, entry: bytes) -> bytes:
        """Chain the bytes of an entry without `previous_hash`, and return the stored bytes."""
        data = _HASH + self.head + entry if self.head else entry
        self.take(data)
        return data

    def take(self, data: bytes) -> None:
        """Take the stored bytes of an entry that is chained to the last one already."""
        self.entries.append(data)
        self.head = sha256(data).digest()


def frame(data: bytes) -> bytes:
    """Return *data* behind its length as a varint."""
    length = len(data)
    prefix = bytearray()
    while length > 0x7F:
        prefix.append(length & 0x7F | 0x80)
        length >>= 7
    prefix.append(length)
    return bytes(prefix) + data


def unframe(data: bytes) -> Iterator[bytes]:
    """Yield what *data* holds behind each length; raise `RecordError` where it is cut off."""
    place, number = 0, 1
    while place < len(data):
        length = shift = 0
        while True:
            if place >= len(data) or shift > 28:
                raise RecordError(f"entry {number}: the file is cut off in its length")
            byte = data[place]
            place += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        if length > MAX_ENTRY_BYTES or place + length > len(data):
            raise RecordError(f"entry {number}: the file is cut off in the middle of it")
        yield data[place : place + length]
        place += length
        number += 1


def check_chain(entries: Iterable[bytes]) -> list[pb.RecordEntry]:
    """Return the parsed *entries*; raise `RecordError` at the first that does not fit."""
    head, parsed = b"", []
    for number, data in enumerate(entries, 1):
        try:
            entry = pb.RecordEntry.FromString(data)
        except DecodeError:
            raise RecordError(f"entry {number}: it is not a record entry") from None
        if entry.previous_hash != head:
            raise RecordError(f"entry {number}: it does not follow the entry before it")
        head = sha256(data).digest()
        parsed.append(entry)
    return parsed


def read_record(path: Path) -> list[bytes]:
    """Return the stored entries of the record at *path*.

    Raises `RecordError` if the file cannot be read or is cut off.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from None
    return list(unframe(data))
