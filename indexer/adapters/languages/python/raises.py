"""Exceptions that a body raises, named as in the source."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.messages import dotted

if TYPE_CHECKING:
    from collections.abc import Sequence


class Raises:
    """Names what each `raise` of one body throws."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
        self._assigned: dict[str, list[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and (name := _made_by(node.value)):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._assigned.setdefault(target.id, []).append(name)

    def of(self, node: ast.Raise) -> tuple[str, ...]:
        """
        Name the exception types.

        A bare `raise`, or one of a name that a handler binds, raises the caught types. A local name raises the callee
        of its assignment; for a method of a class, the class. Other expressions than names and calls give ().
        """
        if node.exc is None:
            return self._caught(node.lineno, None)
        raised = node.exc
        while (
            isinstance(raised, ast.Call)
            and isinstance(raised.func, ast.Attribute)
            and raised.func.attr == "with_traceback"
        ):
            raised = raised.func.value
        name = _made_by(raised) if isinstance(raised, ast.Call) else dotted(raised)
        if isinstance(raised, ast.Name):
            known = self._caught(node.lineno, name) or tuple(self._assigned.get(name, ()))
            return tuple(dict.fromkeys(known)) or (name,)
        return (name,) if name else ()

    def _caught(self, line: int, bound: str | None) -> tuple[str, ...]:
        around = [
            handler
            for handler in self._handlers
            if handler.lineno <= line <= (handler.end_lineno or line) and (bound is None or handler.name == bound)
        ]
        if not around or around[-1].type is None:
            return ()
        types = around[-1].type
        items = types.elts if isinstance(types, ast.Tuple) else [types]
        return tuple(name for item in items if (name := dotted(item)))


def _made_by(call: ast.Call) -> str:
    """Return the name of the callee; for a method of a class, recognized by its capital, the name of the class."""
    name = dotted(call.func)
    owner, _, method = name.rpartition(".")
    last = owner.rpartition(".")[2]
    return owner if last[:1].isupper() and not last.isupper() and not method[:1].isupper() else name
