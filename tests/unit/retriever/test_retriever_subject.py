"""The subject of a question: what remains without the words that name its kind."""

from __future__ import annotations

import pytest

from retriever.domain.asked.subject import subject_of, words_of_part
from retriever.domain.question import Mode


@pytest.mark.parametrize(
    ("question", "mode", "subject"),
    [
        (
            "Trace what happens when a request reaches a view",
            Mode.EXPLORATORY,
            "what happens when a request reaches a view",
        ),
        ("Which modules are most coupled to the ORM?", Mode.ANALYTICAL, "to the ORM?"),
        ("Follow trace_id into the Tracer", Mode.EXPLORATORY, "trace_id into the Tracer"),
        ("TRACE a TRACE request", Mode.EXPLORATORY, "a TRACE request"),
        ("Trace a trace", Mode.CONCEPTUAL, "Trace a trace"),
    ],
)
def test_words_that_name_the_kind_go(question: str, mode: Mode, subject: str) -> None:
    """They go whole, and only in the mode whose kind they name."""
    assert subject_of(question, mode).split() == subject.split()


def test_a_question_of_nothing_else_stays() -> None:
    """Something must be searched for."""
    assert subject_of("Which modules are most coupled?", Mode.ANALYTICAL) == "Which modules are most coupled?"


@pytest.mark.parametrize(
    ("question", "is_partial"),
    [
        ("Which modules are most coupled?", False),
        ("What is the architecture of this project?", False),
        ("Are there circular dependencies or god functions in the codebase?", False),
        ("What are the largest classes and what depends on them?", False),
        ("Which modules are most coupled to the ORM?", True),
        ("How well is src/click structured?", True),
        ("Which parts of the owner package are tightly coupled?", True),
    ],
)
def test_a_question_about_the_whole_names_no_part(question: str, is_partial: bool) -> None:
    """Words for structure, and for the repository itself, say nothing of where to look."""
    assert bool(words_of_part(question, Mode.ANALYTICAL)) is is_partial
