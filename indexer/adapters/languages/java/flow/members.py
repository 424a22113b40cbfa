"""Members of a class: fields, methods by name and number of parameters, constructors, initializers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.flow.names import ClassInfo, field_nodes
from indexer.adapters.languages.java.lombok import accessors
from indexer.adapters.languages.java.syntax import CONSTRUCTORS, METHODS, annotations_of, modifiers, parameters_of
from indexer.adapters.languages.syntax import child_of, children, field, first_child, line_of, text_of
from indexer.domain.linking import program as op
from indexer.domain.linking.java.events import LISTENERS
from indexer.domain.linking.program import FUNCTION, IS_ABSTRACT, IS_STATIC, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.java.flow.builder import Builder
    from indexer.adapters.languages.java.lombok import Accessor

# A variadic method is registered for up to so many additional arguments.
MAX_EXTRA = 6


class Members:
    """Walks the members of classes."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._writer = builder.writer
        self.nested: dict[int, list[ClassInfo]] = {}
        self._found: dict[int, dict[str, list[Slot]]] = {}

    def walk(self, info: ClassInfo, bases: tuple[Slot, ...]) -> None:
        """Walk a class: type parameters, fields, methods, initializers, inner classes."""
        builder, writer = self._builder, self._writer
        builder.use_symbol(info.symbol)
        self._found[info.index] = {}
        self._type_parameters(info.node, info)
        components = parameters_of(info.node) if info.node.type == "record_declaration" else []
        for name, named, _ in components:
            info.fields[name] = slot = writer.slot()
            builder.types.declare(slot, named, only_unknown=False)
            builder.typing.declare(slot, named)
        for node in field_nodes(info):
            self._announce_fields(info, node)
        for inner in self.nested.get(info.index, ()):
            builder.define_class(inner)
        for name, named, _ in components:
            self._accessor(info, name, named)
        for made in accessors(info.node) if info.node.type == "class_declaration" else ():
            self._made(info, made)
        for member in info.members:
            if member.type in METHODS:
                self._method(info, member)
        for member in info.members:
            self._initialize(info, member)
        found = self._found[info.index]
        members = {**info.fields, **info.nested, **{name: writer.union(slots) for name, slots in found.items()}}
        fields = tuple((name, info.fields[name]) for name, _, _ in components)
        writer.set_detail(info.index, (bases, NOTHING, tuple(members.items()), fields))

    def _type_parameters(self, node: Node, info: ClassInfo | None) -> None:
        """Bind each type variable to its bound."""
        for parameter in children(child_of(node, "type_parameters")):
            parts = children(parameter)
            bound = first_child(child_of(parameter, "type_bound"))
            slot = self._builder.types.slot(bound)
            if slot == NOTHING:
                slot = self._writer.slot()
            self._builder.typing.bound(slot, bound)
            if info is not None:
                info.bounds[text_of(parts[0])] = slot
            else:
                self._writer.frame.bind(f"class {text_of(parts[0])}", slot)

    def _announce_fields(self, info: ClassInfo, node: Node) -> None:
        declared = [node] if node.type == "enum_constant" else children(node)
        for declarator in declared:
            if declarator.type in ("variable_declarator", "enum_constant"):
                info.fields[text_of(field(declarator, "name"))] = slot = self._writer.slot()
                if field(declarator, "dimensions") is None:
                    self._builder.typing.declare(slot, field(node, "type"))

    def _initialize(self, info: ClassInfo, member: Node) -> None:
        """Walk code that runs when a class is loaded or an instance is created; it belongs to the class."""
        builder = self._builder
        if member.type == "enum_constant":
            self._constant(info, member)
        elif member.type in ("field_declaration", "constant_declaration"):
            for declarator in children(member):
                if declarator.type == "variable_declarator":
                    name = text_of(field(declarator, "name"))
                    builder.statements.variable(declarator, field(member, "type"), info.fields[name])
        elif member.type == "static_initializer":
            for child in children(member):
                builder.statements.block(child)
        elif member.type == "block":
            builder.statements.block(member)

    def _constant(self, info: ClassInfo, node: Node) -> None:
        arguments = self._builder.expressions.arguments(node)
        given = self._builder.expressions.given(node)
        body = field(node, "body")
        if body is not None:
            made = self._builder.anonymous(body, info.slot, arguments, given)
        else:
            made = self._writer.call(info.slot, arguments, "", line_of(node), given=given)
        self._writer.copy(made, info.fields[text_of(field(node, "name"))])

    def _add(self, info: ClassInfo, name: str, counts: range, slot: Slot) -> None:
        found = self._found[info.index]
        for count in counts:
            known = found.setdefault(f"{name}({count})", [])
            if len(counts) == 1 or not known:
                known.append(slot)
        found.setdefault("__init__" if name == "__init__" else f"{name}(*)", []).append(slot)

    def _accessor(self, info: ClassInfo, name: str, named: Node | None) -> None:
        """Add the method of a record that returns a component and has its name."""
        if name in info.methods or named is None:
            return

        def walk() -> None:
            self._writer.copy(info.fields[name], self._writer.frame.result)

        component = named.parent if named.parent is not None else named
        slot = self._builder.function(FUNCTION, name, component, (), walk, holder=info)
        self._add(info, name, range(1), slot)

    def _made(self, info: ClassInfo, made: Accessor) -> None:
        """Add a method that an annotation generates: it returns or sets a field, or returns an object of the class."""
        writer = self._writer
        symbol = self._builder.table.position(made.key)
        index = writer.add_scope(FUNCTION, made.name, info.index, symbol, line_of(made.node))
        is_static = made.signature.startswith("static ")
        given = [] if is_static else [("this", writer.slot())]
        kept, result = info.fields.get(text_of(field(made.node, "name")), NOTHING), writer.slot()
        types: tuple[str, ...] = ("",)
        if made.taken is not None:
            given.append(("value", writer.slot()))
            writer.copy(given[-1][1], kept)
            types = (self._builder.typing.name(made.taken), "")
        elif made.named is not None:
            writer.copy(kept, result)
            types = (self._builder.typing.name(made.named, variable=""),)
        if made.gives_own:
            writer.copy(self._builder.names.this_of(info), result)
        flags = IS_STATIC if is_static else 0
        detail = (tuple(given), len(given), NOTHING, NOTHING, result, NOTHING, flags, (), types)
        writer.set_detail(index, detail)
        count = len(given) - (not is_static)
        info.methods.add(made.name)
        self._add(info, made.name, range(count, count + 1), writer.define(index))

    def _method(self, info: ClassInfo, node: Node) -> None:
        is_constructor = node.type in CONSTRUCTORS
        name = "__init__" if is_constructor else text_of(field(node, "name"))
        parameters = parameters_of(info.node if node.type == "compact_constructor_declaration" else node)
        body = field(node, "body")
        words = modifiers(node)
        flags = (IS_STATIC if "static" in words else 0) | (0 if body is not None else IS_ABSTRACT)
        if "native" in words:
            flags &= ~IS_ABSTRACT

        def walk() -> None:
            for listens in _listens(node) if parameters else ():
                event = self._builder.names.variable(parameters[0][0], line_of(node))
                self._writer.emit(op.PARAMETER, event, self._writer.frame.index, listens)
            if is_constructor and info.has_bases and not _delegates(body):
                self.delegate((), line_of(node), to_super=True, written="")
            if body is not None:
                self._builder.statements.block(body)
            self._builder.types.declare(self._writer.frame.result, field(node, "type"), only_unknown=True)

        with self._writer.block():
            self._type_parameters(node, None)
            given = [(key, named) for key, named, _ in parameters]
            slot = self._builder.function(FUNCTION, name, node, given, walk, flags=flags, holder=info)
        variadic = bool(parameters) and parameters[-1][2]
        counts = (
            range(len(parameters) - 1, len(parameters) + MAX_EXTRA)
            if variadic
            else range(len(parameters), len(parameters) + 1)
        )
        self._add(info, name, counts, slot)

    def delegate(
        self,
        arguments: tuple[Slot, ...],
        line: int,
        *,
        to_super: bool,
        written: str | None = None,
        given: tuple[str, ...] = (),
    ) -> None:
        """Call the constructor of the same class, or of its base, with this number of parameters."""
        current, writer = self._builder.names.current, self._writer
        if current is None:
            return
        names = self._builder.names
        receiver = names.super_of(current, line) if to_super else names.this_of(current)
        attribute = f"__init__({len(arguments)})"
        callee = writer.load(receiver, attribute, line)
        word = ("super" if to_super else "this") if written is None else written
        writer.call(callee, arguments, word, line, receiver, attribute, given=given)


def _listens(node: Node) -> list[str]:
    names = (text_of(field(each, "name")).rpartition(".")[2] for each in annotations_of(node))
    return [name for name in names if name in LISTENERS]


def _delegates(body: Node | None) -> bool:
    return any(child.type == "explicit_constructor_invocation" for child in children(body))
