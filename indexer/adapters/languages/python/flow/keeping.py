"""Recognizes methods that store their arguments in a container of their object, or return its items."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PUTTING = frozenset(
    (
        "append",
        "appendleft",
        "add",
        "insert",
        "setdefault",
        "update",
        "extend",
        "extendleft",
        "push",
        "put",
        "put_nowait",
    )
)
# Exact classes of nodes are compared, as `isinstance` is slow and nearly all nodes are of other classes.
_STORING = frozenset((ast.Assign, ast.Call))
_GIVING = frozenset((ast.Return, ast.Yield, ast.YieldFrom))


def keeps(own: Sequence[ast.AST], arguments: ast.arguments) -> bool:
    """Return whether a method puts a parameter into a container of its receiver: `self._items[key] = item`."""
    positional = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    others = [argument.arg for argument in (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg) if argument]
    given = {*positional[1:], *others}
    if not positional or not given:
        return False
    return any(_is_put(node, positional[0], given) for node in own if node.__class__ in _STORING)


def gives(own: Sequence[ast.AST], arguments: ast.arguments) -> bool:
    """Return whether a method returns items of its receiver: `return self._items[key]`, `iter(self._items)`."""
    positional = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    given = [getattr(node, "value", None) for node in own if node.__class__ in _GIVING] if positional else []
    inner = (each for value in given if value is not None for each in ast.walk(value))
    return any(isinstance(each, ast.expr) and _is_held(each, positional[0]) for each in inner)


def _is_put(node: ast.AST, receiver: str, given: set[str]) -> bool:
    match node:
        case ast.Assign(targets=targets, value=value):
            stored = [each.value for each in targets if isinstance(each, ast.Subscript)]
            return any(_is_held(each, receiver) for each in stored) and _mentions(value, given)
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=put) if name in _PUTTING:
            return _is_held(owner, receiver) and any(_mentions(each, given) for each in put)
    return False


def _is_held(node: ast.expr, receiver: str) -> bool:
    """Return whether an expression is an attribute of the receiver, or an item of one: `self._items.get(key)`."""
    while True:
        match node:
            case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case ast.Attribute(value=ast.Name(id=name)):
                return name == receiver
            case _:
                return False


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))
