"""Statements: declarations, branches and loops, in blocks of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import CLASSES
from indexer.adapters.languages.syntax import child_of, children, field, first_child, line_of, text_of
from indexer.domain.linking.program import NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.adapters.languages.java.flow.builder import Builder

# Expressions whose value is more exact than the declared type of the variable that it is assigned to.
_TELLING = frozenset(("object_creation_expression", "lambda_expression", "method_reference", "this", "string_literal"))


class Statements:
    """Walks statements."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._writer = builder.writer
        self._walkers: dict[str, Callable[[Node], None]] = {
            **dict.fromkeys(("block", "constructor_body", "try_with_resources_statement", "for_statement"), self.block),
            "local_variable_declaration": self._declaration,
            "return_statement": self._return,
            "yield_statement": self._yield,
            "enhanced_for_statement": self._for_each,
            "resource": self._resource,
            "catch_clause": self._catch,
            "explicit_constructor_invocation": self._constructor,
            "if_statement": self._if,
            "switch_block_statement_group": self._children,
            "lambda_expression": self._expression,
        }
        self._yields: list[Slot] = []

    def block(self, node: Node) -> None:
        """Walk a block, or a statement that is one; its names end with it."""
        with self._writer.block():
            self._children(node)

    def statement(self, node: Node) -> None:
        """Walk a statement, or an expression used as one."""
        walker = self._walkers.get(node.type)
        if walker is not None:
            walker(node)
        elif node.type in CLASSES:
            self._builder.local_class(node)
        elif node.type.endswith(("_statement", "_clause", "_specification")) or node.type == "ERROR":
            self._children(node)
        else:
            self._expression(node)

    def _expression(self, node: Node) -> None:
        self._builder.expressions.value(node)

    def _children(self, node: Node) -> None:
        for child in children(node):
            self.statement(child)

    def _if(self, node: Node) -> None:
        """Walk an `if`; names of patterns in its condition stay bound, as for `if (!(x instanceof Y y)) return;`."""
        self._children(node)

    def _declaration(self, node: Node) -> None:
        named = field(node, "type")
        for declarator in children(node):
            if declarator.type == "variable_declarator":
                self.variable(declarator, named, self._writer.slot())

    def variable(self, declarator: Node, named: Node | None, slot: Slot) -> None:
        """Declare a local variable or field with its initial value."""
        name, value = text_of(field(declarator, "name")), field(declarator, "value")
        given = self._builder.expressions.value(value)
        if field(declarator, "dimensions") is None:
            self._builder.typing.declare(slot, named, value)
        self._writer.frame.bind(name, slot)
        self._writer.copy(given, slot)
        if field(declarator, "dimensions") is not None:
            self._builder.types.declare_elements(slot, named)
        elif value is None or value.type not in _TELLING or (named is not None and named.type == "generic_type"):
            self._builder.types.declare(slot, named, only_unknown=True)

    def _return(self, node: Node) -> None:
        for child in children(node):
            self._writer.copy(self._builder.expressions.value(child), self._writer.frame.result)

    def _yield(self, node: Node) -> None:
        for child in children(node):
            value = self._builder.expressions.value(child)
            if self._yields:
                self._writer.copy(value, self._yields[-1])

    def _for_each(self, node: Node) -> None:
        body = field(node, "body")
        with self._writer.block():
            slot = self._writer.iterate(self._builder.expressions.value(field(node, "value")), line_of(node))
            self._builder.types.declare(slot, field(node, "type"), only_unknown=False)
            self._builder.typing.declare(slot, field(node, "type"))
            self._writer.frame.bind(text_of(field(node, "name")), slot)
            if body is not None:
                self.statement(body)

    def _resource(self, node: Node) -> None:
        value = self._builder.expressions.value(field(node, "value") or first_child(node))
        name = field(node, "name")
        if name is not None:
            slot = self._writer.slot()
            self._writer.copy(value, slot)
            self._builder.types.declare(slot, field(node, "type"), only_unknown=True)
            self._builder.typing.declare(slot, field(node, "type"), field(node, "value"))
            self._writer.frame.bind(text_of(name), slot)
            value = slot
        if value != NOTHING:
            line = line_of(node)
            closing = self._writer.load(value, "close(0)", line)
            self._writer.call(closing, (), "", line, value, "close(0)")

    def _catch(self, node: Node) -> None:
        parameter, body = child_of(node, "catch_formal_parameter"), field(node, "body")
        with self._writer.block():
            if parameter is not None:
                slot = self._writer.slot()
                caught = children(child_of(parameter, "catch_type"))
                for named in caught:
                    self._builder.types.declare(slot, named, only_unknown=False)
                if len(caught) == 1:
                    self._builder.typing.declare(slot, caught[0])
                self._writer.frame.bind(text_of(field(parameter, "name")), slot)
            if body is not None:
                self.block(body)

    def _constructor(self, node: Node) -> None:
        word = field(node, "constructor")
        arguments = self._builder.expressions.arguments(node)
        given = self._builder.expressions.given(node)
        to_super = word is not None and word.type == "super"
        self._builder.members.delegate(arguments, line_of(node), to_super=to_super, given=given)

    def switch(self, node: Node) -> Slot:
        """Walk a switch and return its value: those of its rules and `yield` statements."""
        self._builder.expressions.value(field(node, "condition"))
        result = self._writer.slot()
        self._yields.append(result)
        for group in children(field(node, "body")):
            with self._writer.block():
                for child in children(group):
                    self._rule(child, result, is_rule=group.type == "switch_rule")
        self._yields.pop()
        return result

    def _rule(self, node: Node, result: Slot, *, is_rule: bool) -> None:
        if node.type == "switch_label":
            for child in children(node):
                if child.type == "pattern":
                    self._builder.expressions.bind_pattern(child)
                elif child.type == "guard":
                    self._builder.expressions.value(child)
        elif is_rule and node.type == "expression_statement":
            for child in children(node):
                self._writer.copy(self._builder.expressions.value(child), result)
        else:
            self.statement(node)
