"""Messages put together from bytes, for what is sent and recorded with every decision.

Making a message of protobuf and writing it out costs several times what joining its parts does,
and most parts recur. What the functions here return is what protobuf would write, byte for byte;
the tests compare the two.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

_KEPT: Final = 1 << 14
_FIRST_TWO: Final = tuple(bytes([n & 0x7F | 0x80, n >> 7 | 0x80]) for n in range(_KEPT))
"""The first two bytes of the varint of a number of which this is the rest by 16384."""


class _Varints(dict[int, bytes]):
    """The varint of every number, 0 or more: the short ones are kept, others are worked out."""

    def __missing__(self, number: int) -> bytes:
        return _FIRST_TWO[number & _KEPT - 1] + self[number >> 14]


VARINT: Final = _Varints({n: bytes([n]) for n in range(0x80)})
VARINT.update((n, bytes([n & 0x7F | 0x80, n >> 7])) for n in range(0x80, _KEPT))

_WIRE_TYPES: Final = {
    FieldDescriptor.TYPE_UINT32: 0,
    FieldDescriptor.TYPE_UINT64: 0,
    FieldDescriptor.TYPE_ENUM: 0,
    FieldDescriptor.TYPE_STRING: 2,
    FieldDescriptor.TYPE_BYTES: 2,
    FieldDescriptor.TYPE_MESSAGE: 2,
}


def tag(message: Any, field: str) -> bytes:
    """Return what stands before the value of *field* in a *message* class.

    Raises `ValueError` for a field whose value is neither a varint nor behind its length.
    """
    descriptor = message.DESCRIPTOR.fields_by_name[field]
    if descriptor.type not in _WIRE_TYPES:
        raise ValueError(f"{field} of {message.DESCRIPTOR.name} is of a kind that wire lacks")
    return VARINT[descriptor.number << 3 | _WIRE_TYPES[descriptor.type]]


def nested(*path: tuple[Any, str]) -> Callable[[bytes], bytes]:
    """Return a function that puts the bytes of a message into the fields of *path*, outer first.

    Each step of the path is a message class and the name of a field that holds the next message.
    """
    tags = [tag(message, field) for message, field in reversed(path)]

    def put_in(body: bytes) -> bytes:
        for before in tags:
            body = before + VARINT[len(body)] + body
        return body

    return put_in


def counters(message: Any, *fields: str) -> Callable[..., bytes]:
    """Return a function of the values of some *fields* of *message*, numbers of 0 or more.

    The values are in the order of the fields' numbers; a 0 is left out, as protobuf does. Only for
    numbers that recur, such as those of decisions and seats: what it returned is kept.
    """
    tags = [tag(message, field) for field in fields]

    @lru_cache(8192)
    def write(*values: int) -> bytes:
        pairs = zip(tags, values, strict=True)
        return b"".join(before + VARINT[value] for before, value in pairs if value)

    return write
