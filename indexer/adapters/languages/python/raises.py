"""Exceptions that a body raises, as it writes them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.messages import dotted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Factories:
    """What functions and methods of one file make where all that they return is made by calls of classes."""

    def __init__(self, owned: Mapping[ast.AST, Sequence[ast.AST]]) -> None:
        self._made: dict[tuple[ast.AST | None, str], tuple[str, ...]] = {}
        classes = {id(item): owner for owner in owned if isinstance(owner, ast.ClassDef) for item in owner.body}
        for owner, nodes in owned.items():
            if isinstance(owner, ast.FunctionDef) and (made := _returned(nodes)):
                self._made[classes.get(id(owner)), owner.name] = made
        self._around = (
            {id(item): owner for owner in owned if isinstance(owner, ast.ClassDef) for item in ast.walk(owner)}
            if any(holder is not None for holder, _ in self._made)
            else {}
        )

    def of(self, name: str, owner: ast.AST) -> tuple[str, ...]:
        """Return the classes that a call of a name makes in a body, the name itself where that is no factory."""
        receiver, _, method = name.rpartition(".")
        holder = self._around.get(id(owner)) if receiver in ("self", "cls") else None
        if receiver and holder is None:
            return (name,)
        return self._made.get((holder, method), (name,))


def _returned(nodes: Sequence[ast.AST]) -> tuple[str, ...]:
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    names = [dotted(value.func) if isinstance(value, ast.Call) else "" for value in returned]
    made = [name for name in names if name and name.rpartition(".")[2].lstrip("_")[:1].isupper()]
    return tuple(dict.fromkeys(made)) if made and len(made) == len(names) else ()


class Raises:
    """
    Names what each `raise` of one body throws.

    Args:
        made: Gives the classes that a call of a name makes.
    """

    def __init__(self, nodes: Sequence[ast.AST], made: Callable[[str], tuple[str, ...]]) -> None:
        self._made = made
        self._handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
        self._assigned: dict[str, list[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and (name := dotted(node.value.func)):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._assigned.setdefault(target.id, []).extend(made(name))

    def of(self, node: ast.Raise) -> tuple[str, ...]:
        """
        Name the exception types.

        A bare `raise`, and one of the name that a handler binds, gives the caught types; a local name gives what was
        called to make it. What is neither a name nor a call of one gives nothing.
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
        name = dotted(raised.func if isinstance(raised, ast.Call) else raised)
        if isinstance(raised, ast.Name):
            known = self._caught(node.lineno, name) or tuple(self._assigned.get(name, ()))
            return tuple(dict.fromkeys(known)) or (name,)
        return self._made(name) if name else ()

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
