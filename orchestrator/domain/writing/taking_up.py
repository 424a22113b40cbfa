"""Where a failure is taken up that a question says may happen: that is where it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.basis import BasisKind
from orchestrator.domain.evidence import EvidenceKind
from orchestrator.domain.writing import source_text
from orchestrator.domain.writing.markdown import quote

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material

_DEEDS = {BasisKind.RAISES: "raises", BasisKind.MAKES: "makes"}


def taken_up(material: Material) -> list[str]:
    """Say who takes up what is raised, or raises it, and quote the lines; [] where the retriever found nobody."""
    for piece in material.of(EvidenceKind.SOURCE):
        found = piece.evidence.based_on(BasisKind.CATCHES, *_DEEDS)
        excerpt = source_text.excerpt_around(piece.evidence, found.line) if found and found.line else None
        if found and excerpt:
            said = f"What is raised there is taken up in {piece.name}"
            said = f"{piece.name} {_DEEDS[found.kind]} `{found.name}`" if found.kind in _DEEDS else said
            return [f"{said}: {piece.cite}", quote(excerpt)]
    return []
