"""Expressions: each returns the slot of its value and emits the instructions of its evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.syntax import CLASSES, FUNCTION_VALUES, string_of
from indexer.adapters.languages.syntax import children, field, first_child, text_of
from indexer.domain.linking.program import ITERATE, LITERAL, NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.adapters.languages.javascript.flow.builder import Walkers

MAX_LITERAL = 40
_OF_LAST = (
    "sequence_expression", "parenthesized_expression", "await_expression", "non_null_expression", "spread_element",
    "jsx_expression",
)  # fmt: skip
"""What has the value of its last part."""
_ELEMENTS = ("jsx_element", "jsx_self_closing_element", "jsx_fragment")
_UNUSED = frozenset(("comment", "regex", "true", "false", "null", "undefined", "meta_property", "property_identifier"))


class Expressions(Walker):
    """Walks expressions."""

    def __init__(self, walkers: Walkers) -> None:
        super().__init__(walkers)
        self._by_type: dict[str, Callable[[Node], Slot]] = {
            "identifier": lambda node: self._context.lookup(text_of(node)),
            "shorthand_property_identifier": lambda node: self._context.lookup(text_of(node)),
            "this": lambda _: self._context.environment.this,
            "member_expression": lambda node: walkers.objects.member(node),
            "subscript_expression": lambda node: walkers.objects.item(node),
            "call_expression": lambda node: walkers.calls.call(node),
            "new_expression": lambda node: walkers.calls.new(node),
            "object": lambda node: walkers.objects.literal(node),
            "array": lambda node: walkers.objects.array(node),
            "string": lambda node: self.constant(string_of(node)),
            "template_string": self._template,
            "number": self._number,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._augmented,
            "ternary_expression": self._ternary,
            "binary_expression": self._binary,
            "yield_expression": self._yield,
            **dict.fromkeys(("as_expression", "type_assertion"), self._cast),
            **dict.fromkeys(_OF_LAST, self._last),
            **dict.fromkeys(("satisfies_expression", "instantiation_expression"), self._first),
            **dict.fromkeys(_ELEMENTS, lambda node: walkers.jsx.element(node)),
            **dict.fromkeys(FUNCTION_VALUES, lambda node: walkers.functions.expression(node)),
            **dict.fromkeys(CLASSES, lambda node: walkers.classes.expression(node)),
        }

    def value(self, node: Node | None) -> Slot:
        """Walk an expression and give the slot of its value."""
        if node is None or node.type in _UNUSED:
            return NOTHING
        walk = self._by_type.get(node.type)
        if walk is not None:
            return walk(node)
        for child in children(node):
            self.value(child)
        return NOTHING

    def _template(self, node: Node) -> Slot:
        constant = string_of(node)
        if constant is not None:
            return self.constant(constant)
        for part in node.named_children:
            if part.type == "template_substitution":
                self._last(part)
        return NOTHING

    def constant(self, value: str | int | None) -> Slot:
        """Return the slot of a literal: only short words and small numbers, which may be keys, have one."""
        if value is None or value == "":
            return NOTHING
        if isinstance(value, str) and (len(value) > MAX_LITERAL or " " in value):
            return NOTHING
        return self._emitter.filled(LITERAL, value, 0)

    def _number(self, node: Node) -> Slot:
        text = text_of(node)
        return self.constant(int(text)) if text.isdecimal() and len(text) < 4 else NOTHING

    def _assignment(self, node: Node) -> Slot:
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None:
            return NOTHING
        if left.type in ("member_expression", "subscript_expression"):
            special = self._walkers.modules.assigned(left, right)
            if special is None:
                special = self._walkers.classes.assigned(left, right)
            if special is not None:
                return special
        return self._walkers.patterns.assign(left, right)

    def _augmented(self, node: Node) -> Slot:
        left, right = field(node, "left"), field(node, "right")
        before, slot = self.value(left), self.value(right)
        if left is None or text_of(field(node, "operator")) not in ("||=", "&&=", "??="):
            return NOTHING
        merged = self._emitter.union([before, slot])
        self._walkers.patterns.bind(left, merged)
        return merged

    def _ternary(self, node: Node) -> Slot:
        self.value(field(node, "condition"))
        return self._emitter.union([self.value(field(node, "consequence")), self.value(field(node, "alternative"))])

    def _binary(self, node: Node) -> Slot:
        slots = [self.value(field(node, "left")), self.value(field(node, "right"))]
        operator = text_of(field(node, "operator"))
        if operator == "&&":
            return slots[1]
        return self._emitter.union(slots) if operator in ("||", "??") else NOTHING

    def _first(self, node: Node) -> Slot:
        return self.value(first_child(node))

    def _last(self, node: Node) -> Slot:
        slot = NOTHING
        for child in children(node):
            slot = self.value(child)
        return slot

    def _cast(self, node: Node) -> Slot:
        parts = children(node)
        if not parts:
            return NOTHING
        written, said = (parts[0], parts[1:]) if node.type == "as_expression" else (parts[-1], parts[:-1])
        slots = [self.value(written), *(self._walkers.types.value(part) for part in said)]
        return self._emitter.union(slots)

    def _yield(self, node: Node) -> Slot:
        environment = self._context.environment
        for inner in children(node):
            slot = self.value(inner)
            if slot == NOTHING or environment.yielded == NOTHING:
                continue
            if any(child.type == "*" for child in node.children):
                slot = self._emitter.filled(ITERATE, slot, *self._context.at(node))
            self._emitter.copy(slot, environment.yielded)
        return NOTHING
