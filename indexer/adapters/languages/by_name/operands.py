"""Declared types of variables, parameters and fields, and the types of operands and receivers that refer to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.adapters.languages.by_name.naming import dotted
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.linking.by_name.program import FieldRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from indexer.adapters.languages.by_name.outline import OpenScope
    from indexer.adapters.languages.by_name.tags import Tag

_INNER = ("left", "argument")
"""Fields with the operand whose type the result of an operation mostly has."""
_POINTER = "*"


class Operand(NamedTuple):
    """
    A variable or field, with the scope in which it is used, or an expression that names its type.

    Args:
        name: Of the variable or field; "" for an expression of the type.
        symbol: Position of the enclosing function; -1 if it can only be a field.
        owner: Enclosing type; "" for none.
        type: Dotted name of the type if the expression names it.
    """

    name: str = ""
    symbol: int = -1
    owner: str = ""
    type: str = ""


class Operands:
    """The declared types of one file. Fields may be declared after their use, so call `type_of` at the end."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        self._roles = roles
        self._types: dict[tuple[int | str, str], Operand] = {}

    def declare(self, tag: Tag, frame: OpenScope) -> None:
        """Record the type of the name that a tag declares: the written type, or that of its value."""
        scope = frame.owner if frame.owner and not frame.is_function else frame.symbol
        mark = _POINTER if tag.kind.endswith("pointer") else ""
        written = tag.parts.get("type")
        declared = operand(tag.parts.get("receiver"), frame, self._roles)
        self._types[scope, text_of(tag.parts["name"])] = (
            Operand(type=dotted(text_of(written)) + mark) if written is not None else declared
        )

    def fields(self) -> tuple[FieldRow, ...]:
        """Return the fields of all types, with their declared types."""
        owned = ((owner, name, each.type) for (owner, name), each in self._types.items() if isinstance(owner, str))
        return tuple(FieldRow(owner, name, written.rstrip(_POINTER)) for owner, name, written in owned if written)

    def type_of(self, found: Operand, *, of_pointer: bool) -> str:
        """Return the dotted type of an operand; "" if unknown, or if it is a pointer and `of_pointer` is False."""
        for _ in range(2):  # a name declared without a type has that of its value
            declared = self._types.get((found.symbol, found.name)) or self._types.get((found.owner, found.name))
            found = declared or found
        pointer = found.type.endswith(_POINTER)
        return found.type.rstrip(_POINTER) if of_pointer or not pointer else ""


def operand(node: Node | None, frame: OpenScope, roles: Mapping[str, str]) -> Operand:
    """
    Return the operand of an expression; an operation has the type of its left operand.

    Args:
        roles: By type of node, see `Rules.operands`.
    """
    while node is not None:
        parts, role = children(node), roles.get(node.type)
        first = roles.get(parts[0].type) if parts else None
        if role == "variable":
            return Operand(text_of(node), frame.symbol, frame.owner)
        if role == "this":
            return Operand(type=frame.owner + _POINTER)
        if first == "this":
            is_field = len(parts) > 1 and roles.get(parts[1].type) == "variable"
            return Operand(text_of(parts[1]), -1, frame.owner) if is_field else Operand(type=frame.owner)
        made, called = field(node, "type"), field(node, "function")
        if role == "call":
            called = called or parts[0]
            made = called if roles.get(called.type) in ("variable", "made") else None
        if made is not None or called is not None or role == "opaque":
            return Operand(type=dotted(text_of(made)) if role != "opaque" else "")
        inner = parts[:1] if role == "group" else (field(node, name) for name in _INNER)
        node = next(filter(None, inner), None)
    return Operand()
