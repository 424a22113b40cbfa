"""Names that a stretch of code may assign."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.symbols import bound_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def assigned_names(  # noqa: C901 - one case a node
    body: Sequence[ast.stmt], expressions: Iterable[ast.expr]
) -> dict[str, None]:
    """
    List the names that statements may bind in their own scope, in order of the text.

    Args:
        expressions: More places to look at: a loop's target, or a condition that may hold `:=`.
    """
    names: dict[str, None] = dict.fromkeys(bound_names(expressions))
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        node = pending.pop()
        match node:
            case ast.Assign(targets=targets):
                names.update(dict.fromkeys(bound_names(targets)))
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                names.update(dict.fromkeys(bound_names([target])))
            case ast.For(target=target) | ast.AsyncFor(target=target):
                names.update(dict.fromkeys(bound_names([target])))
            case ast.With(items=items) | ast.AsyncWith(items=items):
                names.update(dict.fromkeys(bound_names(item.optional_vars for item in items if item.optional_vars)))
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names.update((alias.asname or alias.name.partition(".")[0], None) for alias in aliases)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names[name] = None
                continue
            case ast.ExceptHandler(name=str(name)):
                names[name] = None
            case ast.match_case(pattern=pattern):
                names.update(
                    (inner.name, None)
                    for inner in ast.walk(pattern)
                    if isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name
                )
            case ast.Expr():
                continue
        for block in _BLOCKS:
            inner_nodes = getattr(node, block, None)
            if isinstance(inner_nodes, list):
                pending.extend(reversed(inner_nodes))
    return names
