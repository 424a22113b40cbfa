"""Translates expressions: their calls and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.go.flow.names import element_type
from indexer.adapters.languages.go.syntax import BUILTINS, arguments_of, dotted, parameters_of, pointed, type_name
from indexer.adapters.languages.syntax import children, field, first_child, line_of, text_of
from indexer.domain.linking import program as op
from indexer.domain.linking.program import LAMBDA, LIST, NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.adapters.languages.go.flow.builder import Builder

MAX_WRITTEN = 80
_LITERALS = frozenset(("interpreted_string_literal", "raw_string_literal", "int_literal", "float_literal"))


class Expressions:
    """Walks expressions; each gives the slot of its value."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._writer = builder.writer
        self._names = builder.names
        self._walkers: dict[str, Callable[[Node], Slot]] = {
            "identifier": lambda node: self._names.find(text_of(node)),
            "selector_expression": lambda node: self._writer.load(
                self._operand(node), text_of(field(node, "field")), line_of(node)
            ),
            "call_expression": lambda node: self.call(node)[0],
            "type_conversion_expression": lambda node: self.converted(
                field(node, "type"), self._operand(node), line_of(node)
            ),
            "composite_literal": lambda node: self._literal(field(node, "type"), field(node, "body"), line_of(node)),
            "func_literal": self._function,
            "unary_expression": self._unary,
            "parenthesized_expression": self._inner,
            "index_expression": self._index,
            "slice_expression": self._operand,
            "type_assertion_expression": lambda node: self.narrow(
                self._operand(node), field(node, "type"), line_of(node)
            ),
            "type_instantiation_expression": lambda node: self._names.type_slot(field(node, "type")),
        }

    def value(self, node: Node | None) -> Slot:
        """Walk an expression and give its slot."""
        if node is None or node.type in _LITERALS:
            return NOTHING
        walker = self._walkers.get(node.type)
        if walker is not None:
            return walker(node)
        for child in children(node):
            self.value(child)
        return NOTHING

    def values(self, nodes: list[Node], count: int) -> list[Slot]:
        """Return a value for each of several targets: from one expression each, or from the results of one call."""
        if len(nodes) == 1 and count > 1:
            if nodes[0].type == "call_expression":
                _, callee = self.call(nodes[0])
                return [self._writer.load(callee, f"({place})", line_of(nodes[0])) for place in range(count)]
            return [self.value(nodes[0]), *([NOTHING] * (count - 1))]
        found = [self.value(node) for node in nodes]
        return (found + [NOTHING] * count)[: max(count, len(found))]

    def _inner(self, node: Node) -> Slot:
        inner = children(node)
        return self.value(inner[0]) if inner else NOTHING

    def _operand(self, node: Node) -> Slot:
        return self.value(field(node, "operand"))

    def call(self, node: Node) -> tuple[Slot, Slot]:
        """Walk a call and give (result, callee)."""
        function, line = field(node, "function"), line_of(node)
        if function is None:
            return NOTHING, NOTHING
        name = text_of(function)
        if function.type == "identifier" and name in BUILTINS and self._names.variable(name) is None:
            return self._builtin(name, node), NOTHING
        receiver, attribute = NOTHING, ""
        if function.type == "selector_expression":
            attribute = text_of(field(function, "field"))
            line = line_of(field(function, "field") or node)
            receiver = self._operand(function)
            callee = self._writer.load(receiver, attribute, line)
        elif function.type == "index_expression":  # an instantiated generic function
            callee = self._operand(function)
        elif function.type in ("slice_type", "array_type", "map_type"):
            callee = NOTHING
        else:
            callee = self.value(function)
        arguments = tuple([self._argument(argument) for argument in arguments_of(node)])
        written = dotted(function)[:MAX_WRITTEN] or attribute
        return self._writer.call(callee, arguments, written, line, receiver, attribute), callee

    def _argument(self, node: Node) -> Slot:
        if node.type == "variadic_argument":
            inner = self._inner(node)
            return -2 - inner if inner != NOTHING else NOTHING
        return self.value(node)

    def _builtin(self, name: str, node: Node) -> Slot:
        arguments = arguments_of(node)
        if name in ("make", "new"):
            for argument in arguments[1:]:
                self.value(argument)
            return self._made(arguments[0], line_of(node)) if arguments else NOTHING
        values = [self.value(argument) for argument in arguments]
        if name == "append" and values:
            element = self._writer.slot()
            for argument, value in zip(arguments[1:], values[1:], strict=True):
                if argument.type != "variadic_argument":
                    self._writer.copy(value, element)
            spread = tuple(slot for slot in (values[0], self._spread(arguments)) if slot != NOTHING)
            return self._writer.filled(op.CONTAINER, LIST, ((None, element),), spread)
        return NOTHING

    def _spread(self, arguments: list[Node]) -> Slot:
        last = arguments[-1]
        return self._inner(last) if last.type == "variadic_argument" else NOTHING

    def _made(self, named: Node, line: int) -> Slot:
        """Return the slot of the result of `make` or `new`."""
        cls = self._names.type_slot(named)
        if cls != NOTHING:
            return self._writer.call(cls, (), "", line)
        found = self._writer.slot()
        self._names.declare(found, named)
        return found

    def converted(self, named: Node | None, value: Slot, line: int) -> Slot:
        """Return a value converted to a type, with the methods of that type."""
        cls = self._names.type_slot(named)
        if cls == NOTHING:
            return value
        return self._writer.call(cls, (value,), "", line)

    def _literal(self, named: Node | None, body: Node | None, line: int) -> Slot:
        """Return the value of a composite literal; in nested literals the type may be omitted."""
        element = element_type(named) if named is not None else None
        cls = NOTHING if element is not None else self._names.type_slot(named)
        keyed: list[tuple[str, Slot, int]] = []
        given: list[Slot] = []
        for item in children(body):
            key = _unwrapped(field(item, "key"))
            inner = _unwrapped(field(item, "value") if item.type == "keyed_element" else item)
            if inner is not None and inner.type == "literal_value":
                value = self._literal(pointed(element), inner, line_of(inner))
            else:
                value = self.value(inner)
            if key is not None and cls == NOTHING:
                self.value(key)
            given.append(value)
            if key is not None:
                keyed.append((text_of(key), value, line_of(item)))
        if cls == NOTHING:
            return self._writer.container(LIST, self._writer.union(given))
        keywords = tuple([(name, value) for name, value, _ in keyed])
        arguments = () if keyed else tuple(given)
        made = self._writer.call(cls, arguments, f"{type_name(named)}{{}}", line, keywords=keywords)
        for name, value, where in keyed:
            self._writer.store(made, name, value, where)
        return made

    def _function(self, node: Node) -> Slot:
        return self._builder.function(
            LAMBDA, self._writer.next_lambda(), node, parameters_of(field(node, "parameters"))
        )

    def _unary(self, node: Node) -> Slot:
        value = self._operand(node)
        if text_of(field(node, "operator")) == "<-":
            return self._writer.item(value, line_of(node))
        return value

    def _index(self, node: Node) -> Slot:
        self.value(field(node, "index"))
        return self._writer.item(self._operand(node), line_of(node))

    def narrow(self, value: Slot, named: Node | None, line: int) -> Slot:
        """Narrow a value to a type."""
        cls = self._names.type_slot(named)
        return self._writer.narrow(value, cls, line) if cls != NOTHING else value


def _unwrapped(node: Node | None) -> Node | None:
    if node is not None and node.type == "literal_element":
        return first_child(node)
    return node
