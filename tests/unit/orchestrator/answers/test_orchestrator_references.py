"""What the evidence-only engine asks for, in which order: definitions that the evidence refers to and does not show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Basis, BasisKind, Gap
from common.core.contract.question import Anchors
from common.core.contract.understanding import Relation
from orchestrator.domain.answers.answer import Judgement
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef, UserList
from orchestrator.domain.loop.graph import judge_by_references
from orchestrator.domain.loop.references import Reference, missing_definitions
from orchestrator.domain.questions.question import Classification, Mode
from tests.fakes.reading import classification_of


def definition(name: str, path: str = "shop/pay.py") -> SymbolRef:
    """Return a function."""
    return SymbolRef(path, name, SymbolKind.FUNCTION, 1, 9)


def source(name: str, text: str = "charge(); refund(); audit()") -> Evidence:
    """Return a function that is shown."""
    return Evidence(name, EvidenceKind.SOURCE, symbol=definition(name), text=text)


def card(name: str, path: str = "shop/pay.py") -> Evidence:
    """Return a function of which only the documentation is shown."""
    return Evidence(f"card of {name}", EvidenceKind.DOC, symbol=definition(name, path), text="Does it.")


def missed(
    evidence: list[Evidence],
    *calls: tuple[str, str],
    question: str = "Why does it fail?",
    mode: Mode = Mode.CONCEPTUAL,
    pass_number: int = 1,
    symbols: tuple[str, ...] = (),
) -> tuple[Gap, ...]:
    """Return what is asked for where each pair of names is a call."""
    references = [Reference(definition(caller), definition(callee), 3) for caller, callee in calls]
    classification = Classification(mode, anchors=Anchors(symbols=symbols))
    return missing_definitions(evidence, references, question, classification, pass_number=pass_number, limit=2)


def names(gaps: tuple[Gap, ...]) -> list[str]:
    """Return the names asked for."""
    return [each.symbol for each in gaps]


def test_what_several_pieces_refer_to_is_asked_for_by_the_first_of_them() -> None:
    """That a later piece calls it, too, makes it no less wanted."""
    calls = (("first", "charge"), ("second", "refund"), ("third", "audit"), ("fourth", "charge"))

    asked = missed([source(each) for each in ("first", "second", "third", "fourth")], *calls)

    assert names(asked) == ["charge", "refund"]
    assert asked[0].description.startswith("`first` calls `charge` at line 3")


def test_what_is_shown_is_not_asked_for() -> None:
    """A definition whose source is there is none that is missing."""
    assert names(missed([source("first"), source("charge", "pass")], ("first", "charge"), ("first", "audit"))) == [
        "audit"
    ]


@pytest.mark.parametrize(("relation", "asked"), [(Relation.HOLDS, []), (Relation.USES, ["bin/till.js"])])
def test_a_path_that_no_evidence_lists_is_asked_for(relation: Relation, asked: list[str]) -> None:
    """Whether it is absent or left out the retriever says."""
    question = "What is in bin/till.js?"
    listing = Evidence("e", EvidenceKind.OUTLINE, users=UserList("bin", relation, None, 0, ()))
    classification = classification_of(question, Mode.CONCEPTUAL)

    gaps = missing_definitions([listing], [], question, classification, pass_number=1)

    assert [each.path for each in gaps] == asked


@pytest.mark.parametrize(("mode", "first"), [(Mode.DIAGNOSTIC, "Refused"), (Mode.CONCEPTUAL, "charge")])
def test_what_fails_is_asked_for_by_what_is_raised(mode: Mode, first: str) -> None:
    """It says more of a failure than what is called; otherwise the one is as good as the other."""
    failing = replace(source("first", "charge()\nraise errors.Refused()"), basis=Basis(BasisKind.RAISES, "Refused"))
    asked = missed([failing], ("first", "charge"), ("first", "Refused"), mode=mode, question="Why is it so slow?")

    assert {each.symbol: each.description.split("`")[2].strip() for each in asked} == {
        "charge": "calls",
        "Refused": "raises",
    }
    assert asked[0].symbol == first


@pytest.mark.parametrize("name", ["charge", "Bank.charge()", "bank.Charge", "step", "shop.Flow.step()"])
def test_what_the_question_names_is_not_missed_where_it_is_shown(name: str) -> None:
    """However it is written, and also where it is but a step of a flow."""
    flow = Evidence("flow", EvidenceKind.FLOW, mentions=(definition("Flow.step"),))

    assert missed([source("Bank.charge"), flow], symbols=(name,), question=f"What of {name}?") == ()


def test_what_the_question_names_is_missed_at_first_only() -> None:
    """If the first fetch did not bring it, no later one would."""
    asked = [missed([source("first")], symbols=("vanish()",), pass_number=number) for number in (1, 2)]

    assert [names(each) for each in asked] == [["vanish()"], []]
    assert asked[0][0].description == "the question names vanish(), which the evidence does not show"


def test_of_what_is_documented_that_is_asked_for_which_the_question_means() -> None:
    """Its anchors say more than the words that it shares with other names, and nothing else is; never code of tests."""
    cards = [card("charge_bank"), card("test_charge", "shop/test_pay.py"), card("go"), card("lonely")]

    asked = missed(cards, symbols=("Robot.Go()",), question="Does Robot.Go() charge?")

    assert [(each.symbol, each.description) for each in asked] == [
        ("go", "`go` is only documented, and its definition is not shown"),
        ("charge_bank", "`charge_bank` is only documented, and its definition is not shown"),
    ]


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/pay.py", True),
        ("shop/test_pay.py", True),
        ("shop/pay_test.go", True),
        ("shop/pay.spec.ts", True),
        ("shop/__tests__/pay.js", True),
        ("shop/PayTest.java", True),
        ("shop/latest.py", False),
        ("shop/Contest.java", False),
        ("shop/inspect.py", False),
    ],
)
def test_tests_explain_nothing_that_code_does(path: str, *, is_test: bool) -> None:
    """They implement what they try out, so that code may seem to call them."""
    asked = missed([card("charge", path)], question="What does a charge cost?")

    assert names(asked) == ([] if is_test else ["charge"])


def test_what_was_searched_for_in_vain_is_not_sufficient() -> None:
    """The judge asks for one definition after the other, and then again: the loop knows that it cannot be found."""
    calls = [Reference(definition("first"), definition(name), 3) for name in ("charge_bank", "refund_bank", "audit")]
    first = source("first", "charge_bank(); refund_bank(); audit()")
    question = "How does the bank charge and refund?"

    def judgement(evidence: list[Evidence], *asked: str) -> Judgement:
        history = [Judgement(number, sub_question=each) for number, each in enumerate(asked, 1)]
        return judge_by_references(evidence, calls, question, Classification(), history)

    charge, refund = (f"How is `{name}` defined in shop/pay.py?" for name in ("charge_bank", "refund_bank"))
    assert judgement([first]) == Judgement(
        1, reasoning="`first` calls `charge_bank` at line 3, and its definition is not shown", sub_question=charge
    )
    assert judgement([first], charge).sub_question == refund
    assert judgement([first], charge, refund).sub_question == charge
    found = judgement([first, source("charge_bank"), source("refund_bank")], charge, refund)
    assert (found.sufficient, found.sub_question) == (True, "")


def test_a_name_of_the_question_that_was_searched_for_in_vain_is_not_shown() -> None:
    """Later searches are for other things, and that all of these are shown does not make up for it."""
    named = Classification(anchors=Anchors(symbols=("vanish",)))
    asked = judge_by_references([source("first")], (), "What of vanish?", named, ())
    again = judge_by_references([source("first")], (), "What of vanish?", named, (asked,))

    assert asked.sub_question == again.sub_question == "How is `vanish` defined?"
    assert not again.sufficient
