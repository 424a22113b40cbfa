"""The grammar of Java, and functions on its nodes that several modules use."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import tree_sitter_java
from tree_sitter import Language, Parser

from indexer.adapters.languages.syntax import Chain, chain_of, child_of, children, field, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

CLASSES = frozenset(
    (
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    )
)
METHODS = frozenset(
    (
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "annotation_type_element_declaration",
    )
)
CONSTRUCTORS = frozenset(("constructor_declaration", "compact_constructor_declaration"))
FIELDS = frozenset(("field_declaration", "constant_declaration"))
COMMENTS = ("line_comment", "block_comment")
# Nodes at which the own nodes of a definition end: nodes inside of them belong to another definition.
NESTED = CLASSES | METHODS | {"class_body"}
_ANNOTATIONS = ("annotation", "marker_annotation")

_CHAIN = Chain("field_access", "field", "object", frozenset(("identifier", "this", "super")))


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_java.language()))


def parse(text: str) -> Node:
    """Parse a file; code with syntax errors is in ERROR nodes, all other code is parsed."""
    return _parser().parse(text.encode("utf-8", "replace")).root_node


def package_of(root: Node) -> str:
    """Return the declared package; "" without one."""
    declared = child_of(root, "package_declaration")
    return text_of(child_of(declared, "scoped_identifier", "identifier")) if declared is not None else ""


def annotations_of(node: Node) -> list[Node]:
    """List the annotations of a definition."""
    return [child for child in children(child_of(node, "modifiers")) if child.type in _ANNOTATIONS]


def modifiers(node: Node) -> frozenset[str]:
    """Return the words in front of a definition: `public`, `static`, `abstract`, ..."""
    found = child_of(node, "modifiers")
    return frozenset(text_of(child) for child in found.children if not child.is_named) if found else frozenset()


def body_members(node: Node) -> list[Node]:
    """List the members in the body of a class, interface, enum or record."""
    body = node if node.type == "class_body" else field(node, "body")
    found = []
    for child in children(body):
        found += children(child) if child.type == "enum_body_declarations" else [child]
    return found


def parameters_of(node: Node) -> list[tuple[str, Node | None, bool]]:
    """List (name, type, variadic) of the parameters of a method, constructor, lambda or record."""
    given = field(node, "parameters")
    if given is None:
        return []
    if given.type == "identifier":
        return [(text_of(given), None, False)]
    found: list[tuple[str, Node | None, bool]] = []
    for child in children(given):
        if child.type == "formal_parameter":
            found.append((text_of(field(child, "name")), field(child, "type"), False))
        elif child.type == "spread_parameter":
            parts = [part for part in children(child) if part.type != "modifiers"]
            name = text_of(field(parts[-1], "name") or parts[-1])
            found.append((name, parts[0], True))
        elif child.type == "identifier":
            found.append((text_of(child), None, False))
    return found


def bases_of(node: Node) -> list[Node]:
    """List the types that a class, interface, enum or record extends and implements, in order."""
    found: list[Node] = []
    for child in children(node):
        if child.type == "superclass":
            found += children(child)
        elif child.type in ("super_interfaces", "extends_interfaces"):
            found += children(child_of(child, "type_list"))
    return found


def simple_name(node: Node | None) -> str:
    """Return the last name of a type, without its arguments."""
    if node is None:
        return ""
    if node.type == "generic_type":
        return simple_name(children(node)[0]) if children(node) else ""
    if node.type == "array_type":
        return simple_name(field(node, "element"))
    return text_of(node).rpartition(".")[2]


def dotted(node: Node | None) -> str:
    """Write a chain of names and fields, `this` too, see `chain_of`."""
    return chain_of(node, _CHAIN)


def arguments_of(node: Node) -> list[Node]:
    """List the arguments of a call, constructor or enum constant."""
    return children(field(node, "arguments") or child_of(node, "argument_list"))


def string_of(node: Node | None) -> str | None:
    """Return the text of a string literal or text block; None for anything else."""
    if node is None or node.type != "string_literal":
        return None
    written = text_of(node)
    if written.startswith('"""'):
        return "\n".join(line.strip() for line in written[3:-3].strip().splitlines())
    return "".join(_fragments(node))


def _fragments(node: Node) -> Iterator[str]:
    escapes = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\", "\\'": "'"}
    for part in node.named_children:
        written = text_of(part)
        yield escapes.get(written, written) if part.type == "escape_sequence" else written
