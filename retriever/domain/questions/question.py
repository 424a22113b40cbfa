"""A question with what is known about it, and the ranking that a search makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.core.contract.evidence import Span
    from retriever.domain.values import Document, File, Symbol


class Mode(IntEnum):
    """How a question is answered; numbers are those of the contract, HYBRID stands for UNSPECIFIED."""

    HYBRID = 0
    CONCEPTUAL = 1
    DIAGNOSTIC = 2
    EXPLORATORY = 3
    ANALYTICAL = 4


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """
    The input of a search.

    Args:
        text: The whole question or report, as written.
        path_prefix: Only paths that start with this.
        include_tests: Rank symbols and files of tests too.
        near: Ids of the symbols nearest in meaning, nearest first, where an earlier search found them; vectors are not
            searched again then.
    """

    text: str
    path_prefix: str = ""
    max_files: int = 20
    max_symbols: int = 50
    max_docs: int = 10
    max_lines: int = 0
    include_tests: bool = False
    use_vectors: bool = True
    near: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file with its relevance and the signals that raised it; scores compare within one ranking only."""

    file: File
    score: float
    signals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedSymbol:
    """
    A definition with its relevance and the signals that raised it; scores compare within one ranking only.

    Args:
        symbol: The one that is shown.
        others: Ids of the definition's other symbols, such as overloads.
    """

    symbol: Symbol
    score: float
    signals: tuple[str, ...] = ()
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document with its relevance; scores compare within one ranking only."""

    document: Document
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """
    What a search found, best first; ties break by path, then line.

    Args:
        ran: Steps that ran, for example "lexical".
        skipped: Steps that could not run, each with why, for example "vectors: not in time".
        near: Ids of the symbols nearest in meaning, nearest first; empty where no vectors were searched.
        lines: Lines that have the query word for word, each with its text.
    """

    files: tuple[RankedFile, ...] = ()
    symbols: tuple[RankedSymbol, ...] = ()
    documents: tuple[RankedDocument, ...] = ()
    ran: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    near: tuple[int, ...] = ()
    lines: tuple[tuple[Span, str], ...] = ()

    def places(self) -> dict[int, int]:
        """Return the place of each ranked definition, from 0, by the ids of all its symbols."""
        return {id_: at for at, each in enumerate(self.symbols) for id_ in (each.symbol.id, *each.others)}


NO_RANKING = Ranking()
