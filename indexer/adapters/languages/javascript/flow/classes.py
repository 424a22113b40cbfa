"""Classes, interfaces, enumerations, and functions that are used as classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.flow.environment import Block, Environment
from indexer.adapters.languages.javascript.flow.functions import FunctionPlace
from indexer.adapters.languages.javascript.names import own_name, prototype_owner
from indexer.adapters.languages.javascript.symbols import scope_name
from indexer.adapters.languages.javascript.syntax import (
    FIELDS,
    FUNCTION_EXPRESSIONS,
    FUNCTION_VALUES,
    arguments_of,
    bare,
    dotted,
    has_word,
    key_of,
)
from indexer.adapters.languages.syntax import children, field, line_of, text_of
from indexer.domain.linking.program import (
    CLASS,
    DECORATE,
    INSTANCE,
    IS_SETTER,
    IS_STATIC,
    IS_STUB,
    NAME,
    NOTHING,
    STRUCTURAL,
    SUPER,
    Slot,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.javascript.flow.builder import Walkers

_PROTOCOL = {"constructor": "__init__", "[Symbol.iterator]": "__iter__", "[Symbol.asyncIterator]": "__aiter__"}
_SIGNATURES = ("method_signature", "abstract_method_signature")


class ClassParts:
    """A class while its parts are being collected."""

    def __init__(self, scope: int, slot: Slot) -> None:
        self.scope = scope
        self.slot = slot
        self.bases: list[Slot] = []
        self.members: dict[str, Slot] = {}
        self.fields: dict[str, Slot] = {}
        self.metaclass = NOTHING

    def detail(self) -> tuple[object, ...]:
        """Return the program's entry for a class."""
        bases = tuple(slot for slot in self.bases if slot != NOTHING)
        return bases, self.metaclass, tuple(self.members.items()), tuple(self.fields.items())


class Classes(Walker):
    """Walks classes."""

    def __init__(self, walkers: Walkers) -> None:
        super().__init__(walkers)
        self._by_scope: dict[int, ClassParts] = {}

    @property
    def every(self) -> list[ClassParts]:
        """All classes of the file."""
        return list(self._by_scope.values())

    def declared(self, node: Node) -> None:
        """Walk a class declaration."""
        name = own_name(node) or "default"
        self._context.declare(name)
        self._class(node, name, bound=name)

    def expression(self, node: Node) -> Slot:
        """Walk a class that is a value."""
        return self._class(node, scope_name(node) or "<class>", bound=own_name(node))

    def _open(self, node: Node, name: str) -> ClassParts:
        context = self._context
        symbol = context.table.positions.get(node.id, context.symbol())
        scope = context.emitter.add_scope(CLASS, name, context.environment.index, symbol, line_of(node))
        slot = self._emitter.define(scope)
        parts = self._by_scope[scope] = ClassParts(scope, slot)
        context.classes.setdefault(name, parts)
        return parts

    def _class(self, node: Node, name: str, bound: str) -> Slot:
        context = self._context
        bases = self._heritage(node)
        parts = self._open(node, name)
        parts.bases = bases
        if bound:
            context.declare(bound)
            context.assign(bound, parts.slot)
        around, block = context.environment, context.block
        context.time += 1
        inner = Environment(parts.scope, around, context)
        inner.own_class = parts.scope
        context.environment, context.block = inner, Block(block)
        self._body(children(field(node, "body")), parts, inner)
        context.environment, context.block = around, block
        holder = node.parent if node.parent is not None and node.parent.type == "export_statement" else node
        for decorator in [child for item in {holder.id: holder, node.id: node}.values() for child in children(item)]:
            if decorator.type == "decorator":
                self._decorate(decorator, parts.slot)
        return parts.slot

    def _decorate(self, decorator: Node, slot: Slot) -> None:
        for expression in children(decorator):
            callee = self._walkers.expressions.value(expression)
            self._walkers.calls.emit(decorator, callee, (slot,), dotted(expression))

    def _heritage(self, node: Node) -> list[Slot]:
        found: list[Slot] = []
        for heritage in children(node):
            if heritage.type in ("extends_clause", "class_heritage", "extends_type_clause", "implements_clause"):
                for clause in children(heritage):
                    if clause.type == "extends_clause":
                        found.append(self._base(field(clause, "value")))
                    elif clause.type == "implements_clause":
                        found.extend(self._walkers.types.classes(kind) for kind in children(clause))
                    elif heritage.type == "extends_type_clause":
                        found.append(self._walkers.types.classes(clause))
                    elif heritage.type == "class_heritage":
                        found.append(self._base(clause))
        return found

    def _base(self, node: Node | None) -> Slot:
        """Return the slot of a base; for a call of a mixin, it holds the arguments, which are bases too."""
        slot = self._walkers.expressions.value(node)
        inner = bare(node)
        if inner is not None and inner.type == "call_expression":
            given = [self._walkers.expressions.value(item) for item in arguments_of(inner) if item.type == "identifier"]
            return self._emitter.union([slot, *given])
        return slot

    def _body(self, members: list[Node], parts: ClassParts, inner: Environment) -> None:
        instance = self._emitter.filled(INSTANCE, parts.slot, inner.index, 0)
        pending: list[Node] = []
        for member in members:
            if member.type == "decorator":
                pending.append(member)
                continue
            static = has_word(member, "static")
            inner.this = parts.slot if static or member.type == "class_static_block" else instance
            slot = NOTHING
            if member.type == "method_definition":
                slot = self._method(member, parts, is_static=static)
            elif member.type in FIELDS:
                self._field(member, parts, is_static=static)
            elif member.type in _SIGNATURES:
                self._signature(member, parts)
            elif member.type == "class_static_block":
                self._walkers.statements.statements(children(field(member, "body")))
            for decorator in [*pending, *(child for child in children(member) if child.type == "decorator")]:
                self._decorate(decorator, slot)
            pending = []

    def _method(self, node: Node, parts: ClassParts, *, is_static: bool) -> Slot:
        name = own_name(node)
        flags = IS_STATIC if is_static else 0
        if _only_throws(node):
            flags |= IS_STUB
        if has_word(node, "set"):
            flags |= IS_SETTER
        place = FunctionPlace(parts.scope, parts.slot if is_static else NOTHING, flags)
        slot = self._walkers.functions.define(node, name, place)
        key = _PROTOCOL.get(name, name)
        if has_word(node, "set"):
            key = f"{name}="
        elif has_word(node, "get"):
            slot = self._getter(slot, node)
        parts.members[key] = slot
        return slot

    def _getter(self, slot: Slot, node: Node) -> Slot:
        marker, computed = self._emitter.slot(), self._emitter.slot()
        self._emitter.emit(NAME, marker, "<getter>")
        self._emitter.emit(DECORATE, computed, marker, slot, *self._context.at(node))
        return computed

    def _field(self, node: Node, parts: ClassParts, *, is_static: bool) -> None:
        name = key_of(field(node, "name") or field(node, "property"))
        value = bare(field(node, "value"))
        said = self._walkers.types.annotation(field(node, "type"))
        if value is not None and value.type in FUNCTION_VALUES and not is_static:
            slot = self._walkers.functions.define(value, name or "<computed>", FunctionPlace(parts.scope))
            if name:
                parts.members[name] = slot
            return
        slot = self._emitter.union([self._walkers.expressions.value(value), said])
        if name and slot != NOTHING:
            (parts.members if is_static else parts.fields)[name] = slot

    def _signature(self, node: Node, parts: ClassParts) -> None:
        name = key_of(field(node, "name"))
        if name and name not in parts.members:
            parts.members[name] = self._walkers.functions.signature(node, name, parts.scope, IS_STUB)

    def hoist_shape(self, node: Node) -> None:
        """Define an interface, an enumeration or an object type; an alias of other types stands for these types."""
        name = own_name(node)
        self._context.declare(name)
        body = field(node, "body") or field(node, "value")
        if node.type == "type_alias_declaration" and node.id not in self._context.table.positions:
            self._context.assign(name, self._walkers.types.alias(body))
            return
        parts = self._open(node, name)
        self._context.assign(name, parts.slot)
        if node.type == "enum_declaration":
            return
        for part in children(body) if body is not None and body.type != "object_type" else [body]:
            for member in children(part) if part is not None and part.type == "object_type" else [part]:
                if member is None:
                    continue
                if member.type == "method_signature":
                    self._signature(member, parts)
                    parts.metaclass = STRUCTURAL
                elif member.type == "property_signature" and (key := key_of(field(member, "name"))):
                    said = self._walkers.types.annotation(field(member, "type"))
                    if said != NOTHING:
                        parts.fields[key] = said

    def shape(self, node: Node) -> None:
        """Find the bases of an interface, once everything before it has run."""
        parts = self._context.classes.get(own_name(node))
        if parts is not None and node.type == "interface_declaration":
            parts.bases.extend(self._heritage(node))

    def constructor_function(self, node: Node, name: str) -> Slot:
        """Make a class of a function that is used as one."""
        parts = self._open(node, name)
        this = self._emitter.filled(INSTANCE, parts.slot, parts.scope, line_of(node))
        parts.members["__init__"] = self._walkers.functions.define(node, name, FunctionPlace(this=this))
        return parts.slot

    def assigned(self, left: Node, right: Node) -> Slot | None:
        """Handle `Class.prototype.name = value`, `Class.prototype = value` and `owner.name = function`, with `this`."""
        owner = prototype_owner(left)
        parts = self._context.classes.get(owner) if owner else None
        value = bare(right)
        if value is None:
            return None
        if parts is not None:
            return self._prototype(parts, left, value)
        if left.type == "member_expression" and value.type in FUNCTION_EXPRESSIONS:
            holder = self._walkers.expressions.value(field(left, "object"))
            slot = self._walkers.functions.expression(value, this=holder)
            self._walkers.objects.store_in(holder, text_of(field(left, "property")), slot, left)
            return slot
        return None

    def _prototype(self, parts: ClassParts, left: Node, value: Node) -> Slot:
        if not dotted(left).endswith(".prototype"):
            name = text_of(field(left, "property"))
            if name in ("constructor", "__proto__"):
                if name == "__proto__" and (base := prototype_owner(value)):
                    parts.bases.append(self._context.lookup(base))
                return NOTHING
            return self._member(parts, name, value)
        if value.type == "object":
            for part in children(value):
                name = key_of(field(part, "key") or field(part, "name")) or ""
                inner = part if part.type == "method_definition" else bare(field(part, "value"))
                if inner is not None and name and name != "constructor":
                    self._member(parts, name, inner)
        elif value.type == "new_expression":
            parts.bases.append(self._walkers.expressions.value(field(value, "constructor")))
        elif value.type == "call_expression" and (base := next(map(prototype_owner, arguments_of(value)), "")):
            parts.bases.append(self._context.lookup(base))
        return NOTHING

    def _member(self, parts: ClassParts, name: str, value: Node) -> Slot:
        if value.type in (*FUNCTION_EXPRESSIONS, "method_definition"):
            slot = self._walkers.functions.define(value, name, FunctionPlace(parts.scope))
        else:
            slot = self._walkers.expressions.value(value)
        if slot != NOTHING:
            known = parts.members.get(name)
            if known is None:
                parts.members[name] = slot
            else:
                merged = parts.members[name] = self._emitter.slot()
                for source in (known, slot):
                    self._emitter.copy(source, merged)
        return slot

    def super_(self, node: Node) -> Slot:
        """Return the slot of `super` in the current method."""
        environment = self._context.environment
        parts = self._by_scope.get(environment.own_class)
        if parts is None:
            return NOTHING
        receiver = environment.this if environment.this != NOTHING else parts.slot
        return self._emitter.filled(SUPER, parts.slot, receiver, *self._context.at(node))


def _only_throws(node: Node) -> bool:
    body = children(field(node, "body"))
    return len(body) == 1 and body[0].type == "throw_statement"
