"""Imports and exports of both module systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.exports import property_name
from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.modules import resolved
from indexer.adapters.languages.javascript.symbols import bound_names
from indexer.adapters.languages.javascript.syntax import (
    CLASSES,
    FUNCTIONS,
    SHAPES,
    arguments_of,
    bare,
    dotted,
    has_word,
    string_of,
)
from indexer.adapters.languages.syntax import children, field, first_child, text_of
from indexer.domain.linking.program import IMPORT, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.javascript.flow.builder import Walkers

WHOLE = "module.exports"


class ModuleSystem(Walker):
    """Walks imports and exports."""

    def __init__(self, walkers: Walkers) -> None:
        super().__init__(walkers)
        self._local: list[tuple[str, str]] = []

    def _imported(self, specifier: str, name: str, node: Node) -> Slot:
        slot = self._context.emitter.slot()
        module = resolved(specifier, self._context.path)
        self._context.emitter.emit(IMPORT, slot, module, name, *self._context.at(node))
        return slot

    def import_(self, node: Node) -> None:
        """Walk an import statement."""
        specifier = string_of(field(node, "source"))
        clauses = [part for part in children(node) if part.type in ("import_clause", "import_require_clause")]
        if specifier is not None and not clauses:
            self._imported(specifier, "", node)
        for clause in clauses:
            source = specifier or string_of(field(clause, "source"))
            if source is None:
                continue
            for part in children(clause):
                if part.type == "identifier":
                    name = "default" if clause.type == "import_clause" else ""
                    self._context.assign(text_of(part), self._imported(source, name, part))
                elif part.type == "namespace_import":
                    self._context.assign(text_of(children(part)[0]), self._imported(source, "", part))
                elif part.type == "named_imports":
                    self._import_names(children(part), source)

    def _import_names(self, items: list[Node], specifier: str) -> None:
        for item in items:
            name = string_of(field(item, "name")) or text_of(field(item, "name"))
            self._context.assign(text_of(field(item, "alias")) or name, self._imported(specifier, name, item))

    def alias(self, node: Node) -> None:
        """Walk `import a = b.c`."""
        parts = children(node)
        if len(parts) == 2:
            self._context.declare(text_of(parts[0]))
            self._context.assign(text_of(parts[0]), self._walkers.types.classes(parts[1]))

    def required(self, call: Node) -> Slot | None:
        """Return the slot of `require("...")` and of `import("...")`; None if the module is computed."""
        arguments = arguments_of(call)
        specifier = string_of(arguments[0]) if arguments else None
        return self._imported(specifier, "", call) if specifier is not None else None

    def export(self, node: Node) -> None:
        """Walk an export statement."""
        specifier = string_of(field(node, "source"))
        declaration = field(node, "declaration")
        if specifier is not None:
            self._re_export(node, specifier)
        elif declaration is not None:
            self._walkers.statements.statement(declaration)
            self._note_declared(declaration, is_default=has_word(node, "default"))
        elif has_word(node, "default") or has_word(node, "="):
            value = field(node, "value") or first_child(node)
            name = WHOLE if has_word(node, "=") else "default"
            if value is not None and value.type == "identifier":
                self._local.append((text_of(value), name))
            elif value is not None:
                slot = self._walkers.expressions.value(value)
                self._context.export(name, slot)
        for clause in children(node):
            if clause.type == "export_clause" and specifier is None:
                for item in children(clause):
                    name = text_of(field(item, "name"))
                    self._local.append((name, text_of(field(item, "alias")) or name))

    def _re_export(self, node: Node, specifier: str) -> None:
        parts = children(node)
        for part in parts:
            if part.type == "export_clause":
                for item in children(part):
                    name = text_of(field(item, "name"))
                    slot = self._imported(specifier, name, item)
                    self._context.export(text_of(field(item, "alias")) or name, slot)
            elif part.type == "namespace_export":
                self._context.export(text_of(children(part)[0]), self._imported(specifier, "", part))
        if has_word(node, "*"):
            self._context.stars.append(resolved(specifier, self._context.path))
            self._imported(specifier, "", node)

    def _note_declared(self, node: Node, *, is_default: bool) -> None:
        if node.type in ("lexical_declaration", "variable_declaration"):
            for declarator in children(node):
                self._local.extend((name, name) for name in bound_names(field(declarator, "name")))
        elif node.type in FUNCTIONS or node.type in CLASSES or node.type in SHAPES or node.type == "internal_module":
            name = text_of(field(node, "name")) or "default"
            self._local.append((name, "default" if is_default else name))

    def finish(self) -> None:
        """Export local names with their final values."""
        context = self._context
        context.environment, context.block = context.module_environment, context.root
        for name, exported in self._local:
            binding = context.root.names.get(name)
            if binding is not None:
                context.export_slot(exported)
                context.export(exported, context.environment.read(binding))

    def assigned(self, left: Node, right: Node) -> Slot | None:
        """Handle `module.exports = value` and `exports.name = value`; return None for other targets."""
        written = dotted(left)
        if written not in (WHOLE, "exports") and not written.startswith((f"{WHOLE}.", "exports.")):
            return None
        name = written.removeprefix("module.").removeprefix("exports").removeprefix(".")
        if "." in name or self._context.block.find(written.partition(".")[0]) is not None:
            return None
        slot = self._walkers.expressions.value(right)
        if name:
            self._context.export(name, slot)
            return slot
        self._context.export(WHOLE, slot)
        literal = bare(right)
        if literal is not None and literal.type == "object":
            for part in children(literal):
                key = property_name(part)
                held = self._context.environment.items.get((slot, key), NOTHING)
                if key and held != NOTHING:
                    self._context.export(key, held)
        return slot

    def own_export(self, node: Node) -> Slot | None:
        """Return the slot of `exports.name` where the module itself reads it; None for other members."""
        written = dotted(node)
        if not written.startswith(("exports.", WHOLE)):
            return None
        name = written.removeprefix("module.").removeprefix("exports").removeprefix(".")
        known = dict(self._context.exports)
        return known.get(name or WHOLE)
