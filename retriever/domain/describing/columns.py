"""What speaks for a symbol being the one that a description means: one named column for each reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.describing.company import company
from retriever.domain.describing.surroundings import surroundings
from retriever.domain.describing.wording import stems_of_name
from retriever.domain.ranking.bm25f import K1
from retriever.domain.ranking.corpus import BODY, DOC, FIELDS, NAME, SCOPE, SIGNATURE, TEXT
from retriever.domain.ranking.scale import by_maximum
from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from retriever.domain.describing.searched import Searched
    from retriever.domain.ranking.corpus import Bools, Floats, Ints

    Columns = Mapping[str, Floats]

_FIELDS = {"name": NAME, "scope": SCOPE, "signature": SIGNATURE, "doc": DOC, "body": BODY, "text": TEXT}


def columns_of(searched: Searched, places: Ints, calls: ArrayLike) -> Columns:
    """
    Measure candidates.

    Args:
        places: Of the candidates.
        calls: Rows of (caller id, callee id, confidence) around the candidates.

    Returns:
        Columns of one number for each candidate, all within about 0 to 10.
    """
    held = searched.held(places)
    return {
        **_words(searched, held),
        **_densities(searched, places),
        "pairs": searched.pairs(places),
        **_scores(searched, places),
        **surroundings(searched, places, held, calls),
        **company(searched, places, held),
        **_names(searched, places),
        **_shape(searched, places, held),
        **_wording(searched, places, held),
    }


def _words(searched: Searched, held: Bools) -> Columns:
    columns = {f"said in {name}": searched.share(held[:, :, field]) for name, field in _FIELDS.items()}
    said = held.any(axis=2)
    columns["said"] = searched.share(said)
    columns["said in head"] = searched.share(held[:, :, [NAME, SCOPE, SIGNATURE]].any(axis=2))
    columns |= {f"rare said in {name}": searched.rare(held[:, :, _FIELDS[name]]) for name in ("name", "doc", "body")}
    columns["rare said"] = searched.rare(said)
    columns["rare said in head"] = searched.rare(held[:, :, [NAME, SCOPE, SIGNATURE]].any(axis=2))
    columns["terms said"] = said.sum(axis=1) / max(1, said.shape[1])
    return columns


def _densities(searched: Searched, places: Ints) -> Columns:
    """Say which share of each field is of the description."""
    dense = searched.densities(places)
    return {f"density of {name}": dense[:, field] for name, field in _FIELDS.items() if field != TEXT}


def _scores(searched: Searched, places: Ints) -> Columns:
    by_field = {name: searched.score(np.eye(FIELDS)[_FIELDS[name]]) for name in ("signature", "doc", "text")}
    most = max(float(searched.scorer.idf[: len(searched.weights)].sum()) * (K1 + 1.0), 1.0)
    return {
        "score": searched.scores[places] / most,
        "score to best": by_maximum(searched.scores)[places],
        "total to best": by_maximum(searched.totals)[places],
        "doc score to best": by_maximum(by_field["doc"])[places],
        "signature score to best": by_maximum(by_field["signature"])[places],
        "text score": by_field["text"][places] / most,
    }


def _names(searched: Searched, places: Ints) -> Columns:
    """Say how much of the names the description has."""
    symbols = searched.corpus.symbols
    known = {name: _share_of_name(searched, name) for name in {"", *(symbols.names[place] for place in places)}}
    parents = symbols.parent[places].tolist()
    classes = [_share_of_name(searched, symbols.names[parent]) if parent >= 0 else 0.0 for parent in parents]
    shares = np.array([known[symbols.names[place]] for place in places])
    return {"name told": shares, "whole name told": (shares == 1.0).astype(np.float64), "class told": np.array(classes)}


def _share_of_name(searched: Searched, name: str) -> float:
    parts = stems_of_name(name)
    return len(parts & searched.asked.told.parts) / len(parts) if parts else 0.0


def _shape(searched: Searched, places: Ints, held: Bools) -> Columns:
    symbols = searched.corpus.symbols
    names = [symbols.names[place] for place in places]
    lengths = symbols.lengths[places]
    unsaid = 1.0 - searched.share(held[:, :, DOC])
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


def _wording(searched: Searched, places: Ints, held: Bools) -> Columns:
    """Say what is to be expected of code that is described in these words."""
    symbols, told = searched.corpus.symbols, searched.asked.told
    names = [symbols.names[place] for place in places]
    spelled = {name: told.spelling(name) for name in dict.fromkeys(names)}
    class_or_not = np.where(symbols.kind[places] == SymbolKind.CLASS, 1.0, -1.0)
    return {
        "name spelled": np.array([spelled[name] for name in names]),
        "echoed": searched.echoed(held.any(axis=2)),
        "echoed in head": searched.echoed(held[:, :, [NAME, SCOPE, SIGNATURE]].any(axis=2)),
        "echoed in name": searched.echoed(held[:, :, NAME]),
        "echoed in body": searched.echoed(held[:, :, BODY]),
        "kind by first word": class_or_not * told.kind_by_first,
        "kind by words": class_or_not * told.kind_by_words,
    }
