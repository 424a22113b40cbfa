"""Cuts a text to a number of tokens by whole lines, the most telling ones first, and says how much is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.tokens import TokenCounter

_DOC_START = re.compile(r"\s*[rRuUbB]{0,2}(\"\"\"|''')")
_COMMENT = re.compile(r"(?:^|\s)(?:#\s|//).*")
"""What stands behind a declaration on its line, or alone above it."""
_LONGEST_HEAD = 60
"""Lines in which a declaration must end; a text without one has a head of one line."""
_AROUND_FOCUS = 2
"""Lines that are kept before and after a line in focus."""
_CHARS_PER_TOKEN = 16
"""No text that is worth showing has longer tokens on average; what is longer is cut before it is counted."""


@dataclass(frozen=True, slots=True)
class CutText:
    """A text within its limit; in place of the `truncated_lines` that are missing a line says how many they are."""

    text: str
    tokens: int
    truncated_lines: int


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Where a definition's head ends and its documentation string stands, as positions of lines from 0."""

    head: int
    doc_end: int


def anatomy(lines: Sequence[str], head: int = 0) -> Anatomy:
    """
    Find the head (decorators and the declaration, over all its lines) and the documentation string after it.

    Args:
        head: Lines of the head, if they are known; 0 looks for the end of a declaration.
    """
    head = head or _head_length(lines)
    if head >= len(lines):
        return Anatomy(len(lines), len(lines))
    opening = _DOC_START.match(lines[head])
    if not opening:
        return Anatomy(head, head)
    quotes = opening.group(1)
    if quotes in lines[head][opening.end() :]:
        return Anatomy(head, head + 1)
    ends = (index for index in range(head + 1, len(lines)) if quotes in lines[index])
    return Anatomy(head, next(ends, len(lines) - 1) + 1)


def cut(
    text: str,
    limit: int,
    counter: TokenCounter,
    *,
    head: int = 0,
    max_lines: int = 0,
    docstring_chars: int = 0,
    docstring_last: bool = False,
    focus: Sequence[int] = (),
    comment: str = "",
) -> CutText | None:
    """
    Shorten a text until it costs at most `limit` tokens.

    A text that fits is left alone, and so is one of which a cut would save nothing. Otherwise lines are kept in this
    order while there is room: the head, the documentation string or its beginning, the lines in focus with their
    neighbours, then the body from its start.

    Args:
        head: Lines of its head; 0 takes the text for code, whose declaration tells.
        max_lines: Lines of the text that may be kept; 0 means no bound.
        docstring_chars: Characters of the documentation string after which it is cut at the next line even if there
            is room for more; 0 keeps it whole.
        docstring_last: What these cut off is kept after all else, if there is room for it.
        focus: Positions of lines, from 0.
        comment: What begins a comment in a text that must stay readable for a program; it precedes the count of lines.

    Returns:
        None if not even the head fits.
    """
    lines = text.rstrip("\n").split("\n")
    room = limit * _CHARS_PER_TOKEN
    parts = anatomy(lines, head)
    order = _by_importance(lines, parts, docstring_chars, focus)
    if docstring_last:
        order = list(dict.fromkeys((*order, *range(parts.head, parts.doc_end))))
    whole: CutText | None = None
    if len(text) <= room and (not max_lines or len(lines) <= max_lines):
        whole = CutText(text, counter.count(text), 0)
        if whole.tokens <= limit and len(order) == len(lines):
            return whole
    sizes = accumulate(len(lines[index]) + 1 for index in order)
    affordable = sum(1 for size in sizes if size <= room)
    most = min(affordable, max_lines or affordable)
    shorter = _largest_that_fits(lines, order, range(parts.head, most + 1), limit, counter, comment)
    return whole if whole and shorter and whole.tokens <= shorter.tokens else shorter


def _largest_that_fits(
    lines: Sequence[str], order: Sequence[int], counts: range, limit: int, counter: TokenCounter, comment: str
) -> CutText | None:
    best: CutText | None = None
    low, high = counts.start, counts.stop - 1
    while low <= high:
        middle = (low + high) // 2
        shown = _with_marks(lines, sorted(order[:middle]), comment)
        tokens = counter.count(shown)
        if tokens <= limit:
            best = CutText(shown, tokens, len(lines) - middle)
            low = middle + 1
        else:
            high = middle - 1
    return best


def _with_marks(lines: Sequence[str], kept: Sequence[int], comment: str) -> str:
    shown: list[str] = []
    expected = 0
    for index in [*kept, len(lines)]:
        if index > expected:
            missing = index - expected
            shown.append(f"{comment}... ({missing} line{'' if missing == 1 else 's'} cut)")
        if index < len(lines):
            shown.append(lines[index])
        expected = index + 1
    return "\n".join(shown) + "\n"


def _by_importance(lines: Sequence[str], parts: Anatomy, docstring_chars: int, focus: Sequence[int]) -> list[int]:
    order = dict.fromkeys(range(parts.head))
    chars = 0
    for index in range(parts.head, parts.doc_end):
        chars += len(lines[index].strip())
        if docstring_chars and index > parts.head and chars > docstring_chars:
            break
        order[index] = None
    for line in focus:
        near = range(max(0, line - _AROUND_FOCUS), min(len(lines), line + _AROUND_FOCUS + 1))
        order.update(dict.fromkeys(near))
    order.update(dict.fromkeys(range(parts.doc_end, len(lines))))
    return list(order)


def _head_length(lines: Sequence[str]) -> int:
    depth = 0
    for index, line in enumerate(lines[:_LONGEST_HEAD]):
        code = _COMMENT.sub("", line).strip()
        depth += code.count("(") + code.count("[") - code.count(")") - code.count("]")
        opens = code.endswith((":", "{", ";", "=>")) and not code.startswith(("@", "#"))
        if depth <= 0 and opens:
            return index + 1
    return 1
