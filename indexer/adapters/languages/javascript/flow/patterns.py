"""Targets of assignments: names, members, and destructuring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.symbols import bound_names
from indexer.adapters.languages.javascript.syntax import bare, key_of
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.linking.program import NOTHING, SLICE, UNPACK, Slot

if TYPE_CHECKING:
    from tree_sitter import Node


_ARRAYS = ("array_pattern", "array")
_OBJECTS = ("object_pattern", "object")
_DEFAULTS = ("assignment_pattern", "object_assignment_pattern", "assignment_expression")


class Patterns(Walker):
    """Binds targets."""

    def declare(self, pattern: Node) -> None:
        """Declare the names of a pattern in the current block."""
        for name in bound_names(pattern):
            self._context.declare(name)

    def assign(self, target: Node, value: Node, said: Slot = NOTHING) -> Slot:
        """Bind a target to an expression; an array of targets takes an array display element by element."""
        source = bare(value)
        if source is not None and target.type in _ARRAYS and source.type == "array":
            slots = self._elements(source)
            if slots is not None:
                self._bind_all(target, slots)
                return self._walkers.objects.list_of(slots)
        slot = self._walkers.expressions.value(value)
        slot = self._context.emitter.union([slot, said])
        self.bind(target, slot)
        return slot

    def _elements(self, array: Node) -> list[Slot] | None:
        elements = children(array)
        if any(element.type == "spread_element" for element in elements) or len(elements) < len(array.children) // 2:
            return None
        return [self._walkers.expressions.value(element) for element in elements]

    def _bind_all(self, target: Node, slots: list[Slot]) -> None:
        for position, part in _positions(target):
            if part.type in ("rest_pattern", "spread_element"):
                rest = self._walkers.objects.list_of(slots[position:])
                self.bind(children(part)[0], rest)
            else:
                self.bind(part, slots[position] if position < len(slots) else NOTHING)

    def bind(self, target: Node, slot: Slot) -> None:
        """Bind a target to the value of a slot."""
        kind = target.type
        if kind in ("identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier"):
            self._context.assign(text_of(target), slot)
        elif kind == "member_expression":
            self._walkers.objects.store(target, slot)
        elif kind == "subscript_expression":
            self._walkers.objects.store_item(target, slot)
        elif kind in _DEFAULTS:
            self._with_default(target, slot)
        elif kind in _ARRAYS:
            self._bind_array(target, slot)
        elif kind in _OBJECTS:
            self._bind_object(target, slot)
        elif (inner := bare(target)) is not None and inner.id != target.id:
            self.bind(inner, slot)

    def _with_default(self, target: Node, slot: Slot) -> None:
        left = field(target, "left")
        default = self._walkers.expressions.value(field(target, "right"))
        if left is not None:
            self.bind(left, self._context.emitter.union([slot, default]))

    def _bind_array(self, target: Node, slot: Slot) -> None:
        emitter = self._context.emitter
        for position, part in _positions(target):
            inner = NOTHING
            if slot != NOTHING:
                inner = emitter.slot()
                if part.type in ("rest_pattern", "spread_element"):
                    emitter.emit(SLICE, inner, slot, position, *self._context.at(target))
                else:
                    emitter.emit(UNPACK, inner, slot, position, *self._context.at(target))
            is_rest = part.type in ("rest_pattern", "spread_element")
            self.bind(children(part)[0] if is_rest else part, inner)

    def _bind_object(self, target: Node, slot: Slot) -> None:
        objects = self._walkers.objects
        for part in children(target):
            kind = part.type
            if kind in ("shorthand_property_identifier_pattern", "shorthand_property_identifier"):
                self.bind(part, objects.load(slot, text_of(part), part))
            elif kind in ("object_assignment_pattern", "assignment_expression"):
                name = text_of(field(part, "left"))
                loaded = objects.load(slot, name, part)
                self._with_default(part, loaded)
            elif kind in ("pair_pattern", "pair"):
                name_node, value = field(part, "key"), field(part, "value")
                key = key_of(name_node)
                if value is not None:
                    self.bind(value, objects.load(slot, key, part) if key is not None else NOTHING)
            elif kind in ("rest_pattern", "spread_element"):
                self.bind(children(part)[0], slot)


def _positions(target: Node) -> list[tuple[int, Node]]:
    """Number the elements of an array pattern, holes counted."""
    found = []
    position = 0
    for child in target.children:
        if child.type == ",":
            position += 1
        elif child.is_named and child.type != "comment":
            found.append((position, child))
    return found
