"""Constant texts of a file: literals, names that are bound to one once, defaults of properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import arguments_of, string_of
from indexer.adapters.languages.syntax import field, first_child, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_BINDING = frozenset(("variable_declarator", "formal_parameter", "catch_formal_parameter", "enhanced_for_statement"))
_WITH_DEFAULT = frozenset(("getProperty", "getOrDefault", "getenv", "getString"))
MAX_DEPTH = 8


class Constants:
    """Evaluates constant texts in one file; all bindings of the file are collected at the first use."""

    def __init__(self) -> None:
        self._bound: dict[str, Node | None] | None = None

    def text(self, node: Node | None, depth: int = 0) -> str | None:
        """Return the text of an expression; None if it is not known."""
        if node is None or depth > MAX_DEPTH:
            return None
        if node.type == "parenthesized_expression":
            return self.text(first_child(node), depth + 1)
        if node.type == "binary_expression" and text_of(field(node, "operator")) == "+":
            left = self.text(field(node, "left"), depth + 1)
            right = self.text(field(node, "right"), depth + 1)
            return None if left is None or right is None else left + right
        if node.type == "method_invocation":
            arguments = arguments_of(node)
            has_default = len(arguments) == 2 and text_of(field(node, "name")) in _WITH_DEFAULT
            return self.text(arguments[1], depth + 1) if has_default else None
        if node.type in ("identifier", "field_access"):
            return self._named(node, depth)
        return string_of(node)

    def _named(self, node: Node, depth: int) -> str | None:
        """Return the text of a name that is bound exactly once in the file, in whatever scope."""
        if self._bound is None:
            self._bound = _bindings(node)
        return self.text(self._bound.get(text_of(node).rpartition(".")[2]), depth + 1)


def _bindings(node: Node) -> dict[str, Node | None]:
    root = node
    while root.parent is not None:
        root = root.parent
    found: dict[str, Node | None] = {}
    for each in walk(root):
        name = None
        if each.type in _BINDING:
            name = text_of(field(each, "name"))
        elif each.type == "assignment_expression":
            name = text_of(field(each, "left")).rpartition(".")[2]
        if name:
            found[name] = field(each, "value") if each.type == "variable_declarator" and name not in found else None
    return found
