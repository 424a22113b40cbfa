"""Names that a module exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.syntax import bare, dotted, key_of
from indexer.adapters.languages.syntax import children, field, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node


def exported_names(root: Node) -> frozenset[str]:
    """List the local names that a module exports, in either module system, and `default` and `exports`."""
    found: set[str] = set()
    for statement in root.named_children:
        if statement.type == "export_statement":
            found.update(_exported(statement))
        elif statement.type == "expression_statement":
            for inner in children(statement):
                found.update(_assigned(inner))
    return frozenset(found)


def property_name(part: Node) -> str:
    """Return the key of a property of an object literal; "" if it is computed or spread."""
    if part.type == "shorthand_property_identifier":
        return text_of(part)
    return key_of(field(part, "key") or field(part, "name")) or ""


def _exported(statement: Node) -> set[str]:
    found = {"default"}
    declaration = field(statement, "declaration")
    if declaration is not None:
        if declaration.type in ("lexical_declaration", "variable_declaration"):
            for declarator in children(declaration):
                found.update(text_of(node) for node in walk(declarator) if node.type.endswith("identifier"))
        else:
            found.add(text_of(field(declaration, "name")))
    for child in children(statement):
        if child.type == "export_clause":
            found.update(text_of(field(item, "name")) for item in children(child))
        elif child.type == "identifier":
            found.add(text_of(child))
    value = bare(field(statement, "value"))
    if value is not None:
        found.add(text_of(value) if value.type == "identifier" else text_of(field(value, "name")))
    return found


def _assigned(node: Node | None) -> set[str]:
    """Return the names in `module.exports = {a, b}` and `exports.a = b`, in chained assignments too."""
    node = bare(node)
    if node is None or node.type != "assignment_expression":
        return set()
    left, right = dotted(field(node, "left")), bare(field(node, "right"))
    if left not in ("module.exports", "exports") and not left.startswith(("module.exports.", "exports.")):
        return set()
    found = {"exports", left.rpartition(".")[2], *_assigned(right)}
    if right is None:
        return found
    if right.type == "identifier":
        found.add(text_of(right))
    elif right.type == "object":
        for item in children(right):
            found.update((property_name(item), text_of(field(item, "value"))))
    else:
        found.add(text_of(field(right, "name")))
    return found
