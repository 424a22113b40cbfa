"""The sections that say what the project is, and how one works with it: in the words of those who made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.confidence import medium
from orchestrator.domain.evidence.basis import BasisKind
from orchestrator.domain.questions.understanding import Intent
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from orchestrator.domain.questions.understanding import QuestionPart
    from orchestrator.domain.writing.material import Material

_SENTENCES, _CHARS = 3, 480
_PAGES = 2


def overview(material: Material, part: QuestionPart) -> Section | None:
    """Return the first sentences of the pages that say what the project is, or how one works with it."""
    told = []
    for piece in material.pieces:
        if piece.evidence.based_on(BasisKind.OVERVIEW):
            said = prose.opening_sentences(prose.plain(piece.evidence.text), _SENTENCES, _CHARS)
            told += [f"{prose.unlabelled(said)} {piece.cite}"] if said else []
    if not told:
        return None
    is_overview = part.intent is Intent.OVERVIEW
    unsure = "the first lines of the project's own pages say it" if is_overview else "no command for it is declared"
    return Section(told[:_PAGES], medium(f"{unsure}; read the pages for the rest"))
