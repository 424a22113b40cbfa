"""The scorer of understanding: what counts as the same intent and the same slots."""

from __future__ import annotations

import pytest
from cgrag.type.v1 import evidence_pb2, question_pb2, understanding_pb2

from cgrag_client.evaluation.cases import UnderstandingCase, WantedPart, parse_understanding
from cgrag_client.evaluation.understanding import judge, score

CALLS = WantedPart(("RELATION",), "CALLS", {"subject": "Bank.pay"})


def given(
    text: str = "Bank.pay",
    relation: evidence_pb2.Relation.ValueType = evidence_pb2.RELATION_CALLS,
    comprehension: understanding_pb2.Comprehension.ValueType = understanding_pb2.COMPREHENSION_FULL,
) -> question_pb2.Classification:
    """Return a reading of "who calls it?" with this subject."""
    slot = understanding_pb2.Slot(kind=understanding_pb2.SLOT_KIND_SUBJECT, text=text)
    part = understanding_pb2.QuestionPart(
        intent=understanding_pb2.INTENT_RELATION, relation=relation, slots=[slot], confidence=0.9
    )
    return question_pb2.Classification(
        understanding=understanding_pb2.Understanding(parts=[part], comprehension=comprehension)
    )


def test_intent_relation_and_slots_must_all_be_right() -> None:
    """A wrong relation is a wrong intent; a wrong slot is a right intent that does not agree."""
    case = UnderstandingCase("g", "Who calls Bank.pay?", (CALLS,))

    right = judge(case, given(), 1.0)
    other = judge(case, given(relation=evidence_pb2.RELATION_TESTS), 1.0)
    without = judge(case, given("Bank.ask"), 1.0)

    assert (right.right_intent, right.right) == (True, True)
    assert (other.right_intent, other.right) == (False, False)
    assert (without.right_intent, without.right) == (True, False)


def test_words_of_a_slot_may_end_otherwise_and_none_may_be_missing() -> None:
    """`retries` and "the retry" are alike; a word too many is not."""
    case = UnderstandingCase("g", "q", (WantedPart(("RELATION",), "CALLS", {"subject": "retries"}),))

    assert judge(case, given("the retry"), 1.0).right
    assert not judge(case, given("retry budget"), 1.0).right


def test_a_second_part_must_be_there() -> None:
    """One part is not enough for a question that asks two things."""
    assert not judge(UnderstandingCase("g", "q", (CALLS, CALLS)), given(), 1.0).right_intent


def test_other_languages_may_be_left_open() -> None:
    """A wrong reading counts as honest where the classifier said that it did not understand."""
    wrong = WantedPart(("OVERVIEW",), "", {})
    case = UnderstandingCase("other languages", "q", (wrong,))

    sure = judge(case, given(), 1.0)
    unsure = judge(case, given(comprehension=understanding_pb2.COMPREHENSION_NONE), 3.0)
    metrics = score([sure, unsure])

    assert (metrics["honest"], metrics["foreign_intents"], metrics["agreement"]) == (0.5, 0.0, None)


def test_case_without_an_intent_is_refused() -> None:
    """A bad line is told, not skipped."""
    with pytest.raises(ValueError, match="intent"):
        parse_understanding({"group": "g", "question": "q", "parts": [{"slots": {}}]})
