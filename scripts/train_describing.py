"""
Train how gaps that are only described are resolved, and print what that reaches on repositories not trained on.

Every documented definition is an example: its documentation's beginning, in other words, is the description, and the
definition what is meant. Each repository is copied, half of the chosen documentation strings are taken out of the copy,
and the copy is indexed. What is absent is described by documentation of other repositories.

What is known of words (`scripts/learn_wording.py`) comes from the same copies; each repository is measured with what
others say, so that the weights do not trust it more than it deserves.

Examples whose symbol has no documentation count twice. The model of the right candidate is linear and listwise
(ListNet's top-one loss, Cao et al., ICML 2007) with a ridge penalty; the certainty that it is among the first three is
a logistic model over signs of the answer; the floor is the certainty that lets `FALSE_SHARE` of the absent descriptions
through that were trained with.

Usage: python -m scripts.train_describing --mirror-map MAP --work FOLDER [--vectors OWNER/NAME ...] [--out FILE]
where FOLDER keeps copies and indexes between runs. Repositories of --vectors, some thousand symbols, are embedded for
the weights of the vectors' columns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from common.model.embeddings import EmbeddingConfig, Purpose, open_embedder
from indexer.adapters.vectors.core_rows import read_symbols
from indexer.domain.embedding import plan_embedding
from retriever.adapters.core_layer import LayerOpeners, open_snapshot
from retriever.adapters.database import read_statements
from retriever.adapters.snapshot_folder import SnapshotFolder
from retriever.adapters.sqlite_lexical import SqliteLexical
from retriever.domain.describing.model import DescribingModel, Weighting, signs_of
from retriever.ports import VectorHit
from retriever.usecases.describing import measure
from scripts.describing_cases import Case, file_name, prepare
from scripts.learn_wording import learn_wording, read_described, wording_as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from retriever.domain.describing.wording import Wording

    Floats = NDArray[np.float64]

HELD_OUT = frozenset((
    "marshmallow-code/marshmallow", "mwaskom/seaborn", "pallets/click", "pallets/flask", "pallets/jinja",
    "psf/requests", "pylint-dev/pylint", "sphinx-doc/sphinx", "celery/celery", "mitmproxy/mitmproxy", "pydata/xarray",
))  # fmt: skip
"""Repositories on which results are quoted: never trained on, and no wording is learned from them."""
MEASURED = 250
FOLDS = 4
"""Parts of the repositories: each is measured with the wording of the others."""
LISTED = 40
"""Candidates of an example, the first ones, that the columns are fitted to, besides the right ones."""
ABSENT = 50
UNDOCUMENTED_WORTH = 2.0
"""How much more an example counts whose symbol has no documentation: the others are found anyhow."""
RIDGE = 1e-3
NEAREST = 50
FALSE_SHARE = 0.28
VECTOR_COLUMNS = ("cosine", "nearness by rank")


@dataclass(frozen=True)
class Example:
    """The candidates of one case: columns, and which rows are right; and how many terms its description has."""

    repository: str
    case: Case
    terms: int
    columns: Mapping[str, Floats]
    right: NDArray[np.bool_]

    def listed(self) -> Example:
        """Return it with the first candidates and the right ones alone."""
        kept = np.flatnonzero(self.right | (np.arange(len(self.right)) < LISTED))
        columns = {name: values[kept] for name, values in self.columns.items()}
        return Example(self.repository, self.case, self.terms, columns, self.right[kept])


def nearest_by_vectors(core: Path) -> Callable[[str], list[VectorHit]]:
    """Embed what the indexer would, and return what finds the nearest symbols of a text."""
    embedder = open_embedder(EmbeddingConfig())
    units = plan_embedding(read_symbols(core), (), most=1_000_000).units
    vectors = embedder.embed([unit.text for unit in units], Purpose.DOCUMENT)

    def nearest(text: str) -> list[VectorHit]:
        cosines = vectors @ embedder.embed([text], Purpose.QUERY)[0]
        best = np.argsort(-cosines, kind="stable")[:NEAREST]
        return [VectorHit(units[row].row_id, None, float(cosines[row])) for row in best]

    return nearest


def measured(
    name: str, cases: Sequence[Case], work: Path, wording: Wording, *, with_vectors: bool
) -> Iterator[Example]:
    """Measure every case of an indexed repository."""
    folder = SnapshotFolder(work / "data" / "repositories", file_name(name))
    found = folder.read_set(folder.current())
    opened = open_snapshot(found, LayerOpeners(read_statements(), SqliteLexical))
    snapshot, core = opened.snapshot, found.layer("core")
    assert core
    nearest = nearest_by_vectors(core.folder) if with_vectors else None
    corpus = snapshot.lexical.corpus()
    files = corpus.files.rows
    place = [
        (files[file].path, each) for file, each in zip(corpus.symbols.file, corpus.symbols.qualified_names, strict=True)
    ]
    known = frozenset(place)
    for case in cases:
        if case.right and not case.right & known:  # in a file that is not indexed, or inside of a function
            continue
        result = measure(snapshot, case.text, wording, nearest(case.text) if nearest else None)
        if len(result.places):
            right = np.array([place[row] in case.right for row in result.places])
            yield Example(name, case, result.terms, result.columns, right)
    opened.close()


@dataclass(frozen=True)
class Listing:
    """
    The candidates of all examples, row under row, in the scale of the solver.

    Args:
        base: Scores that are there already.
        group: Number of the example, ascending from 0.
        target: The mass of each example, which sums to 1, on its right rows.
        worth: Of each example; sums to 1.
    """

    rows: Floats
    base: Floats
    group: NDArray[np.int64]
    target: Floats
    worth: Floats

    def chances(self, weights: Floats) -> Floats:
        """Return the softmax over the candidates of each example."""
        scores = self.rows @ weights + self.base
        top = np.full(self.group[-1] + 1, -np.inf)
        np.maximum.at(top, self.group, scores)
        raw = np.exp(scores - top[self.group])
        return np.asarray(raw / np.bincount(self.group, raw)[self.group])

    def loss(self, weights: Floats) -> float:
        """Return the mean cross entropy by worth with the ridge penalty."""
        entropy = -(self.worth[self.group] * self.target * np.log(self.chances(weights) + 1e-12)).sum()
        return float(entropy + RIDGE * weights @ weights / 2)

    def solve(self) -> Floats:
        """Minimise the loss, which is convex, by Newton's method with steps halved until they lead down."""
        weights, worth = np.zeros(self.rows.shape[1]), self.worth[self.group]
        first = np.flatnonzero(np.diff(self.group, prepend=-1))
        for _ in range(15):
            chance = self.chances(weights)
            mean = np.add.reduceat(self.rows * chance[:, None], first)
            gradient = self.rows.T @ (worth * (chance - self.target)) + RIDGE * weights
            curvature = (self.rows * (worth * chance)[:, None]).T @ self.rows - (mean * self.worth[:, None]).T @ mean
            step = np.linalg.solve(curvature + RIDGE * np.eye(len(weights)), gradient)
            before = self.loss(weights)
            while self.loss(weights - step) > before and np.abs(step).max() > 1e-9:
                step = step / 2
            weights = weights - step
            if np.abs(step).max() < 1e-4:
                break
        return weights


def fit_columns(
    examples: Sequence[Example], names: Sequence[str], start: Mapping[str, float] | None = None
) -> dict[str, float]:
    """
    Return the weights that put the mass of the softmax over each example's candidates on its right rows.

    Args:
        start: Weights of other columns that are kept as they are.
    """
    rows = np.concatenate([np.stack([each.columns[name] for name in names], axis=1) for each in examples])
    average, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    base = np.concatenate([scores_of(each, start) if start else np.zeros(len(each.right)) for each in examples])
    group = np.repeat(np.arange(len(examples)), [len(each.right) for each in examples])
    target = np.concatenate([each.right / each.right.sum() for each in examples])
    worth = np.array([1.0 if each.case.is_documented else UNDOCUMENTED_WORTH for each in examples])
    weights = Listing((rows - average) / spread, base, group, target, worth / worth.sum()).solve()
    return {name: float(weight) for name, weight in zip(names, weights / spread, strict=True)}


def scores_of(example: Example, weights: Mapping[str, float]) -> Floats:
    """Return the scores of an example's candidates."""
    return np.asarray(sum(weight * example.columns[name] for name, weight in weights.items()))


def fit_certainty(examples: Sequence[Example], weights: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Return weights of signs and a bias: the logarithm of the odds that a right row is among the first three."""
    signs, right = [], []
    for each in examples:
        scores = scores_of(each, weights)
        best = np.argsort(-scores, kind="stable")
        signs.append(signs_of(each.columns, scores, best, each.terms))
        right.append(float(each.right[best[:3]].any()))
    names = list(signs[0])
    rows = np.array([[each[name] for name in names] for each in signs])
    average, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    rows = np.column_stack([(rows - average) / spread, np.ones(len(rows))])
    wanted = np.array(right)
    solution = np.zeros(rows.shape[1])
    for _ in range(25):
        chance = 1.0 / (1.0 + np.exp(-rows @ solution))
        gradient = rows.T @ (chance - wanted) / len(rows) + RIDGE * solution
        curvature = (rows * (chance * (1 - chance))[:, None]).T @ rows / len(rows) + RIDGE * np.eye(rows.shape[1])
        solution -= np.linalg.solve(curvature, gradient)
    by_sign = solution[:-1] / spread
    return dict(zip(names, by_sign.tolist(), strict=True)), float(solution[-1] - by_sign @ average)


def judged(example: Example, weighting: Weighting) -> tuple[float, bool]:
    """Return the certainty of an answer, and whether a right one is among its first three."""
    scores = scores_of(example, weighting.columns)
    best = np.argsort(-scores, kind="stable")
    signs = signs_of(example.columns, scores, best, example.terms)
    return weighting.certainty(signs), bool(example.right[best[:3]].any())


def floor_of(examples: Sequence[Example], weighting: Weighting) -> float:
    """Return the certainty that FALSE_SHARE of the absent descriptions reach."""
    absent = [judged(each, weighting)[0] for each in examples if not each.case.right]
    return float(np.quantile(absent, 1.0 - FALSE_SHARE))


def print_figures(title: str, examples: Sequence[Example], weighting: Weighting, floor: float) -> None:
    """Print how often a right symbol is among the first three, before and after the floor, and what else passes it."""
    for what, chosen in (
        ("documentation removed", [each for each in examples if each.case.right and not each.case.is_documented]),
        ("documentation kept", [each for each in examples if each.case.is_documented]),
        ("absent", [each for each in examples if not each.case.right]),
    ):
        answers = [judged(each, weighting) for each in chosen]
        among = np.mean([right for _, right in answers])
        passed = np.mean([certainty >= floor for certainty, _ in answers])
        found = np.mean([right and certainty >= floor for certainty, right in answers])
        print(f"{title:24} {what:22} n={len(answers):5} among 3: {among:.3f} found: {found:.3f} passed: {passed:.3f}")


def main() -> int:
    """Train, print what held-out repositories say, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror-map", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--vectors", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("retriever/data/describing.json"))
    arguments = parser.parse_args()
    mirrors = json.loads(arguments.mirror_map.read_text(encoding="utf-8"))
    cases = {name: prepare(Path(mirrors[name]), file_name(name), arguments.work) for name in sorted(mirrors)}
    wordings = learn_wordings(sorted(set(cases) - HELD_OUT), arguments.work / "sources")
    measuring = Measuring(cases, wordings, arguments.work)
    examples = [each for name in cases for each in measuring.of_repository(name, with_vectors=False)]
    with_vectors = [each for name in arguments.vectors for each in measuring.of_repository(name, with_vectors=True)]
    held_out = {file_name(name) for name in HELD_OUT}
    model = train([each for each in examples if each.repository not in held_out], with_vectors, wordings[""])
    print_figures("held out, words", [e for e in examples if e.repository in held_out], model.words, model.floor)
    print_figures("trained on, vectors", with_vectors, model.vectors, model.floor)
    arguments.out.write_text(json.dumps(as_json(model), indent=1) + "\n", encoding="utf-8")
    arguments.out.with_name("wording.json").write_text(wording_as_text(model.wording), encoding="utf-8")
    return 0


def learn_wordings(names: Sequence[str], sources: Path) -> dict[str, Wording]:
    """Return for each repository what the other parts of them say; for "" what all say."""
    definitions = {name: list(read_described(sources / file_name(name), name)) for name in names}
    shipped = list(read_described(Path(os.__file__).parent, "the standard library"))

    def of_others(part: Collection[str]) -> Wording:
        others = (each for name in names if name not in part for each in definitions[name])
        return learn_wording([*others, *shipped])

    parts = [names[number::FOLDS] for number in range(FOLDS)]
    return {"": of_others(()), **{name: wording for part in parts for wording in [of_others(part)] for name in part}}


@dataclass(frozen=True)
class Measuring:
    """
    Measures repositories.

    Args:
        wordings: Of each repository that is trained on; "" is that of the others.
    """

    cases: Mapping[str, Sequence[Case]]
    wordings: Mapping[str, Wording]
    work: Path

    def of_repository(self, name: str, *, with_vectors: bool) -> list[Example]:
        """Measure a repository's own cases and some of others', which are absent here."""
        others = [other for other in self.cases if other != name and (name in HELD_OUT or other not in HELD_OUT)]
        foreign = [Case(each.text, frozenset()) for other in others for each in self.cases[other]]
        chance, own = random.Random(name), self.cases[name]
        own = chance.sample(own, min(MEASURED, len(own)))
        absent = chance.sample(foreign, min(ABSENT, len(foreign)))
        wording = self.wordings.get(name, self.wordings[""])
        return list(measured(file_name(name), [*own, *absent], self.work, wording, with_vectors=with_vectors))


def train(examples: Sequence[Example], with_vectors: Sequence[Example], wording: Wording) -> DescribingModel:
    """Fit the columns of words, on top of them those of vectors, each with its certainty; the words set the floor."""
    names = [name for name in examples[0].columns if name not in VECTOR_COLUMNS]
    by_words = fit_columns([each.listed() for each in examples if each.right.any()], names)
    vectors = words = Weighting(by_words, *fit_certainty(examples, by_words))
    if with_vectors:
        listed = [each.listed() for each in with_vectors if each.right.any()]
        columns = by_words | fit_columns(listed, VECTOR_COLUMNS, by_words)
        vectors = Weighting(columns, *fit_certainty(with_vectors, columns))
    return DescribingModel(words, vectors, floor_of(examples, words), wording)


def as_json(model: DescribingModel) -> dict[str, object]:
    """Return what `retriever/data/describing.json` holds."""
    return {
        "words": weighting_as_json(model.words),
        "vectors": weighting_as_json(model.vectors),
        "floor": round(model.floor, 3),
    }


def weighting_as_json(weighting: Weighting) -> dict[str, object]:
    """Return a weighting with four digits for each weight."""
    return {
        "columns": {name: round(weight, 4) for name, weight in weighting.columns.items()},
        "signs": {name: round(weight, 4) for name, weight in weighting.signs.items()},
        "bias": round(weighting.bias, 4),
    }


if __name__ == "__main__":
    sys.exit(main())
