"""
The second stage of ranking: it scores a place by the first-stage scores of its surroundings.

A change often affects several places that belong together: methods of one class, callers and callees, files that
commits touched together. So a place with surroundings that score high is more likely to be right, which can be
computed only after the first stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Bools, Corpus, Floats, Ints
    from retriever.domain.ranking.links import Links

SIGNAL = "second look"
"""Name of the second stage in the file of weights."""
FILE_COLUMNS = tuple(
    (SIGNAL, column)
    for column in (
        "score", "odds", "best symbol", "odds of best symbol", "symbols", "used by", "uses", "changed with",
    )
)  # fmt: skip
SYMBOL_COLUMNS = tuple(
    (SIGNAL, column)
    for column in (
        "score", "odds", "file", "odds of file", "called by", "calls", "beside in class", "class", "below best of file",
    )
)  # fmt: skip

_LEAST = -8.0
"""Lowest difference from the best score; lower scores count as this."""
_LITTLE = 1e-3
"""Keeps logarithms of sums that are 0 finite."""
_SOFT = 3.0
"""Pseudo-count of changes of a file, so that one shared commit weighs little."""


@dataclass(frozen=True, slots=True)
class Connections:
    """
    Connections between the candidates of one query, which are rows, and between all files by their place.

    Args:
        speaks: Which candidates are functions or methods. First-stage scores of classes are not comparable with
            theirs, so a class gets a second-stage score but does not contribute to that of others.
        in_file: Place of the file of each candidate.
        in_class: Place of the class around each candidate; -1 outside of classes.
        calls: Edges between candidates, as rows.
        uses: Edges between files.
        touching: Commits, once for each ranked file that they touched.
        touched: Place of that file.
    """

    speaks: Bools
    in_file: Ints
    in_class: Ints
    calls: Links
    uses: Links
    touching: Ints
    touched: Ints

    @classmethod
    def of(cls, corpus: Corpus, places: Ints, links: Links, ranked: Bools) -> Connections:
        """Select the connections of the candidates and ranked files."""
        symbols, commits = corpus.symbols, corpus.commits
        row = np.full(len(symbols), -1, dtype=np.int64)
        row[places] = np.arange(len(places))
        owner = symbols.parent[places]
        is_class = (owner >= 0) & (symbols.kind[owner] == SymbolKind.CLASS)
        counted = ranked[commits.files]
        return cls(
            np.isin(symbols.kind[places], (SymbolKind.FUNCTION, SymbolKind.METHOD)),
            symbols.file[places], np.where(is_class, owner, -1),
            links.between(row), links.between(symbols.file),
            commits.commits[counted], commits.files[counted],
        )  # fmt: skip

    def of_files(self, files: Floats, symbols: Floats) -> Floats:
        """
        Return a column for each of FILE_COLUMNS.

        Args:
            files: First-stage score of every file; -inf for those that are not ranked.
            symbols: First-stage score of every candidate.
        """
        odds, scores = _odds(files), self._below_best(symbols)
        best = np.full(len(files), _LEAST)
        np.maximum.at(best, self.in_file[self.speaks], np.maximum(scores[self.speaks], _LEAST))
        total = np.bincount(self.in_file, weights=self._heard(scores), minlength=len(files))
        columns = (
            np.where(np.isfinite(files), files, 0.0), odds, best, np.exp(best), np.log(total + _LITTLE),
            self.uses.to_targets(odds), self.uses.to_sources(odds), self._changed_with(odds),
        )  # fmt: skip
        return np.stack(columns, axis=1)

    def of_symbols(self, files: Floats, symbols: Floats) -> Floats:
        """Return a column for each of SYMBOL_COLUMNS; arguments as for files."""
        scores = self._below_best(symbols)
        odds = self._heard(scores)
        beside, together = self._beside_in_class(odds)
        best = np.zeros(len(files))
        np.maximum.at(best, self.in_file, odds)
        columns = (
            symbols, np.exp(scores), np.maximum(_below_best(files), _LEAST)[self.in_file], _odds(files)[self.in_file],
            self.calls.to_targets(odds), self.calls.to_sources(odds),
            beside, np.log(together + _LITTLE), best[self.in_file] - np.exp(scores),
        )  # fmt: skip
        return np.stack(columns, axis=1)

    def _below_best(self, symbols: Floats) -> Floats:
        """Return each score minus the best one of a function or method, at most 0; 0 for all if there is none."""
        best = symbols[self.speaks].max(initial=-np.inf)
        return np.minimum(symbols - best, 0.0) if np.isfinite(best) else np.zeros(len(symbols))

    def _heard(self, scores: Floats) -> Floats:
        """Return the odds of functions and methods, exp(score), and 0 for all other candidates."""
        return np.where(self.speaks, np.exp(scores), 0.0)

    def _changed_with(self, odds: Floats) -> Floats:
        """Return for each file the mean odds of the other files of a commit, averaged over its commits (smoothed)."""
        own = odds[self.touched]
        width = np.bincount(self.touching)[self.touching]
        others = np.bincount(self.touching, weights=own)[self.touching] - own
        together = np.bincount(self.touched, weights=others / np.maximum(width - 1, 1), minlength=len(odds))
        changes = np.bincount(self.touched, minlength=len(odds)) + _SOFT
        shares: Floats = together / changes
        return shares

    def _beside_in_class(self, odds: Floats) -> tuple[Floats, Floats]:
        """Return the highest odds and the sum of odds of the other members of the same class; 0 outside of classes."""
        beside, together = np.zeros(len(odds)), np.zeros(len(odds))
        members = np.flatnonzero(self.in_class >= 0)
        if not len(members):
            return beside, together
        members = members[np.lexsort((-odds[members], self.in_class[members]))]
        own = odds[members]
        of_class, start, size = np.unique(self.in_class[members], return_index=True, return_counts=True)
        row = np.repeat(np.arange(len(of_class)), size)
        first, second = own[start], np.where(size > 1, own[np.minimum(start + 1, len(own) - 1)], 0.0)
        beside[members] = np.where(own >= first[row], second[row], first[row])
        together[members] = np.add.reduceat(own, start)[row] - own
        return beside, together


def _below_best(scores: Floats) -> Floats:
    best = float(scores.max(initial=-np.inf))
    return scores - best if np.isfinite(best) else np.full(len(scores), -np.inf)


def _odds(scores: Floats) -> Floats:
    """Return exp(score - best score), so that the best one has 1."""
    return np.exp(_below_best(scores))
