"""Selects the evidence of an engine call within the total budget, again for each pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from orchestrator.domain.evidence.piece import Evidence


# What label, place and reason of a piece cost in a prompt.
_HEADING_TOKENS = 20


def by_need(evidence: Sequence[Evidence], cited: Collection[str]) -> list[int]:
    """
    Return the positions of evidence in the order in which a pass needs it, from 0.

    First what was fetched because it was asked for, the latest first; then what the last answer cited; then the rest in
    order of supply.

    Args:
        cited: Identities of the evidence that the last answer cites.
    """

    def need(at: int) -> tuple[int, bool, int]:
        each = evidence[at]
        return -each.pass_number if each.pass_number > 1 else 0, each.evidence_id not in cited, at

    return sorted(range(len(evidence)), key=need)


def fit(evidence: Sequence[Evidence], max_tokens: int, cited: Collection[str] = ()) -> tuple[Evidence, ...]:
    """
    Return the evidence that fits, in order of supply.

    A piece that does not fit is passed over; one that is needed less but is smaller may still do.
    """
    kept, left = set(), max_tokens
    for at in by_need(evidence, cited):
        tokens = evidence[at].tokens + _HEADING_TOKENS
        if tokens <= left:
            kept.add(at)
            left -= tokens
    if len(kept) == len(evidence):
        return tuple(evidence)  # a tuple itself, which the answer's state has too
    return tuple(each for at, each in enumerate(evidence) if at in kept)


def numbered_lines(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """
    Give the lines of a piece's text, each with its number in the file.

    The number is 0 for a line that is no copy of one: those that tell of what is left out, and all lines of lists,
    flows and pages.
    """
    numbers = (number for run in evidence.lines for number in range(run.start_line, run.end_line + 1))
    marks = _marks(evidence)
    for position, line in enumerate(evidence.text.rstrip("\n").split("\n")):
        yield (0 if position in marks else next(numbers, 0)), line


def _marks(evidence: Evidence) -> frozenset[int]:
    """Return the positions of the lines that count omitted lines: before, between and after the runs."""
    position, found = 0, set()
    if evidence.lines and evidence.span and evidence.span.start_line < evidence.lines[0].start_line:
        found.add(0)
        position = 1
    for run in evidence.lines:
        position += run.end_line - run.start_line + 1
        found.add(position)
        position += 1
    return frozenset(found)
