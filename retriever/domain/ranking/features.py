"""The tables of signals, and the feature matrix that they compute for a query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.links import Links
from retriever.domain.ranking.material import Columns, Material, SignalInputs
from retriever.domain.ranking.scale import best_places
from retriever.domain.ranking.second_stage import Connections
from retriever.domain.ranking.signals.history import history_signal
from retriever.domain.ranking.signals.names import names_signal
from retriever.domain.ranking.signals.neighbours import neighbours_signal
from retriever.domain.ranking.signals.places import places_signal
from retriever.domain.ranking.signals.shape import shape_signal
from retriever.domain.ranking.signals.words import words_signal
from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

    from retriever.domain.ranking.corpus import Bools, Floats, Ints

MENTION_SIGNALS: Mapping[str, Callable[[Material], Columns]] = {
    "mentioned place": places_signal,
    "mentioned name": names_signal,
}
"""Signals from names in the text; they run first, since the others use the surroundings of what these find."""

SIGNALS: Mapping[str, Callable[[SignalInputs], Columns]] = {
    "words": words_signal,
    "neighbours": neighbours_signal,
    "history": history_signal,
    "shape": shape_signal,
}

CANDIDATES = 300
"""Number of symbols that get all features."""

SEEDS = 120
"""Symbols around which edges are read."""

_NAMING = {"mentioned place": ("line", "frame", "dotted"), "mentioned name": ("span", "title")}
"""Columns that make a symbol a candidate by themselves."""


@dataclass(frozen=True)
class Mentioned:
    """The first half of the features: candidates, and names in the text."""

    material: Material
    columns: Mapping[str, Columns]

    @classmethod
    def of(cls, material: Material) -> Mentioned:
        """Compute the columns of every signal in `MENTION_SIGNALS`."""
        return cls(material, {name: signal(material) for name, signal in MENTION_SIGNALS.items()})

    @property
    def named(self) -> Mapping[str, Floats]:
        """The columns of `_NAMING` over symbols: how explicitly the text names each."""
        return {column: self.columns[name].symbols[column] for name, of in _NAMING.items() for column in of}

    @cached_property
    def base(self) -> Floats:
        """Score of symbols by which candidates and seeds are chosen."""
        material = self.material
        named = np.minimum(sum(self.named.values(), start=np.zeros(len(material.corpus.symbols))), 1.0)
        files = material.file_scores[material.corpus.symbols.file]
        base = material.symbol_scores + 0.4 * named + 0.2 * files * (material.symbol_scores > 0)
        return np.where(material.ranked_symbols, base, 0.0)

    @cached_property
    def spoken_for(self) -> Bools:
        """Ranked files that share a word with the query or that it names."""
        named = self.columns["mentioned place"].files
        shared = self.material.file_scores + sum(named.values(), start=np.zeros(len(self.material.corpus.files)))
        return self.material.ranked_files & (shared > 0)

    def seeds(self) -> list[int]:
        """Return the places of the symbols whose edges are read, best first."""
        return best_places(self.base, SEEDS)

    def candidates(self) -> list[int]:
        """Return the places of symbols to rank: those with the best base score, modules left out."""
        kinds = self.material.corpus.symbols.kind
        return best_places(np.where(kinds == SymbolKind.MODULE, 0.0, self.base), CANDIDATES)


@dataclass(frozen=True, slots=True)
class Features:
    """
    Columns of one query, as a matrix for each level.

    Args:
        file_columns: Names as (signal, column).
        files: (files, columns), over all files of the corpus.
        symbol_columns: Names; those of the symbol's file follow with "file " before the signal.
        places: Places of the candidates.
        symbols: (candidates, columns).
        around: Connections between files and between candidates.
    """

    file_columns: tuple[tuple[str, str], ...]
    files: Floats
    symbol_columns: tuple[tuple[str, str], ...]
    places: Ints
    symbols: Floats
    around: Connections


def extract(mentioned: Mentioned, pairs: ArrayLike) -> Features:
    """
    Run the other signals and put all columns side by side, in the order of the tables.

    Args:
        pairs: Rows of (source id, target id, confidence) of the edges around the seeds.
    """
    material = mentioned.material
    corpus = material.corpus
    places = np.array(mentioned.candidates(), dtype=np.int64)
    links = Links.of(pairs, corpus, material.ranked_symbols)
    inputs = SignalInputs(material, mentioned.named, links, places)
    later = {name: signal(inputs) for name, signal in SIGNALS.items()}
    columns = {**mentioned.columns, **later}
    of_files = {(name, column): values for name, each in columns.items() for column, values in each.files.items()}
    of_symbols = {
        (name, column): values if name in later else values[places]
        for name, each in columns.items()
        for column, values in each.symbols.items()
    }
    in_file = corpus.symbols.file[places]
    of_symbols |= {(f"file {name}", column): values[in_file] for (name, column), values in of_files.items()}
    return Features(
        tuple(of_files), np.stack(list(of_files.values()), axis=1),
        tuple(of_symbols), places, np.stack(list(of_symbols.values()), axis=1),
        Connections.of(corpus, places, links, mentioned.spoken_for),
    )  # fmt: skip
