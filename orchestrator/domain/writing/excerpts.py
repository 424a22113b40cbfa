"""Excerpts of evidence with the line numbers of the file, from the line ranges that its text copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind, LineRange
from common.core.words.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from orchestrator.domain.evidence.piece import Evidence

_AROUND = 2
"""Lines quoted before and after the relevant one."""
_BEFORE = 4
"""Of a quotation, one line in this many stands before the decisive line: more is explained by what follows it."""
_LEFT_OUT = "..."
_OF_DOCUMENTATION = " \t\"'`#/*"
"""Markup around a line of documentation in source."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Whole lines of a file with the number of the first."""

    path: str
    start_line: int
    lines: tuple[str, ...]

    @property
    def end_line(self) -> int:
        """Return the number of the last line."""
        return self.start_line + len(self.lines) - 1

    def part(self, first: int, last: int) -> Excerpt:
        """Return the lines between two line numbers, both included, as far as the excerpt has them."""
        start, end = max(first, self.start_line), min(last, self.end_line)
        return Excerpt(self.path, start, self.lines[start - self.start_line : end - self.start_line + 1])


def runs_of(evidence: Evidence) -> tuple[Excerpt, ...]:
    """Return the runs of lines that the text of a piece copies; () if it copies none, as an outline."""
    return tuple(_runs(evidence)) if evidence.span else ()


def _runs(evidence: Evidence) -> Iterator[Excerpt]:
    assert evidence.span is not None, "only text with a place has numbered lines"
    text = evidence.text.removesuffix("\n").split("\n")
    ranges = evidence.lines or _whole(evidence, len(text))
    counts = [each.end_line - each.start_line + 1 for each in ranges]
    ends = [sum(counts[: at + 1]) + at for at in range(len(counts))]
    cuts = [text[end] for end in ends if end < len(text)]
    # A mark of omitted lines follows each run but the last, and may follow the last.
    if not ends or len(text) - ends[-1] not in (0, 1) or not all(_LEFT_OUT in each for each in cuts):
        return
    for each, count, end in zip(ranges, counts, ends, strict=True):
        yield Excerpt(evidence.span.path, each.start_line, tuple(text[end - count : end]))


def _whole(evidence: Evidence, count: int) -> tuple[LineRange, ...]:
    """Return the span of a piece without line ranges if its text has as many lines as the span; else ()."""
    span = evidence.span
    if span is None or evidence.truncated_lines:
        return ()
    start = max(1, span.start_line)
    is_whole = not span.start_line or count == span.end_line - span.start_line + 1
    return (LineRange(start, start + count - 1),) if is_whole else ()


def around(evidence: Evidence, line: int, *, before: int = _AROUND) -> Excerpt | None:
    """Return a line of the file with those around it; None if the piece does not show it."""
    run = next((each for each in runs_of(evidence) if each.start_line <= line <= each.end_line), None)
    return _trimmed(run.part(line - before, line + _AROUND)) if run and line else None


def whole(evidence: Evidence, max_lines: int) -> Excerpt | None:
    """Return all lines of a piece; None if they are more than `max_lines`, or some are omitted."""
    runs = runs_of(evidence)
    return runs[0] if len(runs) == 1 and len(runs[0].lines) <= max_lines else None


def beginning(evidence: Evidence, *, max_lines: int) -> Excerpt | None:
    """Return the first lines that are shown; None where nothing can be quoted."""
    return next((each.part(each.start_line, each.start_line + max_lines - 1) for each in runs_of(evidence)), None)


def decisive(evidence: Evidence, terms: Mapping[str, float], *, max_lines: int) -> Excerpt | None:
    """
    Return the lines to read first: those with the highest weight of the question's terms.

    The lines contain the line of the basis if it has one; if that line is decisive (`BasisKind.DECIDES`), they begin up
    to a quarter of `max_lines` before it. The declaration line and documentation weigh nothing, as an answer states
    them anyway. Of equal weights the first lines are returned, also if no line shares a term.

    Args:
        evidence: The piece.
        terms: Terms of the question with the weight of each.
        max_lines: The most lines to return.

    Returns:
        The lines without blank ones at both ends; None where nothing can be quoted.
    """
    basis = evidence.basis
    line = basis.line if basis else 0
    if basis and basis.kind is BasisKind.DECIDES:
        found = next((each for each in runs_of(evidence) if each.start_line <= line <= each.end_line), None)
        first = max(found.start_line, line - max_lines // _BEFORE) if found else 0
        first = min(first, max(found.start_line, found.end_line - max_lines + 1)) if found else 0
        return _trimmed(found.part(first, first + max_lines - 1)) if found else None
    best, most = None, -1.0
    for run in runs_of(evidence):
        scores = [_score(evidence, run.start_line + at, each, terms) for at, each in enumerate(run.lines)]
        held = line - run.start_line if line and run.start_line <= line <= run.end_line else None
        at, shared = _best_window(scores, max_lines, held)
        if shared > most or held is not None:
            best, most = _trimmed(run.part(run.start_line + at, run.start_line + at + max_lines - 1)), shared
        if held is not None:
            break
    return best if best and best.lines else None


def _score(evidence: Evidence, number: int, line: str, terms: Mapping[str, float]) -> float:
    said = line.strip(_OF_DOCUMENTATION)
    is_declared = evidence.symbol is not None and number == evidence.symbol.start_line
    if is_declared or not said or said in evidence.documentation:
        return 0.0
    return sum(terms.get(each, 0.0) for each in count_terms(line))


def _best_window(scores: Sequence[float], size: int, held: int | None) -> tuple[int, float]:
    """Return start and sum of the window with the highest sum, the first of equals; it contains line `held`."""
    starts = range(max(1, len(scores) - size + 1))
    if held is not None:
        starts = range(max(0, held - size + 2), min(held, starts[-1]) + 1) or starts
    return max(((at, sum(scores[at : at + size])) for at in starts), key=lambda each: (each[1], -each[0]))


def _trimmed(excerpt: Excerpt) -> Excerpt:
    """Return the excerpt without blank lines at both ends."""
    told = [number for number, line in enumerate(excerpt.lines, excerpt.start_line) if line.strip()]
    return excerpt.part(told[0], told[-1]) if told else excerpt.part(1, 0)
