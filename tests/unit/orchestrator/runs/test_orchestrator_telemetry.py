"""What operators see of answers: metrics with closed labels."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import structlog

from common.core.contract.evidence import CheckedClaim, Claim, ClaimKind, ClaimVerdict, Gap, GapOutcome, Span
from common.core.contract.usage import TokenUsage
from common.core.runtime.breaker import BreakerState
from common.model.config import RoleModel
from common.observability.metrics import Metrics
from orchestrator.adapters.telemetry import AnswerTelemetry
from orchestrator.domain.answers.answer import Answer, Confidence, LoopMetadata, StopReason
from orchestrator.domain.answers.events import Completed, EvidenceSupplied, GapResolved, PassFinished, Started
from orchestrator.domain.answers.state import AnswerState
from orchestrator.domain.evidence.piece import Citation, ContextSource, Evidence, GapResult, SearchQuality
from orchestrator.domain.questions.question import Classification, Mode

NUMBERS = LoopMetadata(passes=2, stop_reason=StopReason.NOTHING_ASKED, classification_ms=10, retrieval_ms=90)
CODE = Evidence("e1", source=ContextSource.CODE, tokens=300)
ANSWER = Answer(
    answer_id="a",
    repository="secret-repository",
    snapshot_id="s",
    session_id="ses",
    question="a secret question",
    text="text",
    citations=(Citation(1, Span("a.py", 1, 2)),),
    confidence=Confidence.HIGH,
    confidence_reason="",
    disclaimer="",
    classification=Classification(Mode.DIAGNOSTIC),
    quality=SearchQuality(),
    metadata=replace(NUMBERS, total_ms=500, engine_ms=390),
    gaps=(),
    claims=(CheckedClaim(Claim(ClaimKind.EXISTS, "x"), ClaimVerdict.VERIFIED),),
    degraded=("model",),
    engine="evidence",
    model="",
    sufficiency=None,
    complete_time=datetime(2026, 1, 1, tzinfo=UTC),
    evidence=(CODE, replace(CODE, evidence_id="e2", tokens=50)),
)


WHOLE = (
    'engine="evidence",mode="diagnostic",model="none",outcome="completed",stop_reason="nothing_asked",'
    'variant="standard"'
)


def test_an_answer_that_was_taken_up_again_counts_the_time_since() -> None:
    """A reader who comes back tomorrow makes no slow answer; what parts took before is no part of that time."""
    metrics = Metrics("orchestrator")
    numbers = replace(ANSWER.metadata, total_ms=86_400_500, taken_up_after_ms=86_400_000)
    AnswerTelemetry(metrics).observe_event(Completed(replace(ANSWER, metadata=numbers)), 0.5)
    text = metrics.text()

    assert f"cgrag_answer_duration_seconds_sum{{{WHOLE}}} 0.5" in text
    assert "cgrag_orchestrator_overhead_seconds_count 0.0" in text


def test_a_whole_answer_is_counted() -> None:
    """Passes, durations, gaps, claims, citations, context and degradation show up under their names."""
    metrics = Metrics("orchestrator")
    telemetry = AnswerTelemetry(metrics)

    telemetry.observe_event(Started("a"), 0.01)
    telemetry.observe_event(EvidenceSupplied(1), 0.2)
    telemetry.first_text(0.3)
    telemetry.observe_event(PassFinished(1, milliseconds=195, dropped_labels=2), 0.4)
    telemetry.observe_event(GapResolved(1, GapResult(Gap(), GapOutcome.ABSENT)), 0.4)
    telemetry.observe_event(Completed(ANSWER), 0.5)
    telemetry.rated(5, ANSWER)

    text = metrics.text()
    for line in (
        f"cgrag_answer_passes_sum{{{WHOLE}}} 2.0",
        'cgrag_answer_confidence_total{confidence="high",engine="evidence",model="none",variant="standard"} 1.0',
        f"cgrag_answer_duration_seconds_sum{{{WHOLE}}} 0.5",
        'cgrag_pass_duration_seconds_sum{pass="1"} 0.195',
        'cgrag_time_to_first_event_seconds_count{kind="ack"} 1.0',
        'cgrag_time_to_first_event_seconds_count{kind="evidence"} 1.0',
        'cgrag_time_to_first_event_seconds_count{kind="token"} 1.0',
        'cgrag_gaps_total{outcome="absent"} 1.0',
        'cgrag_context_tokens_sum{source="code"} 350.0',
        'cgrag_claims_total{verdict="verified"} 1.0',
        'cgrag_citations_total{verdict="checked"} 1.0',
        'cgrag_citations_total{verdict="dropped"} 2.0',
        'cgrag_degraded_answers_total{reason="model"} 1.0',
        'cgrag_answer_rating_total{engine="evidence",model="none",rating="5",variant="standard"} 1.0',
    ):
        assert line in text
    assert metrics.registry.get_sample_value("cgrag_orchestrator_overhead_seconds_sum") == 0.01
    assert metrics.registry.get_sample_value("cgrag_answer_own_seconds_sum") == 0.11


def test_groups_of_answers_are_told_apart_by_engine_and_model() -> None:
    """A model counts by its name in the settings, whatever endpoints add to that; others are one group."""
    metrics = Metrics("orchestrator")
    big = RoleModel("big", input_usd_per_million=3.0, output_usd_per_million=15.0)
    telemetry = AnswerTelemetry(metrics, {"standard": big})
    usage = TokenUsage(1000, 100, 500)
    for model in ("big", "big-20260101", "small"):
        answer = replace(ANSWER, engine="anthropic", model=model, metadata=replace(NUMBERS, usage=usage))
        telemetry.observe_event(Completed(answer), 0.5)
        telemetry.rated(4, answer)
    value = metrics.registry.get_sample_value
    group = {"variant": "standard", "engine": "anthropic", "model": "big"}

    assert value("cgrag_answer_tokens_total", {"kind": "input", **group}) == 2000
    assert value("cgrag_answer_tokens_total", {"kind": "cache_read", **group}) == 1000
    assert value("cgrag_answer_cost_usd_total", group) == pytest.approx(2 * 0.00465)
    assert value("cgrag_answer_rating_total", {"rating": "4", **group}) == 2
    assert value("cgrag_answer_rating_total", {"rating": "4", **group, "model": "other"}) == 1
    assert value("cgrag_answer_rating_total", {"rating": "1", **group}) == 0
    assert value("cgrag_answer_cost_usd_total", {**group, "model": "other"}) == pytest.approx(0.00465)


def test_variants_of_one_model_are_told_apart() -> None:
    """Each by its name and its own prices; a variant that the settings do not serve any more is one of the others."""
    metrics = Metrics("orchestrator")
    cheap, dear = (RoleModel("big", input_usd_per_million=each) for each in (1.0, 4.0))
    telemetry = AnswerTelemetry(metrics, {"standard": cheap, "prompts": dear})
    numbers = replace(NUMBERS, usage=TokenUsage(1_000_000))
    for variant in ("", "prompts", "gone"):
        answer = replace(ANSWER, engine="anthropic", model="big", variant=variant, metadata=numbers)
        telemetry.observe_event(Completed(answer), 0.5)
        telemetry.rated(2, answer)
    value = metrics.registry.get_sample_value
    group = {"engine": "anthropic", "model": "big"}
    costs = [
        value("cgrag_answer_cost_usd_total", {**group, "variant": each}) for each in ("standard", "prompts", "other")
    ]
    rated = [
        value("cgrag_answer_rating_total", {**group, "variant": each, "rating": "2"}) for each in ("prompts", "other")
    ]

    assert costs == [1.0, 4.0, 0.0]
    assert rated == [1.0, 1.0]


def test_an_answer_that_stops_early_is_counted_by_how() -> None:
    """Cancelled and failed answers are told apart."""
    metrics = Metrics("orchestrator")
    telemetry = AnswerTelemetry(metrics)

    telemetry.stopped(AnswerState(), None, 1.0)
    telemetry.stopped(AnswerState(), RuntimeError("x"), 1.0)

    for outcome in ("cancelled", "failed"):
        reason = 'stop_reason="unspecified",variant="standard"'
        labels = f'engine="none",mode="unspecified",model="none",outcome="{outcome}",{reason}'
        assert f"cgrag_answer_duration_seconds_sum{{{labels}}} 1.0" in metrics.text()
        assert f"cgrag_answer_passes_count{{{labels}}} 1.0" in metrics.text()


def test_passes_are_told_apart_up_to_four() -> None:
    """One, two, three, and more."""
    metrics = Metrics("orchestrator")
    telemetry = AnswerTelemetry(metrics)
    for passes in (1, 1, 2, 3, 4, 10):
        numbers = replace(NUMBERS, passes=passes)
        telemetry.observe_event(Completed(replace(ANSWER, metadata=numbers)), 0.5)
    found = [
        (sample.labels["le"], sample.value)
        for family in metrics.registry.collect()
        if family.name == "cgrag_answer_passes"
        for sample in family.samples
        if sample.name.endswith("_bucket")
    ]

    assert found == [("1.0", 2.0), ("2.0", 3.0), ("3.0", 4.0), ("+Inf", 6.0)]


def test_labels_hold_nothing_of_a_caller() -> None:
    """Whatever is asked about whatever repository, the series stay the same."""
    metrics = Metrics("orchestrator")
    telemetry = AnswerTelemetry(metrics)
    telemetry.observe_event(Completed(ANSWER), 0.5)
    before = metrics.text().count("\n")
    for number in range(100):
        telemetry.observe_event(
            Completed(replace(ANSWER, repository=f"repository-{number}", degraded=(f"x{number}",))), 0.5
        )

    assert "secret" not in metrics.text()
    assert metrics.text().count("\n") <= before + 1


def test_what_is_left_alone_is_shown_and_told_once() -> None:
    """By its name; again only when it has answered meanwhile."""
    metrics = Metrics("orchestrator")
    telemetry = AnswerTelemetry(metrics)
    line = 'cgrag_dependency_breaker_state{dependency="classifier"} '
    shown = []
    with structlog.testing.capture_logs() as lines:
        for state in (BreakerState.CLOSED, BreakerState.OPEN, BreakerState.OPEN, BreakerState.CLOSED):
            telemetry.breaker("classifier", state)
            shown.append(line + f"{state.value:.1f}" in metrics.text())

    assert all(shown)
    assert [each["event"] for each in lines] == ["dependency.circuit_open", "dependency.answers_again"]
    assert 'dependency="sessions"} 0.0' in metrics.text()
