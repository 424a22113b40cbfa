"""The fit of what a description means, on made-up candidates."""

from __future__ import annotations

import numpy as np

from cgrag_client.evaluation.gaps.truth import Definition
from retriever.domain.describing.model import BY_WORDS, Weighting
from scripts.describing_cases import Case
from scripts.describing_fit import Example, fit_columns, fit_network, floor_of, judged, scored

_HIDDEN = (Definition("a.py", "a", "a"),)


def _examples(columns: tuple[str, ...], number: int = 400) -> list[Example]:
    """Make examples of six rows of noise, of which the right one is high in the first column."""
    draw = np.random.default_rng(3)
    found = []
    for _ in range(number):
        values = {name: draw.normal(size=6) for name in columns}
        values[columns[0]][2] += 3.0
        found.append(Example("one", Case("words", frozenset({("a.py", "a")}), _HIDDEN), {}, values, np.arange(6) == 2))
    return found


def _share_of_first(examples: list[Example], column: str) -> float:
    return float(np.mean([each.columns[column].argmax() == 2 for each in examples]))


def test_the_network_finds_what_tells_right_from_wrong() -> None:
    """Rows are right first about as often as the best that can be known of them is."""
    examples = _examples(("said", "noise"), 2000)
    network = fit_network(examples[:1800])

    held_out = [scored(each, network) for each in examples[1800:]]

    assert _share_of_first(held_out, BY_WORDS) > _share_of_first(held_out, "said") - 0.05 > 0.8
    assert set(network.scale.names) == {"said", "noise"}


def test_the_same_examples_give_the_same_network() -> None:
    """Chance begins at the same place each time."""
    first, second = (fit_network(_examples(("said", "noise"), 50)).hidden for _ in range(2))

    assert first.tolist() == second.tolist()


def test_vectors_are_worth_what_they_add_to_the_words() -> None:
    """A column that tells the right row gets weight beside the scores by words; noise gets hardly any."""
    examples = _examples(("cosine", "nearness by rank", BY_WORDS))

    weights = fit_columns(examples)

    assert weights["cosine"] > 1.0 > 10 * abs(weights["nearness by rank"])


def test_the_floor_is_passed_by_a_fixed_share_of_what_is_absent() -> None:
    """Of a hundred absent descriptions of evenly spread certainty, twenty-eight are above it."""
    absent = []
    for number in range(100):
        columns = {name: np.full(4, number / 100) for name in _SIGNS}
        absent.append(Example("one", Case("words", frozenset()), {}, columns, np.zeros(4, dtype=bool)))
    weighting = Weighting({"said": 1.0}, {"most said": 4.0}, -2.0)

    floor = floor_of(absent, weighting)

    assert sum(judged(each, weighting)[0] >= floor for each in absent) == 28


_SIGNS = (
    "said", "said here or near", "said in doc", "name told", "score", "terms said", "echoed", "name spelled",
    "said in file",
)  # fmt: skip
