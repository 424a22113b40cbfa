"""A JSON document whose values know their path in it, so that errors can name the path of a malformed value."""

from __future__ import annotations

import json
from typing import Any

from common.core.errors import InvalidArgument, Violation

MAX_VALUES = 5_000_000
"""
Greatest number of values in a document.

Real reports have at least 16 bytes for each value, so the largest has four million. A file of tiny values only would
take gigabytes of memory.
"""


class Node:
    """
    A value of the document.

    Args:
        value: As returned by `json.loads`.
        place: Path to it, for example `runs[0].results[3]`; "" for the whole document.
    """

    __slots__ = ("_place", "_value")

    def __init__(self, value: Any, place: str = "") -> None:
        self._value = value
        self._place = place

    def __bool__(self) -> bool:
        """Return whether an object has at least one member."""
        return bool(self._value)

    def __contains__(self, key: str) -> bool:
        """Return whether an object has a member."""
        return key in self._value

    def child(self, key: str) -> Node:
        """Return a member that is an object; an empty one if missing. Raises InvalidArgument for another type."""
        return Node(self._member(key, dict, "an object", {}), self._path(key))

    def children(self, key: str) -> list[Node]:
        """Return a member that is a list of objects; empty if missing. Raises InvalidArgument for another type."""
        values = self._member(key, list, "a list", [])
        nodes = [Node(value, f"{self._path(key)}[{position}]") for position, value in enumerate(values)]
        for node in nodes:
            if not isinstance(node._value, dict):  # noqa: SLF001 (of this class)
                raise node.wrong("must be an object")
        return nodes

    def members(self) -> list[tuple[str, Node]]:
        """Return name and value of all members, which must be objects. Raises InvalidArgument for another type."""
        return [(str(key), self.child(key)) for key in self._value]

    def text(self, key: str) -> str:
        """Return a member that is a text; "" if missing. Raises InvalidArgument for another type."""
        return _whole(self._member(key, str, "a text", ""))

    def texts(self, key: str) -> list[str]:
        """Return the texts in a member that is a list; other types are ignored: property bags may hold anything."""
        found = self._value.get(key)
        values = found if isinstance(found, list) else []
        return [_whole(value) for value in values if isinstance(value, str)]

    def number(self, key: str, default: int) -> int:
        """Return a member that is a whole number; `default` if missing. Raises InvalidArgument for another type."""
        number = self._member(key, int, "a whole number", default)
        if isinstance(number, bool):
            raise InvalidArgument.of([Violation(self._path(key), "must be a whole number")])
        return int(number)

    def scalar(self, key: str) -> str:
        """Return a member of a property bag as text; "" if it is neither a text nor a number."""
        found = self._value.get(key)
        return _whole(str(found)) if isinstance(found, str | int | float) else ""

    def wrong(self, description: str) -> InvalidArgument:
        """Return an error with the path of this value."""
        return InvalidArgument.of([Violation(self._place or "file", description)])

    def _member(self, key: str, kind: type, described: str, default: Any) -> Any:
        found = self._value.get(key)
        if found is None:
            return default
        if not isinstance(found, kind):
            raise InvalidArgument.of([Violation(self._path(key), f"must be {described}")])
        return found

    def _path(self, key: str) -> str:
        return f"{self._place}.{_whole(key)}" if self._place else _whole(key)


def _whole(text: str) -> str:
    """Replace lone surrogates, which JSON can escape and UTF-8 cannot encode."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def read_document(data: bytes) -> Node:
    """
    Parse a JSON document.

    Raises InvalidArgument if it is not JSON (with line and column), not an object, or may have more than `MAX_VALUES`
    values.
    """
    if sum(map(data.count, (b"{", b"[", b","))) > MAX_VALUES:
        raise Node({}).wrong(f"has more than {MAX_VALUES} values; split it")
    try:
        value = json.loads(data)
    except json.JSONDecodeError as error:
        raise Node({}, f"line {error.lineno} column {error.colno}").wrong(f"is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Node({}).wrong("is not JSON in Unicode, or too deep") from error
    if not isinstance(value, dict):
        raise Node({}).wrong("must be a JSON object")
    return Node(value)
