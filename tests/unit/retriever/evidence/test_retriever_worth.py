"""How likely a good answer cites the best place: from the odds of all places that were read."""

from __future__ import annotations

import numpy as np
import pytest

from retriever.adapters.learned import read_worth_model
from retriever.domain.packing.worth import signs_of


def test_signs_do_not_depend_on_the_order() -> None:
    """They tell the best odds, the lead over the second, and over how many places the odds are spread."""
    signs = signs_of(np.array([1.0, 3.0, 1.0]))

    assert signs == pytest.approx(signs_of(np.array([3.0, 1.0, 1.0])))
    assert (signs["best"], signs["lead"]) == (3.0, 2.0)
    assert signs["doubt"] > signs_of(np.array([3.0, -9.0]))["doubt"] > 0


def test_a_single_place_leads() -> None:
    """The certainty needs no second place."""
    assert signs_of(np.array([2.0]))["lead"] == pytest.approx(10.0)


@pytest.mark.parametrize(("surer", "less_sure"), [((0.97, 0.2, 0.1), (0.97, 0.96, 0.95)), ((0.97, 0.2), (0.3, 0.2))])
def test_a_place_that_stands_out_is_surer(surer: tuple[float, ...], less_sure: tuple[float, ...]) -> None:
    """By the weights that are shipped."""
    model = read_worth_model()

    high, low = model.certainty(np.array(surer)), model.certainty(np.array(less_sure))

    assert 0.0 < low < high < 1.0
    assert high > 0.6


@pytest.mark.parametrize("worth", [0.0, 1.0])
def test_a_worth_at_the_bounds_has_a_certainty(worth: float) -> None:
    """Trees may be as sure as a number can be."""
    assert 0.0 <= read_worth_model().certainty(np.array([worth])) <= 1.0
