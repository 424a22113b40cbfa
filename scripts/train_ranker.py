"""
Train the ranking's weights and print what they reach on repositories that they were not trained on.

The model is linear and listwise: over the candidates of one query, softmax of the weighted sum should put its mass on
the right places (ListNet's top-one loss, Cao et al., ICML 2007), with a ridge penalty, solved by Newton's method.

Usage: train_ranker.py --localization CASES --questions CASES --data FOLDER [--out FILE] [--without SIGNAL]
where FOLDER is the data folder of `make eval-localization` and `make eval-questions`: their indexes are read, and cases
without one are left out. With --without, one signal is left out and nothing is written: what does it cost?
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cgrag_client.evaluation.cases import parse_localization, parse_question, read_cases
from cgrag_client.evaluation.mirrors import index_name
from retriever.adapters.database import Database, read_statements
from retriever.adapters.snapshot_folder import SnapshotFolder
from retriever.adapters.sqlite_graph import SqliteGraph
from retriever.adapters.sqlite_lexical import SqliteLexical
from retriever.domain.question import SearchQuery
from retriever.domain.ranking.features import extract
from retriever.domain.ranking.query import analyse
from retriever.domain.values import SymbolKind
from retriever.usecases.search import edges_around, gather

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Column = tuple[str, str]

RIDGE = {"files": 10.0, "symbols": 20.0}
LENT = {"report": 0.0, "question": 0.3}
"""Weight of queries of the other sort when the weights of a sort are trained."""

CONSIDERED = 150
"""Rows of one query that enter the loss: the right ones and the best by words."""


@dataclass(frozen=True)
class Listing:
    """The rows of one query at one level, and which are right."""

    rows: Floats
    right: NDArray[np.bool_]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """One query with its two listings; `wanted` are the names of the right places."""

    repository: str
    is_report: bool
    levels: Mapping[str, Listing]
    wanted: Mapping[str, frozenset[str]]
    columns: Mapping[str, tuple[Column, ...]]


@dataclass(frozen=True)
class Case:
    """What both sorts of cases have in common."""

    repository: str
    commit: str
    text: str
    files: tuple[str, ...]
    functions: tuple[str, ...]


def read_all(localization: Path, questions: Path) -> list[Case]:
    """Read both files of cases, in order of repository and commit."""
    cases = [
        Case(each.repo, each.base_commit, each.problem_statement, each.gold_files, each.gold_functions)
        for each in read_cases(localization, parse_localization)
    ]
    cases += [
        Case(each.repo, each.commit, each.question, each.gold_files, each.gold_functions)
        for each in read_cases(questions, parse_question)
    ]
    return sorted(cases, key=lambda case: (case.repository, case.commit))


def examples(cases: Sequence[Case], data: Path) -> Iterator[Example]:
    """Extract the features of each case from its index."""
    opened: tuple[str, _Reader] | None = None
    for case in cases:
        name = index_name(case.repository, case.commit)
        if not (data / "repositories" / name / "CURRENT").exists():
            print("no index of", name, file=sys.stderr)
            continue
        if opened is None or opened[0] != name:
            opened = (name, _Reader(data, name))
        yield _example(case, opened[1])


class _Reader:
    """The two parts of a snapshot that features are made of."""

    def __init__(self, data: Path, name: str) -> None:
        folder = SnapshotFolder(data / "repositories", name)
        core = folder.read_set(folder.current()).layer("core")
        assert core is not None
        database = Database(core.folder / "code.db", read_statements())
        self.lexical, self.graph = SqliteLexical(database), SqliteGraph(database)


def _example(case: Case, reader: _Reader) -> Example:
    query = analyse(case.text)
    mentioned = gather(reader.lexical, query, SearchQuery(case.text))
    features = extract(mentioned, edges_around(reader.graph, mentioned))
    corpus = mentioned.material.corpus
    kinds = corpus.symbols.kind[features.places]
    functions = np.isin(kinds, (SymbolKind.FUNCTION, SymbolKind.METHOD))
    files = np.flatnonzero(mentioned.spoken_for)
    symbol_names = [
        plain(f"{corpus.files.rows[corpus.symbols.file[place]].path}::{corpus.symbols.qualified_names[place]}")
        for place in features.places[functions].tolist()
    ]
    file_names = [corpus.files.rows[place].path for place in files.tolist()]
    wanted = {"files": frozenset(case.files), "symbols": frozenset(plain(each) for each in case.functions)}
    return Example(
        case.repository,
        query.is_report,
        {
            "files": _listing(features.files[files], file_names, wanted["files"]),
            "symbols": _listing(features.symbols[functions], symbol_names, wanted["symbols"]),
        },
        wanted,
        {"files": features.file_columns, "symbols": features.symbol_columns},
    )


def without(example: Example, signal: str) -> Example:
    """Drop the columns of a signal; the main column of "words" stays, since lists are cut by it."""
    levels: dict[str, Listing] = {}
    columns: dict[str, tuple[Column, ...]] = {}
    for level, names in example.columns.items():
        kept = [
            at for at, name in enumerate(names) if name[0].removeprefix("file ") != signal or name == ("words", "main")
        ]
        listing = example.levels[level]
        levels[level] = Listing(listing.rows[:, kept], listing.right, listing.names)
        columns[level] = tuple(names[at] for at in kept)
    return Example(example.repository, example.is_report, levels, example.wanted, columns)


def plain(name: str) -> str:
    """A constructor counts as its class."""
    return name.removesuffix(".__init__")


def _listing(rows: Floats, names: Sequence[str], wanted: frozenset[str]) -> Listing:
    return Listing(rows, np.array([name in wanted for name in names], dtype=bool), tuple(names))


def train(chosen: Sequence[Example], level: str, *, for_reports: bool) -> Floats:
    """Return the weight of each column for one sort of query."""
    main = chosen[0].columns[level].index(("words", "main"))
    lent = LENT["report" if for_reports else "question"]
    lists = [
        (_considered(each.levels[level], main), 1.0 if each.is_report == for_reports else lent)
        for each in chosen
        if each.levels[level].right.any() and (each.is_report == for_reports or lent)
    ]
    everything = np.concatenate([rows for (rows, _), _ in lists])
    spread: Floats = everything.std(axis=0) + 1e-6
    scaled = [(rows / spread, target, weight) for (rows, target), weight in lists]
    weights: Floats = fit(scaled, RIDGE[level]) / spread
    return weights


def _considered(listing: Listing, main: int) -> tuple[Floats, Floats]:
    best = np.argsort(-listing.rows[:, main], kind="stable")[:CONSIDERED]
    kept = np.union1d(best, np.flatnonzero(listing.right))
    right = listing.right[kept].astype(np.float64)
    return listing.rows[kept], right / right.sum()


def fit(lists: Sequence[tuple[Floats, Floats, float]], ridge: float, steps: int = 25) -> Floats:
    """Minimise the weighted cross entropy of (rows, target, weight) lists by damped Newton steps."""
    size = lists[0][0].shape[1]
    weights = np.zeros(size)
    loss, gradient, curvature = _loss(lists, weights, ridge)
    for _ in range(steps):
        step = np.linalg.solve(curvature, gradient)
        scale = 1.0
        while scale > 1e-4:
            found = _loss(lists, weights - scale * step, ridge)
            if found[0] <= loss:
                break
            scale /= 2
        weights -= scale * step
        done = loss - found[0] < 1e-6 * abs(loss)
        loss, gradient, curvature = found
        if done:
            break
    return weights


def _loss(lists: Sequence[tuple[Floats, Floats, float]], weights: Floats, ridge: float) -> tuple[float, Floats, Floats]:
    loss = ridge * float(weights @ weights)
    gradient = 2 * ridge * weights
    curvature = 2 * ridge * np.eye(len(weights))
    for rows, target, weight in lists:
        scores = rows @ weights
        scores -= scores.max()
        log_share = scores - np.log(np.exp(scores).sum())
        share = np.exp(log_share)
        mean = share @ rows
        loss -= weight * float(target @ log_share)
        gradient = gradient + weight * (mean - target @ rows)
        curvature = curvature + weight * ((rows * share[:, None]).T @ rows - np.outer(mean, mean))
    return loss, gradient, curvature


def rank_of(example: Example, level: str, weights: Floats) -> dict[str, int]:
    """Return the rank of each name, from 0."""
    listing = example.levels[level]
    order = np.argsort(-np.round(listing.rows @ weights, 9), kind="stable")
    ranks: dict[str, int] = {}
    for row in order.tolist():
        ranks.setdefault(listing.names[row], len(ranks))
    return ranks


def held_out(chosen: Sequence[Example]) -> dict[str, dict[str, float]]:
    """Score each repository by weights that never saw it."""
    ranks: dict[tuple[bool, str], list[tuple[dict[str, int], frozenset[str]]]] = {}
    for repository in sorted({each.repository for each in chosen}):
        others = [each for each in chosen if each.repository != repository]
        weights = {(sort, level): train(others, level, for_reports=sort) for sort in (True, False) for level in RIDGE}
        for each in (each for each in chosen if each.repository == repository):
            for level in RIDGE:
                found = rank_of(each, level, weights[each.is_report, level])
                ranks.setdefault((each.is_report, level), []).append((found, each.wanted[level]))
    return {f"{'reports' if sort else 'questions'} {level}": _figures(each) for (sort, level), each in ranks.items()}


def _figures(ranks: Sequence[tuple[dict[str, int], frozenset[str]]]) -> dict[str, float]:
    ranks = [(found, wanted) for found, wanted in ranks if wanted]
    figures: dict[str, float] = {"n": len(ranks)}
    for k in (1, 3, 5, 10, 20):
        hits = [[found.get(name, 10**6) < k for name in wanted] for found, wanted in ranks]
        figures[f"acc@{k}"] = round(100 * float(np.mean([all(each) for each in hits])), 1)
        figures[f"recall@{k}"] = round(100 * float(np.mean([np.mean(each) for each in hits])), 1)
    return figures


def as_json(columns: Sequence[Column], weights: Floats) -> dict[str, dict[str, float]]:
    """Nest weights by signal and column."""
    nested: dict[str, dict[str, float]] = {}
    for (signal, column), weight in zip(columns, weights.tolist(), strict=True):
        nested.setdefault(signal, {})[column] = round(weight, 4)
    return nested


def model_of(chosen: Sequence[Example]) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Train the four sets of weights on everything."""
    return {
        sort: {
            level: as_json(chosen[0].columns[level], train(chosen, level, for_reports=sort == "report"))
            for level in RIDGE
        }
        for sort in ("question", "report")
    }


def main() -> None:
    """Train, print held-out figures, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--localization", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("retriever/data/ranking.json"))
    parser.add_argument("--without", default="", help="name of a signal")
    options = parser.parse_args()
    read = examples(read_all(options.localization, options.questions), options.data.expanduser())
    chosen = [without(each, options.without) for each in read]
    for name, figures in held_out(chosen).items():
        print(name, json.dumps(figures))
    if options.without:
        return
    options.out.write_text(json.dumps(model_of(chosen), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
