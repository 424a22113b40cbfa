"""State that a Java body changes: fields, elements of arrays and collections that outlive it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import dotted, parameters_of
from indexer.adapters.languages.syntax import field, first_child, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

_WORDS_OF_CHANGING_METHODS = """
add addAll addFirst addLast remove removeAll removeIf removeFirst removeLast retainAll clear put putAll putIfAbsent
computeIfAbsent computeIfPresent compute merge push pop poll offer set replace replaceAll sort append insert
deleteCharAt incrementAndGet getAndIncrement decrementAndGet getAndDecrement addAndGet getAndAdd getAndSet
compareAndSet updateAndGet increment decrement
"""
CHANGING_METHODS = frozenset(_WORDS_OF_CHANGING_METHODS.split())
_DECLARING = frozenset(("variable_declarator", "resource", "catch_formal_parameter", "enhanced_for_statement"))


class Mutations:
    """Finds what one body changes: its local names are no state; the objects of its parameters are."""

    def __init__(self, owner: Node, nodes: Iterable[Node]) -> None:
        self._parameters = {name for name, _, _ in parameters_of(owner)} if "declaration" in owner.type else set()
        self._local: set[str] = set()
        for node in nodes:
            if node.type in _DECLARING or node.type == "instanceof_expression":
                self._local.add(text_of(field(node, "name")))
            elif node.type == "lambda_expression":
                self._local |= {name for name, _, _ in parameters_of(node)}

    def of(self, node: Node) -> Iterator[str]:
        """Name what a node changes, as written, without subscripts: `this.cache`, `cache`, `order.lines`."""
        if node.type == "assignment_expression":
            yield from self._target(field(node, "left"))
        elif node.type == "update_expression":
            yield from self._target(first_child(node))
        elif node.type == "method_invocation" and text_of(field(node, "name")) in CHANGING_METHODS:
            yield from self._held(field(node, "object"))

    def _target(self, node: Node | None) -> Iterator[str]:
        if node is None:
            return
        if node.type == "identifier":
            name = text_of(node)
            if name not in self._local and name not in self._parameters:
                yield name
        elif node.type == "field_access":
            if written := dotted(node):
                yield written
        elif node.type == "array_access":
            yield from self._held(field(node, "array"))

    def _held(self, node: Node | None) -> Iterator[str]:
        """Yield the variable or field that holds an object changed in place, if it outlives the body."""
        while node is not None and node.type == "array_access":
            node = field(node, "array")
        if node is None:
            return
        if node.type == "identifier":
            name = text_of(node)
            if name not in self._local and not name[:1].isupper():
                yield name
        elif node.type == "field_access" and (written := dotted(node)):
            yield written
        elif node.type == "method_invocation" and text_of(field(node, "name")) in CHANGING_METHODS:
            yield from self._held(field(node, "object"))
