"""Reranking the first functions of a report: how they stand, and what trees make of it."""

from __future__ import annotations

import numpy as np
import pytest

from retriever.adapters.learned import read_reranker_models
from retriever.domain.describing.model import Network, Scale
from retriever.domain.ranking.links import Links
from retriever.domain.ranking.rank import Scores
from retriever.domain.ranking.second_stage import Connections
from retriever.domain.reranking.files import RankedFiles
from retriever.domain.reranking.functions import Functions, RankedFunctions
from retriever.domain.reranking.model import Parts, inputs_of
from retriever.domain.reranking.trees import Tree, Trees

LEAF = -1
STUMP = Tree(inputs=[1], limits=[0.5], below=[LEAF], above=[LEAF - 1], leaves=[-1.0, 1.0])
CHAIN = Tree(
    inputs=[0, 1], limits=[0.0, 2.0], below=[LEAF, LEAF - 1], above=[1, LEAF - 2], leaves=[10.0, 20.0, 30.0]
)  # fmt: skip


def test_a_row_sums_up_the_leaves_that_it_comes_to() -> None:
    """An input of at most the limit leads below; trees may be of any depth, even none."""
    trees = Trees.of([STUMP, CHAIN, Tree([], [], [], [], [0.25])])

    scores = trees.score(np.array([[0.0, 0.5], [0.1, 2.0], [0.1, 2.1]]))

    assert scores.tolist() == [-1.0 + 10.0 + 0.25, 1.0 + 20.0 + 0.25, 1.0 + 30.0 + 0.25]


def test_no_trees_say_nothing() -> None:
    """Every row scores 0."""
    assert Trees.of([]).score(np.ones((2, 3))).tolist() == [0.0, 0.0]


def functions() -> Functions:
    """Four functions of two files and, in row 1, the class (place 20) around the first two; one name comes twice."""
    return Functions(
        candidates=np.array([21, 20, 22, 30, 40]),
        rows=np.array([0, 2, 3, 4]),
        places=np.array([21, 22, 30, 40]),
        names=np.array([0, 1, 1, 2]),
        files=np.array([0, 0, 0, 1]),
        parents=np.array([20, 20, -1, -1]),
        constructs=np.array([1.0, 0.0, 0.0, 0.0]),
    )


def ranked(*scores: float) -> RankedFunctions:
    """The functions with these second-stage scores; the class is half a point below the best at first."""
    first = Scores(np.zeros(2), np.array([1.0, 0.5, 0.0, 0.0, 0.0]))
    symbols = np.array([scores[0], 9.0, *scores[1:]])
    return RankedFunctions.of(functions(), first, Scores(np.array([1.0, 3.0]), symbols))


def test_functions_stand_in_the_order_of_their_second_scores() -> None:
    """The score of a class counts for nothing among them, and ties are in order of place."""
    stands = ranked(1.0, 2.0, 2.0, 0.0)

    assert stands.head.tolist() == [1, 2, 0, 3]
    assert stands.columns()["odds"].tolist() == pytest.approx([1.0, 1.0, np.exp(-1.0), np.exp(-2.0)])


def test_columns_tell_of_namesakes_of_the_file_and_of_what_stands_beside() -> None:
    """Each in the order of the functions, the best first: places 21, 22, 30 and 40."""
    columns = ranked(3.0, 2.0, 1.0, 0.0).columns()
    odds = np.exp([0.0, -1.0, -2.0, -3.0])

    assert np.exp(columns["odds of namesakes"]) == pytest.approx(np.array([0.0, odds[2], odds[1], 0.0]) + 1e-3)
    assert np.exp(columns["odds of rest of file"]) == pytest.approx(
        np.array([odds[1] + odds[2], odds[0] + odds[2], odds[0] + odds[1], 0.0]) + 1e-3
    )
    assert np.expm1(columns["rank in file"]) == pytest.approx([0, 1, 2, 0])
    assert columns["odds beside"] == pytest.approx([odds[1], odds[0], 0.0, 0.0])
    assert columns["class"] == pytest.approx([-0.5, -0.5, -8.0, -8.0])
    assert columns["constructs class"] == pytest.approx([np.exp(-0.5), 0.0, 0.0, 0.0])
    assert columns["file"] == pytest.approx([-2.0, -2.0, -2.0, 0.0])
    assert np.expm1(columns["rank of file"]) == pytest.approx([1, 1, 1, 0])


def test_files_that_are_not_ranked_stand_last() -> None:
    """Their functions are as far behind as any."""
    scores = Scores(np.array([-np.inf, 3.0]), np.array([3.0, 9.0, 2.0, 1.0, 0.0]))

    columns = RankedFunctions.of(functions(), Scores(np.zeros(2), np.zeros(5)), scores).columns()

    assert columns["file"] == pytest.approx([-8.0, -8.0, -8.0, 0.0])
    assert np.expm1(columns["rank of file"]) == pytest.approx([99, 99, 99, 0])


def test_gains_order_the_close_ones_anew_and_leave_classes_alone() -> None:
    """The best is as high as the best was before; what was not looked at stays behind, in its order."""
    stands = ranked(3.0, 2.0, 1.0, 0.5)

    scores = stands.reranked(np.array([0.0, 4.0]), is_report=False)

    assert scores[[0, 2]].tolist() == [0.0, 3.0]
    assert scores[1] == 9.0
    assert 0.0 > scores[3] > scores[4]
    assert scores[3] - scores[4] == pytest.approx(0.5)


def test_gains_count_half_as_much_again_in_reports() -> None:
    """A gain that leaves the second one behind in a question brings it to the front in a report."""
    stands = ranked(3.0, 2.0, 1.0, 0.5)
    gains = np.array([0.0, 0.8])

    question, report = (stands.reranked(gains, is_report=each) for each in (False, True))

    assert question[0] > question[2]
    assert report[2] > report[0]


def test_without_functions_there_is_nothing_to_look_at() -> None:
    """A report may find classes alone."""
    none = np.empty(0, dtype=np.int64)
    nothing = Functions(np.array([20]), none, none, none, none, none, np.empty(0))
    scores = Scores(np.zeros(1), np.array([1.0]))

    stands = RankedFunctions.of(nothing, scores, scores)

    assert len(stands.head) == 0
    assert stands.reranked(np.empty(0), is_report=True).tolist() == [1.0]


def test_files_stand_by_their_scores_and_their_first_functions() -> None:
    """What is not ranked is not looked at; a file without functions among the first is far behind."""
    none = np.empty(0, dtype=np.int64)
    nothing = Links(none, none, np.empty(0))
    owner = np.full(5, -1)
    around = Connections(np.ones(5, dtype=bool), np.array([0, 0, 0, 0, 1]), owner, nothing, nothing, none, none)
    files = RankedFiles.of(np.array([1.0, 3.0, -np.inf, 2.0]))

    columns = files.columns(around, functions(), np.zeros(4), np.array([0.0, 9.0, 2.0, 1.0, 3.0]))

    assert files.head.tolist() == [1, 3, 0]
    assert columns["below best"].tolist() == [0.0, -1.0, -2.0]
    assert np.expm1(columns["rank of function"]) == pytest.approx([0, 99, 1])
    assert columns["first functions"].tolist() == [1.0, 0.0, 3.0]
    assert files.reranked(np.array([0.0, 0.0, 4.0])).tolist() == [3.0, 1.0, -np.inf, 0.0]


def test_parts_are_told_apart_and_summed_up_by_the_network() -> None:
    """Each part has its columns under its name, and the network's score of these; of the functions that are asked."""
    network = Network(
        Scale(("said",), np.zeros(1), np.ones(1)), np.zeros((2, 1)), np.zeros(1), np.zeros(1), np.array([2.0, 0.0])
    )  # fmt: skip
    parts = Parts({"title": {"said": np.array([0.1, 0.2, 0.3])}}).among(np.array([2, 0]))

    columns = parts.columns(network)

    assert columns["title: said"].tolist() == [0.3, 0.1]
    assert columns["title: by network"] == pytest.approx([0.6, 0.2])


def test_missing_columns_are_nothing_and_signs_are_the_same_for_all() -> None:
    """A report whose title has no words has no columns of it; signs follow in the order of their names."""
    scale = Scale(("absent", "there"), np.zeros(2), np.ones(2))

    inputs = inputs_of(scale, {"there": np.array([1.0, 3.0])}, {"b": 2.0, "a": 1.0})

    assert inputs[:, 0].tolist() == [0.0, 0.0]
    assert inputs[:, 1].tolist() == [1.0, 3.0]
    assert inputs[:, 4:].tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_what_was_learned_goes_by_columns_that_there_are() -> None:
    """Trees ask for inputs that exist, and tell functions apart by them."""
    learned = read_reranker_models()
    for model, some in ((learned.functions, {"title", "prose", "rank"}), (learned.files, {"words", "rank"})):
        columns = {name: np.linspace(0.0, 1.0, 5) for name in model.scale.names}

        names = {name.partition(": ")[0] for name in model.scale.names}

        assert some <= names
        assert len(model.trees.inputs) > 100
        assert len(set(model.gains(columns, {f"sign {number}": 1.0 for number in range(13)}).tolist())) > 1
