"""Long questions, with the story that people tell around them, are read by the sentences that ask."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from classifier.adapters.reading import read_models
from classifier.domain.modes import decide
from classifier.domain.reading.understand import Models, Reader
from classifier.usecases.analyze import analyze
from common.core.contract.understanding import Comprehension, Intent
from scripts.phrasings import read_sample

GOLDEN = Path(__file__).parents[2] / "golden" / "understanding"
LONG = GOLDEN / "long_questions.jsonl"


@pytest.fixture(scope="module")
def models() -> Models:
    """Return the models as they ship."""
    return read_models()


@pytest.fixture(scope="module")
def reader(models: Models) -> Reader:
    """Return the reader as it ships."""
    return Reader(models)


def test_long_questions_are_read_by_what_they_ask(reader: Reader) -> None:
    """seven in ten of 113 that the weights were not fitted on, with the story that people tell around a question."""
    samples = [read_sample(line) for line in LONG.read_text(encoding="utf-8").splitlines()]
    right = [
        sample.label.partition(".")[0] in {part.intent.name for part in reader.read(sample.text).parts}
        for sample in samples
    ]

    assert sum(right) / len(samples) >= 0.65


def test_questions_and_reports_of_people_have_their_mode_and_intent(reader: Reader, models: Models) -> None:
    """Four in five of 504 whose sources the weights were not fitted on; the intents of two in three are right."""
    lines = (GOLDEN / "people.jsonl").read_text(encoding="utf-8").splitlines()
    modes, intents = [], []
    for line, case in ((each, json.loads(each)) for each in lines):
        text = read_sample(line).text
        reading = reader.read(text)
        modes.append(decide(text, analyze(text).anchors, reading, models).mode.name == case["mode"])
        intents.append(case["label"].partition(".")[0] in {part.intent.name for part in reading.parts})

    assert sum(modes) / len(modes) >= 0.78
    assert sum(intents) / len(intents) >= 0.62


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
