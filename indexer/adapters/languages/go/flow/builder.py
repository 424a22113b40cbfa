"""Puts the program of a Go file together: the names of the package first, then types, functions and variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.flow_writer import FlowWriter, Frame
from indexer.adapters.languages.go.flow.expressions import Expressions
from indexer.adapters.languages.go.flow.names import Names
from indexer.adapters.languages.go.flow.statements import Statements
from indexer.adapters.languages.go.flow.types import Types
from indexer.adapters.languages.go.syntax import parameters_of, pointed, receiver_of, results_of, specs
from indexer.adapters.languages.syntax import child_of, children, field, line_of, text_of
from indexer.domain.linking import program as op
from indexer.domain.linking.program import FUNCTION, LIST, MODULE, NOTHING, Program, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from indexer.adapters.languages.symbol_table import TreeTable


def build_program(root: Node, table: TreeTable, package: str) -> Program:
    """Write the flow program of a file of a package."""
    return Builder(table).build(root, package)


class Builder:
    """State of the walk through one file; `symbol`: that of the current body, `results`: result slots by scope."""

    def __init__(self, table: TreeTable) -> None:
        self.table = table
        self.writer = FlowWriter()
        self.names = Names(self.writer)
        self.expressions = Expressions(self)
        self.types = Types(self)
        self.statements = Statements(self)
        self.results: dict[int, list[Slot]] = {}
        self.symbol = 0

    def build(self, root: Node, package: str) -> Program:
        """Walk the file."""
        index = self.writer.add_scope(MODULE, package, -1, 0, 1)
        self.writer.set_detail(index, (1,))
        for spec in specs(root, "import_spec"):
            self.names.add_import(spec)
        declared = [*specs(root, "type_spec"), *specs(root, "type_alias")]
        functions = [node for node in children(root) if node.type == "function_declaration"]
        variables = [*specs(root, "const_spec"), *specs(root, "var_spec")]
        for node in (*declared, *functions):
            self.names.package[text_of(field(node, "name"))] = self.writer.slot()
        for spec in variables:
            for name in spec.children_by_field_name("name"):
                if name.is_named and text_of(name) != "_":
                    self.names.package[text_of(name)] = self.writer.slot()
        self.types.declare_all(declared, [node for node in children(root) if node.type == "method_declaration"])
        for spec in variables:
            self.statements.variable(spec, self.names.package)
        for node in functions:
            made = self.function(FUNCTION, text_of(field(node, "name")), node, parameters_of(field(node, "parameters")))
            self.writer.copy(made, self.names.package[text_of(field(node, "name"))])
        exports = tuple((name, slot) for name, slot in self.names.package.items() if name not in ("init", "_"))
        return self.writer.finish(exports, tuple(self.names.stars))

    def local_types(self, node: Node) -> None:
        """Declare types inside a function."""
        declared = [spec for spec in children(node) if spec.type in ("type_spec", "type_alias")]
        for spec in declared:
            self.writer.frame.bind(text_of(field(spec, "name")), self.writer.slot())
        self.types.declare_all(declared, [])

    def function(
        self,
        kind: int,
        name: str,
        node: Node,
        parameters: Sequence[tuple[str, Node | None, bool]],
        *,
        flags: int = 0,
        parent: int | None = None,
    ) -> Slot:
        """Make a function or closure, walk its body inside, and give its slot."""
        writer, outer, before = self.writer, self.writer.frame, self.symbol
        self.symbol = self.table.positions.get(node.id, before)
        index = writer.add_scope(kind, name, outer.index if parent is None else parent, self.symbol, line_of(node))
        frame = writer.frame = Frame(index, outer, result=writer.slot())
        self.names.declare_type_parameters(node)
        given = [*self._receiver(node), *self._parameters(parameters)]
        variadic = given.pop()[1] if parameters and parameters[-1][2] else NOTHING
        results = self._results(node, index)
        body = field(node, "body")
        if body is not None:
            self.statements.statement(body)
        for slot in results:
            writer.copy(slot, frame.result)
        writer.frame, self.symbol = outer, before
        detail = (tuple(given), len(given), variadic, NOTHING, frame.result, NOTHING, flags, ())
        writer.set_detail(index, detail)
        made = writer.define(index)
        for place, slot in enumerate(results):
            writer.emit(op.STORE, made, f"({place})", slot, index, line_of(node))
        return made

    def _receiver(self, node: Node) -> list[tuple[str, Slot]]:
        if node.type == "method_elem":
            return [("this", self.writer.slot())]
        if node.type != "method_declaration":
            return []
        name, named = receiver_of(node)
        slot = self.writer.slot()
        self.writer.frame.bind(name, slot)
        for argument in children(child_of(pointed(named), "type_arguments")):
            self.writer.frame.bind(text_of(argument), NOTHING)
        return [(name, slot)]

    def _parameters(self, parameters: Sequence[tuple[str, Node | None, bool]]) -> list[tuple[str, Slot]]:
        given = []
        for name, named, is_variadic in parameters:
            slot = self.writer.slot()
            if is_variadic:
                element = self.writer.slot()
                self.names.declare(element, named)
                self.writer.container(LIST, element, slot)
            else:
                self.names.declare(slot, named)
            if name:
                self.writer.frame.bind(name, slot)
            given.append((name, slot))
        return given

    def _results(self, node: Node, index: int) -> list[Slot]:
        """Make the slots of the results; one that gets no value in the body holds what its type allows."""
        slots = []
        for name, named in results_of(node):
            slot = self.writer.slot()
            self.names.declare(slot, named, unless_known=slot)
            if name:
                self.writer.frame.bind(name, slot)
            slots.append(slot)
        self.results[index] = slots
        return slots
