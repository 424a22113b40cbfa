"""Behaviour facts of a Java file: thrown exceptions, changed state, messages and rationale of each body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.comments import rationale_comments
from indexer.adapters.languages.facts import assertion, rationale
from indexer.adapters.languages.java import entry_points
from indexer.adapters.languages.java.messages import constants_of, messages_of
from indexer.adapters.languages.java.mutations import Mutations
from indexer.adapters.languages.java.syntax import COMMENTS, arguments_of, parameters_of, simple_name
from indexer.adapters.languages.syntax import child_of, children, field, first_child, line_of, text_of, walk
from indexer.domain.model import Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from indexer.adapters.languages.constants import Constants
    from indexer.adapters.languages.symbol_table import TreeTable

_THROWING = "orElseThrow"
"""Library method that throws the exception which its function argument creates."""
_CHECKING = ("assert", "verify", "expect")


def collect_facts(root: Node, table: TreeTable) -> tuple[Fact, ...]:
    """List the facts of a file in order of line, without repetitions."""
    constants = constants_of(root)
    comments = []
    found: dict[Fact, None] = {}
    for node in walk(root):
        if node.type in COMMENTS:
            comments.append(node)
        position = table.positions.get(node.id)
        if position is not None:
            for kind, value, line in _facts(node, table.own[position], constants):
                found[Fact(position, kind, value, line)] = None
    found.update(dict.fromkeys(rationale(table.symbols, table.own, rationale_comments(comments))))
    return tuple(sorted(found, key=lambda fact: fact.line))


def _facts(node: Node, nodes: Sequence[Node], constants: Constants) -> Iterator[tuple[FactKind, str, int]]:
    for value in entry_points.declared(node):
        yield FactKind.ENTRY_POINT, value, line_of(node)
    mutations = Mutations(node, nodes)
    types = _declared_types(node, nodes)
    for inner in nodes:
        line = line_of(inner)
        for value in mutations.of(inner):
            yield FactKind.MUTATES, value, line
        for text in messages_of(inner, constants):
            yield FactKind.ERROR_STRING, text, line
        if inner.type == "throw_statement":
            for name in _thrown(first_child(inner), types):
                yield FactKind.RAISES, name, line
        elif inner.type == "method_invocation" and text_of(field(inner, "name")) == _THROWING:
            for name in _supplied(inner):
                yield FactKind.RAISES, name, line
        elif _is_assertion(inner):
            yield FactKind.ASSERTION, assertion(text_of(inner)), line


def _is_assertion(node: Node) -> bool:
    if node.type == "assert_statement":
        return True
    return node.type == "method_invocation" and text_of(field(node, "name")).startswith(_CHECKING)


def _declared_types(owner: Node, nodes: Sequence[Node]) -> dict[str, tuple[str, ...]]:
    """Return the types of parameters, caught exceptions and local variables by name."""
    found: dict[str, tuple[str, ...]] = {
        name: (simple_name(named),) for name, named, _ in parameters_of(owner) if named is not None
    }
    for node in nodes:
        if node.type == "catch_formal_parameter":
            types = tuple(simple_name(each) for each in children(child_of(node, "catch_type")))
            found[text_of(field(node, "name"))] = types
        elif node.type == "local_variable_declaration":
            for declarator in children(node):
                if declarator.type == "variable_declarator":
                    named = field(declarator, "value") if text_of(field(node, "type")) == "var" else node
                    found[text_of(field(declarator, "name"))] = (simple_name(field(named, "type")),)
    return found


def _supplied(call: Node) -> Iterator[str]:
    """Yield the exceptions that a lambda or method reference among the arguments of a call creates."""
    for argument in arguments_of(call):
        if argument.type == "method_reference" and text_of(argument).endswith("new"):
            yield simple_name(children(argument)[0])
        elif argument.type == "lambda_expression":
            body = field(argument, "body")
            returned = [body] if body is None or body.type != "block" else walk(body)
            for node in returned:
                if node is not None and node.type == "object_creation_expression":
                    yield simple_name(field(node, "type"))
                    break


def _thrown(node: Node | None, types: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if node is None:
        return
    if node.type == "object_creation_expression":
        yield text_of(field(node, "type")).partition("<")[0]
    elif node.type == "method_invocation":
        yield text_of(field(node, "name"))
    elif node.type == "identifier":
        yield from (name for name in types.get(text_of(node), ()) if name)
    elif node.type in ("parenthesized_expression", "cast_expression", "ternary_expression"):
        for part in children(node)[-2 if node.type == "ternary_expression" else -1 :]:
            yield from _thrown(part, types)
