"""Ranks the tests of a definition: by how they reach it, and by the words of their names, titles and lines."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms, split_identifier, terms_of, words
from retriever.domain.ranking.bm25f import Scorer
from retriever.domain.ranking.material import FILE_FIELDS
from retriever.domain.ranking.scale import best_places
from retriever.domain.values import EdgeKind, SymbolKind
from retriever.domain.views.test_cases import case_blocks
from retriever.domain.views.text_places import lines_with
from retriever.usecases.using.edges import name_of, uses_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.using.found import Use, Using

    ReadCases = Callable[[Snapshot, str], Sequence["TestCase"]]

_TESTING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_FILES, _LINES = 24, 9_000
"""Most files, and most lines of them together, that are searched for tests."""
_BY_SYMBOLS = 0.5
"""If functions cover at least this share of a file's lines, its tests are functions, else blocks."""
_OF_NAME, _OF_OWNER, _OF_GAP, _OF_QUESTION = 0.7, 0.35, 1.0, 0.5
"""Weights of words of the symbol, of its owner, of the gap, and of the question."""
_AROUND, _IN_BODY, _LONG = 0.7, 0.4, 60
"""Weight of a word around a test and in its body (in its name: 1); at `_LONG` lines the body counts half."""
_CALLS, _REACHES, _NAMED, _SERVES = 0.3, 0.15, 0.2, 0.5
"""Added for direct use of the symbol, indirect use, all words of its name; subtracted if other code calls the test."""
_NEXT = 0.15
"""Largest bonus for the tests next to the best one, scaled by the similarity of the names."""
_PAIR = 2
"""In identifiers with more parts than this, any two neighbouring parts also count as one term."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """
    A test: a function, or a block that is passed to a call, such as `it("...", ...)`.

    Args:
        title: Qualified name of the function, or first line of the block.
        symbol: The function; None for a block.
        named: Terms of its name or title.
        around: Terms of the titles around it, and of the name of its file.
        terms: Terms of its lines.
    """

    path: str
    first_line: int
    last_line: int
    title: str
    symbol: Symbol | None
    named: AbstractSet[str]
    around: AbstractSet[str]
    terms: frozenset[str]

    @property
    def place(self) -> tuple[str, int]:
        """Path and first line."""
        return self.path, self.first_line


@dataclass(frozen=True, slots=True)
class RankedTest:
    """
    A test with its worth.

    Args:
        use: Known use of the symbol by the test; None if only words connect them.
        is_named_after: Its name, an outer title or its file name have every word of the symbol's name.
        has_name: The symbol's name occurs in its lines.
    """

    case: TestCase
    worth: float
    use: Use | None
    is_named_after: bool
    has_name: bool


def ranked_tests(
    snapshot: Snapshot, found: Using, symbol: Symbol, wanted: str, question: str, read: ReadCases
) -> list[RankedTest]:
    """
    Return the tests of a definition, best first; ties by path, then line.

    Args:
        found: Known users of the definition in tests.
        wanted: Description of the wanted tests.
        question: The whole question; its words count less.
        read: Returns the tests of a file, like `cases_in`.
    """
    owner = symbol.qualified_name.rpartition(".")[0]
    asked = _Words.of((symbol.name, _OF_NAME), (owner, _OF_OWNER), (wanted, _OF_GAP), (question, _OF_QUESTION))
    cases = [case for path in _test_files(snapshot, symbol.name, asked, found) for case in read(snapshot, path)]
    called = snapshot.graph.fan_in([case.symbol.id for case in cases if case.symbol])
    uses = _uses(snapshot, found, [*found.uses, *_served(snapshot, found, called)], cases)
    asked = asked.by_rarity(cases)
    name = terms_of(symbol.name) or (symbol.name.casefold(),)
    parts = frozenset(name[1:] or name)
    named = {case.place for case in cases if parts <= case.named | case.around}
    of_name = _NAMED * (1 - len(named) / max(1, len(cases)))

    def rated(case: TestCase) -> RankedTest:
        use, has_name = uses.get(case.place), name[0] in case.terms
        worth = asked.share(case) + (of_name if case.place in named else 0.0)
        if (use and not use.through) or (has_name and len(name) > 1):
            worth += _CALLS
        elif use or has_name:
            worth += _REACHES
        if case.symbol and case.symbol.id in called:
            worth -= _SERVES
        return RankedTest(case, worth, use, case.place in named, has_name)

    ranked = _with_next([rated(case) for case in cases])
    return sorted(ranked, key=lambda each: (-each.worth, each.case.place))


def _with_next(tests: list[RankedTest]) -> list[RankedTest]:
    """Add a bonus to the tests next to the best one, by similarity of names; `tests` are in order of file and line."""
    best = max(range(len(tests)), key=lambda at: tests[at].worth, default=0)
    for at in range(max(0, best - 1), min(len(tests), best + 2)):
        one, other = tests[best].case, tests[at].case
        if at != best and one.path == other.path:
            alike = len(one.named & other.named) / max(1, len(one.named | other.named))
            tests[at] = replace(tests[at], worth=min(tests[best].worth, tests[at].worth + _NEXT * alike))
    return tests


@dataclass(frozen=True, slots=True)
class _Words:
    """Terms with their weights."""

    weights: Mapping[str, float]

    @classmethod
    def of(cls, *texts: tuple[str, float]) -> _Words:
        """Give the terms of each text its weight; a term in several texts gets the sum."""
        weights: dict[str, float] = {}
        for text, weight in texts:
            if not text:
                continue
            for term in _terms(text) or {text.casefold()}:
                weights[term] = weights.get(term, 0.0) + weight
        return cls(weights)

    def by_rarity(self, cases: Sequence[TestCase]) -> _Words:
        """Multiply the weight of each term by ln(1 + tests / tests with the term)."""
        having = Counter(
            term
            for case in cases
            for term in self.weights
            if term in case.terms or term in case.named or term in case.around
        )
        return _Words(
            {
                term: weight * math.log(1 + len(cases) / having[term])
                for term, weight in self.weights.items()
                if having[term]
            }
        )

    def share(self, case: TestCase) -> float:
        """Return the matched share of the weights: terms in the test's name, around it, or in its lines."""
        in_body = _IN_BODY / (1 + (case.last_line - case.first_line) / _LONG)
        total = found = 0.0
        for term, weight in self.weights.items():
            total += weight
            if term in case.named:
                found += weight
            elif term in case.around:
                found += weight * _AROUND
            elif term in case.terms:
                found += weight * in_body
        return found / total if total else 0.0


def _terms(text: str) -> set[str]:
    """Return the terms of a text, and each pair of neighbouring parts of a longer identifier as one term."""
    found = set(count_terms(text))
    for word in words(text):
        parts = [part.lower() for part in split_identifier(word)]
        found.update("".join(pair) for pair in pairwise(parts) if len(parts) > _PAIR)
    return found


def _title_terms(text: str) -> frozenset[str]:
    """Return the terms of a title, and its words that have no term: a method may be named `use`."""
    return frozenset(_terms(text).union(word.casefold() for word in words(text) if not terms_of(word)))


def _test_files(snapshot: Snapshot, name: str, asked: _Words, found: Using) -> list[str]:
    """Return the test files that match the words best; a known user or the name in the file name raises the score."""
    lexical = snapshot.lexical
    weights = asked.weights
    using = dict.fromkeys(use.path for use in (*found.uses, *found.named_after, *found.unsure))
    if lexical.problem:
        return list(using)[:_FILES]
    corpus = lexical.corpus()
    files, symbols, written = corpus.files, corpus.symbols, name.casefold()
    with_tests = np.array(files.is_test, dtype=bool)
    with_tests[symbols.file[corpus.is_test_in_code]] = True
    with_tests &= files.is_code
    scorer = Scorer.of(lexical.postings(tuple(weights)).files, files.lengths, with_tests, len(weights))
    scores = scorer.score(np.array(list(weights.values())), FILE_FIELDS)
    best = scores.max(initial=0.0)
    for at in np.flatnonzero(with_tests).tolist():
        path = files.rows[at].path
        scores[at] += best * (path in using) + best * (written in _file_name(path).casefold())
    chosen: list[str] = []
    lines = 0
    for at in best_places(scores, _FILES):
        file = files.rows[at]
        lines += file.lines
        if chosen and lines > _LINES:
            break
        chosen.append(file.path)
    return chosen


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def cases_in(snapshot: Snapshot, path: str) -> list[TestCase]:
    """Return the tests of a file: functions, or blocks if functions cover less than half of a test file."""
    file = snapshot.files.at(path)
    text = snapshot.files.text(path).split("\n")
    functions: list[Symbol] = []
    for each in sorted(snapshot.symbols.in_file(path), key=lambda each: (each.start_line, -each.end_line)):
        is_outer = not functions or each.start_line > functions[-1].end_line
        if each.kind in _TESTING and is_outer:
            functions.append(each)
    filled = sum(1 for line in text if line.strip())
    covered = sum(each.lines for each in functions)
    of_file = _title_terms(_file_name(path).replace(".", " "))
    if file is None or not file.is_test or covered >= _BY_SYMBOLS * filled:
        return [
            _case(path, text, each.start_line, each.end_line, each.qualified_name, each, of_file)
            for each in functions
            if each.is_test
        ]
    return [
        _case(
            path,
            text,
            block.first,
            block.last,
            text[block.first - 1].strip(),
            None,
            of_file | _title_terms(" ".join(text[line - 1] for line in block.within)),
        )
        for block in case_blocks(text)
    ]


def _case(
    path: str, text: Sequence[str], first: int, last: int, title: str, symbol: Symbol | None, around: AbstractSet[str]
) -> TestCase:
    terms = frozenset(count_terms("\n".join(text[first - 1 : last])))
    return TestCase(path, first, last, title, symbol, _title_terms(title), around, terms)


def _served(snapshot: Snapshot, found: Using, called: Mapping[int, int]) -> Iterator[Use]:
    """Yield the callers of users that are called themselves: such users are helpers of tests."""
    serving = {use.user.id: name_of(use.user) for use in found.uses if use.user.id in called}
    edges = snapshot.graph.incoming(list(serving), (EdgeKind.CALL,))
    for use, edge in zip(uses_by(snapshot, edges), edges, strict=True):
        yield replace(use, through=serving[edge.target_id or 0])


def _uses(
    snapshot: Snapshot, found: Using, uses: Sequence[Use], cases: Sequence[TestCase]
) -> Mapping[tuple[str, int], Use]:
    """
    Return the first use in each test, direct uses before indirect ones.

    A file whose tests are blocks is a single user: each of its lines with the name of the used symbol counts as a use.
    """
    by_path: dict[str, list[Use]] = {case.path: [] for case in cases}
    for use in sorted(uses, key=lambda each: bool(each.through)):
        here = by_path.get(use.path)
        if here is None:
            continue
        here.append(use)
        if use.user.kind == SymbolKind.MODULE:
            called = (use.through or found.name).rpartition(".")[2]
            here += [replace(use, line=line) for line in lines_with(snapshot.files.text(use.path), called)]
    return {
        case.place: use
        for case in cases
        for use in reversed(by_path[case.path])
        if case.first_line <= use.line <= case.last_line
    }
