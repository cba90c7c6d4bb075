"""Random messages of a protobuf type, of which some come near to making sense."""

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

M = TypeVar("M", bound=Message)
NUMBERS = (0, 1, 2, 3, 7, 2**31 - 1, 2**32 - 1)
TEXTS = ("", "x", "anchorline", "\x00", "é" * 40, "x" * 300)


class Fuzzer:
    """Makes random messages; the same seed makes the same ones."""

    def __init__(self, seed: object) -> None:
        self.rng = Random(str(seed))
        self.words: list[str] = []
        """Words that mean something to the other side, such as match ids."""

    def fill(self, message: M, depth: int = 4) -> M:
        """Set random fields of *message* to random values, and return it."""
        fields: Sequence[Any] = message.DESCRIPTOR.fields
        for field in fields:
            if self.rng.random() < 0.5:
                self._set(message, field, depth)
        return message

    def bytes(self) -> bytes:
        """Return some random bytes."""
        return self.rng.randbytes(self.rng.randrange(40))

    def _set(self, message: Message, field: Any, depth: int) -> None:
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if depth:
                self._set_message(message, field, depth)
        elif field.is_repeated:
            count = self.rng.choice((0, 1, 3, 120))
            getattr(message, field.name).extend(self._value(field) for _ in range(count))
        else:
            setattr(message, field.name, self._value(field))

    def _set_message(self, message: Message, field: Any, depth: int) -> None:
        if field.is_repeated:
            for _ in range(self.rng.choice((0, 1, 2, 5))):
                self.fill(getattr(message, field.name).add(), depth - 1)
        else:
            inner = getattr(message, field.name)
            inner.SetInParent()
            self.fill(inner, depth - 1)

    def _value(self, field: Any) -> object:
        kind = field.cpp_type
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return self.rng.random() < 0.5
        if kind == FieldDescriptor.CPPTYPE_STRING:
            if field.type == FieldDescriptor.TYPE_BYTES:
                return self.bytes()
            return self.rng.choice([*TEXTS, *self.words[-4:] * 4])
        if kind in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64):
            return self.rng.choice((-1, -(2**31), *NUMBERS[:-1]))
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return self.rng.choice((0, 1, 5, 60, 2**31 - 1))
        return self.rng.choice(NUMBERS)
