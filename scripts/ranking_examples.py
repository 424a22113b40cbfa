"""Turns cases into training examples: computes the ranking's features of each query from its index."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cgrag_client.evaluation.cases import parse_localization, parse_question, read_cases
from cgrag_client.evaluation.mirrors import index_name
from retriever.adapters.core.database import Database, read_statements
from retriever.adapters.core.graph import SqliteGraph
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.learned import read_describing_model
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.domain.questions.question import SearchQuery
from retriever.domain.ranking.features import extract
from retriever.domain.ranking.query import analyse
from retriever.domain.reranking.functions import Functions
from retriever.domain.reranking.model import Parts, signs_of_query
from retriever.domain.values import SymbolKind
from retriever.usecases.searching.by_words import edges_around, gather
from retriever.usecases.searching.rerank import measure_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from retriever.domain.ranking.second_stage import Connections

    Column = tuple[str, str]

MOST_CHANGES = 80
"""Greatest number of changes of one repository that are trained on; they are evenly spaced."""


class Sort(StrEnum):
    """Where a query comes from."""

    QUESTION = "question"
    REPORT = "report"
    SCRAPED = "scraped report"
    """A report whose markup is lost, so that code in running text is not marked."""
    CHANGE = "change"


@dataclass(frozen=True)
class Case:
    """A query with its right answers: the fields that all sorts of cases share."""

    sort: Sort
    split: str
    repository: str
    commit: str
    text: str
    files: frozenset[str]
    functions: frozenset[str]


@dataclass(frozen=True)
class Level:
    """Feature rows of one query at one level, files or symbols; `at` are their positions in the second stage."""

    rows: NDArray[np.float32]
    at: NDArray[np.int64]
    names: tuple[str, ...]
    wanted: frozenset[str]

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which rows are right."""
        return np.array([name in self.wanted for name in self.names], dtype=np.bool_)

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """Which rows have a name."""
        return np.array([bool(name) for name in self.names], dtype=np.bool_)


@dataclass(frozen=True)
class Example:
    """
    One query with its features. Candidates that are not functions have rows with the name "".

    Args:
        functions: The functions among the candidates.
        parts: The reranker's features of all these functions.
        signs: The reranker's features of the query.
    """

    case: Case
    is_report: bool
    files: Level
    symbols: Level
    total_files: int
    columns: Mapping[str, tuple[Column, ...]]
    around: Connections
    functions: Functions
    parts: Parts
    signs: Mapping[str, float]


def plain(name: str) -> str:
    """Return a qualified name, for a constructor that of its class."""
    return name.removesuffix(".__init__")


def read_all(localization: Path, questions: Path, scraped: Path | None, changes: Path | None) -> list[Case]:
    """Read all files of cases, in order of repository and commit."""
    cases = list(_reports(localization, Sort.REPORT))
    if scraped is not None:
        cases += _reports(scraped, Sort.SCRAPED)
    for each in read_cases(questions, parse_question):
        functions = frozenset(map(plain, each.gold_functions))
        cases.append(
            Case(Sort.QUESTION, "", each.repo, each.commit, each.question, frozenset(each.gold_files), functions)
        )
    if changes is not None:
        by_repository: dict[str, list[Case]] = defaultdict(list)
        for case in _reports(changes, Sort.CHANGE):
            by_repository[case.repository].append(case)
        for found in by_repository.values():
            cases += found[:: -(-len(found) // MOST_CHANGES)]
    return sorted(cases, key=lambda case: (case.repository, case.commit))


def _reports(path: Path, sort: Sort) -> Iterator[Case]:
    for each in read_cases(path, parse_localization):
        functions = frozenset(map(plain, each.gold_functions))
        yield Case(
            sort, each.split, each.repo, each.base_commit, each.problem_statement, frozenset(each.gold_files), functions
        )


def examples(cases: Sequence[Case], data: Path) -> Iterator[Example]:
    """Compute the ranking's features of each case."""
    opened: tuple[str, _Reader] | None = None
    for number, case in enumerate(cases):
        name = index_name(case.repository, case.commit)
        if not (data / "repositories" / name / "CURRENT").exists():
            print("no index of", name, file=sys.stderr)
            continue
        if opened is None or opened[0] != name:
            opened = (name, _Reader(data, name))
            print(f"{number} of {len(cases)}: {name}", file=sys.stderr)
        found = _example(case, opened[1])
        if case.sort != Sort.CHANGE or found.files.right.any():
            yield found


class _Reader:
    """The two parts of a snapshot from which features are computed."""

    def __init__(self, data: Path, name: str) -> None:
        folder = SnapshotFolder(data / "repositories", name)
        core = folder.read_set(folder.current()).layer("core")
        assert core is not None
        database = Database(core.folder / "code.db", read_statements())
        self.lexical, self.graph = SqliteLexical(database), SqliteGraph(database)
        self.wording = read_describing_model().wording


def _example(case: Case, reader: _Reader) -> Example:
    query = analyse(case.text)
    mentioned = gather(reader.lexical, query, SearchQuery(case.text))
    features = extract(mentioned, edges_around(reader.graph, mentioned))
    corpus = mentioned.material.corpus
    functions = np.isin(corpus.symbols.kind[features.places], (SymbolKind.FUNCTION, SymbolKind.METHOD))
    files = np.flatnonzero(mentioned.spoken_for)
    # The place in the corpus decides between equals.
    order = np.argsort(features.places)
    symbol_names = [
        plain(f"{corpus.files.rows[corpus.symbols.file[place]].path}::{corpus.symbols.qualified_names[place]}")
        if is_function
        else ""
        for place, is_function in zip(features.places[order].tolist(), functions[order].tolist(), strict=True)
    ]
    file_names = tuple(corpus.files.rows[place].path for place in files.tolist())
    of_functions = Functions.of(features, corpus)
    parts = measure_parts(reader.lexical, reader.graph, query, of_functions.places, reader.wording)
    return Example(
        case,
        query.is_report,
        Level(features.files[files].astype(np.float32), files, file_names, case.files),
        Level(features.symbols[order].astype(np.float32), order, tuple(symbol_names), case.functions),
        len(corpus.files),
        {"files": features.file_columns, "symbols": features.symbol_columns},
        features.around,
        of_functions,
        parts,
        signs_of_query(query, len(corpus.symbols), len(corpus.files)),
    )
