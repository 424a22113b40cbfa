"""Neighbours in the graph: scores spread from the best and the named symbols, one step in each direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.material import Columns

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Floats, Ints
    from retriever.domain.ranking.material import SignalInputs


def neighbours_signal(inputs: SignalInputs) -> Columns:
    """Score symbols by the best caller and callee, files by the best file that uses them or that they use."""
    material, links = inputs.material, inputs.links
    symbols = material.corpus.symbols
    seeds = material.symbol_scores**2
    named = np.maximum.reduce(list(inputs.named.values()))
    crossing = symbols.file[links.sources] != symbols.file[links.targets]
    sources, targets = symbols.file[links.sources][crossing], symbols.file[links.targets][crossing]
    weights = links.weights[crossing]
    called, calls, places = links.to_targets(seeds), links.to_sources(seeds), inputs.candidates
    return Columns(
        files={
            "used by": _spread(material.file_scores, sources, targets, weights),
            "uses": _spread(material.file_scores, targets, sources, weights),
            "near": material.best_of_file(called + calls),
        },
        symbols={
            "called by": called[places],
            "calls": calls[places],
            "called by named": links.to_targets(named)[places],
            "calls named": links.to_sources(named)[places],
            "callers": np.log1p(np.bincount(links.targets, minlength=len(symbols))[places]),
        },
    )


def _spread(scores: Floats, sources: Ints, targets: Ints, weights: Floats) -> Floats:
    spread = np.zeros_like(scores)
    np.maximum.at(spread, targets, scores[sources] * weights)
    return spread
