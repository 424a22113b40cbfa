"""
Train the ranking's weights and print their figures on repositories that they were not trained on.

The model is linear and listwise: the softmax of the weighted sums over the rows of one query is fitted to the right
rows (ListNet's top-one loss, Cao et al., ICML 2007), with a ridge penalty, by Newton's method. The second stage is
trained in the same way on out-of-fold scores of the first, and the reranker's trees, for reports and changes only, on
out-of-fold scores of the second.

Usage: python -m scripts.train_ranker --localization CASES --questions CASES --data FOLDER [--scraped CASES]
       [--changes CASES] [--out FOLDER] [--without SIGNAL]
where FOLDER of --data is the data folder of `make eval-localization` and `make eval-questions`: their indexes are read,
and cases without one are left out. CASES of --scraped are written by `scripts.collect_reports`, those of --changes by
`scripts.collect_changes`. With --without, one signal of the weighted sums is left out and nothing is written, to
measure how much that signal contributes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retriever.adapters.learned import read_describing_model
from retriever.domain.ranking.rank import Scores
from retriever.domain.reranking.files import RankedFiles
from scripts.ranking_examples import Example, Sort, examples, read_all
from scripts.ranking_folds import (
    AGAIN,
    FOLDS,
    LEVELS,
    figures_of,
    folds,
    level_of,
    rank_of,
    scored_unseen,
    second_unseen,
    train_again,
    train_first,
)
from scripts.reranker_fit import Reranked, grow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from scripts.ranking_examples import Column
    from scripts.ranking_folds import Scored
    from scripts.reranker_fit import Group, Grown

    Floats = NDArray[np.float64]


class Tally:
    """Collects ranks by sort, level and stage."""

    def __init__(self) -> None:
        self._ranks: dict[str, list[tuple[dict[str, int], frozenset[str]]]] = {}

    def add(self, example: Example, level: str, stage: str, scores: Floats) -> None:
        """Add one ranking; `scores` are in the order of the level's rows."""
        found, case = level_of(example, level), example.case
        name = f"{case.split or case.sort} {level} {stage}"
        self._ranks.setdefault(name, []).append((rank_of(found, scores), found.wanted))

    def print(self) -> None:
        """Print all figures."""
        for name, ranks in sorted(self._ranks.items()):
            print(name, json.dumps(figures_of(ranks)))


def reranked_of(scored: Sequence[Scored], second: Sequence[Mapping[str, Floats]]) -> list[Reranked]:
    """Return what the reranker sees of reports and changes."""
    network = read_describing_model().network
    return [
        Reranked.of(each.example, scattered(each.example, each.first), scattered(each.example, scores), network)
        for each, scores in zip(scored, second, strict=True)
        if each.example.case.sort != Sort.QUESTION
    ]


def scattered(example: Example, by_level: Mapping[str, Floats]) -> Scores:
    """Return scores by position of files (-inf for those without a row) and of candidates, from those by row."""
    files, symbols = np.full(example.total_files, -np.inf), np.zeros(len(example.symbols.at))
    files[example.files.at], symbols[example.symbols.at] = by_level["files"], by_level["symbols"]
    return Scores(files, symbols)


def train_reranker(queries: Sequence[Reranked], tally: Tally) -> Mapping[str, Grown]:
    """Train the reranker on all queries; add its out-of-fold rankings to the tally."""
    fold_of = folds([each.example for each in queries])
    folded = [fold_of[each.example.case.repository] for each in queries]
    functions = [each.functions for each in queries]
    symbols = [
        each.ranked.reranked(gains, is_report=each.example.is_report)
        for each, gains in zip(queries, gains_unseen(functions, folded), strict=True)
    ]
    files = [each.files(scores) for each, scores in zip(queries, symbols, strict=True)]
    for each, scores, gains in zip(queries, symbols, gains_unseen(files, folded), strict=True):
        tally.add(each.example, "symbols", "reranked", scores[each.example.symbols.at])
        gained = RankedFiles.of(each.ranked.second.files).reranked(gains)
        tally.add(each.example, "files", "reranked", gained[each.example.files.at])
    return {"functions": grow(functions), "files": grow(files)}


def gains_unseen(groups: Sequence[Group], folded: Sequence[int]) -> Sequence[Floats]:
    """Return the out-of-fold gain of each query's functions or files."""
    found = [np.empty(0)] * len(groups)
    for fold in range(FOLDS):
        model = grow([each for each, of in zip(groups, folded, strict=True) if of != fold]).model()
        for at in (at for at, of in enumerate(folded) if of == fold and len(groups[at].right)):
            found[at] = model.gains(groups[at].columns, groups[at].signs)
    return found


def without(example: Example, signal: str) -> Example:
    """Set the columns of a signal to zero; the main column of "words" stays, since it selects the rows of the loss."""
    for level, names in example.columns.items():
        for at, name in enumerate(names):
            if name[0].removeprefix("file ") == signal and name != ("words", "main"):
                level_of(example, level).rows[:, at] = 0.0
    return example


def as_json(columns: Sequence[Column], weights: Floats) -> dict[str, dict[str, float]]:
    """Nest weights by signal and column."""
    nested: dict[str, dict[str, float]] = {}
    for (signal, column), weight in zip(columns, weights.tolist(), strict=True):
        nested.setdefault(signal, {})[column] = round(weight, 4)
    return nested


def model_of(scored: Sequence[Scored]) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Train the weights of both stages on all examples."""
    chosen = [each.example for each in scored]
    model: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for sort in ("question", "report"):
        model[sort] = {}
        for level in LEVELS:
            first = train_first(chosen, level, for_reports=sort == "report")
            again = train_again(scored, level, for_reports=sort == "report")
            model[sort][level] = as_json(chosen[0].columns[level], first)
            model[sort][f"{level} again"] = as_json(AGAIN[level], again)
    return model


def main() -> None:
    """Train, print held-out figures, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--localization", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--scraped", type=Path)
    parser.add_argument("--changes", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("retriever/data"))
    parser.add_argument("--without", default="", help="name of a signal")
    options = parser.parse_args()
    cases = read_all(options.localization, options.questions, options.scraped, options.changes)
    chosen = [without(each, options.without) for each in examples(cases, options.data.expanduser())]
    scored = scored_unseen(chosen)
    second = second_unseen(scored)
    tally = Tally()
    for each, scores in zip(scored, second, strict=True):
        for level in LEVELS:
            tally.add(each.example, level, "first", each.first[level])
            tally.add(each.example, level, "second", scores[level])
    if options.without:
        tally.print()
        return
    reranker = train_reranker(reranked_of(scored, second), tally)
    tally.print()
    (options.out / "ranking.json").write_text(json.dumps(model_of(scored), indent=1) + "\n", encoding="utf-8")
    grown = {level: each.as_json() for level, each in reranker.items()}
    (options.out / "reranker.json").write_text(json.dumps(grown) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
