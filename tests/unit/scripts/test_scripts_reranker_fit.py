"""How the reranker is trained: trees that find what tells right from wrong, and how they are written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from retriever.domain.describing.model import Network, Scale
from retriever.domain.ranking.links import Links
from retriever.domain.ranking.rank import Scores
from retriever.domain.ranking.second_stage import Connections
from retriever.domain.reranking.functions import Functions
from retriever.domain.reranking.model import Parts
from scripts.ranking_examples import Case, Example, Level, Sort
from scripts.reranker_fit import Group, Reranked, grow, scale_of, tree_of

NETWORK = Network(
    Scale(("said",), np.zeros(1), np.ones(1)), np.zeros((2, 1)), np.zeros(1), np.zeros(1), np.array([1.0, 0.0])
)  # fmt: skip
FUNCTIONS = 12
NONE = np.empty(0, dtype=np.int64)


@pytest.fixture
def lightgbm() -> None:
    """What grows trees; its library needs one of OpenMP, which a bare machine may lack."""
    try:
        import lightgbm  # noqa: F401 - whether it can be loaded is all that is asked
    except OSError as error:
        pytest.skip(f"LightGBM cannot be loaded: {error}")


def close(number: int, right: int) -> Reranked:
    """One query with two files; the title says much of the right function, and the earlier stages nothing."""
    draw = np.random.default_rng(number)
    said = draw.random(FUNCTIONS) * 0.3
    said[right] = 0.9
    places = np.arange(FUNCTIONS)
    names = tuple(f"{'a' if place < 6 else 'b'}.py::f{place}" for place in places.tolist())
    functions = Functions(places, places, places, places, places // 6, np.full(FUNCTIONS, -1), np.zeros(FUNCTIONS))
    nothing = Links(NONE, NONE, np.empty(0))
    around = Connections(
        np.ones(FUNCTIONS, dtype=bool), places // 6, np.full(FUNCTIONS, -1), nothing, nothing, NONE, NONE
    )  # fmt: skip
    wanted = names[right]
    example = Example(
        Case(Sort.REPORT, "", "shop", "0" * 40, "", frozenset({wanted[:4]}), frozenset({wanted})), True,
        Level(np.zeros((2, 1), dtype=np.float32), np.arange(2), ("a.py", "b.py"), frozenset({wanted[:4]})),
        Level(np.zeros((FUNCTIONS, 1), dtype=np.float32), places, names, frozenset({wanted})),
        2, {"files": (("words", "main"),)}, around, functions, Parts({"title": {"said": said}}), {"terms": 1.0},
    )  # fmt: skip
    scores = Scores(np.zeros(2), np.zeros(FUNCTIONS))
    return Reranked.of(example, scores, scores, NETWORK)


def queries(count: int = 40) -> Sequence[Reranked]:
    """Queries, each with another right function."""
    return [close(number, number * 5 % FUNCTIONS) for number in range(count)]


def groups() -> Sequence[Group]:
    """What trees see of their functions."""
    return [each.functions for each in queries()]


def ranks_of_right(seen: Sequence[Reranked], scores: Sequence[np.ndarray]) -> list[int]:
    """Return how many functions are above the right one."""
    found = []
    for each, own in zip(seen, scores, strict=True):
        right = own[each.ranked.head[each.functions.right]]
        found.append(int((own > right.max()).sum()))
    return found


def test_trees_put_first_what_the_title_describes(lightgbm: None) -> None:
    """On queries that they were not grown on, too."""
    grown = grow(groups())
    unseen = [close(number, number * 7 % FUNCTIONS) for number in range(100, 110)]
    model = grown.model()

    scores = [
        each.ranked.reranked(model.gains(each.functions.columns, each.functions.signs), is_report=True)
        for each in unseen
    ]

    assert ranks_of_right(unseen, scores) == [0] * 10


def test_files_are_put_first_by_what_their_functions_have_become(lightgbm: None) -> None:
    """The earlier stages say nothing of files either, but functions that trees put first lead to theirs."""
    seen = queries(160)
    best = [np.isin(np.arange(FUNCTIONS), each.ranked.head[each.functions.right]).astype(float) for each in seen]
    looked = [each.files(scores) for each, scores in zip(seen, best, strict=True)]

    model = grow(looked).model()

    gains = [model.gains(each.columns, each.signs) for each in looked]
    assert [int(each.argmax()) for each in gains] == [int(each.right.argmax()) for each in looked]


def test_queries_whose_right_functions_are_not_close_teach_nothing(lightgbm: None) -> None:
    """Nothing can be said of what is not looked at: trees are the same as without them, and so a second time."""
    missed = [replace(each, right=np.zeros_like(each.right)) for each in groups()]

    both = grow([*groups(), *missed])

    assert both.as_json() == grow(groups()).as_json()


def test_a_tree_is_written_as_lists() -> None:
    """Nodes come after the one that leads to them; numbers are short."""
    tree = tree_of(
        {
            "split_feature": 3,
            "threshold": 0.123456789,
            "left_child": {"leaf_value": -0.5},
            "right_child": {
                "split_feature": 1,
                "threshold": 2.0,
                "left_child": {"leaf_value": 0.25},
                "right_child": {"leaf_value": 1.0},
            },
        }
    )

    assert (tree.inputs, tree.limits) == ([3, 1], [0.123457, 2.0])
    assert (tree.below, tree.above, tree.leaves) == ([-1, -2], [1, -3], [-0.5, 0.25, 1.0])


def test_columns_that_some_reports_lack_are_nothing_there() -> None:
    """The average counts them as 0; one that hardly varies is not blown up."""
    first, second = groups()[:2]
    bare = replace(second, columns={name: values for name, values in second.columns.items() if ":" not in name})

    scale = scale_of([first, bare])

    assert scale.average[scale.names.index("title: said")] == pytest.approx(
        first.columns["title: said"].mean() / 2, rel=1e-4
    )
    assert scale.spread.min() >= 0.01
