"""Definitions of one Go file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.comments import comment_above, file_comment
from indexer.adapters.languages.go.syntax import COMMENTS, FUNCTIONS, TYPES, receiver_of, type_name
from indexer.adapters.languages.symbol_table import MAX_VARIABLE_SIGNATURE, SymbolTable, module_symbol
from indexer.adapters.languages.syntax import child_of, children, end_line_of, field, line_of, one_line, text_of, walk
from indexer.domain.model import SymbolDef, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.symbol_table import TreeTable

_BRANCHES = frozenset(("if_statement", "for_statement", "expression_case", "type_case", "communication_case"))
_SHAPES = frozenset(("struct_type", "interface_type"))


def collect_symbols(root: Node, module: str) -> TreeTable:
    """List what a file defines: types, their fields and methods, functions, variables and constants of the package."""
    docstring = file_comment(child_of(root, "package_clause"), kinds=COMMENTS)
    table: TreeTable = SymbolTable(module_symbol(module, end_line_of(root) - (root.end_point.column == 0), docstring))
    collector = _Collector(table)
    for node in children(root):
        collector.declaration(node)
    return table


class _Collector:
    def __init__(self, table: TreeTable) -> None:
        self._table = table
        self._types: dict[str, int] = {}

    def declaration(self, node: Node) -> None:
        if node.type in FUNCTIONS:
            self._function(node)
        elif node.type == "type_declaration":
            for spec in children(node):
                if spec.type in TYPES:
                    self._type(spec, node)
        elif node.type in ("var_declaration", "const_declaration"):
            word = node.type.partition("_")[0]
            for inner in children(node):
                for spec in children(inner) if inner.type.endswith("_list") else [inner]:
                    self._variables(spec, word, 0, documented=inner if inner.type.endswith("_list") else node)

    def _add(self, node: Node, kind: SymbolKind, name: str, parent: int, signature: str, documented: Node) -> int:
        above = self._table.symbols[parent]
        is_function = kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
        own = list(walk(node)) if is_function else []
        symbol = SymbolDef(
            kind,
            name.rpartition(".")[2],
            f"{above.qualified_name}.{name}" if above.qualified_name and "." not in name else name,
            parent,
            line_of(node),
            end_line_of(node),
            signature,
            comment_above(documented, kinds=COMMENTS),
            (),
            all(part[:1].isupper() for part in name.split(".")) and (parent == 0 or above.is_public),
            1 + sum(_is_branch(each) for each in own),
        )
        return self._table.add(node.id, symbol, own)

    def _function(self, node: Node) -> None:
        name, parent, kind = text_of(field(node, "name")), 0, SymbolKind.FUNCTION
        if node.type == "method_declaration":
            holder = type_name(receiver_of(node)[1])
            name, parent, kind = f"{holder}.{name}", self._types.get(holder, 0), SymbolKind.METHOD
        self._add(node, kind, name, parent, _before(node, field(node, "body")), node)

    def _type(self, spec: Node, declaration: Node) -> None:
        name, body = text_of(field(spec, "name")), field(spec, "type")
        documented = declaration if len(children(declaration)) == 1 else spec
        shape = body.type.removesuffix("_type") if body is not None and body.type in _SHAPES else text_of(body)
        written = one_line(f"type {name}{text_of(field(spec, 'type_parameters'))} {shape}")[:MAX_VARIABLE_SIGNATURE]
        position = self._add(spec, SymbolKind.CLASS, name, 0, written, documented)
        self._types[name] = position
        for member in children(child_of(body, "field_declaration_list") or body):
            if member.type == "method_elem":
                method = text_of(field(member, "name"))
                self._add(member, SymbolKind.METHOD, method, position, f"func {one_line(text_of(member))}", member)
            elif member.type == "field_declaration":
                self._variables(member, "", position, documented=member)

    def _variables(self, spec: Node, word: str, parent: int, *, documented: Node) -> None:
        signature = one_line(f"{word} {text_of(spec)}")[:MAX_VARIABLE_SIGNATURE]
        names = spec.children_by_field_name("name") if spec.type != "comment" else []
        for name in names:
            if name.is_named and text_of(name) != "_":
                above = self._table.symbols[parent]
                symbol = SymbolDef(
                    SymbolKind.VARIABLE,
                    text_of(name),
                    f"{above.qualified_name}.{text_of(name)}" if above.qualified_name else text_of(name),
                    parent,
                    line_of(spec),
                    end_line_of(spec),
                    signature,
                    comment_above(spec, kinds=COMMENTS) or comment_above(documented, kinds=COMMENTS),
                    (),
                    text_of(name)[:1].isupper() and (parent == 0 or above.is_public),
                )
                self._table.add(name.id, symbol, [])


def _before(node: Node, body: Node | None) -> str:
    text = text_of(node)
    if body is not None:
        text = text.encode()[: body.start_byte - node.start_byte].decode("utf-8", "replace")
    return one_line(text)


def _is_branch(node: Node) -> bool:
    if node.type == "binary_expression":
        return text_of(field(node, "operator")) in ("&&", "||")
    return node.type in _BRANCHES
