"""Functions on tree-sitter nodes that all adapters use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from tree_sitter import Node

# A longer chain, `a.b.c`, counts as no name: asking for the name at each link would take quadratic time.
MAX_NAMES = 20


class Chain(NamedTuple):
    """The syntax of `a.b.c`: type of a link, its fields for name and left side, types of nodes that start a chain."""

    link: str
    name: str
    before: str
    firsts: frozenset[str]


def text_of(node: Node | None) -> str:
    """Return the source of a node; "" for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def one_line(text: str) -> str:
    """Replace each run of white space with one blank."""
    return " ".join(text.split())


def line_of(node: Node) -> int:
    """Return the first line of a node, 1-based."""
    return node.start_point.row + 1


def end_line_of(node: Node) -> int:
    """Return the last line of a node, 1-based."""
    return node.end_point.row + 1


def field(node: Node | None, name: str) -> Node | None:
    """Return the child in a field; None for none."""
    return node.child_by_field_name(name) if node is not None else None


def children(node: Node | None) -> list[Node]:
    """List the named children without comments."""
    return [child for child in node.named_children if "comment" not in child.type] if node is not None else []


def first_child(node: Node | None) -> Node | None:
    """Return the first named child that is no comment; None for none."""
    return next(iter(children(node)), None)


def child_of(node: Node | None, *types: str) -> Node | None:
    """Return the first child of one of some types."""
    return next((child for child in children(node) if child.type in types), None)


def walk(node: Node, *, leave_out: Collection[str] = ()) -> Iterator[Node]:
    """Return all nodes below a node in order of the text, without the descendants of nodes of types in `leave_out`."""
    pending = list(reversed(node.named_children))
    while pending:
        current = pending.pop()
        yield current
        if current.type not in leave_out:
            pending.extend(reversed(current.named_children))


def chain_of(node: Node | None, kind: Chain, bare: Callable[[Node | None], Node | None] = lambda node: node) -> str:
    """Return a chain of names with dots; "" for anything else, and for a chain of more than `MAX_NAMES`."""
    parts: list[str] = []
    while node is not None and node.type == kind.link and len(parts) < MAX_NAMES:
        parts.append(text_of(field(node, kind.name)))
        node = bare(field(node, kind.before))
    return ".".join((text_of(node), *reversed(parts))) if node is not None and node.type in kind.firsts else ""
