"""How much a piece of evidence says about a question: its name before its text, early before late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.terms import count_terms, words
from orchestrator.domain.names import is_called, is_spelled, last_part
from orchestrator.domain.writing.statements import asks_for_use_shown, is_aside

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from orchestrator.domain.evidence import SymbolRef
    from orchestrator.domain.writing.pieces import Piece

_SURE = 3.0
"""How exact a name is that the question can only mean."""
_OF_CONSTRUCTOR = 0.5
"""A constructor that bears the name of its class is meant less often than the class."""
_OF_ANOTHER = 0.5
"""Who bears the name in another class, or in another case, is meant less often than who is named as it is."""
_PLAIN = 0.3
"""How exact a name is that may just be a word."""
_ASIDE = 1.0
"""Who shows use in an example, or tries something out, is meant less often than who does it."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """
    What pieces are weighed by.

    Args:
        question: The question.
        wanted: Its terms.
        symbols: What it names.
        inherited: Definitions that it names as members of a type which only inherits them.
        pieces: All evidence in order of supply.
    """

    question: str
    wanted: frozenset[str]
    symbols: Sequence[str]
    inherited: Collection[SymbolRef]
    pieces: Sequence[Piece]

    def weight(self, piece: Piece) -> float:
        """
        Return how much a piece says about the question.

        What the search itself ranks high counts for its score, whatever stands before it in the order of supply.
        """
        told = self.wanted & set(count_terms(piece.summary))
        shared = 2.0 * len(self._named(piece)) + len(self._shown(piece)) + len(told)
        symbol = piece.evidence.symbol
        ranked = min(1.0, piece.evidence.score) if symbol else 0.0
        apart = _ASIDE * (symbol is not None and is_aside(symbol.path) and not asks_for_use_shown(self.question))
        early = 1.0 / (1 + self._place(piece))
        return self._exactness(piece) + shared / max(1, len(self.wanted)) + early + ranked - apart

    def sureness(self, piece: Piece) -> float:
        """Return how surely the question names the symbol of a piece, 0 to 1."""
        return min(1.0, self._exactness(piece) / _SURE)

    def is_relevant(self, piece: Piece) -> bool:
        """Tell whether a piece shares terms with the question or is connected to what does."""
        return bool(self._named(piece) or self._shown(piece) or piece.relation())

    def is_about(self, piece: Piece) -> bool:
        """Tell whether the name or the summary of a piece speaks of what the question asks, not only its text."""
        return bool(self._named(piece)) or len(self.wanted & set(count_terms(piece.summary))) * 2 >= len(self.wanted)

    def _exactness(self, piece: Piece) -> float:
        symbol = piece.evidence.symbol
        if symbol is None:
            return 0.0
        if symbol in self.inherited:
            return _SURE
        if symbol.name.casefold() in {last_part(each).casefold() for each in self.symbols}:
            ways = (is_called, is_spelled)
            misses = sum(not any(way(symbol.qualified_name, each) for each in self.symbols) for way in ways)
            return _SURE - (_OF_CONSTRUCTOR if symbol.owner else 0.0) - _OF_ANOTHER * misses
        is_written = symbol.name in words(self.question)
        # A plain word may just be a word, and the first one has its capital for that.
        is_first = self.question.startswith(symbol.name) and symbol.name[1:].islower()
        is_plain = (symbol.name.islower() or is_first) and "_" not in symbol.name
        return (_PLAIN if is_plain else _SURE) if is_written else 0.0

    def _place(self, piece: Piece) -> int:
        """Return how early the symbol came in the order of supply, in whatever form."""
        symbol = piece.evidence.symbol
        if symbol is None:
            return self.pieces.index(piece)
        shown = [each.evidence.symbol.definition if each.evidence.symbol else None for each in self.pieces]
        return shown.index(symbol.definition)

    def _named(self, piece: Piece) -> frozenset[str]:
        symbol = piece.evidence.symbol
        return self.wanted & set(count_terms(symbol.qualified_name)) if symbol else frozenset()

    def _shown(self, piece: Piece) -> frozenset[str]:
        return self.wanted & set(count_terms(piece.evidence.text))
