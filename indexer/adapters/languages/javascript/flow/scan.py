"""Looks ahead in the code: declarations of a block, assignments in a range, functions that are constructors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.names import bound_name, own_name, prototype_owner
from indexer.adapters.languages.javascript.symbols import bound_names
from indexer.adapters.languages.javascript.syntax import CLASSES, FUNCTIONS, SHAPES, bare, dotted
from indexer.adapters.languages.syntax import children, field, first_child, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

_ASSIGNING = frozenset(("assignment_expression", "augmented_assignment_expression"))
_WRAPPING = frozenset(("export_statement", "ambient_declaration", "expression_statement"))
_NAMED = frozenset(("function_declaration", "generator_function_declaration", "internal_module")) | CLASSES | SHAPES


def shared_names(root: Node) -> frozenset[str]:
    """List the names that some function assigns to without declaring them."""
    found: set[str] = set()
    for function in walk(root):
        if function.type in FUNCTIONS:
            assigned, declared = set(), set(bound_names(field(function, "parameter")))
            parameters = field(function, "parameters")
            for node in own_nodes(function):
                if node.type in _ASSIGNING:
                    assigned.update(bound_names(bare(field(node, "left"))))
                elif node.type == "variable_declarator":
                    declared.update(bound_names(field(node, "name")))
                elif node.type == "for_in_statement" and field(node, "kind") is not None:
                    declared.update(bound_names(field(node, "left")))
            if assigned:
                for parameter in children(parameters):
                    declared.update(bound_names(field(parameter, "pattern") or parameter))
                found |= assigned - declared
    return frozenset(found)


def own_nodes(function: Node) -> Iterator[Node]:
    """Return the nodes of a function or module without those of the functions and classes in it, in order."""
    pending = list(reversed(function.named_children))
    while pending:
        node = pending.pop()
        yield node
        if node.type not in FUNCTIONS and node.type not in CLASSES:
            pending.extend(reversed(node.named_children))


def assigned_names(node: Node) -> dict[str, None]:
    """List the names that a stretch of code may assign to, without the functions in it."""
    found: dict[str, None] = {}
    for inner in (node, *own_nodes(node)):
        if inner.type in _ASSIGNING:
            found.update(dict.fromkeys(bound_names(bare(field(inner, "left")))))
        elif inner.type == "variable_declarator":
            found.update(dict.fromkeys(bound_names(field(inner, "name"))))
        elif inner.type == "for_in_statement":
            found.update(dict.fromkeys(bound_names(field(inner, "left"))))
    return found


def function_variables(body: Node) -> dict[str, None]:
    """List the names that `var` declares anywhere in a function."""
    found: dict[str, None] = {}
    for node in own_nodes(body):
        if node.type == "variable_declaration":
            for declarator in children(node):
                found.update(dict.fromkeys(bound_names(field(declarator, "name"))))
        elif node.type == "for_in_statement" and text_of(field(node, "kind")) == "var":
            found.update(dict.fromkeys(bound_names(field(node, "left"))))
    return found


def block_names(statements: Iterable[Node]) -> dict[str, None]:
    """List the names that a block declares for itself: `let`, `const`, functions, classes, imports, types."""
    found: dict[str, None] = {}
    for statement in statements:
        node: Node | None = statement
        if statement.type in _WRAPPING:
            node = field(statement, "declaration") or first_child(statement)
        if node is not None:
            found.update(dict.fromkeys(_declared(node)))
    found.pop("", None)
    return found


def _declared(node: Node) -> Iterator[str]:
    if node.type == "lexical_declaration":
        for declarator in children(node):
            yield from bound_names(field(declarator, "name"))
    elif node.type == "import_statement":
        yield from _imported(node)
    elif node.type in _NAMED:
        yield own_name(node)


def _imported(statement: Node) -> Iterator[str]:
    for node in walk(statement):
        if node.type == "import_specifier":
            yield text_of(field(node, "alias") or field(node, "name"))
        elif node.type in ("import_clause", "namespace_import", "import_require_clause"):
            yield from (text_of(child) for child in children(node) if child.type == "identifier")


def constructor_names(root: Node) -> frozenset[str]:
    """
    List the functions that are constructors: code refers to their prototype, or they set properties of `this`.

    The latter only if `new` is used with the name, or the name starts with a capital.
    """
    found: set[str] = set()
    made: set[str] = set()
    setting: set[str] = set()
    for node in walk(root):
        if node.type == "member_expression":
            if owner := prototype_owner(node):
                found.add(owner)
        elif node.type == "new_expression":
            made.add(dotted(field(node, "constructor")))
        elif node.type in ("function_declaration", "function_expression"):
            name = own_name(node) or bound_name(node) or ""
            if any(
                inner.type == "assignment_expression" and dotted(field(inner, "left")).startswith("this.")
                for inner in own_nodes(node)
            ):
                setting.add(name)
    capitals = {name for name in setting if name[:1].isupper()}
    return frozenset(found | (setting & made) | capitals)
