"""JSX: an element of a component is a call of it with its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.linking.program import CALL, CONTAINER, MAPPING, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node


_TAGS = ("jsx_opening_element", "jsx_closing_element")


class Jsx(Walker):
    """Walks JSX."""

    def element(self, node: Node) -> Slot:
        """Walk an element: its attributes, its children, and the call of its component."""
        opening = field(node, "open_tag") or node
        slot = self._attributes(opening)
        for child in children(node) if opening is not node else ():
            if child.type not in _TAGS:
                self._walkers.expressions.value(child)
        name = field(opening, "name")
        if name is None:
            return NOTHING
        written = text_of(name)
        if "." not in written and not written[:1].isupper():
            return NOTHING
        callee = self._named(written.split("."), opening)
        emitter = self._context.emitter
        emitter.filled(CALL, callee, (slot,), (), written, *self._context.at(opening), NOTHING, "")
        return NOTHING

    def _named(self, parts: list[str], node: Node) -> Slot:
        slot = self._context.environment.this if parts[0] == "this" else self._context.lookup(parts[0])
        for part in parts[1:]:
            slot = self._walkers.objects.load(slot, part, node)
        return slot

    def _attributes(self, opening: Node) -> Slot:
        items: list[tuple[str, Slot]] = []
        spread: list[Slot] = []
        for part in children(opening):
            if part.type == "jsx_attribute":
                inner = children(part)
                slot = self._walkers.expressions.value(inner[1]) if len(inner) > 1 else NOTHING
                if slot != NOTHING:
                    items.append((text_of(inner[0]), slot))
            elif part.type == "jsx_expression":
                slot = self._walkers.expressions.value(part)
                if slot != NOTHING:
                    spread.append(slot)
        emitter = self._context.emitter
        return emitter.filled(CONTAINER, MAPPING, tuple(items), tuple(spread))
