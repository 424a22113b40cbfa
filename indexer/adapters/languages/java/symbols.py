"""Definitions of one Java file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.comments import comment_above, file_comment
from indexer.adapters.languages.java.lombok import accessors
from indexer.adapters.languages.java.syntax import (
    CLASSES,
    COMMENTS,
    FIELDS,
    METHODS,
    NESTED,
    annotations_of,
    body_members,
    modifiers,
    simple_name,
)
from indexer.adapters.languages.symbol_table import MAX_VARIABLE_SIGNATURE, SymbolTable, module_symbol
from indexer.adapters.languages.syntax import child_of, children, end_line_of, field, line_of, one_line, text_of, walk
from indexer.domain.model import SymbolDef, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.java.lombok import Accessor
    from indexer.adapters.languages.symbol_table import TreeTable

_BRANCHES = frozenset(
    (
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "ternary_expression",
        "assert_statement",
    )
)


def collect_symbols(root: Node, module: str) -> TreeTable:
    """List what a file defines: classes of all kinds, methods, constructors, fields, constants."""
    package = child_of(root, "package_declaration")
    docstring = file_comment(package, kinds=("block_comment",))
    table: TreeTable = SymbolTable(module_symbol(module, end_line_of(root) - (root.end_point.column == 0), docstring))
    _Collector(table).members(children(root), 0, public=True)
    return table


class _Collector:
    def __init__(self, table: TreeTable) -> None:
        self._table = table
        self._anonymous: dict[int, int] = {}
        self._made: dict[int, list[Accessor]] = {}

    def members(self, nodes: list[Node], parent: int, *, public: bool) -> None:
        for node in nodes:
            if node.type in CLASSES:
                self._class(node, parent, public=public)
            elif node.type in METHODS:
                self._method(node, parent, public=public)
            elif node.type in FIELDS:
                self._fields(node, parent, public=public)
            elif node.type == "enum_constant":
                self._constant(node, parent, public=public)
            else:
                self._inside(node, parent)

    def _inside(self, node: Node, parent: int) -> None:
        """Find local and anonymous classes in a body."""
        for inner in (node, *walk(node, leave_out=NESTED)):
            if inner.type in CLASSES:
                self._class(inner, parent, public=False)
            elif inner.type == "class_body":
                self._anonymous_class(inner, parent)

    def _prefix(self, parent: int) -> str:
        above = self._table.symbols[parent].qualified_name
        return f"{above}." if above else ""

    def _is_public(self, node: Node, parent: int, *, public: bool) -> bool:
        words = modifiers(node)
        shown = not words.isdisjoint(("public", "protected"))
        declared = self._table.symbols[parent].signature
        in_interface = " interface " in f" {declared}" and "private" not in words
        return public and (shown or in_interface)

    def _add(self, node: Node, kind: SymbolKind, name: str, parent: int, *, public: bool, signature: str) -> int:
        own = [] if kind == SymbolKind.VARIABLE else list(walk(field(node, "body") or node, leave_out=NESTED))
        symbol = SymbolDef(
            kind,
            name,
            self._prefix(parent) + name,
            parent,
            line_of(node),
            end_line_of(node),
            signature,
            comment_above(node, kinds=("block_comment",)),
            tuple(one_line(text_of(each)).removeprefix("@") for each in annotations_of(node)),
            public,
            1 if kind == SymbolKind.VARIABLE else _complexity(own),
        )
        return self._table.add(node.id, symbol, own)

    def _class(self, node: Node, parent: int, *, public: bool) -> None:
        name = text_of(field(node, "name"))
        shown = self._is_public(node, parent, public=public) if parent or public else False
        position = self._add(node, SymbolKind.CLASS, name, parent, public=shown, signature=_signature(node))
        for accessor in accessors(node):
            self._made.setdefault(accessor.node.id, []).append(accessor)
        self._accessors(node, node, position)
        for component in children(field(node, "parameters")):
            self._variable(component, text_of(field(component, "name")), position, public=shown, declared=component)
        self.members(body_members(node), position, public=shown)

    def _anonymous_class(self, body: Node, parent: int) -> None:
        """Add an anonymous class, named as by the compiler: `$` and its number in the enclosing class."""
        outer = parent
        while outer and self._table.symbols[outer].kind != SymbolKind.CLASS:
            outer = self._table.symbols[outer].parent
        number = self._anonymous[outer] = self._anonymous.get(outer, 0) + 1
        creation = body.parent
        base = simple_name(field(creation, "type")) if creation is not None else ""
        signature = f"new {base}()" if base else text_of(field(creation, "name"))
        position = self._add(body, SymbolKind.CLASS, f"${number}", parent, public=False, signature=signature)
        self.members(body_members(body), position, public=False)

    def _method(self, node: Node, parent: int, *, public: bool) -> None:
        name = text_of(field(node, "name"))
        shown = self._is_public(node, parent, public=public)
        position = self._add(node, SymbolKind.METHOD, name, parent, public=shown, signature=_signature(node))
        body = field(node, "body")
        if body is not None:
            self.members(children(body), position, public=False)

    def _fields(self, node: Node, parent: int, *, public: bool) -> None:
        shown = self._is_public(node, parent, public=public)
        for declarator in children(node):
            if declarator.type == "variable_declarator":
                self._variable(declarator, text_of(field(declarator, "name")), parent, public=shown, declared=node)
                self._accessors(declarator, node, parent)
                self._inside(declarator, parent)

    def _accessors(self, node: Node, declared: Node, parent: int) -> None:
        """Add the methods that are generated for a field or class, at its line."""
        for each in self._made.pop(node.id, ()):
            line, name = line_of(declared), self._prefix(parent) + each.name
            symbol = SymbolDef(SymbolKind.METHOD, each.name, name, parent, line, line, each.signature, "")
            self._table.add(each.key, symbol, [])

    def _constant(self, node: Node, parent: int, *, public: bool) -> None:
        self._variable(node, text_of(field(node, "name")), parent, public=public, declared=node)
        self._inside(node, parent)

    def _variable(self, node: Node, name: str, parent: int, *, public: bool, declared: Node) -> None:
        symbol = SymbolDef(
            SymbolKind.VARIABLE,
            name,
            self._prefix(parent) + name,
            parent,
            line_of(declared),
            end_line_of(declared),
            _declaration(declared, None)[:MAX_VARIABLE_SIGNATURE],
            comment_above(declared, kinds=("block_comment",)) if declared.type != "formal_parameter" else "",
            tuple(one_line(text_of(each)).removeprefix("@") for each in annotations_of(declared)),
            public,
        )
        self._table.add(node.id, symbol, [])


def _signature(node: Node) -> str:
    return _declaration(node, field(node, "body"))


def _declaration(node: Node, body: Node | None) -> str:
    """Write a declaration without annotations, comments and body."""
    parts = []
    for child in node.children:
        if body is not None and child.id == body.id:
            break
        if child.type == "modifiers":
            parts += [text_of(word) for word in child.children if "annotation" not in word.type]
        elif child.type == "type_parameters" and node.type not in METHODS:
            parts[-1] += text_of(child)
        elif child.type not in COMMENTS:
            parts.append(text_of(child))
    text = one_line(" ".join(parts)).replace("( ", "(")
    for mark in ("(", ")", ",", ";", "["):
        text = text.replace(f" {mark}", mark)
    return text.rstrip(";")


def _complexity(nodes: list[Node]) -> int:
    """Count the decisions of the own body, plus one (McCabe, 1976)."""
    return 1 + sum(node.type in _BRANCHES or _is_case(node) or _is_short_circuit(node) for node in nodes)


def _is_case(node: Node) -> bool:
    return node.type == "switch_label" and text_of(node).startswith("case")


def _is_short_circuit(node: Node) -> bool:
    return node.type == "binary_expression" and text_of(field(node, "operator")) in ("&&", "||")
