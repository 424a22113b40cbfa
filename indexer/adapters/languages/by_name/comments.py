"""Finds the documentation and attributes of definitions by line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING

from indexer.adapters.languages.by_name.markup import without_markup
from indexer.adapters.languages.comments import is_about_rights
from indexer.adapters.languages.syntax import line_of, one_line, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from indexer.adapters.languages.by_name.rules import Rules
    from indexer.adapters.languages.by_name.tags import Tag

# An end mark is matched from the first blank of a run only: trying each blank would take quadratic time.
_MARKS = re.compile(
    r"^[ \t]*+(?:/\*[*!]?|\*/|\*(?!\*)|//[/!]*<?|#+|-{2,})[ \t]?(?:[ \t]*+\*++/[ \t]*+$)?"
    r"|(?:(?<![ \t])[ \t]++|(?<![ \t*]))\*++/[ \t]*+$",
    re.MULTILINE,
)
_PRAGMA = re.compile(
    r"^(?:#!.*|# *(?:-\*-.*|(?:frozen_string_literal|encoding|coding|typed|rubocop)\b.*))\n?", re.MULTILINE
)
_LAST_TOP_LINE = 6


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    text: str
    is_comment: bool


class Comments:
    """Comments and attributes that stand alone on their lines; lines are 1-based."""

    def __init__(self, rules: Rules, lines: Sequence[bytes], tags: Iterable[Tag]) -> None:
        self._rules = rules
        self._by_end: dict[int, _Block] = {}
        self._by_start: dict[int, _Block] = {}
        for tag in tags:
            if tag.kind in ("comment", "attribute") and _is_alone(tag.node, lines):
                block = _block(tag.node, is_comment=tag.kind == "comment")
                self._by_end[block.end] = self._by_start[block.start] = block

    def above(self, line: int) -> tuple[int, str, list[str]]:
        """Return (first line with attributes, documentation, attributes) of a definition that starts on a line."""
        first, comments, attributes = line, [], []
        while (block := self._by_end.get(line - 1)) is not None:
            line = block.start
            if not block.is_comment:
                first = line
                attributes.append(one_line(block.text).removeprefix("#[").removesuffix("]"))
            elif block.text.startswith(self._rules.documentation):
                comments.append(block.text)
        return first, self._clean(comments[::-1]), attributes[::-1]

    def of_file(self, first_definition: int) -> str:
        """Return the comment at the top of a file, unless it documents the definition below or is a licence notice."""
        top = (line for line in range(1, _LAST_TOP_LINE + 1) if line in self._by_start)
        line = next((line for line in top if not _PRAGMA.match(self._by_start[line].text)), 0)
        if first_definition and line >= first_definition:
            return ""
        found = []
        while (block := self._by_start.get(line)) is not None and block.is_comment:
            line = block.end + 1
            if block.text.startswith(self._rules.file_documentation):
                found.append(block.text)
        is_inner = bool(found) and found[0].startswith(("//!", "/*!"))
        if line == first_definition and not is_inner:
            return ""
        return self._clean(found)

    def _clean(self, comments: list[str]) -> str:
        text = _MARKS.sub("", _PRAGMA.sub("", "\n".join(comments)))
        if self._rules.has_markup:
            text = without_markup(text)
        text = cleandoc(text).strip()
        return "" if is_about_rights(text) else text


def _is_alone(node: Node, lines: Sequence[bytes]) -> bool:
    row, column = node.start_point
    return not lines[row][:column].strip()


def _block(node: Node, *, is_comment: bool) -> _Block:
    end = node.end_point.row + (node.end_point.column > 0)  # some grammars count the line feed as the comment's
    return _Block(line_of(node), end, text_of(node).rstrip(), is_comment)
