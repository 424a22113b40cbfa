"""The section about where a stack trace ends: in the shown code, at the line that the trace names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.writing import source_text
from orchestrator.domain.writing.markdown import quote

if TYPE_CHECKING:
    from orchestrator.domain.evidence import Evidence
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_STANDS = re.compile(r"stands in the stack trace(?:, line (\d+)| by its name)")
"""How the retriever says that a frame led to a piece."""
_WAY = 4
"""Frames that are named before the last one."""


def frames(material: Material) -> list[Piece]:
    """Return the pieces that frames of a trace led to, the innermost first, as the retriever supplies them."""
    return [each for each in material.pieces if is_framed(each.evidence)]


def is_framed(evidence: Evidence) -> bool:
    """Tell a piece that a frame led to."""
    return _STANDS.match(evidence.reason) is not None


def framed_line(evidence: Evidence) -> int:
    """Return the line that the frame names, 0 if none did, or if it is another one in this version of the file."""
    found = _STANDS.match(evidence.reason)
    return int(found[1] or 0) if found else 0


def trace_end(material: Material) -> list[str]:
    """Say where the trace ends and by what way it came there; nothing without a frame in what is shown."""
    pieces = frames(material)
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
    before = [f"{each.name} {each.cite}" for each in reversed(frames(material)[1 : 1 + _WAY])]
    return [f"It came there by {', '.join(before)}."] if before else []
