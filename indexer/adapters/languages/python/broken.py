"""
Removes syntax errors from a Python file that the interpreter's parser refuses: tree-sitter finds the statements.

Only the innermost statements with an error are left out, so that a broken line costs a method at most. F-strings that
contain their own quotes (PEP 701) get other quotes; empty blocks get `pass`. Line numbers do not change.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

import tree_sitter_python
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_MOST_ROUNDS = 8
"""Attempts with the interpreter's parser; each that fails drops one statement."""
_NOTHING = "pass"
_BLOCKS = frozenset(("block", "module"))
_TRIPLES = ('"""', "'''")


def without_errors(text: str) -> str | None:
    """Return a text without the statements that the running parser refuses; None if nothing is left."""
    source = text.encode("utf-8", "replace")
    lines = _mended(source).decode().split("\n")
    for start, end in _broken(_tree("\n".join(lines).encode())):
        _leave_out(lines, start, end)
    for _ in range(_MOST_ROUNDS):
        try:
            tree = ast.parse("\n".join(lines))
        except SyntaxError as error:
            if not error.lineno:
                return None
            at = min(error.lineno, len(lines)) - 1
            if lines[at].strip() == _NOTHING:  # no statement is allowed here, not even `pass`
                lines[at] = ""
                continue
            _leave_out(lines, *_statement(_tree("\n".join(lines).encode()), at))
        except ValueError:
            return None
        else:
            is_left = any(not isinstance(each, ast.Pass | ast.Expr) for each in tree.body)
            return "\n".join(lines) if is_left else None
    return None


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_python.language()))


def _tree(source: bytes) -> Node:
    return _parser().parse(source).root_node


def _mended(source: bytes) -> bytes:
    """Replace the quotes of f-strings that contain strings in the same quotes; put `pass` into empty blocks."""
    found: list[tuple[int, int, bytes]] = []
    pending = [_tree(source)]
    while pending:
        node = pending.pop()
        if node.type == "string" and (marks := _other_quotes(node)):
            first, last = node.children[0], node.children[-1]
            prefix = (first.text or b"").rstrip(b"\"'")
            found += [(first.start_byte, first.end_byte, prefix + marks), (last.start_byte, last.end_byte, marks)]
        elif node.type == "block" and not node.children and node.parent is not None:
            at = max(each.end_byte for each in node.parent.children if each.type == ":")
            found.append((at, at, b" pass"))
        else:
            pending.extend(node.children)
    for start, end, marks in sorted(found, reverse=True):
        source = source[:start] + marks + source[end:]
    return source


def _other_quotes(node: Node) -> bytes:
    """Return new quotes for an f-string that contains its own quotes; b"" if it needs none, or none are free."""
    if not any(child.type == "interpolation" for child in node.children):
        return b""
    own = (node.children[-1].text or b"")[-1:]
    inside = b"".join(child.text or b"" for child in node.children if child.type == "interpolation")
    if not own or own not in inside:
        return b""
    return next((each.encode() for each in _TRIPLES if each.encode() not in (node.text or b"")), b"")


def _broken(root: Node) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of the smallest statements that contain an error."""
    pending = [root]
    while pending:
        node = pending.pop()
        for child in node.children:
            if child.type == "ERROR" or child.is_missing:
                yield child.start_point.row, max(child.start_point.row, child.end_point.row)
            elif child.has_error:
                inner = [each for each in _blocks(child) if each.has_error]
                if inner and not _has_own_error(child):
                    pending.extend(inner)
                else:
                    yield child.start_point.row, child.end_point.row


def _blocks(node: Node) -> Iterator[Node]:
    """Yield the outermost blocks of a statement."""
    pending = list(node.children)
    while pending:
        child = pending.pop()
        if child.type in _BLOCKS:
            yield child
        else:
            pending.extend(child.children)


def _has_own_error(node: Node) -> bool:
    """Return whether a statement has an error outside of its blocks."""
    pending = list(node.children)
    while pending:
        child = pending.pop()
        if child.type == "ERROR" or child.is_missing:
            return True
        if child.type not in _BLOCKS:
            pending.extend(child.children)
    return False


def _statement(root: Node, row: int) -> tuple[int, int]:
    """Return the rows of the innermost statement around a row."""
    first = last = row
    node: Node | None = root
    while node is not None:
        inner = None
        for child in node.children:
            if child.start_point.row <= row <= child.end_point.row and child.is_named:
                inner = child
                if node.type in _BLOCKS:
                    first, last = child.start_point.row, child.end_point.row
                break
        node = inner
    return first, last


def _leave_out(lines: list[str], first: int, last: int) -> None:
    """Replace the lines of statements with `pass` and empty lines."""
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    lines[first : last + 1] = [f"{indent}{_NOTHING}", *[""] * (last - first)]
