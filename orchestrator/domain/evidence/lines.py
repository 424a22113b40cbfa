"""The lines of a piece of evidence, with their numbers, and the piece without some of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from common.core.contract.evidence import LineRange

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence.piece import Evidence

_LEFT_OUT = "..."


def without_lines(evidence: Evidence, unneeded: Sequence[LineRange]) -> Evidence | None:
    """
    Return the piece without lines of its file; itself if it shows none of them, None if nothing is left.

    Its tokens are estimated from its length.
    """
    numbered = [(number, line) for number, line in numbered_lines(evidence) if number]
    kept = [
        (number, line)
        for number, line in numbered
        if not any(each.start_line <= number <= each.end_line for each in unneeded)
    ]
    if len(kept) == len(numbered) or evidence.span is None:
        return evidence
    if not any(line.strip() for _, line in kept):
        return None
    runs = [[each for _, each in run] for _, run in groupby(enumerate(kept), lambda each: each[1][0] - each[0])]
    lines = tuple(LineRange(run[0][0], run[-1][0]) for run in runs)
    text = [f"{_LEFT_OUT}\n"] if evidence.span.start_line < lines[0].start_line else []
    for run, shown in zip(runs, lines, strict=True):
        text += [f"{line}\n" for _, line in run]
        text += [f"{_LEFT_OUT}\n"] if shown is not lines[-1] or shown.end_line < evidence.span.end_line else []
    joined = "".join(text)
    return replace(
        evidence,
        text=joined,
        lines=lines,
        tokens=max(1, round(evidence.tokens * len(joined) / len(evidence.text))),
        truncated_lines=evidence.truncated_lines + len(numbered) - len(kept),
    )


def numbered_lines(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """
    Yield the lines of a piece's text, each with its number in the file.

    The number is 0 for a line that is not copied from the file: marks of omitted lines, and all lines of lists, flows
    and pages.
    """
    numbers = (number for run in evidence.lines for number in range(run.start_line, run.end_line + 1))
    marks = _marks(evidence)
    for position, line in enumerate(evidence.text.rstrip("\n").split("\n")):
        yield (0 if position in marks else next(numbers, 0)), line


def _marks(evidence: Evidence) -> frozenset[int]:
    """Return the positions of the lines that mark omitted lines: before, between and after the runs."""
    position, found = 0, set()
    if evidence.lines and evidence.span and evidence.span.start_line < evidence.lines[0].start_line:
        found.add(0)
        position = 1
    for run in evidence.lines:
        position += run.end_line - run.start_line + 1
        found.add(position)
        position += 1
    return frozenset(found)
