"""State that a Go body changes: fields, package variables, and elements of containers that outlive it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.go.syntax import arguments_of, dotted, parameters_of, receiver_of, results_of
from indexer.adapters.languages.syntax import child_of, children, field, first_child, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

_WORDS_OF_CHANGING_METHODS = """
Store Swap CompareAndSwap LoadOrStore LoadAndDelete Delete PushBack PushFront Remove Reset Push Pop Add WriteString
"""
_CHANGING_METHODS = frozenset(_WORDS_OF_CHANGING_METHODS.split())


class Mutations:
    """Finds what one body changes: its local variables are no state; the objects of its parameters are."""

    def __init__(self, owner: Node, nodes: Iterable[Node]) -> None:
        self._parameters = {name for name, _, _ in parameters_of(field(owner, "parameters"))}
        if owner.type == "method_declaration":
            self._parameters.add(receiver_of(owner)[0])
        self._local = {name for name, _ in results_of(owner)}
        for node in nodes:
            if node.type in ("short_var_declaration", "range_clause", "receive_statement"):
                self._local |= {text_of(name) for name in children(field(node, "left")) if name.type == "identifier"}
            elif node.type in ("var_spec", "const_spec"):
                self._local |= {text_of(name) for name in node.children_by_field_name("name")}
            elif node.type == "type_switch_statement":
                self._local |= {text_of(name) for name in children(field(node, "alias"))}
            elif node.type == "func_literal":
                self._local |= {name for name, _, _ in parameters_of(field(node, "parameters"))}

    def of(self, node: Node) -> Iterator[str]:
        """Yield the targets that a node changes, as written, without subscripts: `s.items`, `counter`."""
        if node.type == "assignment_statement":
            for target in children(field(node, "left")):
                yield from self._target(target)
        elif node.type in ("inc_statement", "dec_statement"):
            yield from self._target(first_child(node))
        elif node.type == "call_expression":
            yield from self._called(node)

    def _called(self, node: Node) -> Iterator[str]:
        function, arguments = field(node, "function"), arguments_of(node)
        written = dotted(function)
        if written in ("delete", "clear", "copy") and arguments:
            yield from self._held(arguments[0])
        elif written.startswith("atomic.") and not written.startswith("atomic.Load") and arguments:
            yield from self._held(child_of(arguments[0], "selector_expression", "identifier"))
        elif text_of(field(function, "field")) in _CHANGING_METHODS:
            held = dotted(field(function, "operand"))
            if "." in held and held.partition(".")[0] in self._parameters:
                yield held

    def _target(self, node: Node | None) -> Iterator[str]:
        if node is None:
            return
        if node.type == "identifier":
            name = text_of(node)
            if name != "_" and name not in self._local and name not in self._parameters:
                yield name
        elif node.type == "selector_expression":
            if written := dotted(node):
                yield written
            else:
                yield from self._held(field(node, "operand"))
        elif node.type == "index_expression":
            yield from self._held(field(node, "operand"))
        elif node.type in ("unary_expression", "parenthesized_expression"):
            yield from self._held(first_child(node))

    def _held(self, node: Node | None) -> Iterator[str]:
        """Yield the variable or field that holds a container changed in place, if it outlives the body."""
        while node is not None and node.type in ("index_expression", "parenthesized_expression"):
            node = field(node, "operand") or first_child(node)
        if node is None:
            return
        if node.type == "identifier":
            if text_of(node) not in self._local:
                yield text_of(node)
        elif node.type == "selector_expression" and (written := dotted(node)):
            yield written
