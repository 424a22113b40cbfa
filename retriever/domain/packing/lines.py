"""Sets of lines of files, and the text that a piece of evidence shows of them."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import TYPE_CHECKING

from common.core.contract.evidence import LineRange, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

CUT = "..."
"""Prefix of a line that replaces omitted lines."""


class ShownLines:
    """The lines of each file that were shown so far."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._spans: dict[str, list[range]] = {}
        for span in spans:
            end = span.end_line + 1 if span.start_line else sys.maxsize  # no line means the whole file
            self._spans.setdefault(span.path, []).append(range(span.start_line, end))

    def add(self, path: str, runs: Iterable[LineRange]) -> None:
        """Note lines as shown."""
        self._spans.setdefault(path, []).extend(range(each.start_line, each.end_line + 1) for each in runs)

    def missing(self, path: str, lines: Iterable[int]) -> tuple[int, ...]:
        """Return those of the lines that were not shown, in the given order."""
        asked = tuple(lines)
        spans = self._spans.get(path, ()) if asked else ()
        first, end = min(asked, default=0), max(asked, default=0) + 1
        shown = {line for span in spans for line in range(max(first, span.start), min(end, span.stop))}
        return tuple(line for line in asked if line not in shown) if shown else asked


def runs_of(lines: Iterable[int]) -> tuple[LineRange, ...]:
    """Join lines, in ascending order, into runs of consecutive ones."""
    ordered = tuple(lines)
    if not ordered:
        return ()
    breaks = [at for at, (one, other) in enumerate(pairwise(ordered), 1) if other != one + 1]
    starts, ends = [0, *breaks], [*breaks, len(ordered)]
    return tuple(LineRange(ordered[first], ordered[last - 1]) for first, last in zip(starts, ends, strict=True))


def render(text: Sequence[str], first: int, shown: Collection[int], *, numbered: bool = False) -> str:
    """
    Return lines with one line in place of each run that is left out.

    Args:
        text: All lines of a span, without line feeds.
        first: Number of the first of them.
        shown: Numbers of the lines to show.
        numbered: Put the number before each line, as an answering engine sees it.
    """
    written: list[str] = []
    skipped = 0
    for number, line in enumerate(text, first):
        if number not in shown:
            skipped += 1
            continue
        if skipped:
            written.append(_mark(skipped))
            skipped = 0
        written.append(f"{number} {line}" if numbered else line)
    if skipped and written:
        written.append(_mark(skipped))
    return "\n".join(written) + "\n" if written else ""


def _mark(count: int) -> str:
    return f"{CUT} ({count} line{'' if count == 1 else 's'} cut)"
