"""
Turns domain values into messages and back, where a dataclass mirrors its message field by field.

A field is matched by name. Enums are matched by member name: `Mode.DIAGNOSTIC` is `MODE_DIAGNOSTIC`. What only one
side has is left out. Contracts stay free to differ from the domain: convert those fields by hand.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, EnumDescriptor
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")
T = TypeVar("T")

# Two implementations of protobuf have two classes of field descriptors.
Field: TypeAlias = Any

_UNSPECIFIED = "UNSPECIFIED"


def to_message(value: object, message_type: type[M]) -> M:
    """Return the message that mirrors a dataclass instance; None among its fields stays unset."""
    message = message_type()
    _fill(message, value)
    return message


def from_message(message: Message, value_type: type[T]) -> T:
    """
    Return the dataclass instance that a message mirrors.

    An unset message field becomes None where the dataclass allows it, else the default instance. A number that the
    enum does not know, from a newer peer, becomes its member UNSPECIFIED.
    """
    given: dict[str, Any] = {}
    kind: Any = value_type
    for name, descriptor, hint, is_optional in _mirrored(kind, message.DESCRIPTOR):
        raw = getattr(message, name)
        if descriptor.is_repeated:
            given[name] = tuple(_value(each, descriptor, hint) for each in raw)
        elif descriptor.message_type is not None and is_optional and not message.HasField(name):
            given[name] = None
        else:
            given[name] = _value(raw, descriptor, hint)
    return value_type(**given)


def to_enum(member: Enum, descriptor: EnumDescriptor) -> int:
    """Return the number of an enum member in a contract; 0 if the contract does not have it."""
    found = descriptor.values_by_name.get(_prefix(descriptor) + member.name)
    return found.number if found else 0


def _fill(message: Message, value: object) -> None:
    kind: Any = type(value)
    for name, descriptor in _fields(kind, message.DESCRIPTOR):
        given = getattr(value, name)
        if given is None:
            continue
        if descriptor.is_repeated:
            _extend(getattr(message, name), given, descriptor)
        elif descriptor.message_type is not None:
            _fill_message(getattr(message, name), given)
        else:
            setattr(message, name, _scalar(given, descriptor))


def _extend(field: Any, values: tuple[object, ...], descriptor: Field) -> None:
    if descriptor.message_type is None:
        field.extend(_scalar(each, descriptor) for each in values)
        return
    for each in values:
        _fill_message(field.add(), each)


def _fill_message(message: Message, value: object) -> None:
    # Present although all its fields may hold defaults.
    message.SetInParent()
    if isinstance(value, datetime):
        typing.cast("Timestamp", message).FromDatetime(value)
    else:
        _fill(message, value)


def _scalar(value: object, descriptor: Field) -> object:
    return to_enum(value, descriptor.enum_type) if isinstance(value, Enum) else value


def _value(raw: Any, descriptor: Field, hint: type) -> object:
    if isinstance(raw, Timestamp):
        return raw.ToDatetime(tzinfo=UTC)
    if descriptor.message_type is not None:
        return from_message(raw, hint)
    if descriptor.enum_type is not None:
        return _member(raw, descriptor.enum_type, hint)
    return raw


def _member(number: int, descriptor: EnumDescriptor, enum: type) -> object:
    assert issubclass(enum, Enum)
    found = descriptor.values_by_number.get(number)
    name = found.name.removeprefix(_prefix(descriptor)) if found else _UNSPECIFIED
    return enum.__members__.get(name) or enum[_UNSPECIFIED]


@cache
def _prefix(descriptor: EnumDescriptor) -> str:
    return descriptor.values_by_number[0].name.removesuffix(_UNSPECIFIED)


@cache
def _fields(value_type: type, descriptor: Descriptor) -> tuple[tuple[str, Field], ...]:
    known = descriptor.fields_by_name
    names = (each.name for each in dataclasses.fields(value_type))
    return tuple((name, known[name]) for name in names if name in known)


@cache
def _mirrored(value_type: type, descriptor: Descriptor) -> tuple[tuple[str, Field, type, bool], ...]:
    hints = typing.get_type_hints(value_type)
    return tuple((name, field, *_inner(hints[name])) for name, field in _fields(value_type, descriptor))


def _inner(hint: Any) -> tuple[type, bool]:
    """Return what a tuple or an optional holds, and whether None is allowed."""
    arguments = [each for each in typing.get_args(hint) if each not in (type(None), Ellipsis)]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return arguments[0], True
    return (arguments[0] if arguments else hint), False
