"""The input of every signal: the query, the corpus, which part of it is ranked, and the first lexical scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.bm25f import MESSAGE_LENGTH_SHARE, Scorer
from retriever.domain.ranking.corpus import BODY, DOC, FIELDS, NAME, SCOPE
from retriever.domain.ranking.scale import best_places, by_maximum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.ranking.corpus import Bools, Corpus, Floats, Ints, TermPostings
    from retriever.domain.ranking.links import Links
    from retriever.domain.ranking.query import Query


def _fields(**weights: float) -> Floats:
    places = {"name": NAME, "scope": SCOPE, "doc": DOC, "body": BODY}
    vector = np.zeros(FIELDS)
    for name, weight in weights.items():
        vector[places[name]] = weight
    return vector


FILE_FIELDS = _fields(name=1.0, scope=3.0, doc=0.5, body=1.0)
SYMBOL_FIELDS = _fields(name=2.0, scope=1.0, doc=0.5, body=1.0)
"""Weight of each field in the scores over all fields; for a file the scope is its path."""


@dataclass(frozen=True)
class Material:
    """
    What is read from the index for one query.

    Args:
        ranked_files: Files that may be in the result.
        ranked_symbols: Symbols that may be in the result.
        file_scorer: Over ranked files.
        symbol_scorer: Over ranked symbols.
        file_scores: BM25F of files for the whole query, scaled so that the best is 1.
        symbol_scores: BM25F of symbols for the whole query, scaled so that the best is 1.
        commit_scores: BM25 of commit messages, scaled so that the best is 1.
    """

    query: Query
    corpus: Corpus
    ranked_files: Bools
    ranked_symbols: Bools
    file_scorer: Scorer
    symbol_scorer: Scorer
    file_scores: Floats
    symbol_scores: Floats
    commit_scores: Floats

    @classmethod
    def of(
        cls, query: Query, corpus: Corpus, postings: TermPostings, ranked_files: Bools, *, with_tests: bool = False
    ) -> Material:
        """
        Score every ranked file and symbol once.

        Declarations in stubs of what is defined elsewhere are left out; so are tests within files of code, unless
        `with_tests`.
        """
        symbols, files = corpus.symbols, corpus.files
        ranked_symbols = ranked_files[symbols.file] & ~corpus.is_redeclared
        if not with_tests:
            ranked_symbols = ranked_symbols & ~corpus.is_test_in_code
        size = len(query.terms)
        file_scorer = Scorer.of(postings.files, files.lengths, ranked_files, size)
        symbol_scorer = Scorer.of(postings.symbols, symbols.lengths, ranked_symbols, size)
        every = np.ones(len(corpus.commits), dtype=bool)
        commit_scorer = Scorer.of(postings.commits, corpus.commits.lengths, every, size, MESSAGE_LENGTH_SHARE)
        return cls(
            query,
            corpus,
            ranked_files,
            ranked_symbols,
            file_scorer,
            symbol_scorer,
            by_maximum(file_scorer.score(query.weights["main"], FILE_FIELDS)),
            by_maximum(symbol_scorer.score(query.weights["main"], SYMBOL_FIELDS)),
            by_maximum(commit_scorer.score(query.weights["main"], np.ones(1))),
        )

    def best_symbols(self, number: int) -> list[int]:
        """Return the places of the best symbols by words alone, best first; none without a score."""
        return best_places(self.symbol_scores, number)

    def best_of_file(self, scores: Floats) -> Floats:
        """Give each file the highest score of its ranked symbols."""
        best = np.zeros(len(self.corpus.files))
        files, first = self.corpus.symbols.files_with_symbols
        if len(files):
            best[files] = np.maximum.reduceat(np.where(self.ranked_symbols, scores, 0.0), first)
        return best


@dataclass(frozen=True, slots=True)
class Columns:
    """
    The output of one signal: named columns over all files and over symbols; a higher value means more relevant.

    Signals of mentions have values for all symbols, those that run later only for the candidates.
    """

    files: Mapping[str, Floats] = field(default_factory=dict)
    symbols: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SignalInputs:
    """
    The inputs of the signals that run after those of mentions.

    Args:
        named: Columns over symbols: how explicitly the text names each.
        links: Edges around the best and the named symbols.
        candidates: Places of the symbols that get all features.
    """

    material: Material
    named: Mapping[str, Floats]
    links: Links
    candidates: Ints
