"""The own nodes of one module, class or function that say something of its behaviour: one in five."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

_TELLING = frozenset(
    (
        ast.AnnAssign,
        ast.Assert,
        ast.Assign,
        ast.AsyncFor,
        ast.AugAssign,
        ast.Call,
        ast.Delete,
        ast.ExceptHandler,
        ast.For,
        ast.Global,
        ast.If,
        ast.NamedExpr,
        ast.Nonlocal,
        ast.Raise,
        ast.arg,
        ast.withitem,
    )
)


class Body:
    """
    One body, whose nodes are read several times.

    Args:
        owner: The module, class or function.
        own: All its own nodes, in order of the source.
        stored: Names that it binds.
        shared: Names that it declares `global` or `nonlocal`.
    """

    def __init__(self, owner: ast.AST, own: Iterable[ast.AST]) -> None:
        self.owner = owner
        # Class by class, as `isinstance` takes ten times as long with classes of `ast`.
        self.nodes: list[ast.AST] = []
        self.stored: set[str] = set()
        for node in own:
            kind = node.__class__
            if kind is ast.Name:
                name = cast("ast.Name", node)
                if name.ctx.__class__ is ast.Store:
                    self.stored.add(name.id)
            elif kind in _TELLING:
                self.nodes.append(node)
        declaring = (node for node in self.nodes if isinstance(node, ast.Global | ast.Nonlocal))
        self.shared = {name for node in declaring for name in node.names}
