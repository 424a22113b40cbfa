"""Pieces of evidence as an answer cites them: label, name and documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.evidence.mentions import mention_name
from orchestrator.domain.evidence.piece import EvidenceKind, SymbolKind
from orchestrator.domain.writing import prose

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from orchestrator.domain.evidence.piece import Evidence, SymbolRef, User

_SENTENCES, _CHARS = 2, 320
_QUOTED = 480
"""Most characters of the sentences that are quoted from a page."""
_CUT = "..."
"""Prefix of a line that replaces omitted lines."""


@dataclass(frozen=True, slots=True)
class Piece:
    """
    A piece of evidence with the label by which the text cites it.

    Args:
        card: Documentation of its symbol, where other evidence documents it; "" for none.
    """

    label: str
    evidence: Evidence
    card: str = ""

    @property
    def cite(self) -> str:
        """Return the citation to put into the text."""
        return f"[{self.label}]"

    @property
    def name(self) -> str:
        """Return the name of the piece for the text: the symbol in code marks, else the title."""
        symbol = self.evidence.symbol
        if symbol and symbol.qualified_name:
            return f"`{symbol.qualified_name}`"
        heading = prose.without_tags(self.evidence.title.rpartition(" > ")[2])
        heading = prose.unlabelled(heading.replace("`", "")).strip()
        return f"“{heading}”" if heading and not self.is_code else self.place

    @property
    def place(self) -> str:
        """Return the lines that it shows as `path:first-last`; "" if it has no place."""
        span = self.evidence.span
        last = f"-{span.end_line}" if span and span.end_line > span.start_line > 0 else ""
        return f"`{span}{last}`" if span else ""

    @property
    def declared(self) -> str:
        """Return where its symbol is declared as `path:line`, else what it shows."""
        symbol = self.evidence.symbol
        return f"`{symbol.span}`" if symbol and symbol.start_line else self.place

    @property
    def is_code(self) -> bool:
        """Return whether it shows source."""
        return self.evidence.kind is EvidenceKind.SOURCE

    @property
    def is_page(self) -> bool:
        """Return whether it is a section of documentation that can be cited."""
        return self.evidence.kind is EvidenceKind.DOC and not self.is_definition and self.evidence.span is not None

    @property
    def is_definition(self) -> bool:
        """Return whether it shows or documents a definition smaller than a module."""
        symbol = self.evidence.symbol
        return symbol is not None and symbol.qualified_name != "" and symbol.kind is not SymbolKind.MODULE

    @property
    def summary(self) -> str:
        """Return the first sentences of its documentation, or of the page that it is; "" for none."""
        evidence = self.evidence
        if self.is_page:
            return prose.unlabelled(prose.opening_sentences(prose.plain(evidence.text), _SENTENCES, _CHARS))
        told = evidence.documentation or self.card
        if not told and evidence.kind is EvidenceKind.DOC:
            told = _behind_declaration(evidence.text)
        return prose.unlabelled(prose.opening_sentences(told, _SENTENCES, _CHARS))

    def about(self, terms: AbstractSet[str]) -> str:
        """Return the sentences of a page with most of the terms; for other pieces, the summary."""
        if not self.is_page or not terms:
            return self.summary
        whole = (line for line in self.evidence.text.splitlines() if not line.startswith(_CUT))
        return prose.unlabelled(prose.telling_sentences(prose.plain("\n".join(whole)), terms, _SENTENCES, _QUOTED))

    def mention_cite(self, mention: SymbolRef) -> str:
        """Return the citation of a symbol that the piece mentions."""
        return f"[{self.label}:{mention_name(self.evidence, mention)}]"

    def named(self, user: User, folder: str = "") -> str:
        """Return the name of a list entry with the citation of its definition, without the folder already named."""
        name = f"`{user.name.removeprefix(f'{folder}/') or user.name}`"
        is_cited = user.symbol is not None and user.symbol in self.evidence.mentions
        return f"{name} {self.mention_cite(user.symbol)}" if user.symbol and is_cited else name

    def described(self, user: User, folder: str = "") -> str:
        """Render an entry of a list with its place and its documentation."""
        at = f" (`{user.place}`)" if user.place and not str(user.place).startswith(user.name) else ""
        said = f": {prose.without_markup(user.through)}" if user.through else ""
        return f"{self.named(user, folder)}{at}{said}"


def _behind_declaration(card: str) -> str:
    """Return the documentation on a retriever's card: the text after the declaration and a blank line."""
    return card.partition("\n\n")[2]


def label_evidence(evidence: Iterable[Evidence]) -> tuple[Piece, ...]:
    """Label evidence in order of supply: "E1" is the first."""
    given = tuple(evidence)
    cards = {
        each.symbol.definition: _behind_declaration(each.text)
        for each in given
        if each.symbol and each.kind is EvidenceKind.DOC
    }
    return tuple(
        Piece(f"E{number}", each, cards.get(each.symbol.definition, "") if each.symbol else "")
        for number, each in enumerate(given, 1)
    )
