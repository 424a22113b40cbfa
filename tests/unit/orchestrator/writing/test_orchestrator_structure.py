"""Answers about structure: trees of calls, measures and findings, as the retriever draws them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.understanding import Comprehension, Intent, Relation, Slot, SlotKind
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef, User, UserList
from orchestrator.domain.writing.writer import support_of, write_answer
from tests.unit.orchestrator.writing.test_orchestrator_writing import function, material, read, written

_STEPS = (SymbolRef("cart.py", "checkout", start_line=1, end_line=4), SymbolRef("shop/bank.py", "ask"))
_TREE = Evidence("flow", EvidenceKind.FLOW, text="checkout (cart.py:1)\n  → ask (shop/bank.py:1)\n", mentions=_STEPS)


@pytest.mark.parametrize(
    ("subject", "first", "level"),
    [
        ("checkout", "`checkout` [E1:checkout] calls, in this order, `ask` [E1:ask].\n\n```text\n", Confidence.MEDIUM),
        ("delivery", "No start that the question names was found. Nearest is `checkout`", Confidence.LOW),
    ],
)
def test_a_way_is_told_by_a_tree_of_calls(subject: str, first: str, level: Confidence) -> None:
    """It says where it starts, and whether the question names that."""
    found = material(read(Intent.PATH, subject=subject), _TREE)

    assert "".join(write_answer(found)).startswith(first)
    assert support_of(found).level is level


_BANK = SymbolRef("bank.py", "Bank", SymbolKind.CLASS, 3, 90)
_NUMBERS = "Structure of the whole repository\n\nCoupling (module: uses others, is used by others):\n- core: 3, 4\n\n"
_NUMBERS += "Circular dependencies between modules: 1\n- a <-> b\n\nHotspots (more than 20 callers): 0\n"


@pytest.mark.parametrize(
    ("intent", "text", "first"),
    [
        (
            Intent.STRUCTURE,
            _NUMBERS,
            "Circular dependencies between modules, in the whole repository: 1 — a <-> b.\n\n",
        ),
        (
            Intent.SIZES,
            "Largest classes: 1\n- Bank (bank.py:3): 88 lines\n",
            (
                "Largest classes: 1 — Bank (bank.py:3): 88 lines.\n\n"
                "Largest classes: 1\n\n- Bank (bank.py:3): 88 lines [E1:Bank]"
            ),
        ),
        (
            Intent.UNUSED,
            "Unused and private: 0\n\nUnused here, but public: 1\n- Bank (bank.py:3)\n",
            "Unused here, but public: 1 — Bank (bank.py:3).\n\nUnused and private: 0\n\n- none\n",
        ),
        (
            Intent.CONNECTION,
            "Between a/ and b/\nUses of b/ by a/: 3\n- a/x.py uses b/y.py 3 times\nUses of a/ by b/: 0\n",
            "`a/` uses `b/` 3 times, and `b/` uses `a/` 0 times.\n\n- a/x.py uses b/y.py 3 times\n",
        ),
    ],
)
def test_measures_are_told_for_what_is_asked(intent: Intent, text: str, first: str) -> None:
    """Their tables are read as the retriever draws them."""
    measures = Evidence("m", EvidenceKind.METRICS, text=text, mentions=(_BANK,))

    assert written(read(intent), measures).startswith(first)
    assert support_of(material(read(intent), measures)).level is Confidence.HIGH


@pytest.mark.parametrize("comprehension", [Comprehension.PARTIAL, Comprehension.NONE])
def test_nothing_is_sure_where_a_question_was_understood_in_part(comprehension: Comprehension) -> None:
    """The numbers are told all the same."""
    asked = read(Intent.SIZES)
    partly = replace(asked, understanding=replace(asked.understanding, comprehension=comprehension))
    measures = Evidence(
        "m", EvidenceKind.METRICS, text="Largest classes: 1\n- Bank (bank.py:3): 88 lines\n", mentions=(_BANK,)
    )

    assert support_of(material(asked, measures)).level is Confidence.HIGH
    assert support_of(material(partly, measures)).level is Confidence.MEDIUM


@pytest.mark.parametrize(
    ("kind", "told"), [("security", "- high security: Bare"), ("style", "No finding that is listed")]
)
def test_findings_are_told_of_their_category(kind: str, told: str) -> None:
    """The tally is of all."""
    line = "- high security: Bare raise [ruff S1], line 5 of Bank (bank.py:3)\n- low speed: Slow [ruff S2], a.py:3\n"
    text = f"2 findings: 1 high security, 1 low speed\n{line}"
    told_all = written(
        read(Intent.FINDINGS, kind=kind), Evidence("f", EvidenceKind.FINDING, text=text, mentions=(_BANK,))
    )

    assert told in told_all
    assert "2 findings: 1 high security" in told_all
    assert "Slow" not in told_all


@pytest.mark.parametrize(
    ("slots", "first"),
    [
        (
            {"subject": "upload limit"},
            "No value or option that was found is called \u201cupload limit\u201d; the nearest is `ask`",
        ),
        (
            {"subject": "limit", "owner": "till"},
            "No value or option of \u201ctill\u201d that was found is called \u201climit\u201d;",
        ),
        ({"subject": "limit"}, "Nothing that was found is sure to answer this;"),
        ({"subject": "ask limit"}, "Nothing that was found is sure to answer this;"),
    ],
)
def test_a_value_that_was_not_found_is_named(slots: dict[str, str], first: str) -> None:
    """One word alone is not sure to be its name, and what is nearest may be the value by another name."""
    assert written(read(Intent.VALUE, **slots), function("ask")).startswith(first)


@pytest.mark.parametrize(
    ("symbol", "wanted", "level"),
    [(None, {}, Confidence.HIGH), (None, {"object": "wait"}, Confidence.MEDIUM), (_BANK, {}, Confidence.MEDIUM)],
)
def test_options_are_sure_with_their_defaults(
    symbol: SymbolRef | None, wanted: dict[str, str], level: Confidence
) -> None:
    """Fields and methods tell none, and an option that is wanted for something may be another."""
    option = User("limit", symbol, _BANK.span, "")
    listed = Evidence(
        "u", EvidenceKind.FLOW, mentions=(_BANK,), users=UserList("Bank", Relation.HOLDS, _BANK, 1, (option,))
    )

    asked = read(Intent.SETTINGS, owner="Bank", **wanted)
    (part,) = asked.understanding.parts
    part = replace(part, slots=(*part.slots, Slot(SlotKind.KIND, value="option")))
    asked = replace(asked, understanding=replace(asked.understanding, parts=(part,)))

    assert support_of(material(asked, listed)).level is level
