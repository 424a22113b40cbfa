"""Features of a candidate for a description: one named column each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.describing.surroundings import of_namesakes
from retriever.domain.describing.wording import stems_of_name
from retriever.domain.ranking.corpus import BODY, DOC, FIELDS, NAME, SCOPE, SIGNATURE, TEXT
from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.describing.searched import Searched
    from retriever.domain.describing.surroundings import Around
    from retriever.domain.ranking.corpus import Floats, Ints

    Columns = Mapping[str, Floats]

_FIELDS = {"name": NAME, "scope": SCOPE, "signature": SIGNATURE, "doc": DOC, "body": BODY, "text": TEXT}


def columns_of(searched: Searched, around: Around) -> Columns:
    """
    Return the features of candidates as named columns.

    Args:
        around: The candidates, and which terms occur in and around them.

    Returns:
        Columns by name, each with one number for each candidate, mostly within 0 to 10.
    """
    places = around.places
    return {
        **_words(searched, around),
        **{name: searched.share(table) for name, table in around.tables.items()},
        **around.calls,
        **_densities(searched, places),
        "pairs": searched.pairs(around.said),
        **_scores(searched, places),
        "said of a namesake": of_namesakes(searched, places),
        **_names(searched, places),
        **_shape(searched, around),
        **_wording(searched, around),
    }


def _words(searched: Searched, around: Around) -> Columns:
    held, said, in_head = around.held, around.said, around.in_head
    columns = {f"said in {name}": searched.share(held[field]) for name, field in _FIELDS.items()}
    columns["said"] = searched.share(said)
    columns["said in head"] = searched.share(in_head)
    columns |= {f"rare said in {name}": searched.rare(held[_FIELDS[name]]) for name in ("name", "doc", "body")}
    columns["rare said"] = searched.rare(said)
    columns["rare said in head"] = searched.rare(in_head)
    columns["terms said"] = searched.own(said).sum(axis=1) / max(1, len(searched.weights))
    return columns


def _densities(searched: Searched, places: Ints) -> Columns:
    """Return which share of each field consists of terms of the description."""
    dense = searched.densities(places)
    return {f"density of {name}": dense[:, field] for name, field in _FIELDS.items() if field != TEXT}


def _scores(searched: Searched, places: Ints) -> Columns:
    by_field = {name: searched.score(np.eye(FIELDS)[_FIELDS[name]]) for name in ("signature", "doc", "text")}
    return {
        "score": searched.scores[places] / searched.most,
        "score to best": _to_best(searched.scores, places),
        "total to best": _to_best(searched.totals, places),
        "doc score to best": _to_best(by_field["doc"], places),
        "signature score to best": _to_best(by_field["signature"], places),
        "text score": by_field["text"][places] / searched.most,
    }


def _to_best(scores: Floats, places: Ints) -> Floats:
    """Return the score of each candidate as a share of the highest score of all symbols; 0 if none is positive."""
    top = float(scores.max(initial=0.0))
    return scores[places] / top if top > 0 else np.zeros(len(places))


def _names(searched: Searched, places: Ints) -> Columns:
    """Return which share of the words in the name of the candidate, and of its class, the description has."""
    symbols = searched.corpus.symbols
    known = {name: _share_of_name(searched, name) for name in {"", *(symbols.names[place] for place in places)}}
    parents = symbols.parent[places].tolist()
    classes = [_share_of_name(searched, symbols.names[parent]) if parent >= 0 else 0.0 for parent in parents]
    shares = np.array([known[symbols.names[place]] for place in places])
    return {"name told": shares, "whole name told": (shares == 1.0).astype(np.float64), "class told": np.array(classes)}


def _share_of_name(searched: Searched, name: str) -> float:
    parts = stems_of_name(name)
    return len(parts & searched.asked.told.parts) / len(parts) if parts else 0.0


def _shape(searched: Searched, around: Around) -> Columns:
    places, symbols = around.places, searched.corpus.symbols
    names = [symbols.names[place] for place in places]
    lengths = symbols.lengths[places]
    unsaid = 1.0 - searched.share(around.held[DOC])
    return {
        "is documented": (lengths[:, DOC] > 0).astype(np.float64),
        "lines": np.log1p(symbols.end_line[places] - symbols.start_line[places]),
        "body length": np.log1p(lengths[:, BODY]),
        "doc length": np.log1p(lengths[:, DOC]),
        "documented otherwise": np.where(lengths[:, DOC] > 0, unsaid, 0.0),
        "is function": (symbols.kind[places] == SymbolKind.FUNCTION).astype(np.float64),
        "is class": (symbols.kind[places] == SymbolKind.CLASS).astype(np.float64),
        "is private": np.array([name.startswith("_") and not name.startswith("__") for name in names], dtype=float),
        "is special": np.array([name.startswith("__") for name in names], dtype=float),
        "namesakes": np.log1p([len(symbols.by_name.get(name, ())) for name in names]),
    }


def _wording(searched: Searched, around: Around) -> Columns:
    """Return how well name, repeated terms and kind agree with what is usual for a description in these words."""
    places, symbols, told = around.places, searched.corpus.symbols, searched.asked.told
    names = [symbols.names[place] for place in places]
    spelled = {name: told.spelling(name) for name in dict.fromkeys(names)}
    class_or_not = np.where(symbols.kind[places] == SymbolKind.CLASS, 1.0, -1.0)
    return {
        "name spelled": np.array([spelled[name] for name in names]),
        "echoed": searched.echoed(around.said),
        "echoed in head": searched.echoed(around.in_head),
        "echoed in name": searched.echoed(around.held[NAME]),
        "echoed in body": searched.echoed(around.held[BODY]),
        "kind by first word": class_or_not * told.kind_by_first,
        "kind by words": class_or_not * told.kind_by_words,
    }
