"""Type annotations: the instances that a declared type allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.syntax import bare
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.linking.program import CONTAINER, INSTANCE, LIST, MAPPING, NARROW, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node


_SAME = frozenset(
    ("Promise", "PromiseLike", "Readonly", "Partial", "Required", "NonNullable", "Awaited", "Omit", "Pick", "Ref")
)
_LISTS = frozenset(
    ("Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "Iterator", "Generator", "AsyncIterable")
)
_MAPPINGS = frozenset(("Map", "ReadonlyMap", "WeakMap", "Record"))
_TRANSPARENT = frozenset(("type_annotation", "parenthesized_type", "readonly_type", "optional_type", "union_type"))


class Types(Walker):
    """Reads annotations."""

    def annotation(self, node: Node | None) -> Slot:
        """Return a slot for the instances that an annotation allows, filled later: types may be defined below."""
        if node is None or not _names_types(node):
            return NOTHING
        return self._put_off(node, instances=True)

    def alias(self, node: Node | None) -> Slot:
        """Return a slot for the classes that an alias stands for, filled later."""
        return NOTHING if node is None else self._put_off(node, instances=False)

    def _put_off(self, node: Node, *, instances: bool) -> Slot:
        context, slot = self._context, self._emitter.slot()
        environment, block = context.environment, context.block

        def resolve() -> None:
            context.environment, context.block = environment, block
            self._emitter.copy(self.value(node) if instances else self.classes(node), slot)

        context.emitter.defer(resolve)
        return slot

    def value(self, node: Node) -> Slot:
        """Give a slot with the instances of a type."""
        kind = node.type
        if kind == "array_type":
            return self._container(LIST, children(node)[:1])
        if kind == "generic_type":
            name, arguments = text_of(field(node, "name")), children(field(node, "type_arguments"))
            if name in _LISTS:
                return self._container(LIST, arguments[:1])
            if name in _MAPPINGS:
                return self._container(MAPPING, arguments[1:2])
            if name in _SAME:
                return self._emitter.union([self.value(argument) for argument in arguments[:1]])
        if kind in _TRANSPARENT:
            return self._emitter.union([self.value(part) for part in children(node)])
        classes = self.classes(node)
        if classes == NOTHING:
            return NOTHING
        return self._emitter.filled(INSTANCE, classes, *self._context.at(node))

    def _container(self, kind: int, element: list[Node]) -> Slot:
        slot = self._emitter.slot()
        held = [(None, inner) for part in element if (inner := self.value(part)) != NOTHING]
        self._emitter.emit(CONTAINER, slot, kind, tuple(held), ())
        return slot

    def classes(self, node: Node) -> Slot:
        """Give a slot with the classes that a type names."""
        kind = node.type
        if kind in ("type_identifier", "identifier"):
            return self._context.lookup(text_of(node))
        if kind in ("nested_type_identifier", "member_expression", "nested_identifier"):
            parts = text_of(node).split(".")
            slot = self._context.lookup(parts[0])
            for part in parts[1:]:
                slot = self._walkers.objects.load(slot, part, node)
            return slot
        if kind == "generic_type":
            name = field(node, "name")
            if name is not None and text_of(name) in _SAME:
                return self._emitter.union([self.classes(part) for part in children(field(node, "type_arguments"))[:1]])
            return self.classes(name) if name is not None else NOTHING
        if kind in _TRANSPARENT or kind == "intersection_type":
            return self._emitter.union([self.classes(part) for part in children(node)])
        return NOTHING

    def narrow(self, condition: Node | None, *, holds: bool) -> None:
        """Narrow a name to a class where `name instanceof Class` holds."""
        test = bare(condition)
        if test is None or not holds or test.type != "binary_expression":
            return
        operator, left, right = text_of(field(test, "operator")), field(test, "left"), field(test, "right")
        if operator == "&&":
            self.narrow(left, holds=True)
            self.narrow(right, holds=True)
        elif operator == "instanceof" and left is not None and left.type == "identifier" and right is not None:
            cls = self._walkers.expressions.value(right)
            if cls != NOTHING and self._context.block.find(text_of(left)) is not None:
                slot = self._emitter.slot()
                held = self._context.lookup(text_of(left))
                self._emitter.emit(NARROW, slot, held, cls, *self._context.at(test))
                self._context.assign(text_of(left), slot)


def _names_types(node: Node) -> bool:
    """Return whether an annotation names anything but the language's own types."""
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type in ("type_identifier", "nested_type_identifier", "generic_type", "array_type"):
            return True
        if inner.type not in ("object_type", "function_type"):
            pending.extend(inner.named_children)
    return False
