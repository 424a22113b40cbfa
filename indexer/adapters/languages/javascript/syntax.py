"""Syntax trees of JavaScript and TypeScript, and functions on nodes that several modules use."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Parser

from indexer.adapters.languages.syntax import Chain, chain_of, children, field, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    (
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    )
)
FUNCTION_EXPRESSIONS = ("function_expression", "generator_function")
FUNCTION_VALUES = (*FUNCTION_EXPRESSIONS, "arrow_function")
SIGNATURES = frozenset(("function_signature", "method_signature", "abstract_method_signature"))
CLASSES = frozenset(("class_declaration", "abstract_class_declaration", "class"))
SHAPES = frozenset(("interface_declaration", "enum_declaration", "type_alias_declaration"))
FIELDS = frozenset(("public_field_definition", "field_definition"))
NAMESPACES = frozenset(("internal_module", "module"))
_CHAIN = Chain(
    "member_expression",
    "property",
    "object",
    frozenset(("identifier", "this", "super", "type_identifier", "nested_identifier")),
)
_TRANSPARENT = frozenset(
    (
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "await_expression",
    )
)


@cache
def _parser(grammar: str) -> Parser:
    pointers = {
        "typescript": tree_sitter_typescript.language_typescript,
        "tsx": tree_sitter_typescript.language_tsx,
        "javascript": tree_sitter_javascript.language,
    }
    return Parser(Language(pointers[grammar]()))


def parse(path: str, text: str) -> Node:
    """
    Parse a file; code with syntax errors is in ERROR nodes, all other code is parsed.

    JavaScript is read by the grammar of TSX, which knows the annotations of Flow too, unless only its own has no
    errors. In TypeScript without JSX, `<T>x` is a cast.
    """
    source = text.encode("utf-8", "replace")
    if path.endswith((".ts", ".mts", ".cts")):
        return _parser("typescript").parse(source).root_node
    root = _parser("tsx").parse(source).root_node
    if root.has_error and not path.endswith(".tsx"):
        own = _parser("javascript").parse(source).root_node
        if not own.has_error:
            return own
    return root


def has_word(node: Node, word: str) -> bool:
    """Return whether a modifier such as `static` or `get` precedes a definition's name."""
    return any(child.type == word for child in node.children)


def bare(node: Node | None) -> Node | None:
    """Look through parentheses, casts and `await`."""
    while node is not None and node.type in _TRANSPARENT:
        inner = children(node)
        node = (inner[-1] if node.type == "type_assertion" else inner[0]) if inner else None
    return node


def string_of(node: Node | None) -> str | None:
    """Return the text of a string literal, or of a template without substitutions; None for anything else."""
    if node is None or node.type not in ("string", "template_string"):
        return None
    parts = node.named_children
    if any(part.type == "template_substitution" for part in parts):
        return None
    return "".join(map(fragment_of, parts))


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "\n": ""}


def fragment_of(part: Node) -> str:
    """Return the text of one part of a string: escapes of one character resolved, those of code points as written."""
    written = text_of(part)
    if part.type != "escape_sequence" or len(written) != 2:
        return written
    return _ESCAPES.get(written[1], written[1])


def key_of(node: Node | None) -> str | None:
    """Return the name of a property as the program sees it; None if it is computed."""
    if node is None:
        return None
    if node.type == "string":
        return string_of(node)
    if node.type == "computed_property_name":
        inner = children(node)
        constant = string_of(inner[0]) if inner else None
        if constant is None and inner and text_of(inner[0]).startswith("Symbol."):
            return f"[{text_of(inner[0])}]"
        return constant
    return text_of(node)


def dotted(node: Node | None) -> str:
    """Write a chain of names and members, `this` and `super` too, see `chain_of`."""
    return chain_of(bare(node), _CHAIN, bare)


def last_name(node: Node | None) -> str:
    """Return the last name of a member chain, with any beginning."""
    node = bare(node)
    if node is not None and node.type == "member_expression":
        return text_of(field(node, "property"))
    return text_of(node) if node is not None and node.type in ("identifier", "super") else ""


def arguments_of(call: Node) -> list[Node]:
    """List the arguments of a call or `new`."""
    given = field(call, "arguments")
    return children(given) if given is not None and given.type == "arguments" else []
