"""Sections about the structure of code: measures, findings, diagram, and the code where they show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.markdown import bullets, fenced, head
from orchestrator.domain.writing.points import point
from orchestrator.domain.writing.sections import definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.domain.writing.material import Material, Piece

# The form in which the retriever writes its measures.
_SCOPE = re.compile(r"Structure of (.+)")
_BLANK = re.compile(r"\n{3,}")
_COUPLED = re.compile(r"^- (\S+): \d+, \d+$", re.MULTILINE)


def coupling(material: Material) -> list[str]:
    """Say which modules are coupled most; without measures, what the subject is."""
    if not material.of(EvidenceKind.METRICS, EvidenceKind.FINDING):
        return definition(material)
    return [_most_coupled(material)]


def structure(material: Material) -> list[str]:
    """State what was measured of the structure, what analyzers found, and the diagram."""
    measures = ("\n".join(_measured(piece, 24)) for piece in material.of(EvidenceKind.METRICS))
    lines = [_BLANK.sub("\n\n", each).strip() for each in measures]
    for piece in material.of(EvidenceKind.FINDING):
        lines += ["Findings of the analyzers:", "\n".join(_measured(piece, 8))]
    return [*lines, *(_diagram(piece) for piece in material.of(EvidenceKind.DIAGRAM)[:1])]


def samples(material: Material) -> list[str]:
    """Name the code that stands for the structure, with the measure that made it stand out."""
    shown = [piece for piece in material.of(EvidenceKind.SOURCE) if piece not in material.fetched]
    lines = [point(material, piece, piece.evidence.reason) for piece in shown[:6]]
    return ["Where it shows:", bullets(lines)] if lines else []


def _most_coupled(material: Material) -> str:
    """Say in a sentence which modules the measures name as most coupled."""
    text = "\n".join(piece.evidence.text for piece in material.of(EvidenceKind.METRICS))
    names = [match[1] for match in _COUPLED.finditer(text)][:3]
    scope = _SCOPE.match(text)
    if not names or not scope:
        return ""
    listed = ", ".join(f"`{name}`" for name in names)
    return f"Most coupled with {scope[1]}: {listed}; the numbers follow."


def _measured(piece: Piece, limit: int) -> Iterator[str]:
    mentions = {each.qualified_name: each for each in piece.evidence.mentions}
    for line in head(prose.unlabelled(piece.evidence.text), limit):
        is_item = line.lstrip().startswith("-")
        named = next((mentions[name] for name in _names_in(line) if name in mentions), None)
        cite = piece.mention_cite(named) if named else piece.cite if piece.evidence.span else ""
        yield f"{line} {cite}".rstrip() if is_item else f"\n{line}\n"


def _names_in(line: str) -> list[str]:
    return re.findall(r"[A-Za-z_][\w.]*[\w]", line)


def _diagram(piece: Piece) -> str:
    text = piece.evidence.text.strip()
    return text if text.startswith("```") else fenced(text.splitlines(), "mermaid")
