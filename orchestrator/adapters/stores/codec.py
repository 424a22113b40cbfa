"""Encodes domain values as JSON for the stores of this service, and decodes them by their type annotations."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from datetime import datetime
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from orchestrator.domain.answers.events import Event, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

_EVENTS: dict[str, type] = {each.__name__: each for each in typing.get_args(Event)}


def encode(value: object) -> str:
    """Return a dataclass instance as JSON; None is omitted, so an optional field needs None as its default."""
    return _stored(_written(value))


def decode(text: str, kind: type[T]) -> T:
    """
    Return the instance that `encode` wrote.

    Two releases can share a store: a field that the text lacks has its default, a field that the class lacks is
    ignored, and a member that the enum lacks becomes UNSPECIFIED.
    """
    value: T = _value(json.loads(text), kind)
    return value


def encode_event(event: Event) -> str:
    """Return an event as JSON, with the name of its class."""
    return _stored(_written([type(event).__name__, event]))


def decode_event(text: str) -> Event:
    """Return the event that `encode_event` wrote, `Unknown` for a kind that only a later release knows."""
    name, plain = json.loads(text)
    return _value(plain, _EVENTS[name]) if name in _EVENTS else Unknown()


def decode_member(name: str, kind: type[E]) -> E:
    """Return a member by its name, UNSPECIFIED for one that only a later release knows."""
    return kind[name if name in kind.__members__ else "UNSPECIFIED"]


def _plain(value: Any) -> Any:
    """Convert the outermost level of a value to a type that JSON has; nested values stay as they are."""
    kind: Any = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: Any) -> Callable[[Any], Any]:
    if issubclass(kind, Enum):
        return attrgetter("_name_")  # same as `name`, without its slower lookup
    if issubclass(kind, datetime):
        return datetime.isoformat
    names = tuple(each.name for each in dataclasses.fields(kind))
    # The second name makes the getter return a tuple even for one field.
    fields = attrgetter(*names, *names[:1]) if names else lambda _: ()
    return lambda value: {name: each for name, each in zip(names, fields(value), strict=False) if each is not None}


# The compiled encoder then walks through tuples and plain values.
_written = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False, default=_plain).encode


def _stored(text: str) -> str:
    """Return JSON with lone surrogates escaped: models may send them, and stores refuse them."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _value(plain: Any, hint: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _value(plain, next(each for each in arguments if each is not type(None)))
    if origin is tuple:
        return tuple(_value(each, arguments[0]) for each in plain)
    if dataclasses.is_dataclass(hint):
        return _instance(plain, hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return decode_member(plain, hint)
    return datetime.fromisoformat(plain) if hint is datetime else plain


def _instance(plain: dict[str, Any], kind: Any) -> Any:
    hints = _hints(kind)
    return kind(**{name: _value(plain[name], hint) for name, hint in hints.items() if name in plain})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
