"""How the units of a file relate to a question and its ranking: a row of inputs for each, for the trees of `worth`."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms
from retriever.domain.packing.units import units_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retriever.domain.packing.units import Unit
    from retriever.domain.questions.question import Ranking
    from retriever.domain.ranking.corpus import Bools, Floats
    from retriever.domain.values import Symbol

INPUTS = (
    "rank",  # ln(1 + rank) of its function or class among the ranked symbols, from 0
    "score",  # score of its function or class, as a share of the best one; 0 if it is not ranked
    "class rank",  # the same as "rank" for the class around a function
    "file rank",  # the same as "rank" for its file among the ranked files
    "lines",  # ln(lines)
    "is function",  # a whole function
    "is class",  # lines of a class between its functions
    "is test",
    "on tests",  # the question has the term "test"
    "named",  # share of the question's terms that its qualified name has
    "members",  # sum of 1 / (1 + rank) over the ranked symbols of its class
    "ranked in file",  # number of the first ranked symbols that are in its file
    "calls",  # sum of 1 / (1 + rank) over the first ranked symbols that it calls or refers to
    "called",  # the same sum over those that call it or refer to it
    "rank among code",  # "rank" in the ranking without tests
    "score among code",  # "score" in the ranking without tests
)
"""Columns of a row, in the order in which the trees were grown."""
_RANK, _SCORE, _CLASS_RANK, _FILE_RANK, _LINES, _IS_FUNCTION, _IS_CLASS, _IS_TEST = range(8)
_ON_TESTS, _NAMED, _MEMBERS, _IN_FILE, _CALLS, _CALLED, _CODE_RANK, _CODE_SCORE = range(8, len(INPUTS))
_UNRANKED = math.log1p(250)
_OF_CLASSES, _OF_FILES = 30, 10
"""Numbers of first ranked symbols that count for "members", and for "ranked in file"."""
NEAR = 12
"""Number of first ranked symbols that count for "calls" and "called"."""
_TEST = "test"


@lru_cache(maxsize=1 << 14)
def _terms_of(name: str) -> frozenset[str]:
    return frozenset(count_terms(name))


@dataclass(frozen=True, slots=True)
class FileUnits:
    """
    The units of a file, with the inputs that do not depend on a question.

    Args:
        fixed: A row of inputs for each unit, with the values for a question that has nothing to do with it.
        by_owner: Positions by the id of the function or class that owns a unit.
        by_class: Positions of the units of a class and of its functions, by the qualified name of the class.
        by_term: Positions by the terms of the owner's qualified name.
    """

    path: str
    units: tuple[Unit, ...]
    fixed: Floats
    by_owner: Mapping[int, Sequence[int]]
    by_class: Mapping[str, Sequence[int]]
    by_term: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, path: str, symbols: Iterable[Symbol], text: Sequence[str], *, is_test: bool) -> FileUnits:
        """Split a file, and index its units."""
        units = units_of(path, symbols, text)
        fixed = np.zeros((len(units), len(INPUTS)))
        fixed[:, (_RANK, _CLASS_RANK, _FILE_RANK, _CODE_RANK)] = _UNRANKED
        by_owner: dict[int, list[int]] = defaultdict(list)
        by_class: dict[str, list[int]] = defaultdict(list)
        by_term: dict[str, list[int]] = defaultdict(list)
        for at, unit in enumerate(units):
            owner = unit.owner
            fixed[at, _LINES] = math.log(unit.lines)
            fixed[at, _IS_TEST] = is_test or (owner is not None and owner.is_test)
            if owner is None:
                continue
            fixed[at, _IS_FUNCTION if unit.is_function else _IS_CLASS] = 1.0
            by_owner[owner.id].append(at)
            name = owner.qualified_name
            if around := name.rpartition(".")[0] if unit.is_function else name:
                by_class[around].append(at)
            for term in _terms_of(name):
                by_term[term].append(at)
        return cls(path, units, fixed, dict(by_owner), dict(by_class), dict(by_term))


@dataclass(frozen=True, slots=True)
class Standings:
    """
    Terms of a question, and ranks and scores from its rankings, for comparison with the units of all files.

    Args:
        hidden: Functions that are not shown, such as overloads, since another symbol of their definition is ranked.
        class_ranks: By path and qualified name.
        members: By path and qualified name of a class.
    """

    ranks: Mapping[int, float]
    scores: Mapping[int, float]
    hidden: frozenset[int]
    class_ranks: Mapping[tuple[str, str], float]
    file_ranks: Mapping[str, float]
    members: Mapping[tuple[str, str], float]
    in_file: Mapping[str, int]
    calls: Mapping[int, float]
    called: Mapping[int, float]
    code_ranks: Mapping[int, float]
    code_scores: Mapping[int, float]
    terms: frozenset[str]

    @classmethod
    def of(cls, text: str, ranking: Ranking, code: Ranking, pairs: Iterable[tuple[int, int]]) -> Standings:
        """
        Read both rankings of a question.

        Args:
            ranking: With tests.
            code: Without tests.
            pairs: (source, target) of the edges from and to the first `NEAR` ranked symbols.
        """
        near = {each.symbol.id: 1.0 / (1 + rank) for rank, each in enumerate(ranking.symbols[:NEAR])}
        calls: dict[int, float] = defaultdict(float)
        called: dict[int, float] = defaultdict(float)
        for source, target in pairs:
            calls[source] += near.get(target, 0.0)
            called[target] += near.get(source, 0.0)
        members: dict[tuple[str, str], float] = defaultdict(float)
        for rank, each in enumerate(ranking.symbols[:_OF_CLASSES]):
            members[each.symbol.path, each.symbol.qualified_name.rpartition(".")[0]] += 1.0 / (1 + rank)
        return cls(
            ranks=_ranks(ranking),
            scores=_scores(ranking),
            hidden=frozenset(other for each in ranking.symbols for other in each.others),
            class_ranks={each.symbol.definition: math.log1p(rank) for rank, each in enumerate(ranking.symbols)},
            file_ranks={each.file.path: math.log1p(rank) for rank, each in enumerate(ranking.files)},
            members=members,
            in_file=Counter(each.symbol.path for each in ranking.symbols[:_OF_FILES]),
            calls=calls,
            called=called,
            code_ranks=_ranks(code),
            code_scores=_scores(code),
            terms=frozenset(count_terms(text)),
        )

    def rows(self, file: FileUnits) -> tuple[Floats, Bools]:
        """Return the inputs of the units of a file, and which of them may be shown."""
        rows = file.fixed.copy()
        rows[:, _FILE_RANK] = self.file_ranks.get(file.path, _UNRANKED)
        rows[:, _IN_FILE] = self.in_file.get(file.path, 0)
        rows[:, _ON_TESTS] = _TEST in self.terms
        for term in self.terms & file.by_term.keys():
            rows[file.by_term[term], _NAMED] += 1.0
        rows[:, _NAMED] /= max(1, len(self.terms))
        for column, values in (
            (_RANK, self.ranks),
            (_SCORE, self.scores),
            (_CALLS, self.calls),
            (_CALLED, self.called),
            (_CODE_RANK, self.code_ranks),
            (_CODE_SCORE, self.code_scores),
        ):
            for owner in values.keys() & file.by_owner.keys():
                rows[file.by_owner[owner], column] = values[owner]
        is_function = rows[:, _IS_FUNCTION] > 0
        for name, positions in file.by_class.items():
            key = (file.path, name)
            if key in self.class_ranks:
                rows[[at for at in positions if is_function[at]], _CLASS_RANK] = self.class_ranks[key]
            if key in self.members:
                rows[positions, _MEMBERS] = self.members[key]
        shown = np.ones(len(rows), dtype=bool)
        for hidden in self.hidden & file.by_owner.keys():
            shown[file.by_owner[hidden]] = ~is_function[file.by_owner[hidden]]
        return rows, shown


def _ranks(ranking: Ranking) -> Mapping[int, float]:
    return {each.symbol.id: math.log1p(rank) for rank, each in enumerate(ranking.symbols)}


def _scores(ranking: Ranking) -> Mapping[int, float]:
    best = ranking.symbols[0].score if ranking.symbols else 0.0
    return {each.symbol.id: each.score / best if best else 0.0 for each in ranking.symbols}
