"""The declaration of a definition: its lines, signature, decorators and documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING

from indexer.adapters.languages.comments import is_about_rights
from indexer.adapters.languages.javascript.syntax import FIELDS, SIGNATURES
from indexer.adapters.languages.syntax import end_line_of, field, line_of, one_line, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE = 400
# Comments and overloads that may precede a function.
_MAX_ABOVE = 100
_STATEMENTS = frozenset(
    ("lexical_declaration", "variable_declaration", "expression_statement", "export_statement", "ambient_declaration")
)
_ON_THE_WAY = frozenset(
    (
        "variable_declarator",
        "assignment_expression",
        "augmented_assignment_expression",
        "call_expression",
        "arguments",
        "pair",
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "await_expression",
        *FIELDS,
        *_STATEMENTS,
    )
)
_COMMENT = re.compile(r"/(?=([/*]))")
_OF_A_FILE = re.compile(r"@(?:file|fileoverview|overview|module|packageDocumentation)\b")


@dataclass(frozen=True, slots=True)
class Declaration:
    """Lines, signature, documentation and decorators of a definition, from its enclosing statement too."""

    start_line: int
    end_line: int
    signature: str
    docstring: str
    decorators: tuple[str, ...]

    @classmethod
    def of(cls, node: Node) -> Declaration:
        """Return the declaration of a definition."""
        outer = _declaring(node)
        around = [*_decorators_of(outer), *_decorators_of(node)]
        decorators = list({decorator.id: decorator for decorator in around}.values())
        first = min([line_of(outer), *map(line_of, decorators)])
        written = tuple(one_line(text_of(item).removeprefix("@")) for item in decorators)
        end = max(end_line_of(node), end_line_of(outer))
        return cls(
            first, end, _signature(node, outer), docstring_of(outer) or _overloads_docstring(node, outer), written
        )


def docstring_of(node: Node) -> str:
    """Return the JSDoc comment above a statement or member; "" without one, or for the licence notice of a file."""
    above = node.prev_named_sibling
    while above is not None and above.type == "decorator":
        above = above.prev_named_sibling
    if above is None and node.parent is not None and node.parent.type in _STATEMENTS:
        return docstring_of(node.parent)
    if above is None or above.type != "comment" or end_line_of(above) < line_of(node) - 4:
        return ""
    is_header = above.parent is not None and above.parent.type == "program" and above.prev_named_sibling is None
    return "" if is_header and is_about_rights(text_of(above)) else clean(text_of(above))


def _overloads_docstring(node: Node, outer: Node) -> str:
    """Return the comment of the first overload above a function, which documents the implementation, too."""
    name, found = text_of(field(node, "name")), ""
    above = outer.prev_named_sibling
    for _ in range(_MAX_ABOVE):
        if above is None:
            break
        if above.type != "comment":
            overload = field(above, "declaration") or above
            if not name or overload.type not in SIGNATURES or text_of(field(overload, "name")) != name:
                break
            found = docstring_of(above) or found
        above = above.prev_named_sibling
    return found


def module_docstring(root: Node) -> str:
    """Return the first JSDoc comment that is no licence notice, if it documents the file as a whole; else ""."""
    for child in root.named_children:
        if child.type == "comment" and text_of(child).startswith("/**"):
            after = child.next_named_sibling
            text = text_of(child)
            of_a_file = _OF_A_FILE.search(text) is not None
            if is_about_rights(text) and not of_a_file:
                continue
            apart = after is None or after.type in ("comment", "import_statement")
            if after is None or apart or line_of(after) > end_line_of(child) + 1 or of_a_file:
                return clean(text)
            return ""
        if child.type not in ("comment", "hash_bang_line", "expression_statement"):
            return ""
    return ""


def clean(comment: str) -> str:
    """Take the stars off a JSDoc comment; "" for other comments."""
    if not comment.startswith("/**"):
        return ""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment[3:].removesuffix("*/").split("\n")]
    return cleandoc("\n".join(line.rstrip() for line in lines))


def _declaring(node: Node) -> Node:
    """Return the outermost statement or member that consists of a definition only."""
    outer = node
    while (parent := outer.parent) is not None and parent.type in _ON_THE_WAY:
        if parent.type in ("lexical_declaration", "variable_declaration") and parent.named_child_count > 1:
            break
        outer = parent
        if parent.type == "pair":
            break
    return outer


def _decorators_of(node: Node) -> list[Node]:
    found = [child for child in node.named_children if child.type == "decorator"]
    above = node.prev_named_sibling
    before: list[Node] = []
    while above is not None and above.type == "decorator":
        before.append(above)
        above = above.prev_named_sibling
    return [*reversed(before), *found]


def _signature(node: Node, outer: Node) -> str:
    body = field(node, "body")
    if node.type == "type_alias_declaration":
        return one_line(text_of(outer))[:MAX_SIGNATURE]
    source = outer.text or b""
    decorated = [child for child in (*outer.named_children, *node.named_children) if child.type == "decorator"]
    start = max([outer.start_byte, *(child.end_byte for child in decorated)])
    end = body.start_byte if body is not None and body.end_byte <= outer.end_byte else outer.end_byte
    written = source[start - outer.start_byte : end - outer.start_byte].decode("utf-8", "replace")
    return one_line(_without_comments(written)).removesuffix("=>").rstrip(" ;")[:MAX_SIGNATURE]


def _without_comments(written: str) -> str:
    """Replace each comment with a blank; a comment mark without an end stays."""
    kept, at = [], 0
    ends = {"/": "\n", "*": "*/"}
    for mark in _COMMENT.finditer(written):
        if mark.start() < at or (end := ends.get(mark[1])) is None:
            continue
        found = written.find(end, mark.end(1))
        if found < 0:
            del ends[mark[1]]  # later comments of this kind have no end either
        else:
            kept.append(written[at : mark.start()])
            at = found + len(end)
    return " ".join([*kept, written[at:]])
