"""Behaviour facts of one file: thrown errors, changed state, messages and rationale of each body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.comments import rationale_comments
from indexer.adapters.languages.facts import assertion, rationale
from indexer.adapters.languages.javascript import entry_points, messages
from indexer.adapters.languages.javascript.mutations import Mutations
from indexer.adapters.languages.javascript.raises import Raises
from indexer.adapters.languages.javascript.syntax import CLASSES, dotted
from indexer.adapters.languages.syntax import children, field, first_child, line_of, text_of
from indexer.domain.model import Fact, FactKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from indexer.adapters.languages.constants import Constants
    from indexer.adapters.languages.javascript.symbols import JavaScriptSymbols


def collect_facts(table: JavaScriptSymbols, path: str) -> tuple[Fact, ...]:
    """List the facts of a file in order of line, without repetitions."""
    found: dict[Fact, None] = {}
    found.update(dict.fromkeys(_body_facts(table)))
    found.update(dict.fromkeys(_entry_facts(table, path)))
    found.update(dict.fromkeys(rationale(table.symbols, table.own, rationale_comments(table.comments))))
    return tuple(sorted(found, key=lambda fact: (fact.line, fact.symbol)))


def _body_facts(table: JavaScriptSymbols) -> Iterator[Fact]:
    known = messages.constants_of([node for nodes in table.own.values() for node in nodes])
    for position, nodes in table.own.items():
        raises, mutations = Raises(nodes), Mutations(table.nodes[position], nodes)
        for node in nodes:
            line = line_of(node)
            for name in raises.of(node):
                yield Fact(position, FactKind.RAISES, name, line)
            for name in mutations.of(node):
                yield Fact(position, FactKind.MUTATES, name, line)
            for text in _messages(node, known, table, position):
                yield Fact(position, FactKind.ERROR_STRING, text, line)
            if node.type == "call_expression":
                yield from _call_facts(node, position)


def _messages(node: Node, known: Constants, table: JavaScriptSymbols, position: int) -> tuple[str, ...]:
    if node.type == "new_expression" and messages.is_error_class(dotted(field(node, "constructor"))):
        return messages.made_messages(node, known)
    if node.type == "throw_statement":
        thrown = first_child(node)
        if thrown is not None and thrown.type in ("new_expression", "call_expression"):
            return messages.made_messages(thrown, known)
        return messages.message_texts(thrown, known)
    if node.type == "call_expression":
        function = field(node, "function")
        if function is not None and function.type == "super":
            return messages.made_messages(node, known) if _is_in_error(table, position) else ()
        return messages.reported_messages(node, known)
    return ()


def _call_facts(call: Node, position: int) -> Iterator[Fact]:
    line = line_of(call)
    for value in entry_points.registered(call):
        yield Fact(position, FactKind.ENTRY_POINT, value, line)
    if messages.is_check(call) or messages.is_expectation(call):
        yield Fact(position, FactKind.ASSERTION, assertion(text_of(call)), line)


def _is_in_error(table: JavaScriptSymbols, position: int) -> bool:
    """Return whether a method belongs to a class that looks like an error, by its name or that of its base."""
    holder = table.nodes.get(table.symbols[position].parent)
    if holder is None or holder.type not in CLASSES:
        return False
    heritage = " ".join(text_of(child) for child in children(holder) if child.type == "class_heritage")
    bases = heritage.replace("extends", " ").replace("{", " ").split()
    return any(map(messages.is_error_class, (table.symbols[table.positions[holder.id]].name, *bases[:1])))


def _entry_facts(table: JavaScriptSymbols, path: str) -> Iterator[Fact]:
    for position, symbol in enumerate(table.symbols):
        above = table.symbols[symbol.parent] if symbol.parent >= 0 else None
        for value in entry_points.decorated(symbol, above):
            yield Fact(position, FactKind.ENTRY_POINT, value, symbol.start_line)
        if symbol.parent == 0 and symbol.is_public and symbol.kind == SymbolKind.FUNCTION:
            is_default = "export default" in table.lines[symbol.start_line - 1]
            if route := entry_points.by_path(path, symbol, is_default=is_default):
                yield Fact(position, FactKind.ENTRY_POINT, route, symbol.start_line)
    if table.lines[0].startswith("#!"):
        yield Fact(0, FactKind.ENTRY_POINT, "script", 1)
    for node in table.own[0]:
        if entry_points.is_main_guard(node):
            yield Fact(0, FactKind.ENTRY_POINT, "script", line_of(node))
