"""Translates expressions: their calls and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.flow.names import outward
from indexer.adapters.languages.java.flow.reflection import Reflection
from indexer.adapters.languages.java.syntax import arguments_of, dotted, parameters_of
from indexer.adapters.languages.syntax import child_of, children, field, first_child, line_of, one_line, text_of
from indexer.domain.linking.program import LAMBDA, LIST, NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.adapters.languages.java.flow.builder import Builder

MAX_WRITTEN = 80


class Expressions:
    """Walks expressions; each gives the slot of its value."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._writer = builder.writer
        self._names = builder.names
        self._types = builder.types
        self._reflection = Reflection(builder.writer, builder.names)
        self._walkers: dict[str, Callable[[Node], Slot]] = {
            "identifier": self._identifier,
            "this": lambda _node: self._this(),
            "field_access": self._field_access,
            "method_invocation": self._invocation,
            "object_creation_expression": self._creation,
            "lambda_expression": self._lambda,
            "method_reference": self._reference,
            "cast_expression": self._cast,
            "ternary_expression": self._ternary,
            "assignment_expression": self._assignment,
            "array_access": self._array_access,
            "array_creation_expression": self._array,
            "array_initializer": self._array,
            "instanceof_expression": self._instanceof,
            "parenthesized_expression": self._inner,
            "switch_expression": self._switch,
            "class_literal": lambda node: self._types.slot(first_child(node)),
        }

    def value(self, node: Node | None) -> Slot:
        """Walk an expression and give its slot."""
        if node is None:
            return NOTHING
        walker = self._walkers.get(node.type)
        if walker is not None:
            return walker(node)
        for child in children(node):
            if "type" not in child.type:
                self.value(child)
        return NOTHING

    def arguments(self, node: Node) -> tuple[Slot, ...]:
        """Walk the arguments of a call."""
        return tuple([self.value(argument) for argument in arguments_of(node)])

    def given(self, node: Node) -> tuple[str, ...]:
        """Return the types of the arguments of a call; nothing where it has none."""
        return tuple([self._builder.typing.of(argument) for argument in arguments_of(node)])

    def _this(self) -> Slot:
        current = self._names.current
        return self._names.this_of(current) if current is not None else NOTHING

    def _inner(self, node: Node) -> Slot:
        inner = children(node)
        return self.value(inner[0]) if inner else NOTHING

    def _switch(self, node: Node) -> Slot:
        return self._builder.statements.switch(node)

    def _identifier(self, node: Node) -> Slot:
        name, line = text_of(node), line_of(node)
        found = self._names.variable(name, line)
        if found is not None:
            return found
        if name[:1].isupper() and not name.isupper():
            return self._names.type_slot(name)
        inherited = self._names.inherited(name, line)
        return self._writer.union([inherited, self._names.type_slot(name)]) if name[:1].isupper() else inherited

    def _field_access(self, node: Node) -> Slot:
        owner, name = field(node, "object"), text_of(field(node, "field"))
        if name == "this":
            return self._outer_this(text_of(owner))
        path = dotted(node)
        first = path.partition(".")[0]
        if path and first[:1].islower() and first not in ("this", "super") and self._is_package(first, node):
            return self._names.qualified(path, line_of(node))
        if owner is not None and owner.type == "this" and (current := self._names.current) is not None:
            known = current.fields.get(name)
            if known is not None:
                return known
        if owner is not None and owner.type == "super":
            return self._writer.load(self._super(line_of(node)), name, line_of(node))
        return self._writer.load(self.value(owner), name, line_of(node))

    def _is_package(self, first: str, node: Node) -> bool:
        *path, last = dotted(node).split(".")
        has_type = any(part[:1].isupper() for part in path) or (last[:1].isupper() and not last.isupper())
        return has_type and self._names.variable(first, line_of(node)) is None

    def _outer_this(self, name: str) -> Slot:
        info = next((info for info in outward(self._names.current) if info.name == name), None)
        return self._names.this_of(info) if info is not None else NOTHING

    def _super(self, line: int) -> Slot:
        current = self._names.current
        if current is None:
            return NOTHING
        return self._names.super_of(current, line)

    def _invocation(self, node: Node) -> Slot:
        owner, name, line = field(node, "object"), text_of(field(node, "name")), line_of(field(node, "name") or node)
        arguments = self.arguments(node)
        attribute = f"{name}({len(arguments)})"
        written = _written(owner, name)
        is_super = any(child.type == "super" for child in node.children)
        if owner is None and not is_super:
            callee, receiver = self._names.method(name, len(arguments), line)
        elif is_super and owner is not None and owner.type != "super":  # Interface.super.method()
            callee, receiver = self._writer.load(self.value(owner), attribute, line), NOTHING
            arguments = (self._this(), *arguments)
        else:
            receiver = self._super(line) if is_super else self.value(owner)
            callee = self._writer.load(receiver, attribute, line)
        is_own = dotted(owner).rpartition(".")[2][:1].isupper()  # a static method of the project, or of `Class`
        found = NOTHING
        if not is_own or name in ("forName", "newProxyInstance"):
            found = self._reflection.found(node, name, receiver, arguments)
        given = self.given(node) if len(arguments) == len(arguments_of(node)) else ()
        result = self._writer.call(callee, arguments, written, line, receiver, attribute, given=given)
        return self._writer.union([result, found])

    def _creation(self, node: Node) -> Slot:
        named = field(node, "type")
        cls, line = self._types.slot(named), line_of(node)
        for child in children(node):
            if child.type not in ("argument_list", "class_body") and (named is None or child.id != named.id):
                outer = self.value(child)
                if outer != NOTHING and named is not None:  # outer.new Inner()
                    cls = self._writer.union([cls, self._writer.load(outer, text_of(named), line)])
        arguments = self.arguments(node)
        body = child_of(node, "class_body")
        if body is not None:
            return self._builder.anonymous(body, cls, arguments, self.given(node))
        written = f"new {one_line(text_of(named))}"[:MAX_WRITTEN]
        return self._writer.call(cls, arguments, written, line, given=self.given(node))

    def _lambda(self, node: Node) -> Slot:
        parameters, body = parameters_of(node), field(node, "body")

        def walk() -> None:
            if body is not None and body.type == "block":
                self._builder.statements.block(body)
            else:
                self._writer.copy(self.value(body), self._writer.frame.result)

        name = self._writer.next_lambda()
        return self._builder.function(LAMBDA, name, node, [(key, kind) for key, kind, _ in parameters], walk)

    def _reference(self, node: Node) -> Slot:
        parts, line = children(node), line_of(node)
        if not parts:
            return NOTHING
        owner = parts[0]
        if owner.type == "super":
            receiver = self._super(line)
        elif owner.type.endswith("type") or owner.type == "type_identifier":
            receiver = self._types.slot(owner)
        else:
            receiver = self.value(owner)
        if len(parts) < 2:  # Type::new
            return self._constructor(node, receiver) if text_of(node).endswith("new") else NOTHING
        return self._writer.load(receiver, f"{text_of(parts[-1])}(*)", line)

    def _constructor(self, node: Node, cls: Slot) -> Slot:
        def walk() -> None:
            self._writer.copy(self._writer.call(cls, (), "", line_of(node)), self._writer.frame.result)

        return self._builder.function(LAMBDA, self._writer.next_lambda(), node, (), walk)

    def _cast(self, node: Node) -> Slot:
        value, named = self.value(field(node, "value")), field(node, "type")
        cls = self._types.slot(named)
        if cls == NOTHING:
            return value
        return self.narrow(value, cls, line_of(node))

    def narrow(self, value: Slot, cls: Slot, line: int) -> Slot:
        """
        Return a value narrowed to a class; functions stay unchanged.

        A value of which nothing is known, such as one from a library, becomes any instance of the class.
        """
        found = self._writer.narrow(value, cls, line)
        if value != NOTHING:
            self._writer.declare(found, cls, line, unless_known=value)
        return found

    def _instanceof(self, node: Node) -> Slot:
        value, named = self.value(field(node, "left")), field(node, "right")
        name = field(node, "name")
        if named is not None:
            narrowed = self.narrow(value, self._types.slot(named), line_of(node))
            if name is not None:
                self._writer.frame.bind(text_of(name), narrowed)
                self._builder.typing.declare(narrowed, named)
        self.bind_pattern(field(node, "pattern"))
        return NOTHING

    def bind_pattern(self, node: Node | None) -> None:
        """Declare the variables of a pattern."""
        if node is None:
            return
        if node.type in ("type_pattern", "record_pattern_component"):
            parts = children(node)
            if len(parts) > 1:
                slot = self._writer.slot()
                self._types.declare(slot, parts[0], only_unknown=False)
                self._builder.typing.declare(slot, parts[0])
                self._writer.frame.bind(text_of(parts[-1]), slot)
        for child in children(node):
            if "pattern" in child.type:
                self.bind_pattern(child)

    def _ternary(self, node: Node) -> Slot:
        self.value(field(node, "condition"))
        return self._writer.union([self.value(field(node, "consequence")), self.value(field(node, "alternative"))])

    def _assignment(self, node: Node) -> Slot:
        value = self.value(field(node, "right"))
        target, line = field(node, "left"), line_of(node)
        if target is None:
            return value
        if target.type == "identifier":
            known = self._names.variable(text_of(target), line)
            if known is not None:
                self._writer.copy(value, known)
            elif value != NOTHING:
                self._writer.store(self._this(), text_of(target), value, line)
        elif target.type == "field_access":
            self._store(target, value, line)
        elif target.type == "array_access":
            array = self.value(field(target, "array"))
            self.value(field(target, "index"))
            self._writer.set_item(array, value, line)
        return value

    def _store(self, target: Node, value: Slot, line: int) -> None:
        owner, name = field(target, "object"), text_of(field(target, "field"))
        current = self._names.current
        if owner is not None and owner.type == "this" and current is not None and name in current.fields:
            self._writer.copy(value, current.fields[name])
            return
        self._writer.store(self.value(owner), name, value, line)

    def _array_access(self, node: Node) -> Slot:
        array = self.value(field(node, "array"))
        self.value(field(node, "index"))
        return self._writer.item(array, line_of(node))

    def _array(self, node: Node) -> Slot:
        items = node if node.type == "array_initializer" else field(node, "value")
        element = self._writer.slot()
        for item in children(items):
            self._writer.copy(self.value(item), element)
        return self._writer.container(LIST, element)


def _written(owner: Node | None, name: str) -> str:
    """Return the callee as text, with its receiver unless that is itself a call."""
    before = dotted(owner)
    return f"{before}.{name}" if before and len(before) < MAX_WRITTEN else name
