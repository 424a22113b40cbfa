"""Where a failure is taken up that a question says may happen: that is where it goes on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind
from orchestrator.domain.writing import source_text
from orchestrator.domain.writing.markdown import quote

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material

_TAKES_UP = re.compile(r"takes up what is raised there, line (?P<line>\d+)")
_RAISES = re.compile(r"(?P<deed>raises|makes) (?P<failure>\w+) there, line (?P<line>\d+)")
"""How the retriever says so."""


def taken_up(material: Material) -> list[str]:
    """Say who takes up what is raised, or raises it, and quote the lines; [] where the retriever found nobody."""
    for piece in material.of(EvidenceKind.SOURCE):
        found = _TAKES_UP.match(piece.evidence.reason) or _RAISES.match(piece.evidence.reason)
        excerpt = source_text.excerpt_around(piece.evidence, int(found["line"])) if found else None
        if found and excerpt:
            told = found.groupdict()
            said = f"What is raised there is taken up in {piece.name}"
            said = f"{piece.name} {told['deed']} `{told['failure']}`" if "failure" in told else said
            return [f"{said}: {piece.cite}", quote(excerpt)]
    return []
