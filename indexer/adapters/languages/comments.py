"""Comments of languages with `//` and `/* */`: documentation and rationale."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING

from indexer.adapters.languages.facts import REASON, shortened
from indexer.adapters.languages.syntax import end_line_of, line_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

# An end mark is matched from the first blank of a run only: trying each blank would take quadratic time.
_MARKS = re.compile(
    r"^[ \t]*+(?:/\*\*?(?!/)|\*/|\*|//+)[ \t]?(?:[ \t]*+\*/[ \t]*+$)?|(?<![ \t])[ \t]*+\*/[ \t]*+$",
    re.MULTILINE,
)
_RIGHTS = re.compile(r"copyright|spdx-|licen[sc]ed? |all rights reserved", re.IGNORECASE)
_DIRECTIVE = re.compile(
    r"go:|\+build|nolint|eslint|@ts-|prettier-|istanbul|c8 |webpack|tslint|#__|#region|#endregion|jshint"
)
_PACKAGE_COMMENT = re.compile(r"^Package \w", re.MULTILINE)


def is_about_rights(text: str) -> bool:
    """Return whether a comment is a licence or copyright notice."""
    return _RIGHTS.search(text) is not None


def bare_comment(text: str) -> str:
    """Remove the comment marks from a comment and dedent it."""
    return cleandoc(_MARKS.sub("", text)).strip()


def comment_above(node: Node, *, kinds: tuple[str, ...]) -> str:
    """Return the text of the comments right above a definition: those of some kinds, without an empty line between."""
    return bare_comment("\n".join(_texts_above(node, kinds)))


def file_comment(clause: Node | None, *, kinds: tuple[str, ...]) -> str:
    """Return the text of the comments right above a package clause, without licence notices."""
    blocks: list[str] = []
    for text in _texts_above(clause, kinds) if clause is not None else ():
        if blocks and text.startswith("//") and blocks[-1].startswith("//"):
            blocks[-1] += f"\n{text}"
        else:
            blocks.append(text)
    return "\n\n".join(filter(None, map(_without_rights, map(bare_comment, blocks))))


def _without_rights(text: str) -> str:
    said = _PACKAGE_COMMENT.search(text)
    before = text[: said.start()] if said else text
    return text[len(before) :] if is_about_rights(before) else text


def _texts_above(node: Node, kinds: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    below, before = node, node.prev_named_sibling
    while before is not None and before.type in kinds and end_line_of(before) >= line_of(below) - 1:
        above = before.prev_named_sibling
        if above is not None and end_line_of(above) == line_of(before) and "comment" not in above.type:
            break  # a trailing comment of its line
        found.append(text_of(before))
        below, before = before, above
    return found[::-1]


def rationale_comments(comments: Iterable[Node]) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, text) of each block of comments with a rationale; documentation is left out."""
    for block in _blocks(comments):
        written = "\n".join(text_of(node) for node in block)
        if written.startswith("/**") or not REASON.search(written):
            continue
        text = bare_comment(written)
        if not _DIRECTIVE.match(text):
            yield line_of(block[0]), end_line_of(block[-1]), shortened(text)


def _blocks(comments: Iterable[Node]) -> Iterator[list[Node]]:
    """Group comments on consecutive lines that begin at the same column."""
    block: list[Node] = []
    for node in comments:
        if block and (
            line_of(node) != end_line_of(block[-1]) + 1
            or node.start_point.column != block[-1].start_point.column
            or any(text_of(each).startswith("/*") for each in (node, block[-1]))
        ):
            yield block
            block = []
        block.append(node)
    if block:
        yield block
