"""Occurrences of a description's terms: in symbols, in their files, in enclosed definitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.bm25f import Scorer
from retriever.domain.ranking.corpus import FIELDS
from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Bools, Corpus, Ints, Postings, TermPostings


@dataclass(frozen=True, slots=True)
class Found:
    """
    Index entries of all terms of one or several descriptions; terms are numbered in the order in which they were given.

    Tables have the shape (fields, units, terms) and are true where a field of a unit has the term.

    Args:
        files: Postings by file.
        scorer: BM25F over the candidate symbols, which are neither tests nor modules.
    """

    corpus: Corpus
    files: Postings
    scorer: Scorer

    @classmethod
    def of(cls, corpus: Corpus, postings: TermPostings, terms: int) -> Found:
        """Keep the postings of candidate symbols; `terms` is the number of terms looked up."""
        scorer = Scorer.of(postings.symbols, corpus.symbols.lengths, may_be_meant(corpus), terms)
        return cls(corpus, postings.files, scorer)

    @property
    def terms(self) -> int:
        """Number of terms that were looked up."""
        return len(self.scorer.idf)

    def held(self, symbols: Ints) -> Bools:
        """Return which terms each field of some symbols has; no symbol may be given twice."""
        return self._held(self.scorer.postings, symbols, len(self.corpus.symbols))

    def held_by_files(self, files: Ints) -> Bools:
        """Return which terms each field of some files has; no file may be given twice."""
        return self._held(self.files, files, len(self.corpus.files))

    def held_by_members(self, parents: Ints) -> Bools:
        """Return which terms each field has in any direct member of each of some symbols."""
        wanted, row = np.unique(parents, return_inverse=True)
        place = np.full(len(self.corpus.symbols) + 1, -1, dtype=np.int64)
        place[wanted[wanted >= 0]] = np.flatnonzero(wanted >= 0)
        found = self.scorer.postings
        at = place[self.corpus.symbols.parent[found.units]]
        mine = np.flatnonzero(at >= 0)
        posting, field = np.nonzero(found.counts[mine])
        held = np.zeros((FIELDS, len(wanted), self.terms), dtype=np.bool_)
        held[field, at[mine][posting], found.terms[mine][posting]] = True
        return held[:, row]

    def _held(self, postings: Postings, units: Ints, size: int) -> Bools:
        row = np.full(size, -1, dtype=np.int64)
        row[units] = np.arange(len(units))
        at = row[postings.units]
        there = np.flatnonzero(at >= 0)
        table = np.zeros((FIELDS, len(units), self.terms), dtype=np.bool_)
        table[:, at[there], postings.terms[there]] = postings.counts[there].T > 0
        return table


def may_be_meant(corpus: Corpus) -> Bools:
    """Return for each symbol whether it is a candidate: neither a test nor a module."""
    in_tests = corpus.files.is_test[corpus.symbols.file]
    return np.asarray(~in_tests & (corpus.symbols.kind != SymbolKind.MODULE), dtype=np.bool_)
