"""Describes the values that answers are made of in a few words, for a person who compares two answers."""

from __future__ import annotations

import dataclasses
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from common.core.contract.evidence import CheckedClaim, Gap, Span
from orchestrator.domain.answers.events import CitedLabel, Completed
from orchestrator.domain.evidence.gaps import name_of
from orchestrator.domain.evidence.piece import BudgetUse, Citation, Evidence, GapResult, SymbolRef

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_EXCERPT = 80
_LEAD = 30
_LISTED = 3


def describe(value: object, *, without: frozenset[str] = frozenset()) -> str:
    """Describe a value; "" for None. Without a short form, its fields are listed, except those in `without`."""
    if value is None or value in ("", ()):
        return ""
    named = _NAMES.get(type(value))
    if named is not None:
        return named(value)
    if isinstance(value, Enum):
        return value.name.lower().replace("_", " ")
    if isinstance(value, tuple):
        more = f" and {len(value) - _LISTED} more" if len(value) > _LISTED else ""
        return ", ".join(describe(each, without=without) for each in value[:_LISTED]) + more
    if not dataclasses.is_dataclass(value):
        return str(value)
    told = ((name, describe(getattr(value, name), without=without)) for name in _fields(value) if name not in without)
    return excerpt(", ".join(f"{name.replace('_', ' ')} {each}" for name, each in told if each))


def excerpt(text: str, at: int = 0) -> str:
    """Return the part of a text around an offset, on one line."""
    start = max(0, at - _LEAD)
    shown = " ".join(text[start : start + _EXCERPT].split())
    return f"{'…' if start else ''}{shown}{'…' if start + _EXCERPT < len(text) else ''}"


def _evidence(piece: Evidence) -> str:
    if piece.span is None:
        return piece.title
    return f"{describe(piece.span)} {piece.symbol.qualified_name if piece.symbol else ''}".strip()


def _claim(checked: CheckedClaim) -> str:
    claim = checked.claim
    said = " ".join(each for each in (claim.subject, describe(claim.kind), excerpt(claim.object)) if each)
    return f"{said}: {describe(checked.verdict)}"


def _span(span: Span) -> str:
    return f"{span}-{span.end_line}" if span.end_line > span.start_line else str(span)


def _fields(value: Any) -> tuple[str, ...]:
    return tuple(each.name for each in dataclasses.fields(value))


_NAMES: Mapping[type, Callable[[Any], str]] = MappingProxyType(
    {
        str: excerpt,
        Span: _span,
        SymbolRef: lambda ref: f"{_span(ref.span)} {ref.qualified_name}",
        Evidence: _evidence,
        Gap: lambda gap: excerpt(name_of(gap)),
        GapResult: lambda result: f"{describe(result.gap)}: {describe(result.outcome)}",
        Citation: lambda citation: f"[{citation.number}] {_span(citation.span)}",
        CitedLabel: lambda label: f"{label.evidence_id} {label.mention or label.start_line or ''}".strip(),
        CheckedClaim: _claim,
        BudgetUse: lambda use: f"{describe(use.source)}: {use.used_tokens} of {use.limit_tokens} tokens",
        Completed: lambda _: "the answer was whole",
    }
)
