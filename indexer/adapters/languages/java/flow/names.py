"""Resolves names in a Java file: enclosing classes, their members, imports; other names are left to the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import FIELDS, body_members
from indexer.adapters.languages.syntax import children, field, line_of, text_of
from indexer.domain.linking import program as op
from indexer.domain.linking.program import NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from indexer.adapters.languages.flow_writer import FlowWriter, Frame


class ClassInfo:
    """
    One class of the file, with its own declarations by name.

    Args:
        node: Its declaration, or the body of an anonymous class.
        slot: Slot of the class.
        frame: Frame of its body.
        outer: The class around it.
    """

    def __init__(self, node: Node, name: str, slot: Slot, index: int, outer: ClassInfo | None, symbol: int) -> None:
        self.node = node
        self.name = name
        self.slot = slot
        self.index = index
        self.outer = outer
        self.symbol = symbol
        self.frame: Frame | None = None
        self.has_bases = False
        self.instance: Slot = NOTHING
        self.nested: dict[str, Slot] = {}
        self.fields: dict[str, Slot] = {}
        self.bounds: dict[str, Slot] = {}
        self.members = body_members(node)
        self.methods = {text_of(field(member, "name")) for member in self.members if member.type.startswith("method")}


def outward(info: ClassInfo | None) -> Iterator[ClassInfo]:
    """Give a class and those around it, innermost first."""
    while info is not None:
        yield info
        info = info.outer


class Names:
    """Looks names up, innermost first."""

    def __init__(self, writer: FlowWriter) -> None:
        self._writer = writer
        self._imported: dict[str, Slot] = {}
        self._static: dict[str, Slot] = {}
        self._static_stars: list[Slot] = []
        self.top: dict[str, Slot] = {}
        self.stars: list[str] = []
        self.current: ClassInfo | None = None

    def add_import(self, node: Node) -> None:
        """Add the names of an import declaration."""
        path = text_of(children(node)[0]) if children(node) else ""
        is_static = any(child.type == "static" for child in node.children)
        is_star = any(child.type == "asterisk" for child in node.children)
        if is_static and is_star:
            self._static_stars.append(self.qualified(path, line_of(node)))
        elif is_static:
            owner, _, member = path.rpartition(".")
            self._static[member] = self.qualified(owner, line_of(node))
        elif is_star and path.rpartition(".")[2][:1].isupper():
            self._static_stars.append(self.qualified(path, line_of(node)))
        elif is_star:
            self.stars.append(path)
        else:
            self._imported[path.rpartition(".")[2]] = self.qualified(path, line_of(node))

    def qualified(self, path: str, line: int) -> Slot:
        """Return the class of a qualified name; parts before the first capitalized one are the package."""
        parts = path.split(".")
        first = next((place for place, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
        slot = self._writer.slot()
        package = ".".join(parts[:first])
        self._writer.emit(op.IMPORT, slot, package or parts[0], parts[first] if package else "", 0, line)
        for part in parts[first + 1 :]:
            slot = self._writer.load(slot, part, line)
        return slot

    def type_slot(self, name: str) -> Slot:
        """Return the class of a simple name in the current scope."""
        found = self._writer.frame.find(f"class {name}")  # local classes and type parameters of methods
        if found is not None:
            return found
        for info in outward(self.current):
            if info.name == name:
                return info.slot
            for known in (info.bounds, info.nested):
                if name in known:
                    return known[name]
        for known in (self.top, self._imported):
            if name in known:
                return known[name]
        return self._writer.free(name)

    def this_of(self, info: ClassInfo) -> Slot:
        """Return the `this` of an enclosing class."""
        frame: Frame | None = self._writer.frame
        while frame is not None and frame is not info.frame:
            if frame.outer is info.frame and frame.this != NOTHING:
                return frame.this
            frame = frame.outer
        if info.instance == NOTHING:
            info.instance = self._writer.filled(op.INSTANCE, info.slot, info.index, line_of(info.node))
        return info.instance

    def super_of(self, info: ClassInfo, line: int) -> Slot:
        """Return the `super` of an enclosing class."""
        this = self.this_of(info)
        return self._writer.filled(op.SUPER, info.slot, this, self._writer.frame.index, line)

    def variable(self, name: str, line: int) -> Slot | None:
        """Return a local variable, field of an enclosing class or static import; None for none of them."""
        found = self.local(name)
        if found is None and name in self._static:
            return self._writer.load(self._static[name], name, line)
        return found

    def local(self, name: str) -> Slot | None:
        """Return a local variable or a field of an enclosing class; None for neither."""
        frame: Frame | None = self._writer.frame
        info = self.current
        while frame is not None:
            found = frame.own(name)
            if found is not None:
                return found
            if info is not None and frame is info.frame:
                if name in info.fields:
                    return info.fields[name]
                info = info.outer
            frame = frame.outer
        return None

    def inherited(self, name: str, line: int) -> Slot:
        """Return the members of a name that enclosing classes may inherit, or that static star imports may bring."""
        found = [self._writer.load(slot, name, line) for slot in self._static_stars]
        around = [info for info in outward(self.current) if info.has_bases]
        found += [self._writer.load(self.this_of(info), name, line) for info in around]
        return self._writer.union(found)

    def method(self, name: str, count: int, line: int) -> tuple[Slot, Slot]:
        """Return (method, receiver) of a call without an object: the innermost class that declares the name has it."""
        attribute = f"{name}({count})"
        for info in outward(self.current):
            if name in info.methods:
                receiver = self.this_of(info)
                return self._writer.load(receiver, attribute, line), receiver
        if name in self._static:
            return self._writer.load(self._static[name], attribute, line), NOTHING
        receiver = self.this_of(self.current) if self.current is not None else NOTHING
        return self.inherited(attribute, line), receiver


def field_nodes(info: ClassInfo) -> list[Node]:
    """List the declarations of fields and constants of a class."""
    return [member for member in info.members if member.type in FIELDS or member.type == "enum_constant"]
