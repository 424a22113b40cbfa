"""Candidate generation: scores every symbol by the words of a description."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import STOP_WORDS, count_terms, words
from retriever.domain.describing.found import Found
from retriever.domain.describing.wording import MAX_TERMS, Told
from retriever.domain.ranking.bm25f import K1
from retriever.domain.ranking.corpus import DOC, FIELDS
from retriever.domain.ranking.scale import best_places
from retriever.domain.ranking.status_codes import spelled_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.describing.wording import Wording
    from retriever.domain.ranking.corpus import Bools, Corpus, Floats, Ints, TermPostings

CANDIDATES, UNDOCUMENTED = 150, 150
"""Numbers of symbols that get all features: the best of all, and the best of those without documentation."""

MAX_HINTS = 40

FIELD_WORTH = np.array([2.5, 1.0, 1.0, 1.5, 0.6, 0.4])
_ENCLOSING = 0.15
"""Weight of the score of the enclosing symbol."""
_HINT_WORTH = np.array([1.2, 0.0, 0.5, 0.0, 0.0, 0.0])
_SURE_HINT = 5.0
"""Strength at which a hint weighs as much as a term of the description."""


@dataclass(frozen=True, slots=True)
class Asked:
    """
    What the index is asked for a description.

    Args:
        terms: Each once.
        pairs: Consecutive words joined into one, since identifiers such as `exit_stack` are indexed so.
        hints: Further terms that occur often in code described with these words, the strongest first.
        echoes: For each term, the share of descriptions whose code repeats it.
        told: The description as words.
    """

    terms: tuple[str, ...]
    pairs: tuple[str, ...]
    hints: tuple[str, ...]
    echoes: Floats
    told: Told

    @property
    def all(self) -> tuple[str, ...]:
        """All terms whose postings are needed: the terms, then the pairs, then the hints."""
        return self.terms + self.pairs + self.hints


def read_description(text: str, wording: Wording) -> Asked:
    """Read a description; one without words asks for nothing."""
    text = spelled_out(text)
    terms = tuple(count_terms(text))[:MAX_TERMS]
    plain = [word.lower() for word in words(text)]
    joined = dict.fromkeys(left + right for left, right in pairwise(plain) if not {left, right} & STOP_WORDS)
    pairs = tuple(pair for pair in joined if pair not in terms)[:MAX_TERMS]
    told = Told.of(text, wording)
    # Single letters may have hints but are no terms; hints alone are not looked up.
    hints = [hint for hint in told.hints if hint not in terms and hint not in pairs] if terms else []
    hints.sort(key=lambda hint: (-told.hints[hint], hint))
    echoes = np.array([wording.echo(term) for term in terms], dtype=np.float64)
    return Asked(terms, pairs, tuple(hints[:MAX_HINTS]), echoes, told)


def all_of(asked: Sequence[Asked]) -> tuple[str, ...]:
    """Return the terms whose postings are needed for several descriptions, each term once."""
    return tuple(dict.fromkeys(term for each in asked for term in each.all))


@dataclass(frozen=True, slots=True)
class Searched:
    """
    A description with its matches in the index.

    Args:
        found: Postings of the terms of this and of other descriptions.
        asked_at: Numbers in `found` of this description's terms, pairs and hints, in this order.
        weights: Weight of each term: its idf over the candidate symbols, scaled to a sum of 1.
        echoes: The same for idf * echo, so that terms that code rarely repeats weigh less.
        scores: BM25F of every symbol by the terms.
        totals: `scores` with the score of the hints and a share of the enclosing symbol's score added.
    """

    found: Found
    asked: Asked
    asked_at: Ints
    weights: Floats
    echoes: Floats
    scores: Floats
    totals: Floats

    @classmethod
    def of(cls, asked: Asked, corpus: Corpus, postings: TermPostings) -> Searched:
        """
        Score every candidate symbol, which is neither a test nor a module.

        Args:
            postings: Those of all terms in `asked.all`.
        """
        return cls.of_several((asked,), corpus, postings)[0]

    @classmethod
    def of_several(cls, asked: Sequence[Asked], corpus: Corpus, postings: TermPostings) -> list[Searched]:
        """
        Score every candidate symbol by each of several descriptions.

        Args:
            postings: Those of all terms in `all_of(asked)`.
        """
        number = {term: at for at, term in enumerate(all_of(asked))}
        found = Found.of(corpus, postings, len(number))
        return [
            cls._scored(each, found, np.array([number[term] for term in each.all], dtype=np.int64)) for each in asked
        ]

    @classmethod
    def _scored(cls, asked: Asked, found: Found, at: Ints) -> Searched:
        symbols, scorer = found.corpus.symbols, found.scorer
        terms, hints = at[: len(asked.terms)], at[len(at) - len(asked.hints) :]
        strengths = np.array([asked.told.hints[hint] for hint in asked.hints], dtype=np.float64)
        scores = scorer.score(_worth(terms, 1.0, found), FIELD_WORTH)
        enclosing = np.where(symbols.parent >= 0, scores[symbols.parent], 0.0)
        reached = scores + scorer.score(_worth(hints, strengths / _SURE_HINT, found), _HINT_WORTH)
        totals = np.where(reached > 0, reached + _ENCLOSING * enclosing, 0.0)
        idf = scorer.idf[terms]
        return cls(found, asked, at, _shares(idf), _shares(idf * asked.echoes), scores, totals)

    @property
    def corpus(self) -> Corpus:
        """The corpus that was searched."""
        return self.found.corpus

    @property
    def terms_at(self) -> Ints:
        """Numbers of the terms in `found`, without pairs and hints."""
        return self.asked_at[: len(self.asked.terms)]

    @property
    def most(self) -> float:
        """Upper bound of `scores`, at least 1: the limit for a symbol that has every term infinitely often."""
        return max(float(self.found.scorer.idf[self.terms_at].sum()) * (K1 + 1.0), 1.0)

    def candidates(self, near: Sequence[int] = ()) -> Ints:
        """Return the places of the best symbols by words, and the `near` ones found otherwise, each once."""
        bare = np.where(self.corpus.symbols.lengths[:, DOC] == 0, self.totals, 0.0)
        best = (*best_places(self.totals, CANDIDATES), *best_places(bare, UNDOCUMENTED))
        return np.array(list(dict.fromkeys((*best, *near))), dtype=np.int64)

    def score(self, field_worth: Floats) -> Floats:
        """Return the BM25F of every symbol by the terms, with other weights of the fields."""
        return self.found.scorer.score(_worth(self.terms_at, 1.0, self.found), field_worth)

    def densities(self, symbols: Ints) -> Floats:
        """Return which share of each field of some symbols consists of the terms: (symbols, fields)."""
        place = np.full(len(self.corpus.symbols), -1, dtype=np.int64)
        place[symbols] = np.arange(len(symbols))
        postings = self.found.scorer.postings
        at = place[postings.units]
        mine = np.flatnonzero((at >= 0) & self._is_own[postings.terms])
        rows, counts = at[mine], postings.counts[mine]
        sums = [np.bincount(rows, weights=counts[:, field], minlength=len(symbols)) for field in range(FIELDS)]
        return np.asarray(np.stack(sums, axis=1) / np.maximum(self.corpus.symbols.lengths[symbols], 1.0))

    def pairs(self, held: Bools) -> Floats:
        """Return the summed idf of the pairs that each row of (rows, terms) holds, over that of all terms."""
        pairs = self.asked_at[len(self.weights) :][: len(self.asked.pairs)]
        idf = self.found.scorer.idf
        return np.asarray(held.take(pairs, axis=1) @ idf[pairs] / max(float(idf[self.terms_at].sum()), 1e-9))

    def own(self, held: Bools) -> Bools:
        """Select the columns of this description's terms from (rows, all terms), in their order."""
        return held.take(self.terms_at, axis=1)

    @property
    def _is_own(self) -> Bools:
        own = np.zeros(self.found.terms, dtype=np.bool_)
        own[self.terms_at] = True
        return own

    def signs(self) -> Mapping[str, float]:
        """
        Return the features of the description alone, the same for every candidate.

        These are its length, and the share of its terms that no candidate symbol has (by weight and by number) and that
        no file has (by number): a description of something that does not exist tends to have words that occur nowhere.
        """
        number = len(self.weights)
        unheld, nowhere = (
            np.bincount(postings.terms, minlength=self.found.terms)[self.terms_at] == 0
            for postings in (self.found.scorer.postings, self.found.files)
        )
        return {
            "terms": math.log1p(number),
            "unheld": float(self.weights[unheld].sum()),
            "unheld terms": float(unheld.sum()) / max(number, 1),
            "nowhere": float(nowhere.sum()) / max(number, 1),
        }

    def share(self, held: Bools) -> Floats:
        """Return the share of the description's weight that each row of (rows, terms) holds, 0 to 1."""
        return np.asarray(self.own(held) @ self.weights, dtype=np.float64)

    def rare(self, held: Bools) -> Floats:
        """Return the same as `share` with squared weights, so that rare terms dominate."""
        squares = self.weights**2
        return np.asarray(self.own(held) @ squares / max(float(squares.sum()), 1e-9), dtype=np.float64)

    def echoed(self, held: Bools) -> Floats:
        """Return the share of `echoes` that each row of (rows, terms) holds, 0 to 1."""
        return np.asarray(self.own(held) @ self.echoes, dtype=np.float64)

    def documented(self) -> Floats:
        """Return for every symbol the share of the description that its own documentation string holds."""
        postings = self.found.scorer.postings
        hits = np.flatnonzero((postings.counts[:, DOC] > 0) & self._is_own[postings.terms])
        weights = _worth(self.terms_at, self.weights, self.found)[postings.terms[hits]]
        return np.bincount(postings.units[hits], weights, minlength=len(self.corpus.symbols)).astype(np.float64)


def _worth(terms: Ints, worth: float | Floats, found: Found) -> Floats:
    """Return a weight for every term of `found`: `worth` for the given terms, 0 for all others."""
    every = np.zeros(found.terms)
    every[terms] = worth
    return every


def _shares(weights: Floats) -> Floats:
    return np.asarray(weights / max(float(weights.sum()), 1e-9), dtype=np.float64)
