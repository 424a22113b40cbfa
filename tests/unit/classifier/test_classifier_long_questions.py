"""Long questions, with the story that people tell around them, are read by the sentences that ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from classifier.adapters.reading import read_models
from classifier.domain.reading.understand import Reader
from common.core.contract.understanding import Comprehension, Intent
from scripts.phrasings import read_sample

LONG = Path(__file__).parents[2] / "golden" / "understanding" / "long_questions.jsonl"


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return the reader as it ships."""
    return Reader(read_models())


def test_long_questions_are_read_by_what_they_ask(reader: Reader) -> None:
    """Two in three of 113 that the weights were not fitted on, with the story that people tell around a question."""
    samples = [read_sample(line) for line in LONG.read_text(encoding="utf-8").splitlines()]
    right = [
        sample.label.partition(".")[0] in {part.intent.name for part in reader.read(sample.text).parts}
        for sample in samples
    ]

    assert sum(right) / len(samples) >= 0.65


def test_what_a_question_refers_to_is_read_with_it(reader: Reader) -> None:
    """The sentence before has the message that it asks about; what tells why is no part."""
    (asked, *_) = reader.read('The command prints "lease is lost". Where does that come from?').parts
    (alone,) = reader.read("We moved to a new host last week and everything is slow. Who calls Session.send?").parts

    assert asked.intent is Intent.MESSAGE
    assert (alone.intent, alone.start) == (Intent.RELATION, 57)


def test_a_long_question_is_understood_in_part(reader: Reader) -> None:
    """As many of them are misread; one that quotes a message is exact however long it is."""
    story = "We moved to a new host last week, and since then all nightly jobs are slow. It is worse each day"
    more = "and nobody of us knows why"
    short = reader.read("Who calls Session.send?")
    long = reader.read(f"{story}, {more}. Who calls Session.send?")

    assert short.comprehension is Comprehension.FULL
    assert long.comprehension is Comprehension.PARTIAL
