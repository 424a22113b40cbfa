"""
Learns what source is worth for an answer: `retriever/data/packing.json`.

Boosted trees are grown for units (does a good answer cite a line of it?), and a logistic model is fitted, by Newton's
method with a ridge, for the passages of long units. Cases are questions with the lines that good answers cite; their
commits must be indexed, as `make eval-context` does, in the folder that is named.

Usage: python -m scripts.train_packing CASES.jsonl --data FOLDER [--leave-out REPOSITORY] [--out FILE]
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cgrag_client.evaluation.cases import parse_lines, read_cases
from cgrag_client.evaluation.mirrors import index_name
from common.core.clock import SystemClock
from common.core.words.terms import count_terms
from common.observability.metrics import Metrics
from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.learned import read_describing_model, read_ranking_model, read_reranker_models
from retriever.adapters.metrics import RetrieverMetrics
from retriever.adapters.published import open_published
from retriever.adapters.snapshots.opening import LayerOpeners
from retriever.domain.packing.passages import WHOLE, Parts, documentation_of, split
from retriever.domain.packing.worth import Logistic, WorthModel, inputs_of
from retriever.domain.questions.question import SearchQuery
from retriever.domain.reranking.trees import Tree, Trees
from retriever.settings import RetrieverSettings
from retriever.usecases.evidence.drafting import read_lines
from retriever.usecases.evidence.offering import Offering
from retriever.usecases.searching.by_words import ByWords
from retriever.usecases.searching.rerank import Rerank
from scripts.reranker_fit import tree_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgrag_client.evaluation.cases import LinesCase
    from retriever.domain.packing.passages import Passage
    from retriever.ports import Snapshot, SnapshotStore

_OUT = Path(__file__).parent.parent / "retriever" / "data" / "packing.json"
_TREES = 120
_RIDGE = 1.0
_STEPS = 30
_WEIGHT_OF_SHARE = 8.0
"""A right unit counts 1 + 8 times its share of the lines that are right."""
_LEAST_WORTH = 0.01
"""Long units that are worth less teach nothing of their passages."""


@dataclass(frozen=True, slots=True)
class Row:
    """One unit of one question."""

    repository: str
    inputs: tuple[float, ...]
    share: float
    passages: tuple[tuple[Passage, float], ...] = ()


def main() -> None:
    """Read the cases, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--leave-out", default="", help="repository whose cases are not learned from")
    parser.add_argument("--out", type=Path, default=_OUT)
    options = parser.parse_args()
    cases = [each for each in read_cases(options.cases, parse_lines) if each.repo != options.leave_out]
    rows = asyncio.run(_rows(cases, options.data))
    trees = grow(rows)
    inputs, shares = _of_passages(rows, Trees.of(trees))
    units = [{part: getattr(tree, part) for part in Tree.__slots__} for tree in trees]
    content = {"units": units, "passages": _plain(fit(inputs, shares))}
    options.out.write_text(json.dumps(content) + "\n", encoding="utf-8")
    right = sum(row.share > 0 for row in rows)
    print(f"{len(cases)} cases, {len(rows)} units, {right} of them right, {len(inputs)} passages: {options.out}")


def grow(rows: Sequence[Row]) -> list[Tree]:
    """Boost trees for the odds that a unit is right."""
    import lightgbm  # needed for training only

    share = np.array([row.share for row in rows])
    data = lightgbm.Dataset(
        np.array([row.inputs for row in rows]),
        (share > 0).astype(float),
        weight=np.where(share > 0, 1 + _WEIGHT_OF_SHARE * share, 1.0),
    )
    options = {
        "objective": "binary", "learning_rate": 0.05, "num_leaves": 6, "min_data_in_leaf": 50, "lambda_l2": 5.0,
        "boost_from_average": False, "seed": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
    }  # fmt: skip
    grown = lightgbm.train(options, data, _TREES).dump_model()
    return [tree_of(each["tree_structure"]) for each in grown["tree_info"]]


def fit(inputs: Sequence[Mapping[str, float]], shares: Sequence[float]) -> Logistic:
    """Fit a logistic model; a row is right if its share is above 0."""
    names = list(inputs[0])
    rows = np.array([[row[name] for name in names] for row in inputs])
    average, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    columns = np.column_stack(((rows - average) / spread, np.ones(len(rows))))
    share = np.array(shares)
    right = (share > 0).astype(float)
    counts = np.where(share > 0, 1 + _WEIGHT_OF_SHARE * share, 1.0)
    weights = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        told = 1 / (1 + np.exp(-columns @ weights))
        curvature = (columns * (counts * told * (1 - told) + 1e-9)[:, None]).T @ columns
        slope = columns.T @ (counts * (right - told)) - _RIDGE * weights
        weights += np.linalg.solve(curvature + _RIDGE * np.eye(len(weights)), slope)
    scaled = weights[:-1] / spread
    return Logistic(dict(zip(names, scaled.tolist(), strict=True)), float(weights[-1] - scaled @ average))


def _of_passages(rows: Sequence[Row], units: Trees) -> tuple[list[Mapping[str, float]], list[float]]:
    inputs: list[Mapping[str, float]] = []
    shares: list[float] = []
    odds = units.score(np.array([row.inputs for row in rows]))
    for row, worth in zip(rows, (1 / (1 + np.exp(-odds))).tolist(), strict=True):
        for passage, share in row.passages if worth >= _LEAST_WORTH else ():
            inputs.append(inputs_of(passage, worth, len(row.passages)))
            shares.append(share)
    return inputs, shares


def _plain(model: Logistic) -> dict[str, Any]:
    return {"weights": {name: round(each, 5) for name, each in model.weights.items()}, "bias": round(model.bias, 5)}


async def _rows(cases: Sequence[LinesCase], data: Path) -> list[Row]:
    by_place: dict[tuple[str, str], list[LinesCase]] = defaultdict(list)
    for case in cases:
        by_place[case.place].append(case)
    ranker = ByWords(read_ranking_model(), Rerank(read_reranker_models(), read_describing_model()))
    offering = Offering(WorthModel(Trees.of([]), Logistic({}, 0.0)))  # nothing has a worth yet
    rows: list[Row] = []
    async with AsyncExitStack() as stack:
        store = _open(data, stack)
        for (repository, commit), here in by_place.items():
            async with store.open(index_name(repository, commit), "") as snapshot:
                for case in here:
                    query = SearchQuery(case.question, max_files=200, max_symbols=400, include_tests=True)
                    ranking = await ranker.run(snapshot, query)
                    gold = {(path, line) for path, first, last in case.gold_lines for line in range(first, last + 1)}
                    terms = count_terms(case.question).keys()
                    units, inputs = offering.rows_of(snapshot, case.question, ranking)
                    for unit, row in zip(units, inputs.tolist(), strict=True):
                        right = _share(gold, unit.span.path, unit.span.start_line, unit.span.end_line)
                        passages = _passages(snapshot, unit.span, unit.owner, terms) if unit.lines > WHOLE else ()
                        told = tuple(
                            (each, _share(gold, unit.span.path, each.start_line, each.end_line)) for each in passages
                        )
                        rows.append(Row(repository, tuple(row), right, told))
    return rows


def _passages(snapshot: Snapshot, span: Any, owner: Any, terms: Any) -> tuple[Passage, ...]:
    text = read_lines(snapshot, span).rstrip("\n").split("\n")
    spoken = documentation_of(text, owner.docstring if owner else "")
    return Parts.of(text, split(text), spoken).passages(span.start_line, terms)


def _share(gold: set[tuple[str, int]], path: str, first: int, last: int) -> float:
    return sum((path, line) in gold for line in range(first, last + 1)) / max(1, len(gold))


def _open(data: Path, stack: AsyncExitStack) -> SnapshotStore:
    settings = RetrieverSettings(data_dir=data)
    meter = RetrieverMetrics(Metrics("retriever"), ())
    openers = LayerOpeners(read_statements(), SqliteLexical, None)
    return open_published(settings, data / "retriever", openers, SystemClock(), meter, stack).snapshots


if __name__ == "__main__":
    main()
