"""Where a failure is taken up that a question says may happen: that is where it goes on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind
from orchestrator.domain.writing import source_text
from orchestrator.domain.writing.markdown import quote

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material

_TAKES_UP = re.compile(r"takes up what is raised there, line (\d+)")
"""How the retriever says so."""


def taken_up(material: Material) -> list[str]:
    """Say who takes up what is raised, and quote the lines; [] where the retriever found nobody."""
    for piece in material.of(EvidenceKind.SOURCE):
        found = _TAKES_UP.match(piece.evidence.reason)
        excerpt = source_text.excerpt_around(piece.evidence, int(found[1])) if found else None
        if excerpt:
            return [f"What is raised there is taken up in {piece.name}: {piece.cite}", quote(excerpt)]
    return []
