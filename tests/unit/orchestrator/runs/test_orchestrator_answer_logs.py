"""What the log says of an answer: who can be told apart, what each step did, and no text of anybody."""

from __future__ import annotations

import io
import json
import logging as stdlib_logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import structlog

from common.core.clock import SystemClock
from common.core.contract.evidence import Gap, GapOutcome
from common.core.contract.usage import TokenUsage
from common.observability import logging
from common.observability.metrics import Metrics
from orchestrator.adapters.telemetry import AnswerTelemetry
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    PassFinished,
    PassStarted,
)
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.domain.evidence.piece import BudgetUse, ContextSource, GapResult, SearchQuality, SnapshotInfo
from orchestrator.domain.questions.question import Classification, ClassifierEngine, Mode
from tests.unit.orchestrator.runs.test_orchestrator_telemetry import ANSWER, CODE

TOPICS = ("classification", "query", "gaps", "budget")
GAP = Gap("g1-1", "a secret wish", "secret_symbol", "secret.py")
EVENTS = (
    Classified(Classification(Mode.DIAGNOSTIC, 0.9, "secret reasoning", engine=ClassifierEngine.RULES), 1.5),
    EvidenceSupplied(
        1,
        (CODE,),
        from_session=1,
        snapshot=SnapshotInfo("snap-1"),
        quality=SearchQuality(("lexical",), ("vectors: away",), 9, 1),
        budget_use=(BudgetUse(ContextSource.CODE, 2000, 300),),
        milliseconds=20,
    ),
    PassStarted(1),
    GapsFound(1, (GAP,)),
    PassFinished(1, TokenUsage(100, 20), 30, "anthropic", "big"),
    GapResolved(1, GapResult(GAP, GapOutcome.ABSENT, step="symbol")),
    Completed(ANSWER),
)


@contextmanager
def logged(muted: Collection[str] = ()) -> Iterator[list[dict[str, Any]]]:
    """Collect what is logged, as it is written."""
    root = stdlib_logging.getLogger()
    handlers, level = root.handlers[:], root.level
    out = io.StringIO()
    logging.configure("orchestrator", muted=muted, stream=out)
    lines: list[dict[str, Any]] = []
    try:
        with structlog.contextvars.bound_contextvars():
            yield lines
    finally:
        structlog.contextvars.clear_contextvars()
        structlog.reset_defaults()
        root.handlers[:] = handlers
        root.setLevel(level)
        lines += [json.loads(line) for line in out.getvalue().splitlines()]


def one_answer(muted: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the lines of an answer from its begin to its end."""
    telemetry = AnswerTelemetry(Metrics("orchestrator"))
    question = Question("secret-repository", "a secret question", session_id="ses_secret")
    with logged(muted) as lines:
        telemetry.begin(AnswerRecord("ans_1", "ann", question, "", SystemClock().now()))
        for event in EVENTS:
            telemetry.observe_event(event, 0.1)
    return lines


def test_every_line_tells_answers_sessions_and_snapshots_apart() -> None:
    """The session by a hash that names it to nobody; the pass from its begin on."""
    lines = one_answer()
    sessions = {line["session"] for line in lines}
    [session] = sessions

    assert {line["answer_id"] for line in lines} == {"ans_1"}
    assert len(session) == 12
    assert "ses_secret" not in json.dumps(lines)
    assert {line["snapshot"] for line in lines if line["event"] != "classification.taken"} == {"snap-1", "s"}
    assert [line["pass_number"] for line in lines if line["event"] == "answer.pass_finished"] == [1]


def test_each_step_is_a_line_with_its_figures_and_no_text() -> None:
    """Classification, query, gaps and budget each under a topic of their own."""
    lines = {line["event"]: line for line in one_answer()}
    text = json.dumps(list(lines.values()))

    assert list(lines) == [
        "classification.taken",
        "query.answered",
        "gaps.named",
        "answer.pass_finished",
        "gaps.ended",
        "budget.used",
        "answer.completed",
    ]
    assert (lines["classification.taken"]["mode"], lines["classification.taken"]["engine"]) == ("diagnostic", "rules")
    query = lines["query.answered"]
    assert (query["evidence"], query["tokens"], query["from_session"], query["found"]) == (1, 300, 1, 9)
    assert (query["ran"], query["skipped"]) == (["lexical"], 1)
    finished = lines["answer.pass_finished"]
    assert (finished["input_tokens"], finished["output_tokens"], finished["model"]) == (100, 20, "big")
    assert (lines["gaps.named"]["count"], lines["gaps.ended"]["outcome"]) == (1, "absent")
    assert lines["budget.used"]["tokens"] == {}
    assert "secret" not in text


@pytest.mark.parametrize("topic", TOPICS)
def test_each_topic_can_be_switched_off(topic: str) -> None:
    """As `log_muted` says: its lines go, and no others."""
    everything = [line["event"] for line in one_answer()]
    rest = [line["event"] for line in one_answer([topic])]

    assert rest == [event for event in everything if event.partition(".")[0] != topic]
    assert len(rest) < len(everything)
