"""A feature that nothing in the index speaks of: the answer says so first, and is unsure."""

from __future__ import annotations

import pytest

from orchestrator.domain.answer import Confidence
from orchestrator.domain.confidence import ConfidenceThresholds, grounds, judge_confidence
from orchestrator.domain.evidence import Citation, Evidence, EvidenceKind, Span
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.unheld import unheld_words
from orchestrator.domain.writing.material import Material, label_evidence
from orchestrator.domain.writing.writer import write_answer

APART = "Together in no definition and on no page of the index: “kafka”, “transactions”.\n"
NOWHERE = "In no file of the index: “GraphQL”, “SOAP”.\n"


def told(text: str) -> Evidence:
    """Return what the retriever tells of words."""
    return Evidence("e0", EvidenceKind.METRICS, title="What the index does not hold", text=text)


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("Does it do kafka transactions?", APART, "“kafka” together with “transactions”"),
        ("How do I enable GraphQL or SOAP?", NOWHERE, "“GraphQL” or “SOAP”"),
        ("How do I enable GraphQL?", NOWHERE, ""),
        ("How do I enable GraphQL or SOAP?", "Structure of the whole repository\n", ""),
    ],
)
def test_words_count_where_the_question_has_them_all(question: str, text: str, words: str) -> None:
    """What the session remembers of another question is not said of this one."""
    assert unheld_words(question, [told(text)]) == words


def test_the_answer_says_so_first_and_is_unsure() -> None:
    """What is nearest comes after it, however well it fits."""
    question = "Does it support kafka transactions?"
    page = Evidence("e1", EvidenceKind.DOC, title="Kafka", span=Span("a.md", 1, 4), text="A kafka broker is supported.")
    classification = Classification(Mode.CONCEPTUAL)
    text = "".join(write_answer(Material(question, classification, label_evidence((told(APART), page)), ())))
    citations = [Citation(number, Span("a.md", number, 4), "Kafka", evidence_id="e1") for number in (1, 2)]

    facts = grounds(question, Anchors(), text.replace("[E2]", "[1]"), (told(APART), page), citations, (), ())
    level, why = judge_confidence(facts, ConfidenceThresholds())

    assert text.startswith("Nothing in the indexed code or its documentation speaks of “kafka” together with")
    assert "A kafka broker is supported." in text
    assert (level, why) == (Confidence.LOW, "nothing in the index speaks of “kafka” together with “transactions”.")
