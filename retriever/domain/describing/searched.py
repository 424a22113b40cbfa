"""The first look: every symbol scored by the words of a description, and what the index says of those words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from common.core.terms import STOP_WORDS, count_terms, words
from retriever.domain.describing.wording import MAX_TERMS, Told
from retriever.domain.ranking.bm25f import Scorer
from retriever.domain.ranking.corpus import DOC, FIELDS
from retriever.domain.ranking.scale import best_places
from retriever.domain.status_codes import spelled_out
from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.describing.wording import Wording
    from retriever.domain.ranking.corpus import Bools, Corpus, Floats, Ints, Postings, TermPostings

CANDIDATES, UNDOCUMENTED = 150, 150
"""Symbols that are told apart in detail: the best of all, and of those that have no documentation to be found by."""

MAX_HINTS = 40

FIELD_WORTH = np.array([2.5, 1.0, 1.0, 1.5, 0.6, 0.4])
_ENCLOSING = 0.15
"""Worth of the score of the enclosing symbol."""
_HINT_WORTH = np.array([1.2, 0.0, 0.5, 0.0, 0.0, 0.0])
_SURE_HINT = 5.0
"""Strength of a hint that is worth as much as a term."""


@dataclass(frozen=True, slots=True)
class Asked:
    """
    What is looked up of a description.

    Args:
        terms: Each once.
        pairs: Words that follow one another, written as one: the terms of identifiers such as `exit_stack`.
        hints: Terms that it does not have but that go with its words, the strongest first.
        echoes: Of each term, the share of descriptions whose code repeats it.
        told: The words themselves.
    """

    terms: tuple[str, ...]
    pairs: tuple[str, ...]
    hints: tuple[str, ...]
    echoes: Floats
    told: Told

    @property
    def all(self) -> tuple[str, ...]:
        """What postings are wanted of: the terms, then the pairs, then the hints."""
        return self.terms + self.pairs + self.hints


def read_description(text: str, wording: Wording) -> Asked:
    """Read a description; one without words asks for nothing."""
    text = spelled_out(text)
    terms = tuple(count_terms(text))[:MAX_TERMS]
    plain = [word.lower() for word in words(text)]
    joined = dict.fromkeys(left + right for left, right in pairwise(plain) if not {left, right} & STOP_WORDS)
    pairs = tuple(pair for pair in joined if pair not in terms)[:MAX_TERMS]
    told = Told.of(text, wording)
    # Parts of a single letter may have hints too, but without a term they ask for nothing.
    hints = [hint for hint in told.hints if hint not in terms and hint not in pairs] if terms else []
    hints.sort(key=lambda hint: (-told.hints[hint], hint))
    echoes = np.array([wording.echo(term) for term in terms], dtype=np.float64)
    return Asked(terms, pairs, tuple(hints[:MAX_HINTS]), echoes, told)


def all_of(asked: Sequence[Asked]) -> tuple[str, ...]:
    """Return what postings are wanted of for several descriptions, each term once."""
    return tuple(dict.fromkeys(term for each in asked for term in each.all))


@dataclass(frozen=True, slots=True)
class Searched:
    """
    What the index says of a description.

    Args:
        files: Postings by file.
        scorer: Over the symbols that may be meant: neither tests nor modules.
        weights: Of the terms: their idf over these symbols, scaled to a sum of 1.
        echoes: The same, with terms that code hardly ever repeats weighing less.
        scores: BM25F of every symbol.
        totals: With the score of the hints, and a share of that of the enclosing symbol.
    """

    corpus: Corpus
    asked: Asked
    files: Postings
    scorer: Scorer
    weights: Floats
    echoes: Floats
    scores: Floats
    totals: Floats

    @classmethod
    def of(cls, asked: Asked, corpus: Corpus, postings: TermPostings) -> Searched:
        """
        Score every symbol that may be meant.

        Args:
            postings: Of all that is asked.
        """
        return cls.of_several((asked,), corpus, postings)[0]

    @classmethod
    def of_several(cls, asked: Sequence[Asked], corpus: Corpus, postings: TermPostings) -> list[Searched]:
        """
        Score every symbol that may be meant by each of several descriptions.

        Args:
            postings: Of what `all_of` them is asked.
        """
        place = {term: at for at, term in enumerate(all_of(asked))}
        scorer = Scorer.of(postings.symbols, corpus.symbols.lengths, may_be_meant(corpus), len(place))
        if len(asked) == 1:  # its terms are numbered as it asks for them
            return [cls._scored(asked[0], corpus, postings.files, scorer)]
        wanted = [np.array([place[term] for term in each.all], dtype=np.int64) for each in asked]
        return [
            cls._scored(each, corpus, postings.files.of_terms(terms)[0], scorer.of_terms(terms))
            for each, terms in zip(asked, wanted, strict=True)
        ]

    @classmethod
    def _scored(cls, asked: Asked, corpus: Corpus, files: Postings, scorer: Scorer) -> Searched:
        symbols = corpus.symbols
        scores = scorer.score(_own(asked), FIELD_WORTH)
        enclosing = np.where(symbols.parent >= 0, scores[symbols.parent], 0.0)
        reached = scores + scorer.score(_hinted(asked), _HINT_WORTH)
        totals = np.where(reached > 0, reached + _ENCLOSING * enclosing, 0.0)
        idf = scorer.idf[: len(asked.terms)]
        return cls(corpus, asked, files, scorer, _shares(idf), _shares(idf * asked.echoes), scores, totals)

    def candidates(self, near: Sequence[int] = ()) -> Ints:
        """Return the places of the best symbols and of those that are `near` in another way, each once."""
        bare = np.where(self.corpus.symbols.lengths[:, DOC] == 0, self.totals, 0.0)
        best = (*best_places(self.totals, CANDIDATES), *best_places(bare, UNDOCUMENTED))
        return np.array(list(dict.fromkeys((*best, *near))), dtype=np.int64)

    def score(self, field_worth: Floats) -> Floats:
        """Return the BM25F of every symbol by its terms, for fields of another worth."""
        return self.scorer.score(_own(self.asked), field_worth)

    def held(self, symbols: Ints) -> Bools:
        """Tell which terms stand in which field of some symbols: (symbols, terms, fields)."""
        return self._all_held(symbols)[:, : len(self.weights)]

    def held_by_members(self, parents: Ints) -> Bools:
        """Tell which terms stand in which field of any symbol directly inside of some: (parents, terms, fields)."""
        wanted, row = np.unique(parents, return_inverse=True)
        place = np.full(len(self.corpus.symbols) + 1, -1, dtype=np.int64)
        place[wanted[wanted >= 0]] = np.flatnonzero(wanted >= 0)
        found = self.scorer.postings
        at = place[self.corpus.symbols.parent[found.units]]
        mine = (at >= 0) & (found.terms < len(self.weights))
        posting, field = np.nonzero(found.counts[mine])
        held = np.zeros((len(wanted), len(self.weights), FIELDS), dtype=np.bool_)
        held[at[mine][posting], found.terms[mine][posting], field] = True
        return held[row]

    def densities(self, symbols: Ints) -> Floats:
        """Return which share of each field of some symbols the terms are: (symbols, fields)."""
        place = np.full(len(self.corpus.symbols), -1, dtype=np.int64)
        place[symbols] = np.arange(len(symbols))
        found = self.scorer.postings
        at = place[found.units]
        mine = (at >= 0) & (found.terms < len(self.weights))
        rows, counts = at[mine], found.counts[mine]
        sums = [np.bincount(rows, weights=counts[:, field], minlength=len(symbols)) for field in range(FIELDS)]
        return np.asarray(np.stack(sums, axis=1) / np.maximum(self.corpus.symbols.lengths[symbols], 1.0))

    def pairs(self, symbols: Ints) -> Floats:
        """Return the weight of the pairs that each of some symbols holds, over that of the terms."""
        pairs = slice(len(self.weights), len(self.weights) + len(self.asked.pairs))
        held = self._all_held(symbols)[:, pairs].any(axis=2)
        idf = self.scorer.idf
        return np.asarray(held @ idf[pairs] / max(float(idf[: len(self.weights)].sum()), 1e-9))

    def _all_held(self, symbols: Ints) -> Bools:
        return _held(self.scorer.postings, symbols, len(self.corpus.symbols), len(self.asked.all))

    def held_by_files(self, files: Ints) -> Bools:
        """Tell which terms stand in which field of some files: (files, terms, fields)."""
        held = _held(self.files, files, len(self.corpus.files), len(self.asked.all))
        return held[:, : len(self.weights)]

    def signs(self) -> Mapping[str, float]:
        """
        Return what the description tells by itself, whatever symbol it means.

        Its length, and the share of it that no symbol that may be meant holds anywhere, by weight and by number of
        terms, and that no file does: a description of what is not there brings words of its own.
        """
        number = len(self.weights)
        unheld = np.bincount(self.scorer.postings.terms, minlength=number)[:number] == 0
        nowhere = np.bincount(self.files.terms, minlength=number)[:number] == 0
        return {
            "terms": math.log1p(number),
            "unheld": float(self.weights[unheld].sum()),
            "unheld terms": float(unheld.sum()) / max(number, 1),
            "nowhere": float(nowhere.sum()) / max(number, 1),
        }

    def share(self, held: Bools | np.bool_) -> Floats:
        """Return the share of the description's weight that each row of (rows, terms) holds, 0 to 1."""
        return np.asarray(held @ self.weights, dtype=np.float64)

    def rare(self, held: Bools | np.bool_) -> Floats:
        """Return the same with squared weights: what is rare decides."""
        squares = self.weights**2
        return np.asarray(held @ squares / max(float(squares.sum()), 1e-9), dtype=np.float64)

    def echoed(self, held: Bools | np.bool_) -> Floats:
        """Return the share of `echoes` that each row of (rows, terms) holds, 0 to 1."""
        return np.asarray(held @ self.echoes, dtype=np.float64)

    def documented(self) -> Floats:
        """Return for every symbol the share of the description that its own documentation string holds."""
        found = self.scorer.postings
        hits = (found.counts[:, DOC] > 0) & (found.terms < len(self.weights))
        shares = np.bincount(found.units[hits], self.weights[found.terms[hits]], minlength=len(self.corpus.symbols))
        return shares.astype(np.float64)


def may_be_meant(corpus: Corpus) -> Bools:
    """Tell of each symbol whether a description can mean it: neither tests nor modules."""
    in_tests = corpus.files.is_test[corpus.symbols.file]
    return np.asarray(~in_tests & (corpus.symbols.kind != SymbolKind.MODULE), dtype=np.bool_)


def _own(asked: Asked) -> Floats:
    return np.repeat((1.0, 0.0), (len(asked.terms), len(asked.pairs) + len(asked.hints)))


def _hinted(asked: Asked) -> Floats:
    strengths = np.array([asked.told.hints[hint] for hint in asked.hints], dtype=np.float64)
    return np.concatenate((np.zeros(len(asked.terms) + len(asked.pairs)), strengths / _SURE_HINT))


def _shares(weights: Floats) -> Floats:
    return np.asarray(weights / max(float(weights.sum()), 1e-9), dtype=np.float64)


def _held(postings: Postings, units: Ints, size: int, terms: int) -> Bools:
    row = np.full(size, -1, dtype=np.int64)
    row[units] = np.arange(len(units))
    at = row[postings.units]
    there = at >= 0
    table = np.zeros((len(units), terms, FIELDS), dtype=np.bool_)
    table[at[there], postings.terms[there]] = postings.counts[there] > 0
    return table
