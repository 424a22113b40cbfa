"""
Turns domain values into messages and back, where a dataclass mirrors its message field by field.

A field is matched by name. Enums are matched by member name: `Mode.DIAGNOSTIC` is `MODE_DIAGNOSTIC`. What only one
side has is left out. Contracts stay free to differ from the domain: convert those fields by hand.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from datetime import UTC
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.descriptor import Descriptor, EnumDescriptor
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")
T = TypeVar("T")

# Two implementations of protobuf have two classes of field descriptors.
Field: TypeAlias = Any

_UNSPECIFIED = "UNSPECIFIED"


def to_message(value: object, message_type: type[M]) -> M:
    """Return the message that mirrors a dataclass instance; None among its fields stays unset."""
    descriptor: Any = message_type.DESCRIPTOR
    # One call with everything nested is several times as fast as setting field by field.
    return message_type(**_plain(value, descriptor))


def from_message(message: Message, value_type: type[T]) -> T:
    """
    Return the dataclass instance that a message mirrors.

    An unset message field becomes None where the dataclass allows it, else the default instance. A number that the
    enum does not know, from a newer peer, becomes its member UNSPECIFIED.
    """
    kind: Any = value_type
    return value_type(**{name: read(message) for name, read in _readers(kind, message.DESCRIPTOR)})


def to_enum(member: Enum, descriptor: EnumDescriptor) -> int:
    """Return the number of an enum member in a contract; 0 if the contract does not have it."""
    return _numbers(descriptor).get(member.name, 0)


def _plain(value: object, descriptor: Descriptor) -> dict[str, Any]:
    kind: Any = type(value)
    get, writers = _writers(kind, descriptor)
    given = zip(writers, get(value), strict=False)
    return {name: each if write is None else write(each) for (name, write), each in given if each is not None}


@cache
def _writers(
    value_type: type, descriptor: Descriptor
) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, Callable[[Any], Any] | None], ...]]:
    """Return a getter of all fields of a dataclass, and a converter for each; None leaves the value as it is."""
    writers = tuple((name, _writer(field)) for name, field in _fields(value_type, descriptor))
    names = [name for name, _ in writers]
    # `attrgetter` returns a tuple only for several names, so the first name is repeated at the end.
    return attrgetter(*names, *names[:1]) if names else lambda _: (), writers


def _writer(field: Field) -> Callable[[Any], Any] | None:
    write: Callable[[Any], Any]
    if field.enum_type is not None:
        numbers = _numbers(field.enum_type)
        write = lambda member: numbers.get(member.name, 0)  # noqa: E731 (one of three)
    elif field.message_type is not None and field.message_type is not Timestamp.DESCRIPTOR:
        write = partial(_plain, descriptor=field.message_type)
    else:
        return None
    return (lambda values: [write(each) for each in values]) if field.is_repeated else write


@cache
def _readers(value_type: type, descriptor: Descriptor) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Return a function for each field of a dataclass that reads it from a message."""
    hints = typing.get_type_hints(value_type)
    fields = _fields(value_type, descriptor)
    return tuple((name, _reader(field, *_inner(hints[name]))) for name, field in fields)


def _reader(field: Field, hint: type, is_optional: bool) -> Callable[[Any], Any]:
    name, get, read = field.name, attrgetter(field.name), _value_reader(field, hint)
    if field.is_repeated:
        return lambda message: tuple(map(read, get(message))) if read else tuple(get(message))
    if read is None:
        return get
    if field.message_type is not None and is_optional:
        return lambda message: read(get(message)) if message.HasField(name) else None
    return lambda message: read(get(message))


def _value_reader(field: Field, hint: type) -> Callable[[Any], Any] | None:
    if field.message_type is Timestamp.DESCRIPTOR:
        return lambda moment: moment.ToDatetime(tzinfo=UTC)
    if field.message_type is not None:
        return lambda message: from_message(message, hint)
    if field.enum_type is None:
        return None
    assert issubclass(hint, Enum)
    unknown = hint[_UNSPECIFIED]
    members = {number: hint.__members__.get(name, unknown) for name, number in _numbers(field.enum_type).items()}
    return lambda number: members.get(number, unknown)


@cache
def _numbers(descriptor: EnumDescriptor) -> dict[str, int]:
    """Return the numbers of a contract's enum by member name without the enum's prefix, as in the domain."""
    prefix = descriptor.values_by_number[0].name.removesuffix(_UNSPECIFIED)
    return {each.name.removeprefix(prefix): each.number for each in descriptor.values}


@cache
def _fields(value_type: type, descriptor: Descriptor) -> tuple[tuple[str, Field], ...]:
    known = descriptor.fields_by_name
    names = (each.name for each in dataclasses.fields(value_type))
    return tuple((name, known[name]) for name in names if name in known)


def _inner(hint: Any) -> tuple[type, bool]:
    """Return the element type of a tuple or an optional (else the type itself), and whether None is allowed."""
    arguments = [each for each in typing.get_args(hint) if each not in (type(None), Ellipsis)]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return arguments[0], True
    return (arguments[0] if arguments else hint), False
