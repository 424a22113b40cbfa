"""Ranks files, symbols and documents for a text: words, names, graph and history, in one order each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np

from common.core.terms import terms_of
from retriever.domain.question import RankedDocument, RankedFile, RankedSymbol, Ranking
from retriever.domain.ranking.features import Mentioned, extract
from retriever.domain.ranking.material import Material
from retriever.domain.ranking.query import analyse
from retriever.domain.ranking.rank import first_scores, rank_files, rank_symbols, second_scores
from retriever.domain.values import EdgeKind

if TYPE_CHECKING:
    from retriever.domain.question import SearchQuery
    from retriever.domain.ranking.corpus import Bools, Corpus, Floats
    from retriever.domain.ranking.model import RankingModel
    from retriever.domain.ranking.query import Query
    from retriever.ports import Graph, Lexical, Snapshot

_EDGES = (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES)
_DOCUMENT_WORDS = 24
"""Words that documents are searched by; the rarest ones of the query."""


class Search:
    """
    Ranks what a snapshot holds.

    Args:
        model: What each signal is worth.
    """

    def __init__(self, model: RankingModel) -> None:
        self._model = model

    async def run(self, snapshot: Snapshot, query: SearchQuery) -> Ranking:
        """Rank; a query without any word of the index gives an empty ranking. Ties break by path, then line."""
        return await asyncio.to_thread(self._rank, snapshot, query)

    def _rank(self, snapshot: Snapshot, asked: SearchQuery) -> Ranking:
        if snapshot.lexical.problem:
            return Ranking(skipped=(f"lexical: {snapshot.lexical.problem}",))
        query = analyse(asked.text)
        mentioned = gather(snapshot.lexical, query, asked)
        features = extract(mentioned, edges_around(snapshot.graph, mentioned))
        corpus, material = mentioned.material.corpus, mentioned.material
        fusion = self._model.fusion(is_report=query.is_report)
        scores = second_scores(features, fusion, first_scores(features, fusion, mentioned.spoken_for))
        files = rank_files(features, fusion, scores, asked.max_files)
        symbols = rank_symbols(features, fusion, scores, asked.max_symbols)
        found = {each.id: each for each in snapshot.symbols.get([int(corpus.symbols.ids[at.place]) for at in symbols])}
        documents = snapshot.documents.search(_rare_words(query, material), asked.max_docs) if asked.max_docs else ()
        return Ranking(
            files=tuple(RankedFile(corpus.files.rows[at.place], at.score, at.signals) for at in files),
            symbols=tuple(
                RankedSymbol(found[int(corpus.symbols.ids[at.place])], at.score, at.signals) for at in symbols
            ),
            documents=tuple(RankedDocument(document, score) for document, score in documents),
            ran=("lexical", "mentions", "graph"),
        )


def gather(lexical: Lexical, query: Query, asked: SearchQuery) -> Mentioned:
    """Read the postings of a query and score what it says and names."""
    corpus = lexical.corpus()
    postings = lexical.postings(query.terms)
    return Mentioned.of(Material.of(query, corpus, postings, _ranked_files(corpus, asked)))


def edges_around(graph: Graph, mentioned: Mentioned) -> Floats:
    """Read rows of (source, target, confidence) of the edges from and to the seeds."""
    ids = mentioned.material.corpus.symbols.ids[mentioned.seeds()]
    return graph.pairs(ids.tolist(), _EDGES)


def _ranked_files(corpus: Corpus, asked: SearchQuery) -> Bools:
    files = corpus.files
    ranked = files.is_code if asked.include_tests else files.is_code & ~files.is_test
    if not asked.path_prefix:
        return ranked
    below: Bools = np.array([row.path.startswith(asked.path_prefix) for row in files.rows], dtype=np.bool_)
    return np.logical_and(ranked, below)


def _rare_words(query: Query, material: Material) -> list[str]:
    """Return the words whose terms weigh most, by weight times idf over the files."""
    worth = dict(zip(query.terms, (query.weights["main"] * material.file_scorer.idf).tolist(), strict=True))
    scored = {word: max((worth.get(term, 0.0) for term in terms_of(word)), default=0.0) for word in query.words}
    best = sorted((word for word in scored if scored[word] > 0), key=lambda word: (-scored[word], word))
    return best[:_DOCUMENT_WORDS]
