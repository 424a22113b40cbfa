"""Fits the model that ranks candidates for a description, and its certainty. Plain numpy, no I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.describing.model import BY_WORDS, DescribingModel, Network, Scale, Weighting, signs_of
from scripts.ranking_fit import Graded, fit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from retriever.domain.describing.wording import Wording
    from scripts.describing_cases import Case

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]

UNDOCUMENTED_WORTH = 1.5
"""Weight of examples whose symbol's documentation is hidden; the others are easier and have weight 1."""
UNITS, EPOCHS, BATCH = 32, 7, 96
RATE, WARM_UP = 2e-3, 50
"""Peak learning rate and warm-up steps; then it decays along half a cosine to 0."""
LEAST_SPREAD = 0.01
CERTAINTY_RIDGE, VECTOR_RIDGE = 1e-3, 0.5
FALSE_SHARE = 0.28
"""Share of the training descriptions of absent symbols whose answers may reach the floor."""
TOP = 3
VECTOR_COLUMNS = ("cosine", "nearness by rank")


@dataclass(frozen=True)
class Example:
    """One case: features of its candidates (`columns`), which of them are right, and features of the description."""

    repository: str
    case: Case
    signs: Mapping[str, float]
    columns: Mapping[str, Floats]
    right: NDArray[np.bool_]


def train(examples: Sequence[Example], with_vectors: Sequence[Example], wording: Wording) -> DescribingModel:
    """
    Fit the network, its weight relative to embedding similarity, the certainty with and without vectors, and the floor.

    Everything but the network is fitted to out-of-fold scores: each half is scored by a network trained on the other.
    """
    repositories = sorted({each.repository for each in examples})
    halves = [frozenset(repositories[part::2]) for part in (0, 1)]
    network = fit_network(examples)
    apart = {half: fit_network([each for each in examples if each.repository not in half]) for half in halves}
    unseen = {name: apart[half] for half in halves for name in half}
    by_words = [scored(each, unseen[each.repository]) for each in examples]
    words = weighting_of(by_words, {BY_WORDS: 1.0})
    nearer = [scored(each, unseen[each.repository]) for each in with_vectors]
    vectors = weighting_of(nearer, fit_columns(nearer)) if nearer else words
    return DescribingModel(network, words, vectors, floor_of(by_words, words), wording)


def scored(example: Example, network: Network) -> Example:
    """Add the column of a network's scores."""
    return replace(example, columns={**example.columns, BY_WORDS: network.scores(example.columns)})


def fit_network(examples: Sequence[Example]) -> Network:
    """Minimise the cross entropy between the softmax over each example's candidates and its right rows, by Adam."""
    present = [each for each in examples if each.right.any()]
    names = tuple(name for name in present[0].columns if name not in VECTOR_COLUMNS)
    scale = scale_of(present, names)
    inputs: Singles = np.concatenate([scale.inputs(each.columns).astype(np.float32) for each in present])
    target: Singles = np.concatenate([each.right / each.right.sum() for each in present]).astype(np.float32)
    sizes = np.array([len(each.right) for each in present])
    worth = np.array([1.0 if each.case.is_documented else UNDOCUMENTED_WORTH for each in present])
    first = np.cumsum(sizes) - sizes
    draw = np.random.default_rng(0)
    weights = Weights.drawn(inputs.shape[1], draw)
    steps = EPOCHS * -(-len(present) // BATCH)
    batches = (batch for _ in range(EPOCHS) for batch in dealt(draw.permutation(len(present))))
    for step, batch in enumerate(batches, start=1):
        rows = np.concatenate([np.arange(first[each], first[each] + sizes[each]) for each in batch])
        weight = np.repeat(worth[batch] / worth[batch].sum(), sizes[batch]).astype(np.float32)
        slopes = weights.slopes(inputs[rows], target[rows], sizes[batch], weight)
        rate = RATE * min(1.0, step / WARM_UP) * 0.5 * (1.0 + np.cos(np.pi * step / steps))
        weights.move(slopes, rate, step)
    return Network(scale, *(part.astype(np.float64) for part in weights.parts))


def scale_of(examples: Sequence[Example], names: Sequence[str]) -> Scale:
    """Return mean and deviation of columns over all candidates; one that hardly varies is not scaled up."""
    average, spread = [], []
    for name in names:
        values = np.concatenate([each.columns[name] for each in examples])
        average.append(values.mean())
        spread.append(max(values.std(), LEAST_SPREAD))
    return Scale(tuple(names), np.array(average), np.array(spread))


def dealt(order: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the batches of an order."""
    for start in range(0, len(order), BATCH):
        yield order[start : start + BATCH]


@dataclass(frozen=True)
class Weights:
    """
    The weights of a network while it is fitted by Adam (Kingma and Ba, ICLR 2015), in single precision.

    Args:
        parts: The arrays of `Network`, in its order.
        slope: Running mean of the gradient of each part.
        square: Running mean of the squared gradient of each part.
    """

    parts: tuple[Singles, ...]
    slope: tuple[Singles, ...]
    square: tuple[Singles, ...]

    @classmethod
    def drawn(cls, inputs: int, draw: np.random.Generator) -> Weights:
        """Initialise with small random weights of the hidden layer and zeros of the linear part."""
        hidden = draw.normal(0.0, np.sqrt(2.0 / inputs), (inputs, UNITS))
        raw = (hidden, np.zeros(UNITS), draw.normal(0.0, 0.1, UNITS), np.zeros(inputs))
        parts = tuple(each.astype(np.float32) for each in raw)
        return cls(parts, tuple(map(np.zeros_like, parts)), tuple(map(np.zeros_like, parts)))

    def slopes(self, inputs: Singles, target: Singles, sizes: NDArray[np.int64], weight: Singles) -> list[Singles]:
        """Return the gradient of the loss for every part; lists of candidates are concatenated."""
        hidden, bias, units, direct = self.parts
        active = np.maximum(inputs @ hidden + bias, np.float32(0))
        scores = inputs @ direct + active @ units
        starts = np.cumsum(sizes) - sizes
        raw = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        excess = weight * (raw / np.repeat(np.add.reduceat(raw, starts), sizes) - target)
        below = np.outer(excess, units) * (active > 0)
        return [inputs.T @ below, below.sum(axis=0), active.T @ excess, inputs.T @ excess]

    def move(self, slopes: Sequence[Singles], rate: float, step: int) -> None:
        """Take one step, in place."""
        for part, slope, average, square in zip(self.parts, slopes, self.slope, self.square, strict=True):
            average += np.float32(0.1) * (slope - average)
            square += np.float32(0.01) * (slope**2 - square)
            length = average / (1.0 - 0.9**step) / (np.sqrt(square / (1.0 - 0.99**step)) + 1e-7)
            part -= (rate * length).astype(np.float32)


def fit_columns(examples: Sequence[Example]) -> dict[str, float]:
    """Return the weights with which the network's scores and the columns of vectors are added."""
    names = (BY_WORDS, *VECTOR_COLUMNS)
    lists = [
        Graded(
            np.stack([each.columns[name] for name in names], axis=1).astype(np.float32),
            each.right / each.right.sum(),
            1.0 if each.case.is_documented else UNDOCUMENTED_WORTH,
        )
        for each in examples
        if each.right.any()
    ]
    weights = fit(lists, VECTOR_RIDGE, np.array([1.0, 0.0, 0.0]))
    return dict(zip(names, weights.tolist(), strict=True))


def weighting_of(examples: Sequence[Example], columns: Mapping[str, float]) -> Weighting:
    """Return a weighting of these columns, with a logistic model of whether a right row is among the first three."""
    signs, right = [], []
    for each in examples:
        scores = Weighting(columns, {}, 0.0).scores(each.columns)
        best = np.argsort(-scores, kind="stable")
        signs.append(signs_of(each.columns, scores, best, each.signs))
        right.append(float(each.right[best[:TOP]].any()))
    names = list(signs[0])
    rows = np.array([[each[name] for name in names] for each in signs])
    average, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    rows = np.column_stack([(rows - average) / spread, np.ones(len(rows))])
    wanted, ridge = np.array(right), CERTAINTY_RIDGE * np.eye(rows.shape[1])
    solution = np.zeros(rows.shape[1])
    for _ in range(25):
        chance = 1.0 / (1.0 + np.exp(-rows @ solution))
        gradient = rows.T @ (chance - wanted) / len(rows) + CERTAINTY_RIDGE * solution
        solution -= np.linalg.solve((rows * (chance * (1 - chance))[:, None]).T @ rows / len(rows) + ridge, gradient)
    by_sign = solution[:-1] / spread
    by_name = dict(zip(names, by_sign.tolist(), strict=True))
    return Weighting(columns, by_name, float(solution[-1] - by_sign @ average))


def judged(example: Example, weighting: Weighting) -> tuple[float, bool]:
    """Return the certainty of an answer to a scored example, and whether a right one is among its first three."""
    scores = weighting.scores(example.columns)
    best = np.argsort(-scores, kind="stable")
    signs = signs_of(example.columns, scores, best, example.signs)
    return weighting.certainty(signs), bool(example.right[best[:TOP]].any())


def floor_of(examples: Sequence[Example], weighting: Weighting) -> float:
    """Return the certainty that a FALSE_SHARE of the descriptions of absent symbols reaches."""
    absent = [judged(each, weighting)[0] for each in examples if not each.case.right]
    return float(np.quantile(absent, 1.0 - FALSE_SHARE))
