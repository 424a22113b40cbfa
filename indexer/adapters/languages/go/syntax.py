"""The grammar of Go, and functions on its nodes that several modules use."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import tree_sitter_go
from tree_sitter import Language, Parser

from indexer.adapters.languages.syntax import Chain, chain_of, child_of, children, field, first_child, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

TYPES = frozenset(("type_spec", "type_alias"))
FUNCTIONS = frozenset(("function_declaration", "method_declaration"))
COMMENTS = ("comment",)
_WORDS_OF_BUILTINS = """
append cap clear close complex copy delete imag len make max min new panic print println real recover
"""
BUILTINS = frozenset(_WORDS_OF_BUILTINS.split())
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}

_CHAIN = Chain("selector_expression", "field", "operand", frozenset(("identifier",)))


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_go.language()))


def parse(text: str) -> Node:
    """Parse a file; code with syntax errors is in ERROR nodes, all other code is parsed."""
    return _parser().parse(text.encode("utf-8", "replace")).root_node


def package_of(root: Node) -> str:
    """Return the declared package; "" without one."""
    return text_of(child_of(child_of(root, "package_clause"), "package_identifier"))


def bare_type(node: Node | None) -> Node | None:
    """Look through pointers, parentheses and type arguments."""
    while node is not None and node.type in ("pointer_type", "parenthesized_type", "generic_type", "negated_type"):
        node = field(node, "type") if node.type == "generic_type" else first_child(node)
    return node


def pointed(node: Node | None) -> Node | None:
    """Return the type that a pointer points to; any other type unchanged."""
    return first_child(node) if node is not None and node.type == "pointer_type" else node


def type_name(node: Node | None) -> str:
    """Return the last name of a type; "" for types without one."""
    node = bare_type(node)
    if node is None or node.type not in ("type_identifier", "qualified_type", "identifier"):
        return ""
    return text_of(node).rpartition(".")[2]


def receiver_of(node: Node) -> tuple[str, Node | None]:
    """Return (name, type) of a method's receiver."""
    declared = child_of(field(node, "receiver"), "parameter_declaration")
    return text_of(field(declared, "name")), field(declared, "type")


def parameters_of(node: Node | None) -> list[tuple[str, Node | None, bool]]:
    """List (name, type, variadic) in a list of parameters; those without a name have "" for it."""
    found: list[tuple[str, Node | None, bool]] = []
    for child in children(node):
        if child.type in ("parameter_declaration", "variadic_parameter_declaration"):
            names = child.children_by_field_name("name")
            variadic = child.type == "variadic_parameter_declaration"
            written = [text_of(name) for name in names] or [""]
            found += [(name, field(child, "type"), variadic) for name in written]
    return found


def results_of(node: Node) -> list[tuple[str, Node | None]]:
    """List (name, type) of a function's results."""
    result = field(node, "result")
    if result is None:
        return []
    if result.type == "parameter_list":
        return [(name, named) for name, named, _ in parameters_of(result)]
    return [("", result)]


def specs(root: Node, kind: str) -> list[Node]:
    """List the specifications of declarations at the top: `type_spec`, `var_spec`, `const_spec`, `import_spec`."""
    found = []
    for declaration in children(root):
        for child in children(declaration):
            if child.type == kind:
                found.append(child)
            elif child.type.endswith("_list"):
                found += [inner for inner in children(child) if inner.type == kind]
    return found


def string_of(node: Node | None) -> str | None:
    """Return the text of a string literal; None for anything else."""
    if node is None:
        return None
    if node.type == "raw_string_literal":
        return text_of(node)[1:-1]
    if node.type != "interpreted_string_literal":
        return None
    return "".join(
        _ESCAPES.get(text_of(part), text_of(part)) if part.type == "escape_sequence" else text_of(part)
        for part in node.named_children
    )


def dotted(node: Node | None) -> str:
    """Write a chain of names and selectors, see `chain_of`."""
    return chain_of(node, _CHAIN)


def arguments_of(call: Node) -> list[Node]:
    """List the arguments of a call."""
    return children(field(call, "arguments"))
