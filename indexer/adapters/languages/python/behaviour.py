"""Behaviour facts of one file: raised exceptions, changed state, messages and rationale of each body."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.facts import assertion, rationale
from indexer.adapters.languages.python import entry_points, messages
from indexer.adapters.languages.python.comments import rationale_comments
from indexer.adapters.languages.python.mutations import Mutations
from indexer.adapters.languages.python.raises import Raises
from indexer.adapters.languages.python.symbols import Body
from indexer.domain.model import Fact, FactKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.adapters.languages.python.messages import Constants
    from indexer.adapters.languages.python.symbols import PythonSymbols


def collect_facts(table: PythonSymbols) -> tuple[Fact, ...]:
    """List the facts of a file in order of line, without repetitions."""
    module_names = frozenset(
        symbol.name for symbol in table.symbols if symbol.parent == 0 and symbol.kind == SymbolKind.VARIABLE
    )
    constants = _Constants(table)
    found: dict[Fact, None] = {}
    for owner, position in table.positions.items():
        body = Body(owner, table.own[position])
        known = constants.of(body, position)
        for fact in _owner_facts(owner, position, known):
            found[fact] = None
        mutations = Mutations(body, module_names)
        raises = Raises(body.nodes)
        for node in body.nodes:
            for fact in _node_facts(node, body, position, known, raises, table):
                found[fact] = None
            if node.__class__ in _MAY_CHANGE:
                for value in mutations.of(node):
                    found[Fact(position, FactKind.MUTATES, value, getattr(node, "lineno", 0) or _line_of(node))] = None
    every = (node for own in table.own.values() for node in own)
    found.update(dict.fromkeys(rationale(table.symbols, table.own, rationale_comments(table.lines, every))))
    return tuple(sorted(found, key=lambda fact: fact.line))


_MAY_CHANGE = frozenset(
    (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Call, ast.For, ast.AsyncFor, ast.withitem, ast.NamedExpr)
)


def _line_of(node: ast.AST) -> int:
    return node.context_expr.lineno if isinstance(node, ast.withitem) else 0


class _Constants:
    """Constant texts of names in each body: from its own assignments, and from enclosing ones that it does not hide."""

    def __init__(self, table: PythonSymbols) -> None:
        self._table = table
        self._inside: dict[int, Constants] = {-1: {}}

    def of(self, body: Body, position: int) -> Constants:
        """Return the facts of one body; those of the enclosing body were read before."""
        owner = body.owner
        around = self._inside[self._table.symbols[position].parent]
        if isinstance(owner, ast.ClassDef):
            own = messages.constant_texts(body.nodes, around)
            self._inside[position] = {**around, **messages.as_members(own)}
            return {**around, **own}
        seen = messages.seen_inside(around, body)
        assigning = owner.body if isinstance(owner, ast.Module) else body.nodes
        known = self._inside[position] = {**seen, **messages.constant_texts(assigning, seen)}
        return known


def _owner_facts(owner: ast.AST, position: int, known: Constants) -> Iterator[Fact]:
    if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for value, line in entry_points.decorated(owner):
            yield Fact(position, FactKind.ENTRY_POINT, value, line)
    if isinstance(owner, ast.ClassDef):
        for text, line in messages.class_messages(owner, known):
            yield Fact(position, FactKind.ERROR_STRING, text, line)


def _node_facts(
    node: ast.AST, body: Body, position: int, known: Constants, raises: Raises, table: PythonSymbols
) -> Iterator[Fact]:
    if isinstance(node, ast.Call):
        yield from _call_facts(node, position, known, table)
    elif isinstance(node, ast.Raise):
        for name in raises.of(node):
            yield Fact(position, FactKind.RAISES, name, node.lineno)
        if isinstance(node.exc, ast.Call):
            given = messages.given_before(node, body.nodes, known)
            for text in messages.raised_messages(node.exc, given):
                yield Fact(position, FactKind.ERROR_STRING, text, node.lineno)
    elif isinstance(node, ast.Assert):
        yield Fact(position, FactKind.ASSERTION, assertion(table.source(node)), node.lineno)
        for text in messages.message_texts(node.msg, known):
            yield Fact(position, FactKind.ERROR_STRING, text, node.lineno)
    elif isinstance(node, ast.If) and entry_points.is_main_guard(node):
        yield Fact(position, FactKind.ENTRY_POINT, "script", node.lineno)


def _call_facts(call: ast.Call, position: int, known: Constants, table: PythonSymbols) -> Iterator[Fact]:
    for text in messages.reported_messages(call, known):
        yield Fact(position, FactKind.ERROR_STRING, text, call.lineno)
    for value in entry_points.registered(call):
        yield Fact(position, FactKind.ENTRY_POINT, value, call.lineno)
    if isinstance(call.func, ast.Attribute):
        name = call.func.attr
        if name.startswith("assert") or (name == "raises" and messages.dotted(call.func) == "pytest.raises"):
            yield Fact(position, FactKind.ASSERTION, assertion(table.source(call)), call.lineno)
        elif name == "__init__" and _is_error_of(position, table):
            for text in messages.raised_messages(call, known):
                yield Fact(position, FactKind.ERROR_STRING, text, call.lineno)


def _is_error_of(position: int, table: PythonSymbols) -> bool:
    parent = table.symbols[position].parent
    return any(
        place == parent and isinstance(owner, ast.ClassDef) and messages.is_error_class(owner)
        for owner, place in table.positions.items()
    )
