"""Statements: declarations, assignments, branches and loops, in blocks of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.syntax import child_of, children, field, line_of, text_of
from indexer.domain.linking.program import NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.adapters.languages.go.flow.builder import Builder

_BLOCKS = frozenset(
    (
        "block",
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "expression_case",
        "default_case",
        "communication_case",
    )
)


class Statements:
    """Walks statements."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._writer = builder.writer
        self._names = builder.names
        self._walkers: dict[str, Callable[[Node], None]] = {
            "short_var_declaration": self._short,
            "assignment_statement": self._assignment,
            "var_declaration": self.variables,
            "const_declaration": self.variables,
            "type_declaration": self._builder.local_types,
            "return_statement": self._return,
            "range_clause": self._range,
            "receive_statement": self._receive,
            "send_statement": self._send,
            "type_switch_statement": self._type_switch,
        }

    def statement(self, node: Node) -> None:
        """Walk a statement, or an expression used as one."""
        walker = self._walkers.get(node.type)
        if walker is not None:
            walker(node)
        elif node.type in _BLOCKS:
            with self._writer.block():
                self._children(node)
        elif node.type.endswith(("_statement", "_list", "_clause")) or node.type == "ERROR":
            self._children(node)
        else:
            self._builder.expressions.value(node)

    def _children(self, node: Node) -> None:
        for child in children(node):
            self.statement(child)

    def _short(self, node: Node) -> None:
        targets, given = children(field(node, "left")), children(field(node, "right"))
        self._define(targets, self._builder.expressions.values(given, len(targets)))

    def _define(self, targets: list[Node], values: list[Slot]) -> None:
        """Declare names, or assign to those that the same block has already."""
        for target, value in zip(targets, values, strict=False):
            name = text_of(target)
            known = self._writer.frame.blocks[-1].get(name)
            if known is None:
                known = self._writer.slot()
                self._writer.frame.bind(name, known)
            self._writer.copy(value, known)

    def _assignment(self, node: Node) -> None:
        targets, given = children(field(node, "left")), children(field(node, "right"))
        for target, value in zip(targets, self._builder.expressions.values(given, len(targets)), strict=False):
            self.assign(target, value)

    def assign(self, target: Node, value: Slot) -> None:
        """Let a variable, field or element hold a value."""
        line = line_of(target)
        if target.type == "identifier":
            self._writer.copy(value, self._names.find(text_of(target)))
        elif target.type == "selector_expression":
            owner = self._builder.expressions.value(field(target, "operand"))
            self._writer.store(owner, text_of(field(target, "field")), value, line)
        elif target.type == "index_expression":
            owner = self._builder.expressions.value(field(target, "operand"))
            self._builder.expressions.value(field(target, "index"))
            self._writer.set_item(owner, value, line)
        elif target.type in ("unary_expression", "parenthesized_expression"):
            inner = children(target)
            if inner:
                self.assign(inner[0], value)

    def variables(self, node: Node) -> None:
        """Declare the variables or constants of a declaration."""
        for child in children(node):
            for spec in children(child) if child.type.endswith("_list") else [child]:
                if spec.type in ("var_spec", "const_spec"):
                    self.variable(spec, None)

    def variable(self, spec: Node, known: dict[str, Slot] | None) -> None:
        """Declare the names of one specification; variables of the package already have slots."""
        names = [name for name in spec.children_by_field_name("name") if name.is_named]
        values = self._builder.expressions.values(children(field(spec, "value")), len(names))
        named = field(spec, "type")
        for name, value in zip(names, values, strict=False):
            slot = known[text_of(name)] if known is not None and text_of(name) in known else self._writer.slot()
            self._writer.copy(value, slot)
            self._names.declare(slot, named, unless_known=slot)
            if known is None:
                self._writer.frame.bind(text_of(name), slot)

    def _return(self, node: Node) -> None:
        frame = self._writer.frame
        results = self._builder.results[frame.index]
        given = children(child_of(node, "expression_list"))
        values = self._builder.expressions.values(given, len(results)) if given else []
        for value, slot in zip(values, results, strict=False):
            self._writer.copy(value, slot)

    def _range(self, node: Node) -> None:
        left = children(field(node, "left"))
        element = self._writer.iterate(self._builder.expressions.value(field(node, "right")), line_of(node))
        is_new = any(child.type == ":=" for child in node.children)
        values = [element] if len(left) == 1 else [NOTHING, element]
        if is_new:
            self._define(left, values)
        else:
            for target, value in zip(left, values, strict=False):
                self.assign(target, value)

    def _receive(self, node: Node) -> None:
        left = children(field(node, "left"))
        value = self._builder.expressions.value(field(node, "right"))
        self._define(left, [value, NOTHING])

    def _send(self, node: Node) -> None:
        channel = self._builder.expressions.value(field(node, "channel"))
        value = self._builder.expressions.value(field(node, "value"))
        self._writer.set_item(channel, value, line_of(node))

    def _type_switch(self, node: Node) -> None:
        """Walk a type switch; its variable has in each case the type of that case."""
        initializer, alias = field(node, "initializer"), field(node, "alias")
        with self._writer.block():
            if initializer is not None:
                self.statement(initializer)
            value = self._builder.expressions.value(field(node, "value"))
            for case in children(node):
                if case.type in ("type_case", "default_case"):
                    self._type_case(case, alias, value)

    def _type_case(self, case: Node, alias: Node | None, value: Slot) -> None:
        named = case.children_by_field_name("type")
        narrowed = [self._builder.expressions.narrow(value, each, line_of(case)) for each in named]
        with self._writer.block():
            if alias is not None:
                self._writer.frame.bind(text_of(alias), self._writer.union(narrowed) if narrowed else value)
            for inner in children(case):
                if inner.id not in {each.id for each in named}:
                    self.statement(inner)
