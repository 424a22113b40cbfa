"""Identifiers of the text that are names of symbols: a name weighs more, the fewer symbols share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.material import Columns
from retriever.domain.ranking.scale import by_maximum

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from retriever.domain.ranking.corpus import Floats, SymbolColumns
    from retriever.domain.ranking.material import Material


def names_signal(material: Material) -> Columns:
    """Score symbols whose name is written in code spans, code blocks, the first line, or anywhere; and their files."""
    query, symbols = material.query, material.corpus.symbols
    places = {
        "span": frozenset(query.mentions.in_code),
        "block": frozenset(query.mentions.in_blocks),
        "title": query.title_words,
        "anywhere": query.words,
    }
    files: dict[str, Floats] = {}
    scores: dict[str, Floats] = {}
    found: dict[AbstractSet[str], tuple[Floats, Floats, Floats]] = {}  # a text of one line is its title
    for where, names in places.items():
        if names not in found:
            found[names] = _named(material, names)
        scores[where], scores[f"class in {where}"], files[where] = found[names]
    total: Floats = np.bincount(symbols.file, scores["anywhere"], len(material.corpus.files)).astype(np.float64)
    files |= {"count": np.log1p(total), "share": by_maximum(total)}
    return Columns(files, scores)


def _named(material: Material, names: AbstractSet[str]) -> tuple[Floats, Floats, Floats]:
    """Score a symbol 1 / symbols of its name, members as their class, a file 1 / files with a symbol of the name."""
    symbols = material.corpus.symbols
    scores, files = np.zeros(len(symbols)), np.zeros(len(material.corpus.files))
    counts = material.ranked_symbols & ~symbols.is_module
    for name in names & symbols.by_name.keys():
        places = [place for place in symbols.by_name.get(name, ()) if counts[place]]
        if not places:
            continue
        scores[places] = np.maximum(scores[places], 1.0 / len(places))
        holding = sorted({int(symbols.file[place]) for place in places})
        files[holding] = np.maximum(files[holding], 1.0 / len(holding))
    return scores, _of_class(symbols, scores), files


def _of_class(symbols: SymbolColumns, scores: Floats) -> Floats:
    """Give each member of a class the score of the class."""
    of_class = np.zeros(len(symbols))
    for place in np.flatnonzero(symbols.is_class & (scores > 0)).tolist():
        of_class[symbols.inside(place)] = scores[place]
    return of_class
