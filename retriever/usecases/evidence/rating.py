"""Rates the units of the files that the search ranks first: how likely a good answer cites each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms
from retriever.domain.packing.pairing import words_of_question, words_of_unit
from retriever.domain.packing.resemblance import Wanted, resemble
from retriever.domain.packing.standing import INPUTS, NEAR, FileUnits, Standings
from retriever.domain.values import EdgeKind
from retriever.usecases.evidence.drafting import read_lines
from retriever.usecases.evidence.scope_cache import ScopeCache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.packing.pairing import CrossEncoder
    from retriever.domain.packing.resemblance import Focus
    from retriever.domain.packing.units import Unit
    from retriever.domain.packing.worth import WorthModel
    from retriever.domain.questions.question import Ranking
    from retriever.domain.ranking.corpus import Floats
    from retriever.ports import Snapshot

READ = 60
"""How many units have their text compared with the question: those with the highest worth before reading."""
PAIRED = 8
"""How many units the cross-encoder reads beside the question: those with the highest worth after reading."""
_FILES = 12
"""Ranked files whose units are rated, in addition to those of the first ranked symbols."""
_SYMBOLS = 25
_KEPT_FILES = 256
_EDGES = (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES)


@dataclass(frozen=True, slots=True)
class Sought:
    """
    The question for which units are rated, with the search results.

    Args:
        parts: The text of each part of the question; at least one.
        ranking: The search results, tests included.
        code: The search results without tests.
    """

    text: str
    parts: tuple[str, ...]
    ranking: Ranking
    code: Ranking


@dataclass(frozen=True, slots=True)
class Rated:
    """
    A unit with its worth.

    Args:
        score: The search score of its function or class.
        focus: The lines that match a part of the question best; None if its text was not read.
    """

    unit: Unit
    worth: float
    score: float
    focus: Focus | None


@dataclass(frozen=True, slots=True)
class Ratings:
    """
    Rated units, highest worth first; ties by path, then line.

    Args:
        certainty: For each part of the question, the probability that a good answer cites the first of the units that
            share most with this part; parts that no unit shares most with are left out.
    """

    units: tuple[Rated, ...]
    certainty: Mapping[str, float]


class Rating:
    """
    Rates units; caches what does not depend on the question, for the files used last.

    Args:
        model: Estimates the worth of a unit: the probability that a good answer cites it.
        encoder: Reads the best units beside the question; without one, their worth is what the trees say.
    """

    def __init__(self, model: WorthModel, encoder: CrossEncoder | None = None) -> None:
        self._model = model
        self._encoder = encoder
        self._files: ScopeCache[FileUnits] = ScopeCache(_KEPT_FILES)

    def of(self, snapshot: Snapshot, sought: Sought) -> Ratings:
        """Rate the units of the files that the search ranks first."""
        units, rows = self.rows_of(snapshot, sought)
        worths = self._model.of_units(rows)
        first = np.argsort(-worths, kind="stable")[:READ]
        inputs, focuses = read_units(snapshot, sought, [units[at] for at in first.tolist()])
        worths[first] = self._model.of_read(np.hstack((rows[first], inputs)))
        best = first[np.argsort(-worths[first], kind="stable")[:PAIRED]]
        if self._encoder and len(best):
            sources = [words_of_unit(units[at], read_lines(snapshot, units[at].span)) for at in best.tolist()]
            worths[best] = self._model.of_paired(
                worths[best], self._encoder.scores(words_of_question(sought.text), sources)
            )
        focus_at = dict(zip(first.tolist(), focuses, strict=True))
        highest = sought.ranking.symbols[0].score if sought.ranking.symbols else 0.0
        scores = (rows[:, INPUTS.index("score")] * highest).tolist()
        rated = [
            Rated(*each, focus_at.get(at)) for at, each in enumerate(zip(units, worths.tolist(), scores, strict=True))
        ]
        rated.sort(key=lambda each: (-each.worth, each.unit.span.path, each.unit.span.start_line))
        by_part: dict[str, list[float]] = {}
        for each in rated:
            if each.focus:
                by_part.setdefault(each.focus.part, []).append(each.worth)
        return Ratings(tuple(rated), {part: self._model.certainty(np.array(own)) for part, own in by_part.items()})

    def rows_of(self, snapshot: Snapshot, sought: Sought) -> tuple[list[Unit], Floats]:
        """Return the units of the files that the search ranks first, and a row of model inputs for each."""
        ranking = sought.ranking
        near = [each.symbol.id for each in ranking.symbols[:NEAR]]
        pairs = snapshot.graph.pairs(near, _EDGES).tolist() if near else ()
        edges = ((int(source), int(target)) for source, target, _ in pairs)
        standings = Standings.of(sought.text, ranking, sought.code, edges)
        files = [each.file.path for each in ranking.files[:_FILES]]
        units: list[Unit] = []
        tables = [np.zeros((0, len(INPUTS)))]
        for path in dict.fromkeys((*files, *(each.symbol.path for each in ranking.symbols[:_SYMBOLS]))):
            file = self._files.get(snapshot, path, _file_units)
            rows, shown = standings.rows(file)
            units += [unit for unit, is_shown in zip(file.units, shown.tolist(), strict=True) if is_shown]
            tables.append(rows[shown])
        return units, np.concatenate(tables)


def read_units(snapshot: Snapshot, sought: Sought, units: Sequence[Unit]) -> tuple[Floats, list[Focus]]:
    """Compare the text of units with the question: for each a row of model inputs and the lines that match best."""
    wanted = Wanted.of(sought.text, sought.parts, _rarity(snapshot, sought.text))
    return resemble(wanted, units, [read_lines(snapshot, unit.span).rstrip("\n") for unit in units])


def _rarity(snapshot: Snapshot, text: str) -> Mapping[str, float]:
    """Return the rarity of each term among all definitions; terms of no definition are left out."""
    terms = list(count_terms(text))
    found = snapshot.lexical.postings(terms).symbols
    counts = np.bincount(found.terms, minlength=len(terms)).tolist()
    size = len(snapshot.lexical.corpus().symbols.ids)
    return {term: math.log(1 + size / (1 + count)) for term, count in zip(terms, counts, strict=True) if count}


def _file_units(snapshot: Snapshot, path: str) -> FileUnits:
    file = snapshot.files.at(path)
    if file is None or not file.parsed:
        return FileUnits.of(path, (), (), is_test=False)
    text = snapshot.files.text(path).split("\n")
    return FileUnits.of(path, snapshot.symbols.in_file(path), text, is_test=file.is_test)
