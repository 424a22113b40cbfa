"""Budgets: the smallest remaining cap wins, and none is ever exceeded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.bootstrap import budget_of
from retriever.domain.evidence.budget import Ledger, gap_ledger, initial_ledger
from retriever.domain.evidence.piece import ContextSource
from retriever.domain.questions.question import Mode
from retriever.settings import RetrieverSettings

if TYPE_CHECKING:
    from retriever.domain.evidence.budget import Budget

_DEFAULTS = budget_of(RetrieverSettings())
_CAPS = replace(_DEFAULTS, total=6000, gap_total=2000, gap=900, per_pass=1500, after_pass=(1500, 1000, 500))
_GAPS, _CODE, _DOCS = ContextSource.GAPS, ContextSource.CODE, ContextSource.DOCS


@given(st.sampled_from(list(Mode)), st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 600))
def test_shares_follow_what_the_first_evidence_may_take(mode: Mode, total: int, initial: int, system: int) -> None:
    """Each source has its share of the initial cap, and none has more than all together."""
    budget = replace(_DEFAULTS, total=total, system=system, initial=initial)
    ledger = initial_ledger(budget, mode)

    shares = {source: limit for source, limit, _ in ledger.report()}
    assert sum(budget.split(mode).values()) == pytest.approx(initial, abs=len(shares))
    assert all(limit <= min(initial, max(0, total - system)) for limit in shares.values())


def test_source_has_what_others_leave() -> None:
    """A share is kept for documents; what they do not need goes to source."""
    ledger = initial_ledger(_DEFAULTS, Mode.CONCEPTUAL)
    ledger.spend(_DOCS, 100)

    ledger.open_up(_CODE)

    assert ledger.remaining(_CODE) == _DEFAULTS.initial - 100


@pytest.mark.parametrize("total", [1500, 6000, 24_000])
def test_every_part_scales_with_the_total(total: int) -> None:
    """What is left beside the system text is shared as it is by default."""
    scaled = _DEFAULTS.scaled(total)

    factor = (total - _DEFAULTS.system) / _DEFAULTS.evidence
    parts = ("initial", "gap_total", "gap", "per_pass")
    assert all(getattr(scaled, part) == round(getattr(_DEFAULTS, part) * factor) for part in parts)
    assert scaled.after_pass == tuple(round(each * factor) for each in _DEFAULTS.after_pass)
    assert scaled.system == _DEFAULTS.system


@given(st.lists(st.integers(-5, 900), max_size=30), st.integers(1, 9), st.integers(0, 2500))
def test_a_ledger_refuses_what_does_not_remain(asked: list[int], pass_number: int, used: int) -> None:
    """Spending more than remains, or less than nothing, raises and takes nothing."""
    ledger = gap_ledger(_CAPS, pass_number=pass_number, used_tokens=used)

    for tokens in asked:
        before = ledger.remaining(_GAPS)
        if 0 <= tokens <= before:
            ledger.spend(_GAPS, tokens)
        else:
            with pytest.raises(ValueError, match="remain"):
                ledger.spend(_GAPS, tokens)

    assert 0 <= ledger.used <= max(0, min(2000 - used, 1500))


@pytest.mark.parametrize(
    ("pass_number", "used", "expected"),
    [
        (0, 0, 1500),
        (1, 0, 1500),
        (2, 1000, 1000),
        (3, 1750, 250),
        (3, 1000, 500),
        (4, 0, 500),
        (1, 2000, 0),
        (1, 2600, 0),
    ],
)
def test_gaps_get_less_after_each_pass(pass_number: int, used: int, expected: int) -> None:
    """After pass 1, 2, 3 gaps get 1500, 1000, 500, and never more than what is left of 2000."""
    ledger = gap_ledger(_CAPS, pass_number=pass_number, used_tokens=used)

    assert ledger.remaining(_GAPS) == expected
    assert ledger.report() == ((_GAPS, expected, 0),)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (replace(_CAPS, after_pass=(5000,)), 1500),
        (replace(_CAPS, after_pass=(5000,), per_pass=9000), 2000),
        (replace(_CAPS, after_pass=(5000,), per_pass=9000, gap_total=9000), 5000),
        (replace(_CAPS, after_pass=(9000,), per_pass=9000, gap_total=9000), 5300),
        (replace(_CAPS, after_pass=(9000,), per_pass=9000, gap_total=9000, total=1200), 500),
        (replace(_CAPS, after_pass=()), 0),
    ],
)
def test_the_smallest_cap_wins(budget: Budget, expected: int) -> None:
    """The cap of a fetch is the smallest of pass, passes, gaps and what the total leaves."""
    assert gap_ledger(budget, pass_number=1, used_tokens=0).remaining(_GAPS) == expected


def test_the_defaults_are_those_of_the_documentation() -> None:
    """8000 in all: 700 for system and question, 4000 at first, shared by mode, 6000 for gaps, 1200 for one."""
    budget = _DEFAULTS

    assert (budget.total, budget.system, budget.initial, budget.gap_total, budget.gap) == (8000, 700, 4000, 6000, 1200)
    assert {mode.name: tuple(split.values()) for mode, split in budget.splits.items()} == {
        "HYBRID": (3600, 400),
        "CONCEPTUAL": (3600, 400),
        "DIAGNOSTIC": (3800, 200),
        "EXPLORATORY": (3800, 200),
        "ANALYTICAL": (2800, 1000, 200),
    }


def test_what_one_source_takes_of_the_whole_is_not_there_for_another() -> None:
    """The overall cap holds though each source is within its own, and is told where it is the smaller one."""
    ledger = Ledger(100, {_CODE: 150, _DOCS: 80})
    ledger.spend(_DOCS, 80)

    assert (ledger.remaining(_DOCS), ledger.remaining(_CODE)) == (0, 20)
    with pytest.raises(ValueError, match="20 remain"):
        ledger.spend(_CODE, 21)
    assert ledger.report() == ((_DOCS, 80, 80), (_CODE, 100, 0))


def test_a_source_without_a_cap_cannot_be_used() -> None:
    """A mode that has no share for a kind of evidence shows none of it."""
    ledger = Ledger(1000, {_DOCS: 500, _GAPS: 0})

    for source in (_CODE, _GAPS):
        assert ledger.remaining(source) == 0
        with pytest.raises(ValueError, match="remain"):
            ledger.spend(source, 1)
