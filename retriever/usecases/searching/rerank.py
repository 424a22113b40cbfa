"""Reranks the first functions and files of a long query, by its title and prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.describing.columns import columns_of
from retriever.domain.describing.searched import Searched, all_of, read_description
from retriever.domain.describing.surroundings import Around
from retriever.domain.ranking.rank import Scores
from retriever.domain.reranking.files import RankedFiles, own_columns
from retriever.domain.reranking.functions import Functions, RankedFunctions
from retriever.domain.reranking.model import Parts, signs_of_query
from retriever.domain.values import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.describing.model import DescribingModel
    from retriever.domain.describing.wording import Wording
    from retriever.domain.ranking.corpus import Floats, Ints
    from retriever.domain.ranking.features import Features
    from retriever.domain.ranking.query import Query
    from retriever.domain.reranking.model import RerankerModels
    from retriever.ports import Graph, Lexical, Snapshot

_MAX_CHARS = 4000
"""More than the words that count of a description."""


class Rerank:
    """
    The third stage of ranking, after the sums of weights and what is around each.

    Args:
        models: Trees for functions and for files.
        describing: The model of descriptions; the score of its network is one of the features.
    """

    def __init__(self, models: RerankerModels, describing: DescribingModel) -> None:
        self._models = models
        self._describing = describing

    def run(self, snapshot: Snapshot, query: Query, features: Features, first: Scores, second: Scores) -> Scores:
        """Return the scores of all candidates and files; those of classes stay as they are."""
        corpus = snapshot.lexical.corpus()
        signs = signs_of_query(query, len(corpus.symbols), len(corpus.files))
        ranked = RankedFunctions.of(Functions.of(features, corpus), first, second)
        symbols = self._symbols(snapshot, query, ranked, signs)
        files = RankedFiles.of(second.files)
        if not len(files.head):
            return Scores(second.files, symbols)
        columns = files.columns(features.around, ranked.functions, first.files, symbols)
        own = own_columns(features.file_columns, features.files[files.head])
        return Scores(files.reranked(self._models.files.gains({**own, **columns}, signs)), symbols)

    def _symbols(self, snapshot: Snapshot, query: Query, ranked: RankedFunctions, signs: Mapping[str, float]) -> Floats:
        places = ranked.functions.places[ranked.head]
        if not len(places):
            return ranked.second.symbols
        parts = measure_parts(snapshot.lexical, snapshot.graph, query, places, self._describing.wording)
        columns = {**ranked.columns(), **parts.columns(self._describing.network)}
        return ranked.reranked(self._models.functions.gains(columns, signs), is_report=query.is_report)


def measure_parts(lexical: Lexical, graph: Graph, query: Query, places: Ints, wording: Wording) -> Parts:
    """Measure functions by the title, and by title and prose; a part without words is left out."""
    corpus = lexical.corpus()
    calls = graph.pairs(corpus.symbols.ids[places].tolist(), (EdgeKind.CALL,))
    texts = {"title": query.title, "prose": f"{query.title}\n{query.prose}".rstrip("\n")}
    read = {text: read_description(text[:_MAX_CHARS], wording) for text in dict.fromkeys(texts.values())}
    asked = {text: each for text, each in read.items() if each.terms}
    every = tuple(asked.values())
    searched = Searched.of_several(every, corpus, lexical.postings(all_of(every)))
    if not searched:
        return Parts({})
    around = Around.of(searched[0].found, places, calls)
    columns = {text: columns_of(each, around) for text, each in zip(asked, searched, strict=True)}
    return Parts({name: columns[text] for name, text in texts.items() if text in columns})
