"""State that a body changes: outer names, properties, and objects of its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.symbols import bound_names, parameter_names
from indexer.adapters.languages.javascript.syntax import FUNCTIONS, arguments_of, bare, dotted
from indexer.adapters.languages.syntax import children, field, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

_WORDS_OF_CHANGING_METHODS = """
push pop shift unshift splice sort reverse fill copyWithin set add delete clear append setItem removeItem
"""
_CHANGING_METHODS = frozenset(_WORDS_OF_CHANGING_METHODS.split())
_CHANGING_FUNCTIONS = frozenset(
    ("Object.assign", "Object.defineProperty", "Object.defineProperties", "Object.setPrototypeOf", "Reflect.set")
)
_ASSIGNING = frozenset(("assignment_expression", "augmented_assignment_expression"))
_EXPORTS = ("module.exports", "exports")


class Mutations:
    """Finds what one body changes, given the names that are state from its point of view."""

    def __init__(self, owner: Node, nodes: Sequence[Node]) -> None:
        self._is_module = owner.type == "program"
        self._local: set[str] = set()
        self._parameters: set[str] = set()
        functions = (owner, *(node for node in nodes if node.type in FUNCTIONS))
        for function in functions:
            self._parameters.update(parameter_names(function))
        for node in nodes:
            if node.type == "variable_declarator":
                self._local.update(bound_names(field(node, "name")))
            elif node.type == "for_in_statement" and field(node, "kind") is not None:
                self._local.update(bound_names(field(node, "left")))
            elif node.type == "catch_clause":
                self._local.update(bound_names(field(node, "parameter")))
        if self._is_module:
            self._local = set()

    def of(self, node: Node) -> Iterator[str]:
        """Yield the targets that a node changes, as written, without subscripts: `this.cache`, `registry`."""
        if node.type in _ASSIGNING:
            yield from self._target(bare(field(node, "left")))
        elif node.type == "update_expression" or text_of(field(node, "operator")) == "delete":
            yield from self._target(bare(field(node, "argument")))
        elif node.type == "call_expression":
            yield from self._call(node)

    def _call(self, node: Node) -> Iterator[str]:
        function = bare(field(node, "function"))
        if function is None or function.type != "member_expression":
            return
        if dotted(function) in _CHANGING_FUNCTIONS:
            yield from self._held(bare(next(iter(arguments_of(node)), None)))
        elif text_of(field(function, "property")) in _CHANGING_METHODS:
            yield from self._held(bare(field(function, "object")))

    def _target(self, target: Node | None) -> Iterator[str]:
        if target is None:
            return
        if target.type in ("identifier", "shorthand_property_identifier_pattern"):
            name = text_of(target)
            if not self._is_module and name not in self._local and name not in self._parameters:
                yield name
        elif target.type == "member_expression":
            written = dotted(target)
            if not written:
                yield from self._held(bare(field(target, "object")))
            elif self._is_state(written):
                yield written
        elif target.type == "subscript_expression":
            yield from self._held(bare(field(target, "object")))
        elif target.type in ("array_pattern", "object_pattern", "rest_pattern", "pair_pattern"):
            value = field(target, "value")
            for part in [value] if value is not None else children(target):
                yield from self._target(part)

    def _held(self, node: Node | None) -> Iterator[str]:
        """Yield the variable or property that holds an object changed in place, if it outlives the body."""
        while node is not None and node.type == "subscript_expression":
            node = bare(field(node, "object"))
        written = dotted(node)
        if written and written != "this" and self._is_state(written):
            yield written

    def _is_state(self, written: str) -> bool:
        first = written.partition(".")[0]
        if self._is_module and (written.startswith(_EXPORTS) or ".prototype" in written):
            return False
        return first == "this" or first not in self._local
