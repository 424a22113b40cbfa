"""
Fits the rules engine of the classifier and writes classifier/data/weights.json.

Cases are JSONL files of {question, mode} with optional `repo` and `weight`; classifier/data/examples.jsonl is always
added. Every file given is cross-validated in three splits, leaving whole repositories out (of all files), and the
held-out probabilities fit the temperature.

    python -m scripts.train_classifier CASES.jsonl [MORE.jsonl ...] [--dry-run]
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from classifier.adapters.reading import read_models
from classifier.domain.anchors import find_anchors
from classifier.domain.features import Lexicon, read
from classifier.domain.reading.understand import Reader
from classifier.domain.values import Mode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

DATA = Path(__file__).parent.parent / "classifier" / "data"
RIDGE = 0.002
STEPS = 600
FOLDS = 10
SEEDS = (7, 8, 9)


def fit(rows: Matrix, modes: NDArray[np.int64], weights: Matrix) -> tuple[Matrix, Matrix]:
    """Minimise the weighted log loss plus RIDGE/2 times the squared weights by accelerated gradient descent."""
    share = weights / weights.sum()
    truth = np.eye(len(Mode))[modes]
    step = 1.0 / (0.5 * float((share * (1.0 + (rows**2).sum(axis=1))).sum()) + RIDGE)
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    keep = np.ones((rows.shape[1], 1))
    keep[-1] = 0.0
    current = np.zeros((rows.shape[1], len(Mode)))
    ahead, momentum = current.copy(), 1.0
    for _ in range(STEPS):
        gradient = rows.T @ ((softmax(rows @ ahead) - truth) * share[:, None]) + RIDGE * keep * ahead
        following = ahead - step * gradient
        grown = (1.0 + (1.0 + 4.0 * momentum**2) ** 0.5) / 2.0
        ahead = following + (momentum - 1.0) / grown * (following - current)
        current, momentum = following, grown
    return current[:-1], current[-1]


def softmax(scores: Matrix) -> Matrix:
    """Turn each row of scores into probabilities."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def held_out_scores(
    rows: Matrix, modes: NDArray[np.int64], weights: Matrix, repos: list[str], judged: int, seed: int
) -> Matrix:
    """Score the first `judged` cases, each by a model that saw nothing of its repository."""
    names = sorted(set(repos[:judged]))
    np.random.default_rng(seed).shuffle(names)
    fold_of = {name: position % FOLDS for position, name in enumerate(names)}
    folds = np.array([fold_of.get(repo, -1) for repo in repos])
    scores = np.zeros((judged, len(Mode)))
    for fold in range(FOLDS):
        coefficients, bias = fit(rows[folds != fold], modes[folds != fold], weights[folds != fold])
        held = np.flatnonzero(folds[:judged] == fold)
        scores[held] = rows[held] @ coefficients + bias
    return scores


def best_temperature(scores: Matrix, modes: NDArray[np.int64]) -> float:
    """Find the temperature with the least log loss on held-out scores (Guo et al., ICML 2017)."""
    grid = np.arange(0.5, 3.01, 0.05)
    losses = [-np.log(softmax(scores / t)[np.arange(len(modes)), modes] + 1e-12).mean() for t in grid]
    return round(float(grid[int(np.argmin(losses))]), 2)


def calibration_error(confidence: Matrix, right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over ten equal bins."""
    bins = np.minimum((confidence * 10).astype(int), 9)
    gaps = [abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(10)]
    return float(sum(gaps) / len(right))


def main() -> None:
    """Read cases, cross-validate, fit on everything, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--blend", type=Path, help="Weights fitted on other cases; those of both are averaged.")
    parser.add_argument("--dry-run", action="store_true", help="Print the figures and write nothing.")
    arguments = parser.parse_args()
    read_files = [_read_cases(path) for path in (*arguments.cases, DATA / "examples.jsonl")]
    cases = [case for each in read_files for case in each]
    judged = len(cases) - len(read_files[-1])
    words = tomllib.loads((DATA / "lexicon.toml").read_text(encoding="utf-8"))
    lexicon = Lexicon(words["groups"], words["verbs"])
    reader = Reader(read_models())
    found = [
        read(case["question"], find_anchors(case["question"]), lexicon, reader.read(case["question"])) for case in cases
    ]
    names = sorted({name for features in found for name in features})
    rows = np.array([[features.get(name, 0.0) for name in names] for features in found])
    modes = np.array([Mode[case["mode"]] - 1 for case in cases])
    weights = np.array([float(case.get("weight", 1.0)) for case in cases])
    repos = [case.get("repo") or f"case {position}" for position, case in enumerate(cases)]

    splits = [held_out_scores(rows, modes, weights, repos, judged, seed) for seed in SEEDS]
    temperature = best_temperature(np.vstack(splits), np.tile(modes[:judged], len(splits)))
    print(f"temperature={temperature}")
    start = 0
    for path, file_cases in zip(arguments.cases, read_files, strict=False):
        end = start + len(file_cases)
        _report(path, [softmax(scores[start:end] / temperature) for scores in splits], modes[start:end])
        start = end
    if not arguments.dry_run:
        _write(blended(names, fit(rows, modes, weights), arguments.blend), temperature)


def _read_cases(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _report(path: Path, splits: list[Matrix], modes: NDArray[np.int64]) -> None:
    for seed, chances in zip(SEEDS, splits, strict=True):
        right = chances.argmax(axis=1) == modes
        ece = calibration_error(chances.max(axis=1), right)
        print(f"{path.name}, split {seed}: n={len(modes)} accuracy={right.mean():.3f} ece={ece:.3f}")


def blended(names: list[str], fitted: tuple[Matrix, Matrix], other: Path | None) -> tuple[list[str], Matrix, Matrix]:
    """
    Average weights with those that were fitted on cases which are not at hand, feature by feature.

    The mean of two logistic models' scores is the normalised geometric mean of their probabilities. Features that the
    other does not know keep their weights.
    """
    coefficients, bias = fitted
    if other is None:
        return names, coefficients, bias
    known = json.loads(other.read_text(encoding="utf-8"))
    table = dict(zip(names, coefficients, strict=True))
    every = sorted({*table, *known["weights"]})
    nothing = np.zeros(len(Mode))
    rows = [
        table[name] if "intent:" in name else (table.get(name, nothing) + known["weights"].get(name, nothing)) / 2
        for name in every
    ]
    return every, np.array(rows), (bias + np.array(known["bias"])) / 2


def _write(fitted: tuple[list[str], Matrix, Matrix], temperature: float) -> None:
    names, coefficients, bias = fitted
    table = {name: [round(float(w), 4) for w in row] for name, row in zip(names, coefficients, strict=True)}
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items() if any(row))
    text = f'{{\n  "temperature": {temperature},\n  "bias": {json.dumps([round(float(b), 4) for b in bias])},\n'
    (DATA / "weights.json").write_text(f'{text}  "weights": {{\n{lines}\n  }}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
