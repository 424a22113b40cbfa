"""Ranks files, symbols and documents for a text: words, names, graph and history, in one order each."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from common.core.runtime.concurrency import wait_for_both
from common.core.words.terms import terms_of
from retriever.domain.questions.question import RankedDocument, RankedFile, RankedSymbol, Ranking
from retriever.domain.ranking.features import Mentioned, extract
from retriever.domain.ranking.material import Material
from retriever.domain.ranking.query import analyse
from retriever.domain.ranking.rank import first_scores, rank_files, rank_symbols, second_scores
from retriever.domain.values import EdgeKind
from retriever.usecases.locating.naming import definitions_of

if TYPE_CHECKING:
    from retriever.domain.questions.question import SearchQuery
    from retriever.domain.ranking.corpus import Bools, Corpus, Floats
    from retriever.domain.ranking.model import RankingModel
    from retriever.domain.ranking.query import Query
    from retriever.ports import Graph, Lexical, Snapshot
    from retriever.usecases.searching.rerank import Rerank

_EDGES = (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES)
_DOCUMENT_WORDS = 24
"""Words that documents are searched by; the rarest ones of the query."""


class ByWords:
    """
    Ranks what a snapshot holds.

    Args:
        model: Weights of the signals.
        rerank: Reorders the first functions and files for long queries.
    """

    def __init__(self, model: RankingModel, rerank: Rerank) -> None:
        self._model = model
        self._rerank = rerank

    async def run(self, snapshot: Snapshot, query: SearchQuery) -> Ranking:
        """Rank; a query without any word of the index gives an empty ranking. Ties break by path, then line."""
        material = await asyncio.to_thread(_read, snapshot.lexical, query)
        if material is None:
            return Ranking(skipped=(f"lexical: {snapshot.lexical.problem}",))
        # The database looks for documents while places are ranked: it takes as long, and needs no interpreter.
        (files, symbols), documents = await wait_for_both(
            asyncio.to_thread(self._places, snapshot, query, material),
            asyncio.to_thread(_documents, snapshot, query, material),
        )
        return Ranking(files, symbols, documents, ran=("lexical", "mentions", "graph"))

    def _places(
        self, snapshot: Snapshot, asked: SearchQuery, material: Material
    ) -> tuple[tuple[RankedFile, ...], tuple[RankedSymbol, ...]]:
        corpus, mentioned = material.corpus, Mentioned.of(material)
        features = extract(mentioned, edges_around(snapshot.graph, mentioned))
        fusion = self._model.fusion(is_report=material.query.is_report)
        first = first_scores(features, fusion, mentioned.spoken_for)
        scores = second_scores(features, fusion, first)
        if material.query.is_detailed:
            scores = self._rerank.run(snapshot, material.query, features, first, scores)
        files = rank_files(features, fusion, scores, asked.max_files)
        symbols = rank_symbols(features, fusion, scores, asked.max_symbols, corpus.symbols)
        found = definitions_of(snapshot, (corpus.symbols.ids[[at.place, *at.others]].tolist() for at in symbols))
        return (
            tuple(RankedFile(corpus.files.rows[at.place], at.score, at.signals) for at in files),
            tuple(
                RankedSymbol(shown, at.score, at.signals, others)
                for (shown, others), at in zip(found, symbols, strict=True)
            ),
        )


def gather(lexical: Lexical, query: Query, asked: SearchQuery) -> Mentioned:
    """Read the postings of a query and score its words and names."""
    return Mentioned.of(_material(lexical, query, asked))


def _read(lexical: Lexical, asked: SearchQuery) -> Material | None:
    return None if lexical.problem else _material(lexical, analyse(asked.text), asked)


def _material(lexical: Lexical, query: Query, asked: SearchQuery) -> Material:
    corpus = lexical.corpus()
    postings, ranked = lexical.postings(query.terms), _ranked_files(corpus, asked)
    return Material.of(query, corpus, postings, ranked, with_tests=asked.include_tests)


def _documents(snapshot: Snapshot, asked: SearchQuery, material: Material) -> tuple[RankedDocument, ...]:
    if not asked.max_docs:
        return ()
    found = snapshot.documents.search(_rare_words(material), asked.max_docs, asked.path_prefix)
    return tuple(RankedDocument(document, score) for document, score in found)


def edges_around(graph: Graph, mentioned: Mentioned) -> Floats:
    """Read rows of (source, target, confidence) of the edges from and to the seeds."""
    ids = mentioned.material.corpus.symbols.ids[mentioned.seeds()]
    return graph.pairs(ids.tolist(), _EDGES)


def _ranked_files(corpus: Corpus, asked: SearchQuery) -> Bools:
    files = corpus.files
    ranked = files.is_code if asked.include_tests else files.is_code & ~files.is_test
    if not asked.path_prefix:
        return ranked
    # Files are in order of path, so those below a prefix lie side by side.
    start = bisect_left(files.rows, asked.path_prefix, key=lambda row: row.path)
    end = bisect_left(files.rows, 1, lo=start, key=lambda row: not row.path.startswith(asked.path_prefix))
    places = np.arange(len(files))
    return ranked & (start <= places) & (places < end)


def _rare_words(material: Material) -> list[str]:
    """Return the words whose terms weigh most, by weight times idf over the files."""
    query = material.query
    worth = dict(zip(query.terms, (query.weights["main"] * material.file_scorer.idf).tolist(), strict=True))
    scored = {word: max((worth.get(term, 0.0) for term in terms_of(word)), default=0.0) for word in query.words}
    best = sorted((word for word in scored if scored[word] > 0), key=lambda word: (-scored[word], word))
    return best[:_DOCUMENT_WORDS]
