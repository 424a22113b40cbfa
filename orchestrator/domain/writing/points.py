"""One line of an answer about one piece of evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.basis import BasisKind
from orchestrator.domain.writing import prose, source_text
from orchestrator.domain.writing.markdown import code

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_TELLING = (BasisKind.RAISES, BasisKind.MESSAGE, BasisKind.NEAR_MESSAGE, BasisKind.TEXT, BasisKind.BRANCH)
_REASON_CHARS = 120
_SIGNATURE_CHARS = 100
"""Where a declaration is all that can be told, its beginning is enough."""


def point(material: Material, piece: Piece, reason: str) -> str:
    """Say what a piece is, where it stands, what it says of itself, and how it is connected."""
    told = piece.summary if piece.summary.strip("`.") != piece.name.strip("`“”") else ""
    told = told or _telling_line(material, piece)
    text = f"{piece.name} ({piece.place})" if piece.place else piece.name
    if told:
        text += f": {told}"
    if reason and not _says(told, reason):
        text += f" {_as_sentence(reason)}." if told.endswith((".", "…", "!", "?")) else f" — {reason}."
    return f"{text} {piece.cite}"


def reason_of(piece: Piece) -> str:
    """Return why a piece is there, as far as that says something about code, not about the search."""
    reason = piece.evidence.reason if piece.evidence.based_on(*_TELLING) else ""
    return piece.relation() or (reason if len(reason) <= _REASON_CHARS else "")


def _says(told: str, reason: str) -> bool:
    """Tell whether the words of a reason stand in what is told already, as in "Raises X." of a docstring."""
    plain = re.sub(r"[`.]", "", reason).casefold()
    return plain in re.sub(r"[`.]", "", told).casefold()


def _as_sentence(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[0].upper() + text[1:] if first.isalpha() else text


def _telling_line(material: Material, piece: Piece) -> str:
    excerpt = source_text.best_excerpt(piece.evidence, material.wanted, max_lines=1)
    if excerpt is None or excerpt.lines[0].rstrip().endswith(("(", "[", "{", ",")):
        return code(prose.shortened(piece.signature, _SIGNATURE_CHARS)) if piece.signature else ""
    return f"{code(excerpt.lines[0].strip())} at line {excerpt.start_line}"
