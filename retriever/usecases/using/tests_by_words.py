"""Ranks the tests of a snapshot by words (BM25F), for code whose tests no edge of the graph tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.material import Material
from retriever.domain.ranking.query import analyse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.ports import Snapshot


def test_scores(snapshot: Snapshot, text: str) -> Mapping[int, float]:
    """Return the score of each symbol of a test that has words of a text, by identity; higher means more."""
    lexical = snapshot.lexical
    if lexical.problem:
        return {}
    corpus, query = lexical.corpus(), analyse(text)
    postings = lexical.postings(query.terms)
    material = Material.of(query, corpus, postings, corpus.files.is_code, with_tests=True)
    is_test = corpus.files.is_test[corpus.symbols.file] | corpus.is_test_in_code
    places = np.flatnonzero(is_test & (material.symbol_scores > 0))
    return dict(zip(corpus.symbols.ids[places].tolist(), material.symbol_scores[places].tolist(), strict=True))
