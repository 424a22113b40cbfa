"""Budgets: the smallest remaining cap wins, and none is ever exceeded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.bootstrap import budget_of
from retriever.domain.budget import Ledger, gap_ledger, initial_ledger
from retriever.domain.evidence import ContextSource, Draft, EvidenceKind, EvidenceRole
from retriever.domain.packing import TextLimits, by_priority, pack
from retriever.domain.question import Mode
from retriever.domain.values import Span
from retriever.settings import RetrieverSettings
from tests.fakes.counting import WordCounter

if TYPE_CHECKING:
    from retriever.domain.budget import Budget

_DEFAULTS = budget_of(RetrieverSettings())
_GAPS, _CODE, _DOCS = ContextSource.GAPS, ContextSource.CODE, ContextSource.DOCS

_lines = st.lists(st.text("ab =():\n", min_size=1, max_size=60), min_size=1, max_size=80).map("\n".join)


@st.composite
def _drafts(draw: st.DrawFn) -> list[Draft]:
    kinds = st.sampled_from([EvidenceKind.SOURCE, EvidenceKind.DOC, EvidenceKind.FLOW])
    count = draw(st.integers(0, 12))
    return [
        Draft(
            kind=draw(kinds),
            source=draw(st.sampled_from(list(ContextSource))),
            role=draw(st.sampled_from(list(EvidenceRole))),
            title=str(number),
            text=draw(_lines),
            reason="",
            span=Span(f"{number}.py", 1, 9),
            focus=tuple(draw(st.lists(st.integers(0, 90), max_size=3))),
        )
        for number in range(count)
    ]


@given(_drafts(), st.sampled_from(list(Mode)), st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 600))
def test_no_packing_exceeds_any_cap(drafts: list[Draft], mode: Mode, total: int, initial: int, system: int) -> None:
    """Whatever is asked for, each source, the initial cap and the total hold, and what is reported is what was used."""
    budget = replace(_DEFAULTS, total=total, system=system, initial=initial)
    ledger = initial_ledger(budget, mode)

    packed = pack(by_priority(drafts, mode), ledger, WordCounter(), TextLimits(source_lines=20))

    used = sum(piece.tokens for piece in packed.evidence)
    assert used == ledger.used <= min(initial, max(0, total - system))
    for source, limit, spent in ledger.report():
        own = sum(piece.tokens for piece in packed.evidence if piece.source == source)
        assert own == spent <= limit <= budget.splits[mode][source]
    assert all(piece.tokens == WordCounter().count(piece.text) for piece in packed.evidence)
    assert len(packed.evidence) + len(packed.left_out) == len(drafts)
    for piece in packed.evidence:
        lines = len(piece.draft.text.rstrip("\n").split("\n")) - piece.truncated_lines
        assert lines <= 20 or piece.draft.kind != EvidenceKind.SOURCE


@given(st.lists(st.integers(-5, 900), max_size=30), st.integers(1, 9), st.integers(0, 2500))
def test_a_ledger_refuses_what_does_not_remain(asked: list[int], pass_number: int, used: int) -> None:
    """Spending more than remains, or less than nothing, raises and takes nothing."""
    ledger = gap_ledger(_DEFAULTS, pass_number=pass_number, used_tokens=used)

    for tokens in asked:
        before = ledger.remaining(_GAPS)
        if 0 <= tokens <= before:
            ledger.spend(_GAPS, tokens)
        else:
            with pytest.raises(ValueError, match="remain"):
                ledger.spend(_GAPS, tokens)

    assert 0 <= ledger.used <= max(0, min(2000 - used, 1500, 1000))


@pytest.mark.parametrize(
    ("pass_number", "used", "expected"),
    [
        (0, 0, 1000),
        (1, 0, 1000),
        (2, 1000, 750),
        (3, 1750, 250),
        (3, 1000, 500),
        (4, 0, 500),
        (1, 2000, 0),
        (1, 2600, 0),
    ],
)
def test_gaps_get_less_after_each_pass(pass_number: int, used: int, expected: int) -> None:
    """After pass 1, 2, 3 gaps get 1000, 750, 500, and never more than what is left of 2000."""
    ledger = gap_ledger(_DEFAULTS, pass_number=pass_number, used_tokens=used)

    assert ledger.remaining(_GAPS) == expected
    assert ledger.report() == ((_GAPS, expected, 0),)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (replace(_DEFAULTS, after_pass=(5000,)), 1500),
        (replace(_DEFAULTS, after_pass=(5000,), per_pass=9000), 2000),
        (replace(_DEFAULTS, after_pass=(5000,), per_pass=9000, gap_total=9000), 5000),
        (replace(_DEFAULTS, after_pass=(9000,), per_pass=9000, gap_total=9000), 5500),
        (replace(_DEFAULTS, after_pass=(9000,), per_pass=9000, gap_total=9000, total=1200), 700),
        (replace(_DEFAULTS, after_pass=()), 0),
    ],
)
def test_the_smallest_cap_wins(budget: Budget, expected: int) -> None:
    """The cap of a fetch is the smallest of pass, passes, gaps and what the total leaves."""
    assert gap_ledger(budget, pass_number=1, used_tokens=0).remaining(_GAPS) == expected


def test_the_defaults_are_those_of_the_documentation() -> None:
    """6000 in all: 500 for system and question, 4000 at first, split by mode, 2000 for gaps, 500 for one."""
    budget = _DEFAULTS

    assert (budget.total, budget.system, budget.initial, budget.gap_total, budget.gap) == (6000, 500, 4000, 2000, 500)
    assert {mode.name: tuple(split.values()) for mode, split in budget.splits.items()} == {
        "HYBRID": (2500, 1500),
        "CONCEPTUAL": (4000,),
        "DIAGNOSTIC": (2000, 1000),
        "EXPLORATORY": (2500, 500),
        "ANALYTICAL": (1500, 1000, 500),
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
