"""The sections about structure: measures, findings of analyzers, and how two parts use each other."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, SlotKind
from common.core.words.terms import count_terms
from orchestrator.domain.answers.confidence import high, medium
from orchestrator.domain.evidence.piece import EvidenceKind
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.markdown import bullets, fenced
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_FIRST = 3
_FINDINGS = 12
_SCOPE, _BETWEEN = "Structure of ", "Uses of "
_NOTHING = "- none"
_TABLES: Mapping[Intent, tuple[str, ...]] = MappingProxyType(
    {
        Intent.SIZES: ("Largest", "God functions"),
        Intent.UNUSED: ("Unused",),
        Intent.STRUCTURE: ("Circular dependencies", "Coupling", "Inside", "Hotspots", "God functions"),
        Intent.ASSESSMENT: ("God functions", "Circular dependencies", "Hotspots"),
    }
)
"""Headings of the retriever's measures that answer an intent, in the order of the answer."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the retriever's measures: heading, total number of rows ("" if not given), and the rows."""

    heading: str
    count: str
    rows: tuple[str, ...]

    def sentence(self, scope: str) -> str:
        """Return a sentence with the number of rows and the first rows."""
        said = f"{self.heading}, in {scope}" if scope else self.heading
        told = [each for each in (self.count, "; ".join(self.rows[:_FIRST])) if each]
        return f"{said}: {' — '.join(told)}."


def tables_of(text: str) -> Iterator[Table]:
    """Read the tables of a text of measures: a heading that ends in a colon or a number, and rows that are items."""
    heading, rows = "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("- "):
            rows += [line.removeprefix("- ")] if line != _NOTHING else []
            continue
        if heading:
            said, _, count = heading.rpartition(":")
            yield Table(said, count.strip(), tuple(rows))
        heading, rows = (line if ":" in line else ""), []


def measures(material: Material, part: QuestionPart) -> Section | None:
    """State the measures of the intent, the requested table first."""
    found = [(piece, table) for piece in material.of(EvidenceKind.METRICS) for table in tables_of(piece.evidence.text)]
    wanted = _TABLES.get(part.intent, ())
    told = [(piece, table) for start in wanted for piece, table in found if table.heading.startswith(start)]
    if not told:
        return None
    told.sort(key=lambda each: -len(material.terms & count_terms(each[1].heading).keys()))
    is_one = part.intent in (Intent.SIZES, Intent.UNUSED)
    if is_one:  # the second table only replaces the first
        start = next(start for start in wanted if told[0][1].heading.startswith(start))
        told = [each for each in told if each[1].heading.startswith(start)]
    scope = next((each for each in map(_scope, material.of(EvidenceKind.METRICS)) if each), "")
    first = next((table for _, table in told if table.rows), told[0][1])
    lines = [first.sentence(scope)]
    for piece, table in told:
        lines += [f"{table.heading}{': ' + table.count if table.count else ''}", bullets(_cited(piece, table))]
    note = "Others may use what is public, or call by a name made at run time; tests do not count."
    lines += [note] if part.intent is Intent.UNUSED else [*_diagrams(material)]
    is_judged = part.intent is Intent.ASSESSMENT
    counted = high("it was counted in the index")
    return Section(
        lines, medium("these are counts; what they say of the quality is left to the reader") if is_judged else counted
    )


def _scope(piece: Piece) -> str:
    first = piece.evidence.text.partition("\n")[0]
    return first.removeprefix(_SCOPE) if first.startswith(_SCOPE) else ""


def _cited(piece: Piece, table: Table) -> list[str]:
    """Return the rows, each with the citation of the symbol that it begins with."""
    mentions = {f"{each.qualified_name} ({each.path}:{each.start_line})": each for each in piece.evidence.mentions}
    rows = []
    for row in table.rows:
        named = next((each for name, each in mentions.items() if row.startswith(name)), None)
        rows.append(f"{prose.unlabelled(row)} {piece.mention_cite(named)}" if named else prose.unlabelled(row))
    return rows or ["none"]


def _diagrams(material: Material) -> Iterator[str]:
    for piece in material.of(EvidenceKind.DIAGRAM)[:1]:
        text = piece.evidence.text.strip()
        yield "The uses as a diagram:"
        yield text if text.startswith("```") else fenced(text.splitlines(), "mermaid")


def findings(material: Material, part: QuestionPart) -> Section | None:
    """List what analyzers found, the gravest first; of one category where the question asks for that."""
    pieces = material.of(EvidenceKind.FINDING)
    if not pieces:
        return None
    piece = pieces[0]
    tally, *rows = (line for line in piece.evidence.text.splitlines() if line.strip())
    asked = next((slot.value or slot.text for slot in part.slots if slot.kind is SlotKind.KIND), "").casefold()
    items = [row.removeprefix("- ") for row in rows if row.startswith("- ")]
    meant = [each for each in items if asked and asked in each.partition(":")[0].casefold()]
    shown = (meant or items)[:_FINDINGS]
    listed = Table("", "", tuple(shown))
    said = prose.unlabelled(tally)
    if asked and not meant:
        told = f"No finding that is listed is of “{asked}”. {piece.evidence.title}: {said}."
        return Section([told], medium("not all findings are listed, and those of one part of the code alone may be"))
    return Section(
        [f"{piece.evidence.title}: {said}.", bullets(_cited_findings(piece, listed))], high("analyzers reported these")
    )


def _cited_findings(piece: Piece, table: Table) -> list[str]:
    cites = {f" of {each.qualified_name} ({each.path}:{each.start_line})": each for each in piece.evidence.mentions}
    return [
        " ".join(
            [prose.unlabelled(row), *[piece.mention_cite(each) for end, each in cites.items() if row.endswith(end)]]
        )
        for row in table.rows
    ]


def between(material: Material, _part: QuestionPart) -> Section | None:
    """Say how two parts of the code use each other."""
    found = [table for piece in material.of(EvidenceKind.METRICS) for table in tables_of(piece.evidence.text)]
    uses = [(*_ends(table.heading), int(table.count)) for table in found if table.heading.startswith(_BETWEEN)]
    if len(uses) != 2:
        return None
    (target, source, there), (_, _, back) = uses
    rows = [row for table in found if table.heading.startswith(_BETWEEN) for row in table.rows]
    told = f"`{source}` uses `{target}` {there} times, and `{target}` uses `{source}` {back} times."
    return Section([told, bullets(rows) if rows else ""], high("the uses were counted in the index"))


def _ends(heading: str) -> tuple[str, str]:
    """Return the used part and the using part from a heading: "Uses of a by b"."""
    target, _, source = heading.removeprefix(_BETWEEN).partition(" by ")
    return target, source
