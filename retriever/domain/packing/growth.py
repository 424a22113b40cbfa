"""Widens requested lines to complete pieces of code: short definitions, or blocks of a long one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import LineRange
from retriever.domain.packing.passages import WHOLE, depth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_REACH = 12
"""Lines that are added where no short definition ends nearby."""
_SLACK = 4
"""Tolerance in lines; where a definition ends within fewer lines, what follows it is added too."""
_STATEMENT = 6
"""Most lines of a statement after its first one; at most half as many are added before it."""


def widened(asked: LineRange, wholes: Iterable[LineRange], text: Sequence[str]) -> LineRange:
    """
    Return the lines, widened at both ends.

    Each end moves to that of the largest definition of at most `WHOLE` lines around it. Where that is close by, a
    definition that begins soon after is added. Without either, about twelve lines are added, up to a line of shallow
    nesting or a blank one.

    Args:
        wholes: Definitions; they may be nested.
        text: All lines of the file.
    """
    size = len(text)
    found = tuple(wholes)
    flipped = [LineRange(size + 1 - each.end_line, size + 1 - each.start_line) for each in found]
    first = size + 1 - _end(size + 1 - asked.start_line, flipped, text[::-1], _first_head)
    return LineRange(first, _end(asked.end_line, found, text, _last_tail))


def statement(line: int, text: Sequence[str]) -> LineRange:
    """Return a line with the lines that continue its statement, judged by indentation, and up to three before it."""
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


def _end(
    last: int, wholes: Sequence[LineRange], text: Sequence[str], border: Callable[[int, int, Sequence[str]], int]
) -> int:
    """
    Return the last line after widening a line downwards.

    Args:
        border: Finds the end within a long definition or outside of all definitions.
    """
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
    if short:
        return end
    if bound <= last + _REACH + _SLACK:
        return max(last, _before(bound + 1, last, text))
    return border(last, bound, text)


def _before(begins: int, least: int, text: Sequence[str]) -> int:
    end = begins - 1
    while end > least and not text[end - 1].strip():
        end -= 1
    return end


def _first_head(last: int, _bound: int, text: Sequence[str]) -> int:
    """Return the farthest of the least indented statements within reach; `text` is in reverse order of lines."""
    heads = _heads(range(last + 1, last + _REACH + _SLACK + 1), text)
    return heads[-1] if heads else last + _REACH


def _last_tail(last: int, bound: int, text: Sequence[str]) -> int:
    """
    Return the end of the last of the least indented statements that begin within reach.

    If that statement is long, return the end of what stands before it.
    """
    heads = _heads(range(last + 1, last + _REACH + 1), text)
    if not heads:
        return last + _REACH
    begin = heads[-1]
    depth = depth_of(text[begin - 1]) or 0
    farthest = min(bound, begin + 2 * _REACH)
    later = (at for at in range(begin + 1, farthest + 1) if _is_head(text[at - 1]))
    behind = next(
        (at for at in later if (depth_of(text[at - 1]) or 0) <= depth), bound + 1 if farthest == bound else begin
    )
    end = _before(behind, last, text)
    return bound if bound - end <= _SLACK + 1 else max(end, last + _SLACK)


def _heads(near: range, text: Sequence[str]) -> list[int]:
    """Return the least indented of the lines that begin something."""
    depths = {at: depth_of(text[at - 1]) or 0 for at in near if _is_head(text[at - 1])}
    return [at for at, depth in depths.items() if depth == min(depths.values())]


def _is_head(line: str) -> bool:
    """Return whether a line begins something: it is not blank, and closes nothing."""
    return line.lstrip()[:1] not in tuple(")]}") and bool(line.strip())
