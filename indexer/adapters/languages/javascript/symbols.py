"""Definitions of one file, in order of start line, and which nodes belong to each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript import names
from indexer.adapters.languages.javascript.declarations import Declaration, docstring_of, module_docstring
from indexer.adapters.languages.javascript.exports import exported_names
from indexer.adapters.languages.javascript.syntax import (
    CLASSES,
    FIELDS,
    FUNCTION_VALUES,
    FUNCTIONS,
    NAMESPACES,
    SHAPES,
    SIGNATURES,
    arguments_of,
    bare,
    key_of,
)
from indexer.adapters.languages.symbol_table import MAX_VARIABLE_SIGNATURE, SymbolTable, line_count, module_symbol
from indexer.adapters.languages.syntax import children, end_line_of, field, line_of, one_line, text_of
from indexer.domain.model import SymbolDef, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_DEFINING = FUNCTIONS | SIGNATURES | CLASSES | SHAPES | NAMESPACES
# Definitions that may be named by their parents. The library finds the parent of a node by descending from the root,
# so deep in a tree each access costs the depth. Code written by people has none of them deeper than 200.
_NAMED = _DEFINING | FIELDS | {"variable_declarator", "property_signature"}
_MAX_DEPTH = 500
_BRANCHES = frozenset(
    (
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_case",
        "catch_clause",
        "ternary_expression",
    )
)
_SHORT_CIRCUITS = frozenset(("&&", "||", "??"))
_MEMBERS = frozenset(("property_signature", "method_signature", "abstract_method_signature"))
_ENUMERATED = frozenset(("enum_assignment", "property_identifier", "string"))
_BODIES = frozenset(("interface_body", "class_body", "object_type", "union_type", "intersection_type"))
_OPAQUE = frozenset(("type_annotation", "type_arguments", "type_parameters", "comment"))


class JavaScriptSymbols(SymbolTable[int, "Node"]):
    """
    Symbols of one file; nodes are known by their ids.

    Functions without a name belong to the enclosing body. Of a nested definition only the node itself is
    listed in the body around it.

    Args:
        nodes: The node of each symbol that has a body, by position.
        comments: In order of the text.
    """

    def __init__(self, root: Node, text: str, module: str) -> None:
        super().__init__(module_symbol(module, line_count(text), module_docstring(root)))
        self.lines = text.split("\n")
        self.positions[root.id] = 0
        self.nodes: dict[int, Node] = {0: root}
        self.comments: list[Node] = []
        self._complexity: dict[int, int] = {0: 1}
        self._exported = exported_names(root)
        self._walk(root)
        self._sort()

    def _walk(self, root: Node) -> None:
        pending: list[tuple[Node, int, int]] = [(child, 0, 1) for child in reversed(root.named_children)]
        while pending:
            node, position, depth = pending.pop()
            kind = node.type
            if kind in _OPAQUE:
                if kind == "comment":
                    self.comments.append(node)
                continue
            self.own[position].append(node)
            if depth > _MAX_DEPTH and kind in _NAMED:
                raise RecursionError
            if kind in _MEMBERS and not self._is_member(node, position):
                pass
            elif kind in _DEFINING and (name := scope_name(node)):
                position = self._definition(node, name, position)
            elif kind in ("variable_declarator", "property_signature", "enum_body") or kind in FIELDS:
                for each in _binding(node):
                    self._variables(each, position)
            elif kind in _BRANCHES or (kind == "binary_expression" and _operator(node) in _SHORT_CIRCUITS):
                self._complexity[position] += 1
            pending.extend([(child, position, depth + 1) for child in reversed(node.named_children)])

    def _is_member(self, signature: Node, position: int) -> bool:
        """Return whether a signature belongs to the current class or type, not to a type nested in it."""
        holder = signature.parent
        while holder is not None and holder.type in _BODIES:
            holder = holder.parent
        return holder is not None and holder.id == self.nodes[position].id

    def _add(self, node: Node, symbol: SymbolDef) -> int:
        position = self.add(node.id, symbol, [])
        self.nodes[position] = node
        self._complexity[position] = 1
        return position

    def _definition(self, node: Node, name: str, parent: int) -> int:
        owner = names.prototype_owner(_left_of(node))
        if owner:
            parent = self._named(owner) or parent
            name = name.removeprefix(f"{owner}.prototype.")
        above = self.symbols[parent]
        declaration = Declaration.of(node)
        symbol = SymbolDef(
            _kind_of(node, above, is_method=bool(owner) or "." in name),
            name.rpartition(".")[2] if not name.startswith("[") else name,
            f"{above.qualified_name}.{name}" if above.qualified_name else name,
            parent,
            declaration.start_line,
            declaration.end_line,
            declaration.signature,
            declaration.docstring,
            declaration.decorators,
            self._is_public(node, name, parent),
        )
        return self._add(node, symbol)

    def _named(self, name: str) -> int:
        return next((place for place, symbol in enumerate(self.symbols) if symbol.qualified_name == name), 0)

    def _is_public(self, node: Node, name: str, parent: int) -> bool:
        above = self.symbols[parent]
        if above.kind == SymbolKind.MODULE:
            first = name.partition(".")[0]
            return first in self._exported if self._exported else not first.startswith("_")
        if above.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) and "prototype" not in text_of(_left_of(node)):
            return False
        modifier = next((text_of(child) for child in node.children if child.type == "accessibility_modifier"), "")
        return above.is_public and not name.startswith("#") and modifier in ("", "public")

    def _variables(self, node: Node, parent: int) -> None:
        """Add a symbol for each name that is bound in a module or type, and is no function or class."""
        above = self.symbols[parent]
        if above.kind not in (SymbolKind.MODULE, SymbolKind.CLASS):
            return
        if node.type == "variable_declarator":
            if above.kind == SymbolKind.MODULE and _is_nested(node):
                return
            bound = bound_names(field(node, "name"))
        else:
            bound = [key_of(field(node, "name") or field(node, "property") or node) or ""]
        value = bare(field(node, "value"))
        if value is not None and (value.type in FUNCTIONS | CLASSES or _makes_symbol(value, bound)):
            return
        declaring = _declaring(node)
        signature, docstring = one_line(text_of(declaring))[:MAX_VARIABLE_SIGNATURE], docstring_of(declaring)
        for name in filter(None, bound):
            self.symbols.append(
                SymbolDef(
                    SymbolKind.VARIABLE,
                    name,
                    f"{above.qualified_name}.{name}" if above.qualified_name else name,
                    parent,
                    line_of(node),
                    end_line_of(node),
                    signature,
                    docstring,
                    (),
                    self._is_public(node, name, parent),
                )
            )

    def _sort(self) -> None:
        """Put symbols in order of start line and count their decisions (McCabe, 1976)."""
        order = sorted(range(len(self.symbols)), key=lambda place: (place > 0, self.symbols[place].start_line, place))
        moved = {old: new for new, old in enumerate(order)}
        self.symbols = [
            replace(symbol, parent=moved.get(symbol.parent, -1), complexity=self._complexity.get(old, 1))
            for old, symbol in ((old, self.symbols[old]) for old in order)
        ]
        self.positions = {key: moved[place] for key, place in self.positions.items()}
        self.nodes = {moved[place]: node for place, node in self.nodes.items()}
        self.own = {moved[place]: nodes for place, nodes in self.own.items()}


def _binding(node: Node) -> list[Node]:
    """Return the nodes that bind names: the members of an enumeration; for any other node, the node."""
    return [node] if node.type != "enum_body" else [each for each in node.named_children if each.type in _ENUMERATED]


def scope_name(node: Node) -> str | None:
    """Return the name of a definition in its scope; None without one."""
    kind = node.type
    if kind in FUNCTION_VALUES or kind == "class":
        bound, own = names.bound_name(node), names.own_name(node)
        return own if own and bound in (None, "exports", "default") else bound
    if kind == "method_definition" and node.parent is not None and node.parent.type == "object":
        path = names.object_path(node.parent)
        return f"{path}.{names.own_name(node)}" if path else names.own_name(node)
    if kind == "type_alias_declaration" and not has_members(node):
        return None
    if kind == "module" and field(node, "name") is None:
        return None
    return names.own_name(node).strip("\"'") or ("default" if _is_exported(node) else None)


def has_members(alias: Node) -> bool:
    """Return whether a type alias describes an object."""
    value = field(alias, "value")
    return value is not None and (
        value.type == "object_type"
        or (
            value.type in ("intersection_type", "union_type")
            and any(part.type == "object_type" for part in children(value))
        )
    )


def bound_names(pattern: Node | None) -> list[str]:
    """List the names that a pattern binds, through destructuring."""
    found: list[str] = []
    pending = [pattern] if pattern is not None else []
    while pending:
        node = pending.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(text_of(node))
        elif node.type == "pair_pattern":
            if (value := field(node, "value")) is not None:
                pending.append(value)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            if (left := field(node, "left")) is not None:
                pending.append(left)
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            pending.extend(reversed(children(node)))
    return found


def parameter_names(function: Node) -> Iterator[str]:
    """Name the parameters of a function, through destructuring."""
    single = field(function, "parameter")
    for part in [*children(field(function, "parameters")), *([single] if single is not None else [])]:
        yield from bound_names(field(part, "pattern") or part)


def _kind_of(node: Node, above: SymbolDef, *, is_method: bool) -> SymbolKind:
    if node.type in CLASSES | SHAPES | NAMESPACES:
        return SymbolKind.CLASS
    inside = above.kind == SymbolKind.CLASS and (node.parent is None or node.parent.type != "statement_block")
    if node.type in ("method_definition", "method_signature", "abstract_method_signature") or is_method or inside:
        return SymbolKind.FUNCTION if _in_namespace(node) else SymbolKind.METHOD
    return SymbolKind.FUNCTION


def _in_namespace(node: Node) -> bool:
    around = node.parent
    if around is not None and around.type == "export_statement":
        around = around.parent
    return around is not None and around.parent is not None and around.parent.type in NAMESPACES


def _left_of(node: Node) -> Node | None:
    parent = node.parent
    if parent is not None and parent.type == "assignment_expression":
        return field(parent, "left")
    return None


def _is_exported(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "export_statement"


def _is_nested(declarator: Node) -> bool:
    """Return whether a variable of a module stands in a block or an anonymous function."""
    statement = declarator.parent
    around = statement.parent if statement is not None else None
    if around is not None and around.type in ("export_statement", "ambient_declaration"):
        around = around.parent
    return around is None or around.type != "program"


def _declaring(node: Node) -> Node:
    parent = node.parent
    if node.type == "variable_declarator" and parent is not None and len(children(parent)) == 1:
        return parent
    return node


def _makes_symbol(call: Node, bound: list[str]) -> bool:
    """Return whether a call imports a module, or wraps a function that is called by the bound name."""
    if call.type != "call_expression":
        return False
    if text_of(field(call, "function")) in ("require", "import"):
        return True
    pending = arguments_of(call)
    while pending:
        node = pending.pop()
        if node.type in FUNCTIONS and scope_name(node) in bound:
            return True
        pending.extend(arguments_of(node) if node.type == "call_expression" else ())
    return False


def _operator(node: Node) -> str:
    return text_of(field(node, "operator"))
