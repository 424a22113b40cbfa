"""Widens lines that are asked for to whole things: a short definition, a block of a long one, a section of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import LineRange
from retriever.domain.packing.passages import WHOLE, depth_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_REACH = 12
"""Lines that are added where nothing whole ends nearby."""
_SLACK = 4
"""Lines by which a border may be nearer or farther; what ends nearer than this is not all that is meant."""
_STATEMENT = 6
"""Lines of a statement behind its first one, at most, and half as many before that."""


def widened(asked: LineRange, wholes: Iterable[LineRange], text: Sequence[str]) -> LineRange:
    """
    Return lines with what they begin and end in.

    That is the largest whole thing of at most `WHOLE` lines around the first and the last line, the next one where that
    ends close by, else about twelve lines up to where the nesting is shallow or a blank line stands.

    Args:
        wholes: Definitions, or sections of a page; they may lie within each other.
        text: All lines of the file.
    """
    size = len(text)
    found = tuple(wholes)
    flipped = [LineRange(size + 1 - each.end_line, size + 1 - each.start_line) for each in found]
    first = size + 1 - _end(size + 1 - asked.start_line, flipped, text[::-1])
    return LineRange(first, _end(asked.end_line, found, text))


def statement(line: int, text: Sequence[str]) -> LineRange:
    """Return a line with those that continue it, by their depth, and the few before it."""
    depth = depth_of(text[line - 1]) or 0
    last = line
    for at in range(line + 1, min(line + _STATEMENT, len(text)) + 1):
        below = depth_of(text[at - 1])
        if below is None or below < depth:
            break
        last = at
        if below == depth and at > line + 1:
            break
    first = line
    while first > max(1, line - _STATEMENT // 2) and text[first - 2].strip():
        first -= 1
    return LineRange(first, last)


def _end(last: int, wholes: Sequence[LineRange], text: Sequence[str]) -> int:
    """Return the last line of what a line is widened to downwards."""
    around = [each for each in wholes if each.start_line <= last <= each.end_line]
    short = [each.end_line for each in around if each.end_line - each.start_line < WHOLE]
    end = max(short, default=last)
    if end - last >= _SLACK:
        return end
    bound = min((each.end_line for each in around if each.end_line - each.start_line >= WHOLE), default=len(text))
    later = [each for each in wholes if end < each.start_line <= min(last + _REACH, bound)]
    if later:
        begins = min(each.start_line for each in later)
        fits = [each.end_line for each in later if each.start_line == begins and each.end_line <= last + 2 * _REACH]
        return max(fits) if fits else _before(begins, end, text)
    return end if short else _border(last, bound, text)


def _before(begins: int, least: int, text: Sequence[str]) -> int:
    end = begins - 1
    while end > least and not text[end - 1].strip():
        end -= 1
    return end


def _border(last: int, bound: int, text: Sequence[str]) -> int:
    """Return the shallowest line about twelve lines on, the nearest of equals; one before a blank line counts more."""
    if bound <= last + _REACH + _SLACK:
        return max(last, _before(bound + 1, last, text))

    def cost(at: int) -> tuple[float, int]:
        depth = depth_of(text[at - 1])
        before_blank = depth_of(text[at]) is None
        return (float("inf") if depth is None else depth - before_blank), abs(at - last - _REACH)

    return min(range(last + _REACH - _SLACK, last + _REACH + _SLACK + 1), key=cost)
