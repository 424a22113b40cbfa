"""A feature that nothing in the index speaks of: the answer says so first, and is unsure."""

from __future__ import annotations

import pytest

from orchestrator.domain.answer import Confidence
from orchestrator.domain.confidence import ConfidenceThresholds, grounds, judge_confidence
from orchestrator.domain.evidence import Citation, Evidence, EvidenceKind, Span
from orchestrator.domain.evidence_data import Absence, UnheldWords
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.unheld import unheld_words
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

APART = UnheldWords(("kafka", "transactions"), Absence.TOGETHER)
NOWHERE = UnheldWords(("GraphQL", "SOAP"), Absence.EACH)
OF_A_LATER_RELEASE = UnheldWords(("GraphQL",), Absence.UNSPECIFIED)


def told(words: UnheldWords | None) -> Evidence:
    """Return what the retriever tells of words; None as one of the release before does, in the text alone."""
    text = "In no file of the index: “GraphQL”, “SOAP”.\n"
    return Evidence("e0", EvidenceKind.METRICS, title="What the index does not hold", text=text, unheld=words)


@pytest.mark.parametrize(
    ("question", "unheld", "words"),
    [
        ("Does it do kafka transactions?", APART, "“kafka” together with “transactions”"),
        ("How do I enable GraphQL or SOAP?", NOWHERE, "“GraphQL” or “SOAP”"),
        ("How do I enable GraphQL?", NOWHERE, ""),
        ("How do I enable GraphQL or SOAP?", None, ""),
        ("How do I enable GraphQL or SOAP?", UnheldWords(), ""),
        ("How do I enable GraphQL or SOAP?", OF_A_LATER_RELEASE, ""),
    ],
)
def test_words_count_where_the_question_has_them_all(question: str, unheld: UnheldWords | None, words: str) -> None:
    """What the session remembers of another question is not said of this one, nor what is not told as data."""
    assert unheld_words(question, [told(unheld)]) == words


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
