"""Type declarations: structs with embedded types, interfaces, and methods, whose type may be in another file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.go.syntax import parameters_of, receiver_of, type_name
from indexer.adapters.languages.syntax import child_of, children, field, line_of, text_of
from indexer.domain.linking.program import CLASS, EXTENSION, FUNCTION, IS_ABSTRACT, NOTHING, STRUCTURAL, Slot

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.go.flow.builder import Builder


class Types:
    """Declares types."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._writer = builder.writer
        self._names = builder.names
        self._names.make_struct = self._struct

    def declare_all(self, declared: list[Node], methods: list[Node]) -> None:
        """Declare types, and the methods of these and of other files' types."""
        by_holder: dict[str, list[Node]] = {}
        for method in methods:
            by_holder.setdefault(type_name(receiver_of(method)[1]), []).append(method)
        scopes: list[tuple[Node, int]] = []
        for spec in declared:
            name = text_of(field(spec, "name"))
            slot, shape = self._names.find(name), field(spec, "type")
            if spec.type == "type_alias" or shape is None:
                self._writer.copy(self._names.type_slot(shape), slot)
                continue
            symbol = self._builder.table.position(spec.id)
            index = self._writer.add_scope(CLASS, name, self._writer.frame.index, symbol, line_of(spec))
            self._writer.define(index, slot)
            scopes.append((spec, index))
        for spec, index in scopes:
            self._type(spec, index, by_holder.pop(text_of(field(spec, "name")), []))
        for holder, found in by_holder.items():
            index = self._writer.add_scope(EXTENSION, holder, self._writer.frame.index, 0, line_of(found[0]))
            members = tuple([(text_of(field(method, "name")), self._method(method, index)) for method in found])
            self._writer.set_detail(index, ((), NOTHING, members, ()))

    def _struct(self, node: Node, slot: Slot) -> None:
        """Declare a struct type without a name, as tables of test cases have them."""
        index = self._writer.add_scope(CLASS, "struct", self._writer.frame.index, self._builder.symbol, line_of(node))
        self._writer.define(index, slot)
        members: dict[str, Slot] = {}
        bases: list[Slot] = []
        self._fields(node, self._writer.instance(slot, line_of(node)), members, bases)
        fields = tuple([(name, NOTHING) for name in members])
        self._writer.set_detail(index, (tuple(bases), NOTHING, tuple(members.items()), fields))

    def _method(self, node: Node, holder: int) -> Slot:
        name, parameters = text_of(field(node, "name")), parameters_of(field(node, "parameters"))
        return self._builder.function(FUNCTION, name, node, parameters, parent=holder)

    def _type(self, spec: Node, index: int, methods: list[Node]) -> None:
        shape = field(spec, "type")
        members: dict[str, Slot] = {}
        bases: list[Slot] = []
        is_interface = shape is not None and shape.type == "interface_type"
        with self._writer.block():
            self._names.declare_type_parameters(spec)
            if shape is not None and shape.type == "struct_type":
                this = self._writer.instance(self._names.find(text_of(field(spec, "name"))), line_of(spec))
                self._fields(shape, this, members, bases)
            elif is_interface:
                self._interface(shape, index, members, bases)
            elif shape is not None and shape.type == "function_type":
                members["__call__"] = self._writer.slot()
            elif shape is not None and type_name(shape):
                base = self._names.type_slot(shape)
                bases += [base] if base != NOTHING and shape.type == "qualified_type" else []
            names = () if is_interface else tuple([(name, NOTHING) for name in members])
            for method in methods:
                members[text_of(field(method, "name"))] = self._method(method, index)
        kind = STRUCTURAL if is_interface else NOTHING
        fields = (("__call__", members["__call__"]),) if "__call__" in members else names
        self._writer.set_detail(index, (tuple(bases), kind, tuple(members.items()), fields))

    def _fields(self, shape: Node, this: Slot, members: dict[str, Slot], bases: list[Slot]) -> None:
        """Declare the fields of a struct; an embedded type is a base and also a field with its name."""
        for declaration in children(child_of(shape, "field_declaration_list")):
            named, names = field(declaration, "type"), declaration.children_by_field_name("name")
            if declaration.type != "field_declaration":
                continue
            if not names:
                base = self._names.type_slot(named)
                bases += [base] if base != NOTHING else []
            for name in [text_of(each) for each in names] or [type_name(named)]:
                members[name] = slot = self._writer.slot()
                known = self._writer.load(this, name, line_of(declaration))
                self._names.declare(slot, named, unless_known=known)

    def _interface(self, shape: Node | None, index: int, members: dict[str, Slot], bases: list[Slot]) -> None:
        for member in children(shape):
            name = text_of(field(member, "name"))
            if member.type == "method_elem":
                parameters = parameters_of(field(member, "parameters"))
                members[name] = self._builder.function(
                    FUNCTION, name, member, parameters, flags=IS_ABSTRACT, parent=index
                )
            elif member.type == "type_elem" and len(children(member)) == 1:
                base = self._names.type_slot(children(member)[0])
                bases += [base] if base != NOTHING else []
