"""How far lines of settings carry an answer, by how the question means them."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import Setting, Span
from common.core.contract.understanding import Intent, QuestionPart, Slot, SlotKind, Understanding
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind
from orchestrator.domain.questions.question import Classification, Mode
from orchestrator.domain.writing.sections.values import named_settings, settings
from tests.fakes.reading import classification_of
from tests.unit.orchestrator.writing.test_orchestrator_writing import material


def line(value: str, number: int) -> Evidence:
    """Return a line of settings that gives the port of the server a value."""
    given = Setting(("port",), "server.port", value, number)
    place = Span("conf/shop.yml", number, number)
    return Evidence(f"e{number}", EvidenceKind.SOURCE, span=place, text=f"  port: {value}\n", setting=given)


@pytest.mark.parametrize(
    ("subject", "evidence", "level", "reason"),
    [
        ("server port", (line("80", 3),), Confidence.MEDIUM, "found by words of its name"),
        ("server port", (line("80", 3), line("80", 9)), Confidence.MEDIUM, "found by words of its name"),
        ("server port", (line("80", 3), line("81", 9)), Confidence.LOW, "another may be meant"),
        ("port of the door", (line("80", 3),), Confidence.LOW, "another may be meant"),
    ],
)
def test_a_setting_that_is_described_is_not_certain(
    subject: str, evidence: tuple[Evidence, ...], level: Confidence, reason: str
) -> None:
    """All words of its name and one value make it likely; it is no answer to a question that names one."""
    part = QuestionPart(Intent.VALUE, slots=(Slot(SlotKind.SUBJECT, subject),), confidence=1)
    given = material(Classification(Mode.CONCEPTUAL, understanding=Understanding((part,))), *evidence, question=subject)
    section = settings(given, part)

    assert section is not None
    assert section.support.level is level
    assert reason in section.support.reason
    assert named_settings(given, part) is None


@pytest.mark.parametrize(
    ("evidence", "level", "reason"),
    [
        ((line("80", 3),), Confidence.HIGH, "names the setting"),
        ((line("80", 3), line("80", 9)), Confidence.HIGH, "names the setting"),
        ((line("80", 3), line("81", 9)), Confidence.MEDIUM, "other values"),
        ((line("", 3),), Confidence.MEDIUM, "longer than a line"),
    ],
)
def test_a_setting_that_is_named_is_certain_where_its_lines_agree(
    evidence: tuple[Evidence, ...], level: Confidence, reason: str
) -> None:
    """One value, however often, is high; several, or one that no sentence can hold, are not."""
    question = "What is server.port set to?"
    found = classification_of(question, Mode.CONCEPTUAL)
    given = material(found, *evidence, question=question)
    section = settings(given, found.understanding.parts[0])

    assert section is not None
    assert section.support.level is level
    assert reason in section.support.reason
    assert named_settings(given, found.understanding.parts[0]) == section
