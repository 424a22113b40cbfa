"""The deterministic engine, with the weights that ship."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from classifier.adapters.reading import read_models
from classifier.domain.anchors import find_anchors
from classifier.domain.modes import GUESS_CONFIDENCE, TOPIC_CONFIDENCE, TRACE_CONFIDENCE, decide
from classifier.domain.reading.understand import Reader
from classifier.domain.values import Mode, Verdict
from common.core.contract.question import Anchors

SHORT = Path(__file__).parent.parent.parent / "golden" / "short_questions.jsonl"


MODELS = read_models()
READER = Reader(MODELS)
_MANY = ", ".join(f"module{number}" for number in range(20))


def decided(question: str) -> Verdict:
    """Return what is decided of a question that was read."""
    return decide(question, find_anchors(question), READER.read(question), MODELS)


def test_short_questions_of_the_kind_that_engineers_type() -> None:
    """At least 95 % get the mode that a person gave them; guards against decline, see the decision record."""
    cases = [json.loads(line) for line in SHORT.read_text(encoding="utf-8").splitlines()]

    wrong = [case["question"] for case in cases if decided(case["question"]).mode is not Mode[case["mode"]]]

    assert len(wrong) <= 0.05 * len(cases), wrong


def test_stack_trace_means_diagnosis() -> None:
    """A text with a stack trace is diagnostic, however it is worded."""
    text = 'What is the architecture here?\n  File "a.py", line 1, in f\n    g()\nKeyError: 1'

    verdict = decided(text)

    assert verdict.mode is Mode.DIAGNOSTIC
    assert verdict.confidence == TRACE_CONFIDENCE


@pytest.mark.parametrize("text", ["Follow how an option is parsed", "trace the request", "Walk me through a login"])
def test_to_trace_or_follow_something_is_to_explore(text: str) -> None:
    """Whatever else the words are about; an error in the text still asks for its cause."""
    verdict = decided(text)
    failing = decided(f"{text}: ValueError: no such user")

    assert verdict.mode is Mode.EXPLORATORY
    assert failing.mode is not Mode.CONCEPTUAL


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        # How something is done and what there is asks for no cause. Failures, flows and qualities may be
        # what the thing is about; longer questions are weighed.
        ("What is the default total timeout of a session?", Mode.CONCEPTUAL),
        ("What is the keepalive_timeout default on the server side?", Mode.CONCEPTUAL),
        ("How long is the connection timeout by default?", Mode.CONCEPTUAL),
        ("How many times is a failed job retried?", Mode.CONCEPTUAL),
        ("What is visibility_timeout?", Mode.CONCEPTUAL),
        ("What does ignore_errors do?", Mode.CONCEPTUAL),
        ("What does is_split_before_bracket do?", Mode.CONCEPTUAL),
        ("How do I retry failed requests automatically?", Mode.CONCEPTUAL),
        ("How do I route tasks to a specific queue?", Mode.CONCEPTUAL),
        ("How can I catch exceptions of a task?", Mode.CONCEPTUAL),
        ("Does it support tabs instead of spaces?", Mode.CONCEPTUAL),
        ("What does server.timeout default to?", Mode.CONCEPTUAL),
        ("What is retry.limit set to?", Mode.CONCEPTUAL),
        ("What handles POST /errors/{id}/retry?", Mode.CONCEPTUAL),
        ("Which method serves `/crash/reports`?", Mode.CONCEPTUAL),
        ("What is DependencyLinker for?", Mode.CONCEPTUAL),
        # A few words of a failure are a report. An exception type, or a word for going wrong, is enough.
        ("KeyError", Mode.DIAGNOSTIC),
        ("It crashes", Mode.DIAGNOSTIC),
        ("login does not work", Mode.DIAGNOSTIC),
        ("session timeout handling fails", Mode.DIAGNOSTIC),
        # An error alone and why one gets it ask for a diagnosis. Whatever its message speaks of.
        ("AttributeError: Use item['id'] = 'a' to set the value of a field", Mode.DIAGNOSTIC),
        ("Why do I get SchemeUnsupported: TLS in TLS requires support for the 'ssl' module", Mode.DIAGNOSTIC),
        ("Why am I seeing a KeyError when modules are coupled by the architecture of packages?", Mode.DIAGNOSTIC),
        ('What causes "the package graph has a cycle"?', Mode.DIAGNOSTIC),
        ("2026-03-02 10:12:13,512 INFO [shop.modules] The package graph is being built", Mode.DIAGNOSTIC),
        ('What does "The package graph is being built" mean?', Mode.DIAGNOSTIC),
        ('Why does it log "The package graph is being built"?', Mode.DIAGNOSTIC),
        ('The command prints "The package graph is being built". Where does that come from?', Mode.DIAGNOSTIC),
        (
            f'Where does the message "the modules {_MANY} clash" come from?',
            Mode.DIAGNOSTIC,
        ),
        ("There is no suitable adapter to dispatch the request", Mode.DIAGNOSTIC),
        ("Unsupported protocol ftp:", Mode.DIAGNOSTIC),
        # What something does is no path to follow. Who describes a function wants to know which it is,
        # whatever it is about.
        ("Which function returns the response to a request, given its path and method?", Mode.CONCEPTUAL),
        ("Is there a helper that follows calls of a module to where they end?", Mode.CONCEPTUAL),
        ("Where is the code that resolves the dependencies of a package?", Mode.CONCEPTUAL),
        # Whether something fails may be asked for its cause. Who says that something does not work reports
        # a failure.
        ("Does it crash, and why?", Mode.DIAGNOSTIC),
        ("Why does the retry not work for failed requests?", Mode.DIAGNOSTIC),
        # What comes of something is a path. What is raised there is where the path begins; an error that is
        # named has a definition.
        ("What happens when a handler raises an exception?", Mode.EXPLORATORY),
        ("What happens if the worker crashes?", Mode.EXPLORATORY),
        ("What happens to running tasks after the queue fails?", Mode.EXPLORATORY),
    ],
)
def test_questions_have_the_mode_of_what_they_want(text: str, mode: Mode) -> None:
    """What is asked for decides, whatever the words speak of."""
    assert decided(text).mode is mode


@pytest.mark.parametrize("text", ["Analyze the folder src/shop", "Please review the bank module", "Assess shop.cart"])
def test_to_analyze_something_is_about_its_quality(text: str) -> None:
    """Unless it is a failure that is to be analyzed."""
    failing = decided(f"{text} and why it crashes")
    verdict = decided(text)

    assert verdict.mode is Mode.ANALYTICAL
    assert failing.mode is Mode.DIAGNOSTIC


@pytest.mark.parametrize("text", ["authentication", "docs for BaseModel", "retry policy", "42"])
def test_a_few_words_that_ask_nothing_are_no_report_of_a_failure(text: str) -> None:
    """They name a topic, and the engine is not sure of more."""
    verdict = decided(text)

    assert (verdict.mode, verdict.confidence) == (Mode.CONCEPTUAL, TOPIC_CONFIDENCE)
    assert "topic" in verdict.reasoning


@pytest.mark.parametrize(
    "text",
    [
        "Hoe werkt de authenticatie in dit project en waar is het gedefinieerd?",
        "\u0412\u043e\u0439\u0442\u0438 \u043d\u0435 \u0443\u0434\u0430\u0451\u0442\u0441\u044f",
        "```python\nx = load(path)\nfor each in x:\n    each.save()\nprint(x.total)\nx.close()\n```",
        "?",
        "... !!",
    ],
)
def test_a_text_without_known_words_gets_a_guess(text: str) -> None:
    """Other languages, bare code and mere signs: whatever the mode, nobody should rely on it."""
    verdict = decided(text)

    assert verdict.confidence == GUESS_CONFIDENCE
    assert "guess" in verdict.reasoning


@pytest.mark.parametrize(
    "text",
    [
        "Warum st\u00fcrzt die Anwendung beim Speichern ab?",
        "\u00bfPor qu\u00e9 falla la conexi\u00f3n con la base de datos al iniciar?",
        "Pourquoi est-ce que la commande plante avec une erreur de segmentation ?",
        "\u4e3a\u4ec0\u4e48\u542f\u52a8\u65f6\u4f1a\u62a5\u9519\uff1f",
        "Die Anzeige bleibt bei 99 % stehen, danach passiert nichts. Kleine Dateien gehen ohne Probleme hoch, 2.3.1.",
    ],
)
def test_failures_are_told_in_languages_that_are_read(text: str) -> None:
    """The intent decides where no word group has the words."""
    verdict = decided(text)

    assert verdict.mode is Mode.DIAGNOSTIC
    assert verdict.confidence > GUESS_CONFIDENCE


def test_an_exception_type_is_known_in_any_language() -> None:
    """A report in another language that names one is a report all the same."""
    text = 'Die Anwendung liefert beim Anmelden "ValueError: no such user"'

    verdict = decided(text)

    assert verdict.mode is Mode.DIAGNOSTIC
    assert verdict.confidence > 0.8


@pytest.mark.parametrize(
    "opening", ["hey, ", "Hi! Can you please tell me ", "I'd like to understand ", "so ", "Does anyone know "]
)
def test_politeness_before_a_question_changes_nothing(opening: str) -> None:
    """Who asks nicely, or without a question mark, gets the mode and nearly the confidence of the bare question."""
    bare, nice = (decided(text) for text in ("how does the cache work", f"{opening}how does the cache work"))

    assert nice.mode is bare.mode is Mode.CONCEPTUAL
    assert abs(nice.confidence - bare.confidence) < 0.1


@pytest.mark.parametrize("unit", ["1", "a", " ", "_", "why ", "hi, ", "\u4e2d", "```\n", "from a to b "])
def test_the_longest_text_takes_milliseconds(unit: str) -> None:
    """Whatever the text is made of, only its beginning is read for its language."""
    text = unit * (100_000 // len(unit))

    understanding = READER.read(text)

    def once() -> float:
        started = time.process_time()
        decide(text, Anchors(), understanding, MODELS)
        return time.process_time() - started

    assert min(once() for _ in range(3)) < 0.04


def test_verdict_says_why_in_one_sentence() -> None:
    """Reasoning is one sentence that names the mode and what the question was read as."""
    verdict = decided("What are the largest files?")

    assert verdict.reasoning == (
        "The question is about structure, quality or design; it was read as a question of sizes."
    )


@pytest.mark.alone
def test_a_question_takes_less_than_two_milliseconds() -> None:
    """The best of many runs, so that a busy machine does not decide: analysis and decision together."""
    question = "How does the request dispatcher in shop/http.py coordinate `Router.match` with the session middleware?"

    def once() -> float:
        started = time.perf_counter()
        decided(question)
        return time.perf_counter() - started

    assert min(once() for _ in range(50)) < 0.002


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        # What runs is a path. These ask for what happens, not for what something is called.
        ("What code runs when a session expires?", Mode.CONCEPTUAL),
        ("Which functions does it go through until it saves?", Mode.CONCEPTUAL),
        # Whether or how something is done is no failure. The failure that these speak of is what the code
        # deals with.
        ("Does flask retry failed requests?", Mode.DIAGNOSTIC),
        ("Will the pool close broken connections?", Mode.DIAGNOSTIC),
        ("How are error handlers found?", Mode.DIAGNOSTIC),
        ("In which order are error handlers looked up?", Mode.DIAGNOSTIC),
        ("How is the error page of a failed request built?", Mode.DIAGNOSTIC),
    ],
)
def test_what_is_only_spoken_of_decides_nothing(text: str, mode: Mode) -> None:
    """Nor does how something runs or fails, where it is what the code is for."""
    assert decided(text).mode is not mode


@pytest.mark.parametrize(
    "question", ["How are the modules coupled?", "Does the bank module depend on the shop module?"]
)
def test_how_parts_stand_to_each_other_is_weighed(question: str) -> None:
    """These are as often about the structure as about what is done."""
    assert decided(question).mode in {Mode.EXPLORATORY, Mode.ANALYTICAL}
