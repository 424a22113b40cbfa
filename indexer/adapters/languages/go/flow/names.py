"""Resolves names and types in a Go file: variables, imports, and names of the package, which its files share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.go.syntax import string_of
from indexer.adapters.languages.syntax import child_of, children, field, first_child, line_of, text_of
from indexer.domain.linking import program as op
from indexer.domain.linking.program import LIST, NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.adapters.languages.flow_writer import FlowWriter

_VERSION = re.compile(r"^v\d+$")
_CONTAINERS = frozenset(("slice_type", "array_type", "map_type", "channel_type", "implicit_length_array_type"))


class Names:
    """Looks names up, innermost first; `make_struct` declares a struct type without a name in a slot."""

    def __init__(self, writer: FlowWriter) -> None:
        self._writer = writer
        self._imported: dict[str, Slot] = {}
        self._structs: dict[int, Slot] = {}
        self.make_struct: Callable[[Node, Slot], None] | None = None
        self.package: dict[str, Slot] = {}
        self.stars: list[str] = []

    def add_import(self, spec: Node) -> None:
        """Add the names of one import."""
        path, alias = string_of(field(spec, "path")) or "", field(spec, "name")
        slot = self._writer.filled(op.IMPORT, path, "", 0, line_of(spec))
        if alias is not None and alias.type == "dot":
            self.stars.append(path)
        elif alias is None or alias.type == "package_identifier":
            self._imported[text_of(alias) or _package_name(path)] = slot

    def variable(self, name: str) -> Slot | None:
        """Return a variable of the enclosing functions; None without one."""
        return self._writer.frame.find(name)

    def find(self, name: str) -> Slot:
        """Return the slot of a name; NOTHING for the blank identifier and for constants of the language."""
        if name in ("_", "nil", "true", "false", "iota"):
            return NOTHING
        found = self.variable(name)
        for known in (self.package, self._imported):
            if found is None:
                found = known.get(name)
        return found if found is not None else self._writer.free(name)

    def type_slot(self, node: Node | None) -> Slot:
        """Return the class that a type names; NOTHING for types without a name."""
        if node is None:
            return NOTHING
        if node.type in ("pointer_type", "parenthesized_type"):
            return self.type_slot(first_child(node))
        if node.type == "generic_type":
            return self.type_slot(field(node, "type"))
        if node.type == "qualified_type":
            owner = self.find(text_of(field(node, "package")))
            return self._writer.load(owner, text_of(field(node, "name")), line_of(node))
        if node.type in ("type_identifier", "identifier"):
            return self.find(text_of(node))
        if node.type == "struct_type" and self.make_struct is not None:
            if node.id not in self._structs:
                self._structs[node.id] = self._writer.slot()
                self.make_struct(node, self._structs[node.id])
            return self._structs[node.id]
        return NOTHING

    def declare(self, slot: Slot, node: Node | None, *, unless_known: Slot = NOTHING) -> None:
        """Let a slot hold what its type allows, elements of slices, maps and channels too."""
        if node is None:
            return
        if node.type in _CONTAINERS:
            element = self._writer.slot()
            self.declare(element, element_type(node))
            self._writer.container(LIST, element, slot)
        elif node.type == "pointer_type":
            self.declare(slot, first_child(node), unless_known=unless_known)
        else:
            self._writer.declare(slot, self.type_slot(node), line_of(node), unless_known=unless_known)

    def declare_type_parameters(self, node: Node) -> None:
        """Bind each type parameter to its constraint, if the constraint has methods."""
        found: dict[str, Slot] = {}
        for declaration in children(field(node, "type_parameters")):
            constraint = child_of(field(declaration, "type"), "type_identifier", "qualified_type", "generic_type")
            bound = NOTHING if text_of(constraint) in ("any", "comparable", "") else self.type_slot(constraint)
            found.update((text_of(name), bound) for name in declaration.children_by_field_name("name"))
        for name, bound in found.items():
            self._writer.frame.bind(name, bound)


def element_type(node: Node) -> Node | None:
    """Return the type of what a slice, array, map or channel holds."""
    return field(node, "element") or field(node, "value")


def _package_name(path: str) -> str:
    """Guess the name of a package from the last part of its path that is no version."""
    parts = [part for part in path.split("/") if not _VERSION.match(part)] or [path]
    return parts[-1].removeprefix("go-").partition(".")[0].replace("-", "_")
