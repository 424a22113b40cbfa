"""Comments that say why: rationale, warnings to the next reader, known shortcomings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.facts import REASON, shortened
from indexer.adapters.languages.syntax import line_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

_DIRECTIVE = re.compile(r"\s*(?:eslint|@ts-|prettier-|istanbul|c8 |webpack|tslint|#__|#region|#endregion|jshint)")
# An end of a comment is looked for where blanks begin, not anew from each of them.
_MARKS = re.compile(r"^\s*+(?://+|/\*+|\*+/?)\s?(?:\s*+\*++/\s*+$)?|(?:(?<!\s)\s++|(?<![\s*]))\*++/\s*+$")


def rationale_comments(comments: Sequence[Node]) -> Iterator[tuple[int, int, str]]:
    """Return (first line, last line, text) of comments with a reason; consecutive lines of `//` are one."""
    for group in _groups(comments):
        written = "\n".join(text_of(comment) for comment in group)
        if written.startswith("/**") or not REASON.search(written):
            continue
        text = shortened(" ".join(_MARKS.sub("", line) for line in written.split("\n")))
        if not _DIRECTIVE.match(text):
            yield line_of(group[0]), group[-1].end_point.row + 1, text


def _groups(comments: Sequence[Node]) -> Iterator[list[Node]]:
    group: list[Node] = []
    for comment in comments:
        follows = (
            bool(group)
            and text_of(comment).startswith("//")
            and text_of(group[-1]).startswith("//")
            and line_of(comment) == line_of(group[-1]) + 1
            and comment.start_point.column == group[-1].start_point.column
        )
        if not follows and group:
            yield group
            group = []
        group.append(comment)
    if group:
        yield group
