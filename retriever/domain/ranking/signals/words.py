"""Words in common with the query: BM25F of the whole query and of its parts, over all fields and over single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.corpus import BODY, DOC, FIELDS, NAME, SCOPE, SIGNATURE, TEXT
from retriever.domain.ranking.material import FILE_FIELDS, SYMBOL_FIELDS, Columns, SignalInputs
from retriever.domain.ranking.scale import by_maximum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.ranking.bm25f import Scorer
    from retriever.domain.ranking.corpus import Floats, Ints
    from retriever.domain.ranking.material import Material

_RANKED_SYMBOLS = 50
_ONE_FIELD = np.eye(FIELDS)
_PARTS = ("title", "prose", "code", "trace", "spans")

_FILE_VIEWS: Mapping[str, tuple[str, Floats]] = {
    **{part: (part, FILE_FIELDS) for part in _PARTS},
    "name": ("main", _ONE_FIELD[NAME]),
    "path": ("main", _ONE_FIELD[SCOPE]),
    "title in path": ("title", _ONE_FIELD[SCOPE]),
    "doc": ("main", _ONE_FIELD[DOC]),
    "body": ("main", _ONE_FIELD[BODY]),
    "text": ("main", _ONE_FIELD[TEXT]),
    "message in text": ("message", _ONE_FIELD[TEXT]),
}
_SYMBOL_VIEWS: Mapping[str, tuple[str, Floats]] = {
    **{part: (part, SYMBOL_FIELDS) for part in _PARTS},
    "name": ("main", _ONE_FIELD[NAME]),
    "title in name": ("title", _ONE_FIELD[NAME]),
    "scope": ("main", _ONE_FIELD[SCOPE]),
    "signature": ("main", _ONE_FIELD[SIGNATURE]),
    "doc": ("main", _ONE_FIELD[DOC]),
    "body": ("main", _ONE_FIELD[BODY]),
    "text": ("main", _ONE_FIELD[TEXT]),
    "message in text": ("message", _ONE_FIELD[TEXT]),
}
"""By column: part of the query, and weights of the fields."""


def words_signal(inputs: SignalInputs) -> Columns:
    """Score files and candidate symbols by each view, and files by their best symbol."""
    material = inputs.material
    weights = material.query.weights
    places = inputs.candidates
    candidates = material.symbol_scorer.among(places)
    symbols = _views(candidates, weights, _SYMBOL_VIEWS)
    best = material.symbol_scorer.best_possible(weights["main"])
    raw = candidates.score(weights["main"], SYMBOL_FIELDS)
    symbols |= {
        "main": material.symbol_scores[places],
        "absolute": raw / best if best else raw,
        "rarest": _rarest(candidates, material),
        "of parent": _of_parent(material, places),
    }
    files = _views(material.file_scorer, weights, _FILE_VIEWS)
    files |= {
        "main": material.file_scores,
        "rarest": _rarest(material.file_scorer, material),
        "best symbol": material.best_of_file(material.symbol_scores),
        "best symbol title": _best_of_file(material, places, symbols["title"]),
        "best symbol name": _best_of_file(material, places, symbols["name"]),
        "ranks of symbols": _ranks(material),
    }
    return Columns(files, symbols)


def _views(scorer: Scorer, weights: Mapping[str, Floats], views: Mapping[str, tuple[str, Floats]]) -> dict[str, Floats]:
    return {name: by_maximum(scorer.score(weights[part], fields)) for name, (part, fields) in views.items()}


def _rarest(scorer: Scorer, material: Material) -> Floats:
    """Score units by the rarest word of a report in them; 0 for a question, where that word is often mere phrasing."""
    query = material.query
    return scorer.rarest(query.weights["main"]) if query.is_report else np.zeros(scorer.units)


def _best_of_file(material: Material, places: Ints, scores: Floats) -> Floats:
    """Give each file the highest score of its candidates."""
    best = np.zeros(len(material.corpus.files))
    np.maximum.at(best, material.corpus.symbols.file[places], scores)
    return best


def _of_parent(material: Material, places: Ints) -> Floats:
    parent = material.corpus.symbols.parent[places]
    return np.where(parent >= 0, material.symbol_scores[parent], 0.0)


def _ranks(material: Material) -> Floats:
    """Sum 1 / (rank + 3) of each file's symbols among the best 50."""
    total = np.zeros(len(material.corpus.files))
    for rank, place in enumerate(material.best_symbols(_RANKED_SYMBOLS)):
        total[material.corpus.symbols.file[place]] += 1.0 / (rank + 3)
    return by_maximum(total)
