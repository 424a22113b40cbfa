"""Fits linear models on sparse rows of named features: softmax by gradient descent, tags by a perceptron."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from classifier.domain.reading.features import slot_features

if TYPE_CHECKING:
    from classifier.domain.reading.features import Concepts
    from scripts.phrasings import Sample

LEAST_SEEN = 2
_EPOCHS, _RATE, _RIDGE = 15, 3.0, 2e-4
_TAG_EPOCHS = 5


def fit_linear(
    rows: list[list[str]], labels: list[str], weights: list[float], *, ridge: float = _RIDGE, seed: int = 1
) -> tuple[list[str], dict[str, list[float]]]:
    """Fit a softmax by AdaGrad on sparse rows; return the classes and a weight of each for each feature."""
    classes = sorted(set(labels))
    counts = Counter(feature for row in rows for feature in row)
    names = [name for name, count in counts.items() if count >= LEAST_SEEN]
    index = {name: position for position, name in enumerate(names)}
    sparse = [np.array([index[f] for f in row if f in index], dtype=np.int32) for row in rows]
    truth = np.array([classes.index(label) for label in labels])
    table = np.zeros((len(names), len(classes)), dtype=np.float64)
    order = np.arange(len(rows))
    random_state = np.random.default_rng(seed)
    for epoch in range(_EPOCHS):
        random_state.shuffle(order)
        rate = _RATE / (1.0 + 0.25 * epoch)
        for at in order:
            columns = sparse[at]
            if not len(columns):
                continue
            scale = len(columns) ** -0.5
            scores = table[columns].sum(axis=0) * scale
            powers = np.exp(scores - scores.max())
            gradient = powers / powers.sum()
            gradient[truth[at]] -= 1.0
            table[columns] -= (rate * weights[at] * scale) * gradient[None, :] + rate * ridge * table[columns]
    return classes, {name: table[position].tolist() for name, position in index.items()}


class Tagger:
    """An averaged perceptron over tags, left to right (Collins, EMNLP 2002)."""

    def __init__(self, concepts: Concepts, seed: int) -> None:
        self._concepts = concepts
        self._seed = seed
        self.weights: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._updates = Counter[str]()
        self._at = 0

    def predict(self, features: list[str], allowed: list[str]) -> str:
        """Return the best tag; ties go to the first."""
        scores = dict.fromkeys(allowed, 0.0)
        for feature in features:
            for tag, weight in self.weights.get(feature, {}).items():
                if tag in scores:
                    scores[tag] += weight
        return max(allowed, key=lambda tag: scores[tag])

    def fit(self, samples: list[Sample], vocabulary: set[str], allowed: dict[str, list[str]]) -> None:
        """Train in epochs of shuffled samples."""
        shuffled = random.Random(self._seed)
        work = list(samples)
        for _ in range(_TAG_EPOCHS):
            shuffled.shuffle(work)
            for sample in work:
                before, meant = "O", self._concepts.of_each(sample.tokens)
                tags = allowed[sample.label.partition(".")[0]]
                for at, truth in enumerate(sample.tags):
                    features = slot_features(sample.tokens, at, meant, vocabulary, sample.label, before)
                    guess = self.predict(features, tags)
                    self._at += 1
                    if guess != truth:
                        self._updates.update(features)
                        for feature in features:
                            for tag, sign in ((truth, 1.0), (guess, -1.0)):
                                self.weights[feature][tag] += sign
                                self._sums[feature][tag] += sign * self._at
                    before = truth if shuffled.random() < 0.7 else guess

    def averaged(self) -> dict[str, dict[str, float]]:
        """Return the averages over all steps."""
        return {
            feature: {tag: weight - self._sums[feature][tag] / self._at for tag, weight in row.items()}
            for feature, row in self.weights.items()
            if self._updates[feature] > 1
        }
