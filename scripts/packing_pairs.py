"""
Fits what joins the odds by boosted trees with the scores of the cross-encoder, and the certainty of the first unit.

Both are fitted to questions about repositories that neither has learned from.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.domain.packing.worth import odds_of, pair_inputs_of, signs_of
from retriever.usecases.evidence.rating import PAIRED
from scripts.logistic_fit import fit, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from retriever.domain.packing.worth import Logistic
    from retriever.domain.ranking.corpus import Floats

    Place = tuple[str, int, int]
    """Path, first and last line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What trees say of the units that were read for a question of a repository that they have not seen."""

    id: str
    places: Sequence[Place]
    odds: Floats
    shares: Floats


def read_scores(pairs: Path, held_out: Path) -> Mapping[str, Mapping[Place, float]]:
    """Return the cross-encoder's score of each unit by its path and lines, by the id of the question."""
    scores = json.loads(held_out.read_text(encoding="utf-8"))
    with gzip.open(pairs, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.startswith('{"question"')]
    return {
        row["id"]: {(path, first, last): score for (path, first, last), score in zip(row["places"], own, strict=False)}
        for row in rows
        if (own := scores.get(row["id"]))
    }


def fit_pairs(answers: Sequence[Answer], scores: Mapping[str, Mapping[Place, float]]) -> dict[str, Any]:
    """Fit what joins odds by trees with scores, and the certainty of what is best then; print how often it is right."""
    paired = _of_pairs(answers, scores)
    after = [_with_pairs(each, paired, scores) for each in answers]
    for name, odds in (("trees", [each.odds for each in answers]), ("with the cross-encoder", after)):
        print(f"{name}: {_right(answers, odds)}")
    signs = [signs_of(odds) for odds in after]
    are_right = [float(each.shares[int(np.argmax(odds))] > 0) for odds, each in zip(after, answers, strict=True)]
    sure = fit(signs, are_right, weight=0.0)
    for least in (0.0, 0.2, 0.4, 0.6, 0.8):
        told = [
            right for own, right in zip(signs, are_right, strict=True) if least <= sure.probability(own) < least + 0.2
        ]
        print(f"certainty from {least}: {len(told)} answers, {100 * sum(told) / max(1, len(told)):.0f} % right")
    return {"paired": plain(paired), "certainty": plain(sure)}


def _right(answers: Sequence[Answer], odds: Sequence[Floats]) -> str:
    """Return the share of answers with a right unit first, among three and among ten, and of lines in these ten."""
    orders = [np.argsort(-own, kind="stable") for own in odds]
    ranked = [each.shares[order] for each, order in zip(answers, orders, strict=True)]
    shares = [np.mean([(own[:most] > 0).any() for own in ranked]) for most in (1, 3, 10)]
    return ", ".join(f"{100 * each:.1f}" for each in (*shares, np.mean([own[:10].sum() for own in ranked])))


def _of_pairs(answers: Sequence[Answer], scores: Mapping[str, Mapping[Place, float]]) -> Logistic:
    """Fit how likely a unit is right from the odds by trees and the cross-encoder's score."""
    inputs: list[Mapping[str, float]] = []
    shares: list[float] = []
    for each in answers:
        best, own = _scored(each, scores)
        if best:
            inputs += pair_inputs_of(each.odds[best], own)
            shares += each.shares[best].tolist()
    return fit(inputs, shares)


def _with_pairs(answer: Answer, paired: Logistic, scores: Mapping[str, Mapping[Place, float]]) -> Floats:
    """Return the odds of all units of an answer; of those that the cross-encoder read, those that follow from it."""
    best, own = _scored(answer, scores)
    odds = answer.odds.copy()
    if best:
        odds[best] = odds_of(np.array([paired.probability(each) for each in pair_inputs_of(odds[best], own)]))
    return odds


def _scored(answer: Answer, scores: Mapping[str, Mapping[Place, float]]) -> tuple[list[int], Floats]:
    """Return which of the best units of an answer the cross-encoder scored, best first, and its scores."""
    by_place = scores.get(answer.id, {})
    best = np.argsort(-answer.odds, kind="stable")[:PAIRED].tolist()
    known = [at for at in best if answer.places[at] in by_place]
    return known, np.array([by_place[answer.places[at]] for at in known])
