"""Puts the program of a Java file together: all its classes first, then their members, then what the bodies do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.flow_writer import FlowWriter, Frame
from indexer.adapters.languages.java.flow.expressions import Expressions
from indexer.adapters.languages.java.flow.members import Members
from indexer.adapters.languages.java.flow.names import ClassInfo, Names
from indexer.adapters.languages.java.flow.statements import Statements
from indexer.adapters.languages.java.flow.types import Types
from indexer.adapters.languages.java.flow.typing import StaticTypes
from indexer.adapters.languages.java.syntax import CLASSES, bases_of, parameters_of
from indexer.adapters.languages.syntax import children, field, line_of, text_of
from indexer.domain.linking.program import CLASS, IS_STATIC, LIST, MODULE, NOTHING, Program, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from indexer.adapters.languages.symbol_table import TreeTable


def build_program(root: Node, table: TreeTable, package: str) -> Program:
    """Write the flow program of a file of a package."""
    return Builder(table).build(root, package)


class Builder:
    """State of the walk through one file."""

    def __init__(self, table: TreeTable) -> None:
        self.table = table
        self.writer = FlowWriter()
        self.names = Names(self.writer)
        self.types = Types(self.writer, self.names)
        self.typing = StaticTypes(self.writer, self.names)
        self.expressions = Expressions(self)
        self.statements = Statements(self)
        self.members = Members(self)
        self._symbol = 0

    def build(self, root: Node, package: str) -> Program:
        """Walk the file."""
        index = self.writer.add_scope(MODULE, package, -1, 0, 1)
        self.writer.set_detail(index, (1,))
        for node in children(root):
            if node.type == "import_declaration":
                self.names.add_import(node)
        classes = [node for node in children(root) if node.type in CLASSES]
        infos = [self.announce(node, text_of(field(node, "name")), None) for node in classes]
        self.names.top = {info.name: info.slot for info in infos}
        for info in infos:
            self.define_class(info)
        exports = tuple((info.name, info.slot) for info in infos)
        return self.writer.finish(exports, tuple(self.names.stars))

    def announce(self, node: Node, name: str, outer: ClassInfo | None) -> ClassInfo:
        """Make the scopes and slots of a class and of all classes in its body, before anything refers to them."""
        symbol = self.table.position(node.id)
        parent = outer.index if outer is not None else self.writer.frame.index
        index = self.writer.add_scope(CLASS, name, parent, symbol, line_of(node))
        info = ClassInfo(node, name, self.writer.define(index), index, outer, symbol)
        for member in info.members:
            if member.type in CLASSES:
                inner = self.announce(member, text_of(field(member, "name")), info)
                info.nested[inner.name] = inner.slot
                self.members.nested.setdefault(index, []).append(inner)
        return info

    def define_class(self, info: ClassInfo, bases: Sequence[Slot] = ()) -> None:
        """Walk a class: what it inherits, its members, then their bodies."""
        before, around, symbol = self.names.current, self.writer.frame, self._symbol
        self.names.current = info.outer
        written = [*bases, *(self.types.slot(base) for base in bases_of(info.node))]
        known = [slot for slot in written if slot != NOTHING]
        info.has_bases = bool(known)
        self.names.current = info
        info.frame = self.writer.frame = Frame(info.index, around)
        self.members.walk(info, tuple(known))
        self.names.current, self.writer.frame, self._symbol = before, around, symbol

    def local_class(self, node: Node) -> None:
        """Walk a class that is declared in a body."""
        info = self.announce(node, text_of(field(node, "name")), None)
        info.outer = self.names.current
        self.writer.frame.bind(f"class {info.name}", info.slot)
        self.define_class(info)

    def anonymous(self, body: Node, base: Slot, arguments: tuple[Slot, ...], given: tuple[str, ...] = ()) -> Slot:
        """Walk the body of an anonymous class and make its instance, which runs the constructor of its base."""
        position = self.table.position(body.id)
        name = self.table.symbols[position].name if position else "$"
        info = self.announce(body, name, None)
        info.outer = self.names.current
        self.define_class(info, (base,) if base != NOTHING else ())
        return self.writer.call(info.slot, arguments, "", line_of(body), given=given)

    def function(
        self,
        kind: int,
        name: str,
        node: Node,
        parameters: Sequence[tuple[str, Node | None]],
        walk: Callable[[], None],
        *,
        flags: int = 0,
        holder: ClassInfo | None = None,
    ) -> Slot:
        """Make a function, walk its body inside, and give its slot; methods take their receiver first."""
        writer = self.writer
        outer = writer.frame
        symbol = self.table.positions.get(node.id, self._symbol)
        index = writer.add_scope(kind, name, outer.index, symbol, line_of(node))
        this = writer.slot() if holder is not None and not flags & IS_STATIC else NOTHING
        frame = writer.frame = Frame(index, outer, this, writer.slot())
        before, self._symbol = self._symbol, symbol
        given = [("this", this)] if this != NOTHING else []
        for key, named in parameters:
            slot = writer.slot()
            frame.bind(key, slot)
            given.append((key, slot))
            self.types.declare(slot, named, only_unknown=False)
            self.typing.declare(slot, named)
        variadic = self._variadic(node, given)
        walk()
        writer.frame, self._symbol = outer, before
        types = self._signature(node, parameters) if holder is not None else ()
        detail = (tuple(given), len(given), variadic, NOTHING, frame.result, NOTHING, flags, (), types)
        writer.set_detail(index, detail)
        return writer.define(index)

    def _signature(self, node: Node, parameters: Sequence[tuple[str, Node | None]]) -> tuple[str, ...]:
        """Return the types of parameters, and that of the result last."""
        declared = parameters_of(node)
        rest = "[]" if declared and declared[-1][2] else ""
        types = [self.typing.name(named) for _, named in parameters]
        types = [*types[:-1], types[-1] + rest] if types else types
        return (*types, self.typing.name(field(node, "type"), variable=""))

    def _variadic(self, node: Node, given: list[tuple[str, Slot]]) -> Slot:
        """Take the last parameter out if it gathers the rest of the arguments."""
        declared = parameters_of(node)
        if not declared or not declared[-1][2] or not given:
            return NOTHING
        name, slot = given.pop()
        element = self.writer.slot()
        self.types.declare(element, declared[-1][1], only_unknown=False)
        whole = self.writer.container(LIST, element)
        self.writer.copy(whole, slot)
        self.writer.frame.bind(name, slot)
        return slot

    def use_symbol(self, symbol: int) -> None:
        """Set the symbol to which functions without a symbol of their own belong from now on."""
        self._symbol = symbol
