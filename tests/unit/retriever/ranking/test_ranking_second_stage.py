"""What the first-stage scores say about the surroundings of a place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from retriever.domain.ranking.links import Links
from retriever.domain.ranking.second_stage import FILE_COLUMNS, SIGNAL, SYMBOL_COLUMNS, Connections

NONE = np.empty(0, dtype=np.int64)
NOTHING = Links(NONE, NONE, np.empty(0))


def surroundings(
    calls: Links = NOTHING, uses: Links = NOTHING, commits: tuple[tuple[int, int], ...] = ()
) -> Connections:
    """Four candidates: three in the first of three files, two of them in a class, and one in the second file."""
    touched = np.array(commits, dtype=np.int64).reshape(-1, 2)
    return Connections(
        speaks=np.array([True] * 4),
        in_file=np.array([0, 0, 0, 1]),
        in_class=np.array([7, 7, -1, -1]),
        calls=calls,
        uses=uses,
        touching=touched[:, 0],
        touched=touched[:, 1],
    )


FILES = np.array([1.0, 0.0, -np.inf])
SYMBOLS = np.log(np.array([1.0, 0.5, 0.25, 0.125]))


def of_symbols(around: Connections, column: str) -> list[float]:
    """Return one column over candidates."""
    values: list[float] = around.of_symbols(FILES, SYMBOLS)[:, SYMBOL_COLUMNS.index((SIGNAL, column))].tolist()
    return values


def of_files(around: Connections, column: str) -> list[float]:
    """Return one column over files."""
    values: list[float] = around.of_files(FILES, SYMBOLS)[:, FILE_COLUMNS.index((SIGNAL, column))].tolist()
    return values


def test_members_of_a_class_see_their_best_other_member() -> None:
    """The best member sees the second, the others see the best; outside of classes there is nothing to see."""
    assert of_symbols(surroundings(), "beside in class") == pytest.approx([0.5, 1.0, 0.0, 0.0])


def test_edges_carry_the_odds_of_the_other_end() -> None:
    """What a good candidate calls is lifted by its odds times the confidence, and so is its caller."""
    around = surroundings(calls=Links(np.array([0]), np.array([3]), np.array([0.5])))

    assert of_symbols(around, "called by") == pytest.approx([0.0, 0.0, 0.0, 0.5])
    assert of_symbols(around, "calls") == pytest.approx([0.0625, 0.0, 0.0, 0.0])


def test_files_see_their_symbols() -> None:
    """A file has the odds of its best symbol; one without candidates has next to none."""
    assert of_files(surroundings(), "odds of best symbol") == pytest.approx([1.0, 0.125, np.exp(-8.0)])


def test_files_that_changed_together_lift_each_other() -> None:
    """Odds of the other file of a commit, over the changes of this one and three more; a commit alone says nothing."""
    around = surroundings(commits=((0, 0), (0, 1), (1, 1)))

    assert of_files(around, "changed with") == pytest.approx([np.exp(-1.0) / 4, 1.0 / 5, 0.0])


def test_files_that_are_not_ranked_have_no_odds() -> None:
    """A file without a score takes part in nothing, and no value is infinite."""
    around = surroundings()

    assert of_files(around, "odds")[2] == 0.0
    assert np.isfinite(around.of_files(FILES, SYMBOLS)).all()
    assert np.isfinite(around.of_symbols(FILES, SYMBOLS)).all()


def test_classes_have_no_say() -> None:
    """A class that scores above all functions does not lessen their odds, nor does it speak for its file."""
    around = replace(surroundings(), speaks=np.array([True, True, True, False]))
    scores = np.append(SYMBOLS[:3], 9.0)

    assert around.of_symbols(FILES, scores)[:, 1].tolist() == pytest.approx([1.0, 0.5, 0.25, 1.0])
    assert around.of_files(FILES, scores)[:, 3].tolist() == pytest.approx([1.0, np.exp(-8.0), np.exp(-8.0)])


def test_nothing_to_rank_gives_no_rows() -> None:
    """Without ranked files and candidates the columns are there, and no warning is."""
    around = Connections(np.empty(0, dtype=np.bool_), NONE, NONE, NOTHING, NOTHING, NONE, NONE)

    assert around.of_symbols(np.array([-np.inf]), np.empty(0)).shape == (0, len(SYMBOL_COLUMNS))
    assert np.isfinite(around.of_files(np.array([-np.inf]), np.empty(0))).all()
