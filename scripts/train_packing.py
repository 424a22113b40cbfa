"""
Trains the model that selects source for an answer: `retriever/data/packing.json`.

Boosted trees predict whether a good answer cites a line of a unit: first from the unit's position, then, for the best
units by the first trees, from its text too. Logistic models are fitted, by Newton's method with a ridge penalty, for
the passages of long units, for the units that the cross-encoder read, and for the certainty that the best unit is
right: the latter two on scores by trees, and by a cross-encoder, that have learned nothing from the repository of the
question. Those of the cross-encoder are written by `scripts/cross_encoder_fit.py` for what
`scripts/cross_encoder_gather.py` gathered. Cases are questions with the lines that good answers cite, such as
those of `scripts/question_places.jsonl`; their commits must be indexed in the folder of `--data`, as
`make eval-context` does.

Usage: python -m scripts.train_packing CASES.jsonl ... --data FOLDER --pairs PAIRS.jsonl.gz --held-out held_out.json
       [--fuller CASES.jsonl] [--leave-out REPOSITORY]
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cgrag.type.v1 import understanding_pb2

from cgrag_client.evaluation.cases import parse_lines, read_cases
from cgrag_client.evaluation.mirrors import index_name
from classifier.adapters.reading import read_models
from classifier.domain.reading.understand import Reader
from common.core.clock import SystemClock
from common.core.contract.understanding import Understanding
from common.core.words.terms import count_terms
from common.observability.metrics import Metrics
from common.rpc.serving.mirroring import from_message, to_message
from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.learned import (
    read_describing_model,
    read_ranking_model,
    read_reranker_models,
    read_worth_model,
)
from retriever.adapters.metrics import RetrieverMetrics
from retriever.adapters.published import open_published
from retriever.adapters.snapshots.opening import LayerOpeners
from retriever.domain.packing.passages import WHOLE, Parts, documentation_of, split
from retriever.domain.packing.worth import Logistic, WorthModel, inputs_of
from retriever.domain.questions.question import SearchQuery
from retriever.domain.reranking.trees import Tree, Trees
from retriever.settings import RetrieverSettings
from retriever.usecases.evidence.drafting import read_lines
from retriever.usecases.evidence.rating import READ, Rating, Sought, read_units
from retriever.usecases.searching.by_words import ByWords
from retriever.usecases.searching.rerank import Rerank
from scripts.logistic_fit import WEIGHT_OF_SHARE, fit, plain
from scripts.packing_pairs import Answer, fit_pairs, read_scores
from scripts.reranker_fit import tree_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from cgrag_client.evaluation.cases import LinesCase
    from retriever.domain.packing.passages import Passage
    from retriever.domain.packing.units import Unit
    from retriever.domain.ranking.corpus import Floats
    from retriever.ports import Snapshot, SnapshotStore
    from scripts.packing_pairs import Place

_OUT = Path(__file__).parent.parent / "retriever" / "data" / "packing.json"
_TREES, _LEAVES = 120, 8
_READ_TREES, _READ_LEAVES = 200, 12
"""All units are rated at each question, so their trees are fewer and smaller."""
_RATE = 0.05
_FOLDS = 3
_INPUTS, _ROWS = 0.5, 0.7
"""Shares of the inputs and of the rows that each tree is grown on, against overfitting."""
_FULLER = 3.0
"""Weight of the cases of `--fuller`; 8 was worse for both sorts of cases, held out by repository."""
_LEAST_WORTH = 0.01
"""Least predicted value of a long unit for its passages to be trained on."""


@dataclass(frozen=True, slots=True)
class Example:
    """
    One question with all units of its first ranked files.

    Args:
        inputs: A row for each unit.
        shares: Share of the cited lines that each unit has.
        counts: Weight of its rows.
    """

    case: LinesCase
    sought: Sought
    units: Sequence[Unit]
    inputs: Floats
    shares: Floats
    counts: float = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """A unit whose text was compared with its question, with its passages if it is long, and its place."""

    inputs: tuple[float, ...]
    share: float
    counts: float
    passages: tuple[tuple[Passage, float], ...]
    place: Place


def main() -> None:
    """Read the cases, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True, help="what the cross-encoder learned from")
    parser.add_argument(
        "--held-out", type=Path, required=True, help="its scores, of the best units of repositories that it did not see"
    )
    parser.add_argument(
        "--fuller",
        type=Path,
        help="further cases, each counted three times, as it has all lines that a good answer cites",
    )
    parser.add_argument("--leave-out", default="", help="repository whose cases are not learned from")
    parser.add_argument(
        "--keep-trees",
        action="store_true",
        help="fit pairs and certainty alone, to the trees that are there: for cases that these have not learned from",
    )
    parser.add_argument("--out", type=Path, default=_OUT)
    options = parser.parse_args()
    fuller = read_cases(options.fuller, parse_lines) if options.fuller else []
    every = [*(each for path in options.cases for each in read_cases(path, parse_lines)), *fuller]
    cases = [each for each in every if each.repo != options.leave_out]
    scores = read_scores(options.pairs, options.held_out)
    content, told = asyncio.run(
        learn(cases, frozenset(each.id for each in fuller), scores, options.data, keep_trees=options.keep_trees)
    )
    options.out.write_text(json.dumps(content) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases, {told}: {options.out}")


async def learn(
    cases: Sequence[LinesCase],
    fuller: Collection[str],
    scores: Mapping[str, Mapping[Place, float]],
    data: Path,
    *,
    keep_trees: bool = False,
) -> tuple[dict[str, Any], str]:
    """Return the content of the weights file, and a text with the numbers of training rows; `fuller` are ids."""
    cases = [each for each in cases if not keep_trees or each.id in scores]
    async with AsyncExitStack() as stack:
        store = open_store(data, stack)
        examples = [
            replace(each, counts=_FULLER if each.case.id in fuller else 1.0) for each in await gather(cases, store)
        ]
        if keep_trees:
            kept = read_worth_model()
            answers = [each for example in examples if (each := await _answer(example, kept.units, kept.read, store))]
            pairs = fit_pairs(answers, scores)
            return {**json.loads(_OUT.read_text(encoding="utf-8")), **pairs}, f"{len(answers)} answers"
        return await fit_all(examples, scores, store)


async def fit_all(
    examples: Sequence[Example], scores: Mapping[str, Mapping[Place, float]], store: SnapshotStore
) -> tuple[dict[str, Any], str]:
    """Fit the models, each on the best results of the one before it; pairs and certainty on held-out results."""
    units = _of_position(examples)
    readings = [await read(each, Trees.of(units), store) for each in examples]
    by_text = _of_text(readings)
    inputs, right = _of_passages(chain.from_iterable(readings), Trees.of(by_text))
    answers = [each for each in await _held_out(examples, store) if each.id in scores]
    content = {
        "units": _plain_trees(units),
        "read": _plain_trees(by_text),
        "passages": plain(fit(inputs, right)),
        **fit_pairs(answers, scores),
    }
    return content, f"{sum(map(len, readings))} units read, {len(inputs)} passages, {len(answers)} held-out answers"


async def _answer(example: Example, units: Trees, by_text: Trees, store: SnapshotStore) -> Answer | None:
    """Return what trees say of the units of an example; None if it has none."""
    readings = await read(example, units, store)
    if not readings:
        return None
    odds = by_text.score(np.array([each.inputs for each in readings]))
    return Answer(example.case.id, [each.place for each in readings], odds, np.array([each.share for each in readings]))


async def _held_out(examples: Sequence[Example], store: SnapshotStore) -> list[Answer]:
    """Return for each example what trees say that are grown without its repository."""
    repositories = sorted({each.case.repo for each in examples})
    fold = {each: at % _FOLDS for at, each in enumerate(repositories)}
    answers: list[Answer] = []
    for out in range(_FOLDS):
        known = [each for each in examples if fold[each.case.repo] != out]
        units = Trees.of(_of_position(known))
        by_text = Trees.of(_of_text([await read(each, units, store) for each in known]))
        others = [each for each in examples if fold[each.case.repo] == out]
        answers += [own for each in others if (own := await _answer(each, units, by_text, store))]
    return answers


def _of_position(examples: Sequence[Example]) -> list[Tree]:
    inputs = np.concatenate([each.inputs for each in examples])
    counts = np.repeat([each.counts for each in examples], [len(each.units) for each in examples])
    return _grown(inputs, np.concatenate([each.shares for each in examples]), counts, _TREES, _LEAVES)


def _of_text(readings: Sequence[Sequence[Reading]]) -> list[Tree]:
    every = list(chain.from_iterable(readings))
    inputs = np.array([each.inputs for each in every])
    share, counts = (np.array([getattr(each, name) for each in every]) for name in ("share", "counts"))
    return _grown(inputs, share, counts, _READ_TREES, _READ_LEAVES)


def _grown(inputs: Floats, share: Floats, counts: Floats, trees: int, leaves: int) -> list[Tree]:
    """Boost trees for the odds that a unit is right."""
    import lightgbm  # needed for training only

    weight = counts * np.where(share > 0, 1 + WEIGHT_OF_SHARE * share, 1.0)
    data = lightgbm.Dataset(inputs, (share > 0).astype(float), weight=weight)
    options = {
        "objective": "binary", "learning_rate": _RATE, "num_leaves": leaves, "min_data_in_leaf": 50, "lambda_l2": 5.0,
        "feature_fraction": _INPUTS, "bagging_fraction": _ROWS, "bagging_freq": 1, "num_threads": 1,
        "boost_from_average": False, "seed": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
    }  # fmt: skip
    grown = lightgbm.train(options, data, trees).dump_model()
    return [tree_of(each["tree_structure"]) for each in grown["tree_info"]]


def _of_passages(every: Iterable[Reading], by_text: Trees) -> tuple[list[Mapping[str, float]], list[float]]:
    readings = list(every)
    inputs: list[Mapping[str, float]] = []
    shares: list[float] = []
    odds = by_text.score(np.array([each.inputs for each in readings]))
    for each, worth in zip(readings, (1 / (1 + np.exp(-odds))).tolist(), strict=True):
        for passage, share in each.passages if worth >= _LEAST_WORTH else ():
            inputs.append(inputs_of(passage, worth, len(each.passages)))
            shares.append(share)
    return inputs, shares


def _plain_trees(trees: Sequence[Tree]) -> list[dict[str, Any]]:
    return [{part: getattr(tree, part) for part in Tree.__slots__} for tree in trees]


async def gather(cases: Sequence[LinesCase], store: SnapshotStore) -> list[Example]:
    """Search for each question; return the units of the first ranked files with the features of their positions."""
    by_place: dict[tuple[str, str], list[LinesCase]] = defaultdict(list)
    for case in cases:
        by_place[case.place].append(case)
    ranker = ByWords(read_ranking_model(), Rerank(read_reranker_models(), read_describing_model()))
    rating = Rating(WorthModel(Trees.of([]), Trees.of([]), *[Logistic({}, 0.0)] * 3))  # no unit is weighted yet
    reader = Reader(read_models())
    examples: list[Example] = []
    for (repository, commit), here in by_place.items():
        async with store.open(index_name(repository, commit), "") as snapshot:
            for case in here:
                query = SearchQuery(case.question, max_files=200, max_symbols=400, include_tests=True)
                ranking = await ranker.run(snapshot, query)
                code = await ranker.run(snapshot, replace(query, max_files=100, max_symbols=200, include_tests=False))
                sought = Sought(case.question, _parts(reader, case.question), ranking, code)
                units, inputs = rating.rows_of(snapshot, sought)
                gold = _gold(case)
                shares = [_share(gold, unit.span.path, unit.span.start_line, unit.span.end_line) for unit in units]
                examples.append(Example(case, sought, units, inputs, np.array(shares)))
    return examples


async def read(example: Example, units: Trees, store: SnapshotStore) -> list[Reading]:
    """Compare the question with the text of the units that the first trees score highest."""
    first = np.argsort(-units.score(example.inputs), kind="stable")[:READ].tolist()
    chosen = [example.units[at] for at in first]
    async with store.open(index_name(*example.case.place), "") as snapshot:
        by_text, _ = read_units(snapshot, example.sought, chosen)
        terms = count_terms(example.case.question).keys()
        gold = _gold(example.case)
        return [
            Reading(
                (*example.inputs[at].tolist(), *text),
                float(example.shares[at]),
                example.counts,
                tuple(
                    (each, _share(gold, unit.span.path, each.start_line, each.end_line))
                    for each in _passages(snapshot, unit.span, unit.owner, terms)
                )
                if unit.lines > WHOLE
                else (),
                (unit.span.path, unit.span.start_line, unit.span.end_line),
            )
            for at, unit, text in zip(first, chosen, by_text.tolist(), strict=True)
        ]


def _parts(reader: Reader, question: str) -> tuple[str, ...]:
    """Return what each part of a question asks, as retrieval takes it from the classifier."""
    understanding = from_message(to_message(reader.read(question), understanding_pb2.Understanding), Understanding)
    parts = (each.asked(question) for each in understanding.parts if each.is_likely)
    return tuple(dict.fromkeys(parts)) or (question,)


def _gold(case: LinesCase) -> set[tuple[str, int]]:
    return {(path, line) for path, first, last in case.gold_lines for line in range(first, last + 1)}


def _passages(snapshot: Snapshot, span: Any, owner: Any, terms: Any) -> tuple[Passage, ...]:
    text = read_lines(snapshot, span).rstrip("\n").split("\n")
    spoken = documentation_of(text, owner.docstring if owner else "")
    return Parts.of(text, split(text), spoken).passages(span.start_line, terms)


def _share(gold: set[tuple[str, int]], path: str, first: int, last: int) -> float:
    return sum((path, line) in gold for line in range(first, last + 1)) / max(1, len(gold))


def open_store(data: Path, stack: AsyncExitStack) -> SnapshotStore:
    """Open the published snapshots of a data folder; `stack` closes them."""
    settings = RetrieverSettings(data_dir=data)
    meter = RetrieverMetrics(Metrics("retriever"), ())
    openers = LayerOpeners(read_statements(), SqliteLexical, None)
    return open_published(settings, data / "retriever", openers, SystemClock(), meter, stack).snapshots


if __name__ == "__main__":
    main()
