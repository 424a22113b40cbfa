"""The sections that say what the project is, and how one works with it: in the words of those who made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.basis import BasisKind
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.users import users

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material

_SENTENCES, _CHARS = 3, 480


def overview(material: Material) -> list[str]:
    """Return the first sentences of each piece that says what the project is, the best first; [] for none."""
    told = []
    for piece in material.pieces:
        if piece.evidence.based_on(BasisKind.OVERVIEW):
            said = prose.opening_sentences(prose.plain(piece.evidence.text), _SENTENCES, _CHARS)
            told += [f"{said} {piece.cite}"] if said else []
    return told


def instructions(material: Material) -> list[str]:
    """Return the commands that the project declares; without any, what its pages say first."""
    return users(material) or overview(material)
