"""
Trains the weights of the first and the second ranking stage, and computes out-of-fold scores.

Repositories are divided into folds; each fold is scored by weights that are trained on the other folds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.domain.ranking.second_stage import FILE_COLUMNS, SIGNAL, SYMBOL_COLUMNS
from scripts.ranking_examples import Example, Level, Sort
from scripts.ranking_fit import Graded, fit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from scripts.ranking_examples import Column

    Floats = NDArray[np.float64]

LEVELS = ("files", "symbols")
AGAIN: Mapping[str, tuple[Column, ...]] = {"files": FILE_COLUMNS, "symbols": SYMBOL_COLUMNS}
RIDGE, RIDGE_AGAIN = 50.0, 10.0
LENT: Mapping[tuple[bool, Sort], float] = {
    (True, Sort.REPORT): 1.0, (True, Sort.SCRAPED): 0.4, (True, Sort.CHANGE): 0.2, (True, Sort.QUESTION): 0.0,
    (False, Sort.REPORT): 0.3, (False, Sort.SCRAPED): 0.1, (False, Sort.CHANGE): 0.2, (False, Sort.QUESTION): 1.0,
}  # fmt: skip
"""Weight of a query, by (whether weights for reports are trained, else for questions; source of the query)."""
FIRST_ONLY = frozenset({("symbols", False)})
"""(level, for reports) without a second stage: there it lowers recall@20 on held-out repositories."""
LENT_AGAIN = 0.5
"""Weight in the second stage of a query whose weight in `LENT` is 0."""
CONSIDERED: Mapping[Sort, int] = {Sort.REPORT: 100, Sort.SCRAPED: 100, Sort.QUESTION: 100, Sort.CHANGE: 40}
CONSIDERED_AGAIN = 100
"""
Number of rows of one query in the loss, besides the right ones: the best by words for the first stage (`CONSIDERED`),
by the first-stage score for the second (`CONSIDERED_AGAIN`).
"""
FOLDS = 12


@dataclass(frozen=True)
class Scored:
    """An example with its first-stage scores, and the columns of the second stage in the order of each level's rows."""

    example: Example
    first: Mapping[str, Floats]
    again: Mapping[str, NDArray[np.float32]]


def level_of(example: Example, level: str) -> Level:
    """Return one level of an example."""
    return example.files if level == "files" else example.symbols


def score(example: Example, weights: Mapping[str, Floats]) -> Scored:
    """Compute first-stage scores of all rows of the second stage, and its features."""
    files = np.full(example.total_files, -np.inf)
    files[example.files.at] = example.files.rows @ weights["files"]
    symbols = np.zeros(len(example.symbols.at))
    symbols[example.symbols.at] = example.symbols.rows @ weights["symbols"]
    around = example.around
    return Scored(
        example,
        {"files": files[example.files.at], "symbols": symbols[example.symbols.at]},
        {
            "files": around.of_files(files, symbols)[example.files.at].astype(np.float32),
            "symbols": around.of_symbols(files, symbols)[example.symbols.at].astype(np.float32),
        },
    )


def graded(level: Level, rows: NDArray[np.float32], by: NDArray[Any], most: int, weight: float) -> Graded | None:
    """Keep the `most` named rows that are best by `by`, and the right ones; None if none is right."""
    best = np.argsort(-np.where(level.named, by, -np.inf), kind="stable")[:most]
    kept = np.union1d(best[level.named[best]], np.flatnonzero(level.right))
    right = level.right[kept].astype(np.float64)
    return Graded(rows[kept], right / right.sum(), weight) if right.any() else None


def train_first(chosen: Sequence[Example], level: str, *, for_reports: bool, begin: Floats | None = None) -> Floats:
    """Return the first-stage weight of each column, for reports or for questions."""
    columns = chosen[0].columns[level]
    main = columns.index(("words", "main"))
    lists = []
    for each in chosen:
        found, weight = level_of(each, level), _weight(each, for_reports=for_reports)
        if weight and (listed := graded(found, found.rows, found.rows[:, main], CONSIDERED[each.case.sort], weight)):
            lists.append(listed)
    return fit(lists, RIDGE, np.zeros(len(columns)), begin)


def train_again(chosen: Sequence[Scored], level: str, *, for_reports: bool) -> Floats:
    """Return the weights of the second stage; they are pulled towards the first-stage score alone."""
    start = np.array([float(column == (SIGNAL, "score")) for column in AGAIN[level]])
    if (level, for_reports) in FIRST_ONLY:
        return start
    lists = []
    for each in chosen:
        weight = _weight(each.example, for_reports=for_reports) or LENT_AGAIN
        found = level_of(each.example, level)
        if listed := graded(found, each.again[level], each.first[level], CONSIDERED_AGAIN, weight):
            lists.append(listed)
    return fit(lists, RIDGE_AGAIN, start)


def _weight(example: Example, *, for_reports: bool) -> float:
    """Return the weight of a query: 1 if `is_report` fits, else by `LENT`; a one-line report counts as a question."""
    if example.case.sort in (Sort.REPORT, Sort.QUESTION) and example.is_report == for_reports:
        return 1.0
    return LENT[for_reports, example.case.sort]


def folds(chosen: Sequence[Example]) -> dict[str, int]:
    """Assign repositories to folds: in descending order of examples, each to the fold with the fewest so far."""
    sizes = Counter(each.case.repository for each in chosen)
    filled, found = [0] * FOLDS, {}
    for repository, size in sorted(sizes.items(), key=lambda each: (-each[1], each[0])):
        found[repository] = filled.index(min(filled))
        filled[found[repository]] += size
    return found


def scored_unseen(chosen: Sequence[Example]) -> list[Scored]:
    """Return out-of-fold first-stage scores of every example, by repository."""
    fold_of = folds(chosen)
    found: list[Scored] = []
    for sort in (True, False):
        whole = {level: train_first(chosen, level, for_reports=sort) for level in LEVELS}
        for fold in range(FOLDS):
            others = [each for each in chosen if fold_of[each.case.repository] != fold]
            own = [each for each in chosen if fold_of[each.case.repository] == fold and each.is_report == sort]
            weights = {
                level: train_first(others, level, for_reports=sort, begin=whole[level]) for level in LEVELS if own
            }
            found += [score(each, weights) for each in own]
    return found


def second_unseen(scored: Sequence[Scored]) -> list[Mapping[str, Floats]]:
    """Return out-of-fold second-stage scores of every example at each level, by repository."""
    fold_of = folds([each.example for each in scored])
    found: dict[int, Mapping[str, Floats]] = {}
    for fold in range(FOLDS):
        others = [each for each in scored if fold_of[each.example.case.repository] != fold]
        weights = {
            (level, sort): train_again(others, level, for_reports=sort) for level in LEVELS for sort in (True, False)
        }
        for at, each in enumerate(scored):
            if fold_of[each.example.case.repository] == fold:
                found[at] = {level: each.again[level] @ weights[level, each.example.is_report] for level in LEVELS}
    return [found[at] for at in range(len(scored))]


def rank_of(level: Level, scores: Floats) -> dict[str, int]:
    """Return the rank of each name, from 0."""
    ranks: dict[str, int] = {}
    for row in np.argsort(-np.round(scores, 9), kind="stable").tolist():
        if level.names[row]:
            ranks.setdefault(level.names[row], len(ranks))
    return ranks


def figures_of(ranks: Sequence[tuple[dict[str, int], frozenset[str]]]) -> dict[str, float]:
    """Return percentages: acc@k, how often all right names are in the first k; recall@k, the mean share that is."""
    ranks = [(found, wanted) for found, wanted in ranks if wanted]
    figures: dict[str, float] = {"n": len(ranks)}
    for k in (1, 3, 5, 10, 20):
        hits = [[found.get(name, 10**6) < k for name in wanted] for found, wanted in ranks]
        figures[f"acc@{k}"] = round(100 * float(np.mean([all(each) for each in hits])), 1)
        figures[f"recall@{k}"] = round(100 * float(np.mean([np.mean(each) for each in hits])), 1)
    return figures
