"""The section about where a stack trace ends: in the shown code, at the line that the trace names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.writing import source_text
from orchestrator.domain.writing.markdown import quote
from orchestrator.domain.writing.raising import framed_line

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material

_WAY = 4
"""Frames that are named before the last one."""


def trace_end(material: Material) -> list[str]:
    """Say where the trace ends and by what way it came there; nothing without a frame in what is shown."""
    pieces = material.failure.frames
    if not pieces:
        return []
    last, line = pieces[0], framed_line(pieces[0].evidence)
    span = last.evidence.span
    place = f"`{span.path}:{line}`" if line and span else f"{last.place}, where this version of it has other lines"
    excerpt = source_text.excerpt_around(last.evidence, line) if line else None
    excerpt = excerpt or source_text.best_excerpt(last.evidence, material.wanted)
    asked = material.classification.anchors.frames
    is_pointed_at = len(asked) == 1 and not asked[0].function
    said = f"In this code the trace ends in {last.name}, at {place}"
    said = f"{place} stands in {last.name}" if is_pointed_at else said
    told = [f"{said}: {last.cite}", quote(excerpt)] if excerpt else [f"{said}. {last.cite}"]
    about = f"What {last.name} is for: {last.summary}" if is_pointed_at and last.summary else ""
    return [*told, *way(material), about]


def way(material: Material) -> list[str]:
    """Name the frames before the last, in the order of the calls."""
    before = [f"{each.name} {each.cite}" for each in reversed(material.failure.frames[1 : 1 + _WAY])]
    return [f"It came there by {', '.join(before)}."] if before else []
