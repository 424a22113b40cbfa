"""Pieces of evidence as an answer cites them: each with its label, its name and what it says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.basis import BasisKind
from orchestrator.domain.evidence import EvidenceKind, SymbolKind
from orchestrator.domain.mentions import mention_name
from orchestrator.domain.writing import prose, source_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from orchestrator.domain.evidence import Evidence, Span, SymbolRef
    from orchestrator.domain.evidence_data import Setting


@dataclass(frozen=True, slots=True)
class Piece:
    """
    A piece of evidence with the label by which the text cites it.

    Args:
        documentation: Of its symbol, where other evidence documents it; "" for none.
    """

    label: str
    evidence: Evidence
    documentation: str = ""

    @property
    def cite(self) -> str:
        """Return the citation to put into the text."""
        return f"[{self.label}]"

    @property
    def name(self) -> str:
        """Return how the text calls it: the symbol in code marks, else the title."""
        symbol = self.evidence.symbol
        if symbol and symbol.qualified_name:
            return f"`{symbol.qualified_name}`"
        heading = prose.without_tags(self.evidence.title.rpartition(" > ")[2])
        heading = prose.unlabelled(heading.replace("`", "")).strip()
        return f"“{heading}”" if heading else f"`{self.evidence.span}`"

    @property
    def place(self) -> str:
        """Return the place as `path:line`, "" if it has none."""
        return f"`{self.evidence.span}`" if self.evidence.span else ""

    @property
    def is_citable(self) -> bool:
        """Tell whether it has a place that can be cited."""
        return self.evidence.span is not None or bool(self.evidence.mentions)

    @property
    def is_card(self) -> bool:
        """Tell whether it documents a symbol without showing its source."""
        symbol = self.evidence.symbol
        is_definition = symbol is not None and symbol.qualified_name != "" and symbol.kind is not SymbolKind.MODULE
        return self.evidence.kind is EvidenceKind.DOC and is_definition

    @property
    def summary(self) -> str:
        """Return what it says about itself in its docstring or comment, which may stand above what is shown."""
        text = self.evidence.text.removeprefix(f"# {self.evidence.title}\n")  # heads the outline of a module
        own = prose.card_summary(text) if self.is_card else prose.summary(text)
        above = self.evidence.documentation
        return prose.unlabelled(own or prose.card_summary(self.documentation) or prose.opening_sentences(above, 2, 320))

    @property
    def signature(self) -> str:
        """Return its declaration on one line."""
        return source_text.signature(self.evidence.text)

    @property
    def is_declared(self) -> bool:
        """Tell whether it is a definition with a declaration of its own."""
        symbol = self.evidence.symbol
        return self.signature != "" and symbol is not None and symbol.kind is not SymbolKind.MODULE

    @property
    def is_telling(self) -> bool:
        """Tell whether there is something to say of a definition: a summary or a declaration."""
        return self.summary != "" or self.is_declared

    def mention_cite(self, mention: SymbolRef) -> str:
        """Return the citation of a symbol that the piece mentions."""
        return f"[{self.label}:{mention_name(self.evidence, mention)}]"

    def relation(self) -> str:
        """Return how it is connected, as a clause that can be checked; "" if it is not there for a call."""
        call = self.evidence.based_on(BasisKind.CALLS, BasisKind.CALLED)
        if not (call and call.name and self.evidence.symbol):
            return ""
        called = f"`{call.name}`"
        return f"{self.name} calls {called}" if call.kind is BasisKind.CALLS else f"{called} calls {self.name}"


@dataclass(frozen=True, slots=True)
class GivenSetting:
    """A piece that shows the line which gives a setting its value; `span` is what it shows."""

    piece: Piece
    setting: Setting
    span: Span


def label_evidence(evidence: Iterable[Evidence]) -> tuple[Piece, ...]:
    """Label evidence in order of supply: "E1" is the first."""
    given = tuple(evidence)
    told = {each.symbol.definition: each.text for each in given if each.symbol and each.kind is EvidenceKind.DOC}
    return tuple(
        Piece(f"E{number}", each, told.get(each.symbol.definition, "") if each.symbol else "")
        for number, each in enumerate(given, 1)
    )
