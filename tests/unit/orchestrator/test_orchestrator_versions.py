"""Whether an answer speaks of the version that a question asks a yes for."""

from __future__ import annotations

import pytest

from orchestrator.domain.confidence import grounds
from orchestrator.domain.evidence import Citation, Evidence, Span
from orchestrator.domain.question import Anchors


@pytest.mark.parametrize(("said", "title"), [("It speaks WIRE/2.", "Wires"), ("It has a wire.", "Wires > WIRE/2")])
def test_a_version_is_told_by_the_sentence_or_by_the_title_of_what_it_cites(said: str, title: str) -> None:
    """The text below need not say it again."""
    evidence = [Evidence("e", title=title, text="opens a socket")]
    citations = [Citation(1, Span("a.py", 1, 2), title, evidence_id="e")]

    facts = grounds("Does the shop support WIRE/2?", Anchors(), f"{said} [1]", evidence, citations, (), ())

    assert facts.unsaid_version == ""


@pytest.mark.parametrize(
    ("question", "shown", "unsaid"),
    [
        ("Does the shop support WIRE/2?", "speaks WIRE/1.1 and wire", "WIRE/2"),
        ("Does the shop support WIRE/2?", "speaks WIRE/2.0", ""),
        ("Is SAFE 1.3 spoken?", "speaks of what is safe", "SAFE 1.3"),
        ("Is SAFE 1.3 spoken?", "speaks SAFE v1.3", ""),
        ("Why does WIRE/2 fail?", "speaks of wires", ""),
        ("Does a call with Error 500 end?", "ends", ""),
    ],
)
def test_a_yes_to_a_version_needs_one_that_speaks_of_it(question: str, shown: str, unsaid: str) -> None:
    """The name of a protocol without the number that is asked for is another one, or any."""
    evidence = [Evidence("e", title="wire", text=shown)]
    citations = [Citation(1, Span("a.py", 1, 2), "wire", evidence_id="e")]

    facts = grounds(question, Anchors(), "It has a wire. [1]", evidence, citations, (), ())

    assert facts.unsaid_version == unsaid
