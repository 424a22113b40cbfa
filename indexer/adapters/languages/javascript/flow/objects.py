"""Objects and arrays: displays, members, elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.syntax import FUNCTION_EXPRESSIONS, bare, dotted, key_of, string_of
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.linking.program import CONTAINER, GET_ITEM, LIST, LOAD, MAPPING, NOTHING, SET_ITEM, STORE, Slot

if TYPE_CHECKING:
    from tree_sitter import Node


def normal_key(key: str) -> str | int:
    """Return a key in the linker's form: positions as numbers, all others as strings."""
    return int(key) if key.isdecimal() and len(key) < 6 and (key == "0" or not key.startswith("0")) else key


class Objects(Walker):
    """Walks objects and arrays."""

    def literal(self, node: Node) -> Slot:
        """Make an object from a literal; it is the `this` of the functions in it."""
        slot = self._emitter.slot()
        items: list[tuple[str | int | None, Slot]] = []
        spread: list[Slot] = []
        environment = self._context.environment
        for part in children(node):
            if part.type == "spread_element":
                inner = self._walkers.expressions.value(part)
                if inner != NOTHING:
                    spread.append(inner)
                continue
            key, value = self._property(part, slot)
            if value != NOTHING:
                items.append((key, value))
                if key is not None:
                    environment.items[slot, key] = value
        self._emitter.emit(CONTAINER, slot, MAPPING, tuple(items), tuple(spread))
        return slot

    def _property(self, part: Node, owner: Slot) -> tuple[str | int | None, Slot]:
        if part.type == "shorthand_property_identifier":
            return text_of(part), self._walkers.expressions.value(part)
        if part.type == "method_definition":
            slot = self._walkers.functions.method_of_object(part, owner)
            name = key_of(field(part, "name"))
            if any(child.type in ("get", "set") for child in part.children) or name is None:
                return None, NOTHING
            return normal_key(name), slot
        if part.type != "pair":
            return None, NOTHING
        key, value = key_of(field(part, "key")), field(part, "value")
        if value is not None and value.type in FUNCTION_EXPRESSIONS:
            slot = self._walkers.functions.expression(value, this=owner)
        else:
            slot = self._walkers.expressions.value(value)
        return (normal_key(key) if key is not None else None), slot

    def array(self, node: Node) -> Slot:
        """Make an array."""
        slot = self._emitter.slot()
        items: list[tuple[int | None, Slot]] = []
        spread: list[Slot] = []
        for position, part in enumerate(children(node)):
            value = self._walkers.expressions.value(part)
            if value == NOTHING:
                continue
            if part.type == "spread_element":
                spread.append(value)
            else:
                items.append((None if spread else position, value))
        self._emitter.emit(CONTAINER, slot, LIST, tuple(items), tuple(spread))
        return slot

    def list_of(self, slots: list[Slot]) -> Slot:
        """Make an array of known elements."""
        slot = self._emitter.slot()
        items = tuple((position, held) for position, held in enumerate(slots) if held != NOTHING)
        self._emitter.emit(CONTAINER, slot, LIST, items, ())
        return slot

    def member(self, node: Node) -> Slot:
        """Read `owner.name`."""
        exported = self._walkers.modules.own_export(node)
        if exported is not None:
            return exported
        owner, name = field(node, "object"), text_of(field(node, "property"))
        if owner is not None and owner.type == "super":
            return self.load(self._walkers.classes.super_(node), name, node)
        return self.load(self._walkers.expressions.value(owner), name, node)

    def load(self, owner: Slot, name: str, node: Node) -> Slot:
        """Read a property of the value of a slot."""
        if owner == NOTHING:
            return NOTHING
        key = normal_key(name)
        if isinstance(key, int):
            return self._load_item(owner, key, NOTHING, node)
        environment = self._context.environment
        known = environment.items.get((owner, key))
        if known is None:
            known = environment.items[owner, key] = self._emitter.filled(LOAD, owner, name, *self._context.at(node))
        return known

    def item(self, node: Node) -> Slot:
        """Read `owner[key]`."""
        owner, key, slot = self._key(node)
        if owner == NOTHING:
            return NOTHING
        if isinstance(key, str):
            return self.load(owner, key, node)
        return self._load_item(owner, key, slot, node)

    def _load_item(self, owner: Slot, key: int | None, key_slot: Slot, node: Node) -> Slot:
        if key is not None:
            known = self._context.environment.items.get((owner, key))
            if known is not None:
                return known
        return self._emitter.filled(GET_ITEM, owner, key, key_slot, *self._context.at(node))

    def _key(self, node: Node) -> tuple[Slot, str | int | None, Slot]:
        owner = self._walkers.expressions.value(field(node, "object"))
        index = bare(field(node, "index"))
        constant = string_of(index)
        if constant is None and index is not None and index.type == "number":
            constant = text_of(index)
        if constant is not None:
            return owner, normal_key(constant), NOTHING
        return owner, None, self._walkers.expressions.value(index)

    def store(self, node: Node, slot: Slot) -> None:
        """Set `owner.name`."""
        owner_node, name = field(node, "object"), text_of(field(node, "property"))
        if dotted(node) == "module.exports":
            self._context.export("module.exports", slot)
            return
        self.store_in(self._walkers.expressions.value(owner_node), name, slot, node)

    def store_in(self, owner: Slot, name: str, slot: Slot, node: Node) -> None:
        """Set a property of the value of a slot."""
        if owner == NOTHING:
            return
        self._emitter.emit(STORE, owner, name, slot, *self._context.at(node))
        items = self._context.environment.items
        if slot != NOTHING:
            items[owner, name] = slot
        else:
            items.pop((owner, name), None)

    def store_item(self, node: Node, slot: Slot) -> None:
        """Set `owner[key]`."""
        owner, key, key_slot = self._key(node)
        if owner == NOTHING:
            return
        if isinstance(key, str):
            self.store_in(owner, key, slot, node)
            return
        self._emitter.emit(SET_ITEM, owner, key, key_slot, slot, *self._context.at(node))
        items = self._context.environment.items
        if key is None:
            for known in [known for known in items if known[0] == owner]:
                del items[known]
        elif slot != NOTHING:
            items[owner, key] = slot

    def namespace(self, node: Node) -> None:
        """Walk `namespace N { ... }`, an object with its exports as properties."""
        context, name, body = self._context, text_of(field(node, "name")), field(node, "body")
        if body is None:
            return
        with context.inner_block() as inner:
            self._walkers.statements.statements(children(body))
        items = tuple(
            (known, held) for known, binding in inner.names.items() if (held := context.environment.read(binding)) >= 0
        )
        slot = self._emitter.filled(CONTAINER, MAPPING, items, ())
        context.declare(name)
        context.assign(name, slot)
