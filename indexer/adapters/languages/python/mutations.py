"""State that a body changes: module globals, attributes, and objects of its parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.messages import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.adapters.languages.python.symbols import Body

_WORDS_OF_CHANGING_METHODS = """
append extend insert remove pop popitem clear update setdefault add discard sort reverse appendleft popleft extendleft
rotate move_to_end difference_update put put_nowait intersection_update symmetric_difference_update __setitem__
__delitem__ subtract
"""
_CHANGING_METHODS = frozenset(_WORDS_OF_CHANGING_METHODS.split())


class Mutations:
    """Finds what one body changes, given the names that are state from its point of view."""

    def __init__(self, body: Body, module_names: frozenset[str]) -> None:
        self._globals, owner = body.shared, body.owner
        if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
            parameters = owner.args.posonlyargs + owner.args.args + owner.args.kwonlyargs
            taken = body.stored | {parameter.arg for parameter in parameters}
            # A parameter with the name of a global is left out, as its name would be taken for the global.
            own = {parameter.arg for parameter in parameters} - module_names
            self._shared: set[str] | frozenset[str] = (module_names - taken) | self._globals | own
        else:
            self._shared = module_names

    def of(self, node: ast.AST) -> Iterator[str]:
        """Yield the targets that a node changes, as written, without subscripts: `self.cache`, `REGISTRY`."""
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _CHANGING_METHODS:
                yield from self._held(value)
            case ast.Call(args=[target, ast.Constant(value=str(name)), *_]) if _sets_attribute(node.func):
                if written := dotted(target):
                    yield f"{written}.{name}"
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                for target in targets:
                    yield from self._target(target)
            case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
                yield from self._target(target)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                yield from self._target(target)
            case ast.withitem(optional_vars=ast.expr() as target) | ast.NamedExpr(target=target):
                yield from self._target(target)

    def _target(self, target: ast.expr) -> Iterator[str]:
        match target:
            case ast.Name(id=name) if name in self._globals:
                yield name
            case ast.Attribute():
                if written := dotted(target):
                    yield written
                else:
                    yield from self._held(target.value)
            case ast.Subscript(value=value):
                yield from self._held(value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element in elements:
                    yield from self._target(element)
            case ast.Starred(value=value):
                yield from self._target(value)

    def _held(self, node: ast.expr) -> Iterator[str]:
        """Yield the variable or attribute that holds an object changed in place, if it outlives the body."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name):
            if node.id in self._shared:
                yield node.id
        elif isinstance(node, ast.Attribute) and (written := dotted(node)):
            yield written


def _sets_attribute(function: ast.expr) -> bool:
    return dotted(function) in ("setattr", "delattr", "object.__setattr__", "object.__delattr__")
