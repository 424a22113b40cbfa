"""Behaviour facts of a Go file: panics, errors, changed state, messages and rationale of each body."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.comments import rationale_comments
from indexer.adapters.languages.facts import assertion, rationale
from indexer.adapters.languages.go import entry_points
from indexer.adapters.languages.go.messages import messages_of
from indexer.adapters.languages.go.mutations import Mutations
from indexer.adapters.languages.go.syntax import COMMENTS, FUNCTIONS, arguments_of, dotted
from indexer.adapters.languages.syntax import child_of, children, field, line_of, text_of, walk
from indexer.domain.model import Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from indexer.adapters.languages.symbol_table import TreeTable

PANIC = "panic"
_SENTINEL = re.compile(r"^(?:[eE]rr[A-Z]\w*|\w+\.Err[A-Z]\w*|io\.EOF)$")
_ERROR_TYPE = re.compile(r"(?:Error|Err)$")
_FAILING = frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))


def collect_facts(root: Node, table: TreeTable, *, package: str) -> tuple[Fact, ...]:
    """List the facts of a file in order of line, without repetitions."""
    found: dict[Fact, None] = {}
    for node in children(root):
        if node.type in FUNCTIONS:
            position = table.position(node.id)
            nodes = table.own[position]
            for value in entry_points.declared(node, package):
                found[Fact(position, FactKind.ENTRY_POINT, value, line_of(node))] = None
            mutations = Mutations(node, nodes)
        elif node.type in ("var_declaration", "const_declaration"):
            position, nodes, mutations = 0, list(walk(node)), None
        else:
            continue
        for inner in nodes:
            for kind, value in _facts(inner, mutations):
                found[Fact(position, kind, value, line_of(inner))] = None
    comments = [node for node in walk(root) if node.type in COMMENTS]
    reasons = rationale_comments(comments)
    found.update(dict.fromkeys(rationale(table.symbols, table.own, reasons)))
    return tuple(sorted(found, key=lambda fact: fact.line))


def _facts(node: Node, mutations: Mutations | None) -> Iterator[tuple[FactKind, str]]:
    for value in mutations.of(node) if mutations is not None else ():
        yield FactKind.MUTATES, value
    for text in messages_of(node):
        yield FactKind.ERROR_STRING, text
    for value in entry_points.registered(node):
        yield FactKind.ENTRY_POINT, value
    if node.type == "call_expression":
        if dotted(field(node, "function")) == PANIC:
            yield FactKind.RAISES, next(iter(_failures(node)), PANIC)
        elif _is_assertion(node):
            yield FactKind.ASSERTION, assertion(text_of(node))
    elif node.type == "return_statement":
        for returned in children(child_of(node, "expression_list")):
            for name in _failure(returned):
                yield FactKind.RAISES, name


def _failures(call: Node) -> list[str]:
    return [name for argument in arguments_of(call) for name in _failure(argument)]


def _failure(node: Node) -> Iterator[str]:
    """Yield the errors in an expression: a sentinel, a literal of an error type, or those that a call wraps."""
    written = dotted(node)
    if written and _SENTINEL.match(written):
        yield written
    elif node.type == "unary_expression":
        for inner in children(node):
            yield from _failure(inner)
    elif node.type == "composite_literal":
        name = text_of(field(node, "type"))
        if _ERROR_TYPE.search(name):
            yield name
    elif node.type == "call_expression" and dotted(field(node, "function")).endswith(
        ("Errorf", "Wrap", "Wrapf", "Join")
    ):
        yield from _failures(node)


def _is_assertion(node: Node) -> bool:
    owner, _, name = dotted(field(node, "function")).rpartition(".")
    return owner in ("assert", "require") or (owner in ("t", "b", "tb") and name in _FAILING)
