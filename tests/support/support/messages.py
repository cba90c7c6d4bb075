"""Any message of the protocol, for hypothesis: its fields filled at random."""

from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import strategies as st

SMALL: Final = st.integers(0, 60)
SIGNED: Final = st.one_of(SMALL, st.integers(-5, 800), st.sampled_from([2**31 - 1, -(2**31)]))
UNSIGNED: Final = st.one_of(SMALL, st.integers(0, 800), st.sampled_from([2**31, 2**32 - 1]))
LONG_ROW: Final = 40
"""How many values a repeated field mostly holds at most."""

SIGNED_KINDS: Final = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_ENUM,
    }
)
UNSIGNED_KINDS: Final = frozenset({FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64})


def filled(message: Message) -> st.SearchStrategy[Message]:
    """Return a strategy for messages of the type of *message*, some fields set, some not."""
    return _fields(message.DESCRIPTOR).map(lambda values: _put(type(message)(), values))


def _fields(descriptor: Any) -> st.SearchStrategy[dict[str, Any]]:
    if not descriptor.fields:
        return st.just({})
    optional = {field.name: _value(field) for field in descriptor.fields}
    return st.fixed_dictionaries({}, optional=optional)


def _value(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    one = _single(field)
    if not field.is_repeated:
        return one
    rows = st.lists(one, max_size=LONG_ROW)
    return st.one_of(rows, rows.map(lambda row: row * 200)) if _is_number(field) else rows


def _single(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        inner = field.message_type
        return st.deferred(lambda: _fields(inner))
    if field.cpp_type in SIGNED_KINDS:
        return SIGNED
    if field.cpp_type in UNSIGNED_KINDS:
        return UNSIGNED
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return st.booleans()
    if field.type == FieldDescriptor.TYPE_BYTES:
        return st.binary(max_size=40)
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return st.text(max_size=20)
    raise AssertionError(f"{field.full_name} is of a kind that is not filled yet")


def _is_number(field: FieldDescriptor) -> bool:
    return field.cpp_type in SIGNED_KINDS | UNSIGNED_KINDS


def _put(message: Message, values: dict[str, Any]) -> Message:
    """Set fields to *values*; of a oneof the last one stays."""
    for name, value in values.items():
        field = message.DESCRIPTOR.fields_by_name[name]
        if field.is_repeated and field.message_type is not None:
            for each in value:
                _put(getattr(message, name).add(), each)
        elif field.is_repeated:
            getattr(message, name).extend(value)
        elif field.message_type is not None:
            inner = getattr(message, name)
            inner.SetInParent()
            _put(inner, value)
        else:
            setattr(message, name, value)
    return message
