"""Keys and names of gaps, scores of the evidence fetched for them, and the lines that evidence shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapAspect, Span
from common.core.words.terms import terms
from orchestrator.domain.evidence.names import last_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from common.core.contract.evidence import Gap
    from orchestrator.domain.evidence.piece import Evidence


def is_given_a_value(gap: Gap, evidence: Iterable[Evidence]) -> bool:
    """Return whether the evidence has a setting line that gives the gap's symbol a value, ignoring case."""
    wanted = last_part(gap.symbol).casefold()
    return bool(wanted) and any(
        each.setting and last_part(each.setting.dotted).casefold() == wanted for each in evidence
    )


def gap_key(gap: Gap) -> str:
    """
    Return a key that is equal for gaps that request the same thing.

    A symbol counts without its arguments and in lower case, a path without leading "./"; lines, text and aspect count
    too. Only a gap without symbol, path and text is identified by the words of its description, in any order.
    """
    symbol = gap.symbol.strip().strip("`")
    symbol = symbol.partition("(")[0] if symbol.endswith(")") else symbol
    symbol = symbol.replace("::", ".").strip(".").casefold()
    path = gap.path.strip().strip("`").replace("\\", "/").removeprefix("./").casefold()
    text = " ".join(gap.text.split())
    if symbol or path or text:
        lines = f"{gap.start_line}-{gap.end_line}" if gap.start_line else ""
        aspect = "" if gap.aspect is GapAspect.UNSPECIFIED else gap.aspect.name
        further = "::".join((lines, aspect, text))
        return f"{path}::{symbol}" + (f"::{further}" if lines or aspect or text else "")
    return "?" + " ".join(sorted(set(terms(gap.description))))


def name_of(gap: Gap) -> str:
    """Return the short name of a gap: "users of Bank.ask", "shop/bank.py:10-20"."""
    lines = f":{gap.start_line}-{max(gap.start_line, gap.end_line)}" if gap.start_line else ""
    place = f"{gap.path}{lines}" if gap.path else ""
    aspect = "" if gap.aspect is GapAspect.UNSPECIFIED else f"{gap.aspect.name.lower()} of "
    if gap.symbol:
        return f"{aspect}{gap.symbol}" + (f" in {place}" if lines else "")
    return place or (f'"{gap.text}"' if gap.text else gap.description)


def wanted_of(gap: Gap) -> str:
    """Return what a gap requests, as a key to count equal requests: case-folded, 200 characters at most."""
    return (gap.symbol or gap.path or gap.text or gap.description).replace("\0", "").strip().casefold()[:200]


def as_ranked(fetched: Iterable[Evidence], shown: Iterable[Evidence]) -> Iterator[Evidence]:
    """Yield the evidence fetched for gaps, with the search's score for the same definition if that is higher."""
    scores: dict[tuple[str, str], float] = {}
    for each in shown:
        if each.symbol:
            scores[each.symbol.definition] = max(each.score, scores.get(each.symbol.definition, 0.0))
    for each in fetched:
        score = scores.get(each.symbol.definition, 0.0) if each.symbol else 0.0
        yield replace(each, score=score) if score > each.score else each


def shown_lines(evidence: Iterable[Evidence]) -> tuple[Span, ...]:
    """Return the lines that pieces of evidence show, each run once, in their order."""
    spans = (Span(each.span.path, run.start_line, run.end_line) for each in evidence if each.span for run in each.lines)
    return tuple(dict.fromkeys(spans))
