"""Converts domain values into values that JSON can represent, and back by their type hints."""

from __future__ import annotations

import dataclasses
import types
import typing
from contextlib import suppress
from datetime import datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from retriever.domain.evidence.piece import ContextSource, Decision, EvidenceKind
from retriever.domain.tasks.context import StageTime

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")

# Names that the domain imports for type checking only.
_NAMES = {each.__name__: each for each in (datetime, ContextSource, Decision, EvidenceKind, StageTime)}


class UnknownMember(ValueError):
    """A value is not a member of its enum."""


def to_plain(value: object) -> object:
    """Return a dataclass as a list of its fields, an enum as its value, a date in ISO 8601."""
    if dataclasses.is_dataclass(value):
        return [to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, tuple):
        return [to_plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, datetime) else value


def from_plain(kind: type[T], plain: Any) -> T:
    """
    Return the value of a type from the output of `to_plain`.

    An element of a tuple that has an enum value of a later release is left out.

    Raises:
        UnknownMember: if such a value is not within an element of a tuple.
    """
    return typing.cast("T", _value(kind, plain))


def _value(hint: Any, plain: Any) -> object:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = next(each for each in typing.get_args(hint) if each is not types.NoneType)
        return None if plain is None else _value(inner, plain)
    if typing.get_origin(hint) is tuple:
        return tuple(_known(typing.get_args(hint)[0], plain))
    if dataclasses.is_dataclass(hint):
        made: Any = hint
        # Not strict: fields that another release added at the end have defaults, or are unknown here.
        return made(*(_value(each, part) for each, part in zip(_hints(made), plain, strict=False)))
    if issubclass(hint, Enum):
        return _member(hint, plain)
    return datetime.fromisoformat(plain) if hint is datetime else plain


def _known(hint: Any, plain: Iterable[Any]) -> Iterator[object]:
    for each in plain:
        with suppress(UnknownMember):
            yield _value(hint, each)


def _member(kind: type[Enum], plain: Any) -> Enum:
    try:
        return kind(plain)
    except ValueError as error:
        raise UnknownMember(f"{kind.__name__} has no {plain!r} in this release") from error


@cache
def _hints(kind: Any) -> tuple[Any, ...]:
    found = typing.get_type_hints(kind, localns=_NAMES)
    return tuple(found[field.name] for field in dataclasses.fields(kind))
