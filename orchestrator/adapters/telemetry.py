"""Observes answers being made: metrics whose labels have fixed values, and log lines."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import structlog

from common.core.contract.evidence import ClaimVerdict, GapOutcome
from common.core.runtime.breaker import BreakerState
from common.observability import tracing
from common.observability.metrics import values_of
from orchestrator.adapters.answer_groups import AnswerGroups
from orchestrator.adapters.engines.model_engine import MODEL_ENGINES
from orchestrator.domain.answers.agreement import Agreement
from orchestrator.domain.answers.answer import StopReason
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    PassFinished,
    PassStarted,
    Started,
    Warned,
)
from orchestrator.domain.evidence.piece import ContextSource, SearchQuality
from orchestrator.domain.questions.question import Mode
from orchestrator.settings import STANDARD

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import Enum

    from common.model.config import RoleModel
    from common.observability.metrics import Metrics
    from orchestrator.domain.answers.agreement import Comparison
    from orchestrator.domain.answers.answer import Answer
    from orchestrator.domain.answers.events import Event
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.evidence.piece import Evidence

_DEGRADED = ("model", "vectors", "findings", "sessions", "classifier", "gaps", "judge")
_LEFT_ALONE = ("classifier", "sessions")
_FOURTH_ON = "4+"
_PASSES = ("1", "2", "3", _FOURTH_ON)
# The last, implicit bucket has the answers with 4 or more passes.
_PASS_BUCKETS = (1, 2, 3)
# Fewer buckets than elsewhere: each has a time series for every combination of mode and stop reason.
_ANSWER_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SESSION_DIGITS = 12
_WAITED_FOR = ("engine", "other")
_KINDS = ("ack", "evidence", "token")
_OUTCOMES = ("completed", "cancelled", "failed")
_TOKEN_BUCKETS = (250, 500, 1000, 2000, 3000, 4000, 5000, 5500, 6000, 8000, 16000)
_log = structlog.get_logger(__name__)


class AnswerTelemetry:
    """Implements the observers of answers, shadows and deadlines."""

    def __init__(
        self, metrics: Metrics, models: Mapping[str, RoleModel | None] | None = None, engine: str = MODEL_ENGINES[0]
    ) -> None:
        self._groups = AnswerGroups(metrics, models or {STANDARD: None}, engine)
        labels = {"outcome": _OUTCOMES, "mode": _names(Mode), "stop_reason": _names(StopReason)} | self._groups.values
        self._passes = metrics.histogram(
            "answer_passes", "Calls of the engine for one answer.", labels, buckets=_PASS_BUCKETS
        )
        self._duration = metrics.histogram(
            "answer_duration_seconds",
            "From request, or from being taken up again, to end.",
            labels,
            buckets=_ANSWER_BUCKETS,
        )
        self._pass_duration = metrics.histogram("pass_duration_seconds", "One call of the engine.", {"pass": _PASSES})
        self._first = metrics.histogram(
            "time_to_first_event_seconds", "From request to the first event of a kind.", {"kind": _KINDS}
        )
        self._own = metrics.histogram("answer_own_seconds", "Time of an answer without its engine.")
        self._overhead = metrics.histogram(
            "orchestrator_overhead_seconds", "Time of an answer outside classifier, retriever and engine."
        )
        self._gaps = metrics.counter("gaps", "Gaps by how their search ended.", {"outcome": _names(GapOutcome)})
        self._context = metrics.histogram(
            "context_tokens", "Evidence of one answer.", {"source": _names(ContextSource)}, buckets=_TOKEN_BUCKETS
        )
        self._claims = metrics.counter("claims", "Claims of answers.", {"verdict": _names(ClaimVerdict)})
        self._citations = metrics.counter("citations", "Citations of answers.", {"verdict": ("checked", "dropped")})
        self._shadows = metrics.counter(
            "answers_shadow", "Answers made a second time.", {"agreement": values_of(Agreement)}
        )
        self._deadlines = metrics.counter(
            "answer_deadlines",
            "Calls of Ask whose deadline passed, by what they waited for: the answering engine, or all else.",
            {"waiting_for": _WAITED_FOR},
        )
        self._degraded = metrics.counter("degraded_answers", "Answers that lacked something.", {"reason": _DEGRADED})
        self._evictions = metrics.counter("session_evictions", "Evidence that sessions dropped.", {"reason": ("lru",)})
        self._running = metrics.gauge("answers_in_flight", "Answers being made.")
        self._sessions = metrics.gauge("sessions", "Sessions that are not expired.")
        self._breaker = metrics.gauge(
            "dependency_breaker_state", "0 closed, 1 half open, 2 open.", {"dependency": _LEFT_ALONE}
        )
        self._breakers = dict.fromkeys(_LEFT_ALONE, BreakerState.CLOSED)
        for name in _LEFT_ALONE:
            self._breaker.set(BreakerState.CLOSED.value, dependency=name)

    def begin(self, record: AnswerRecord) -> None:
        """Bind the answer, and a hash of its session, to the log events of the rest of this task."""
        name = record.question.session_id
        session = hashlib.sha256(name.encode()).hexdigest()[:_SESSION_DIGITS] if name else ""
        structlog.contextvars.bind_contextvars(answer_id=record.answer_id, session=session)

    def observe_event(self, event: Event, seconds: float) -> None:
        """Record an event, `seconds` after the request."""
        match event:
            case Started():
                self._first.observe(seconds, kind="ack")
            case Classified():
                _classified(event)
            case EvidenceSupplied():
                self._supplied(event, seconds)
            case PassStarted():
                structlog.contextvars.bind_contextvars(pass_number=event.pass_number)
            case PassFinished():
                self._pass_ended(event)
            case GapsFound():
                _log.info("gaps.named", pass_number=event.pass_number, count=len(event.gaps))
            case GapResolved():
                self._gap_ended(event)
            case Warned():
                _log.info("answer.warned", code=event.code)
            case Completed():
                self._completed(event.answer)

    def first_text(self, seconds: float) -> None:
        """Record that an answer's first text was written, `seconds` after the request."""
        self._first.observe(seconds, kind="token")

    def stopped(self, state: AnswerState, error: BaseException | None, seconds: float) -> None:
        """Record an answer that failed before it was complete, or was cancelled (`error` is None)."""
        outcome = "failed" if error else "cancelled"
        labels = {
            "outcome": outcome,
            "mode": _name(state.classification.mode),
            "stop_reason": _name(StopReason.UNSPECIFIED),
            **self._groups.labels(
                state.started.variant if state.started else "",
                state.started.engine if state.started else "",
                state.passes[-1].end.model if state.passes else "",
            ),
        }
        self._passes.observe(len(state.passes), **labels)
        self._duration.observe(seconds, **labels)
        _log.info(
            "answer.stopped",
            outcome=outcome,
            passes=len(state.passes),
            error_type=type(error).__name__ if error else "",
        )

    def deadline_passed(self, *, engine_runs: bool) -> None:
        """Count a call whose deadline passed; `engine_runs` if it was waiting for the answering engine."""
        self._deadlines.add(1, waiting_for="engine" if engine_runs else "other")

    def rated(self, rating: int, answer: Answer | None) -> None:
        """Record the first rating of an answer; `answer` is None if it is not complete."""
        self._groups.rated(rating, answer)

    def shadow_completed(self, served: Answer, shadow: Answer, comparison: Comparison) -> None:
        """Record a completed shadow and how far it agrees with the served answer."""
        self._shadows.add(1, agreement=comparison.agreement.value)
        _log.info(
            "shadow.compared",
            agreement=comparison.agreement.value,
            files=round(comparison.files, 3),
            symbols=None if comparison.symbols is None else round(comparison.symbols, 3),
            served=_named_figures(served),
            shadow=_named_figures(shadow),
        )

    def shadow_failed(self, answer_id: str, reason: str) -> None:
        """Record a failed shadow; the reason is "model" or the type of an error."""
        self._shadows.add(1, agreement=Agreement.FAILED.value)
        _log.warning("shadow.failed", answer_id=answer_id, reason=reason)

    def shadow_dropped(self, reason: str) -> None:
        """Record a shadow that was given up; the reason is "busy", "kill_switch" or "stopping"."""
        _log.info("shadow.dropped", reason=reason)

    def evicted(self, count: int) -> None:
        """Count pieces of evidence that sessions dropped."""
        self._evictions.add(count, reason="lru")

    def running(self, answers: int) -> None:
        """Set the number of answers being made."""
        self._running.set(answers)

    def sessions(self, count: int) -> None:
        """Set the number of sessions that are not expired."""
        self._sessions.set(count)

    def breaker(self, dependency: str, state: BreakerState) -> None:
        """Record the state of an optional dependency's circuit breaker: of "classifier" or "sessions"."""
        self._breaker.set(state.value, dependency=dependency)
        before, self._breakers[dependency] = self._breakers[dependency], state
        if state is BreakerState.OPEN and before is BreakerState.CLOSED:
            _log.warning("dependency.circuit_open", dependency=dependency)
        elif state is BreakerState.CLOSED and before is not BreakerState.CLOSED:
            _log.info("dependency.answers_again", dependency=dependency)

    def _supplied(self, event: EvidenceSupplied, seconds: float) -> None:
        if event.pass_number == 1:
            self._first.observe(seconds, kind="evidence")
        if event.snapshot is not None:
            structlog.contextvars.bind_contextvars(snapshot=event.snapshot.snapshot_id)
        figures = {
            "evidence": len(event.evidence),
            "tokens": sum(each.tokens for each in event.evidence),
            "from_session": event.from_session,
        }
        quality = event.quality or SearchQuality()
        _log.info(
            "query.answered",
            pass_number=event.pass_number,
            **figures,
            ran=quality.ran,
            skipped=len(quality.skipped),
            found=quality.found,
            milliseconds=round(event.milliseconds, 1),
        )
        tracing.record("answer.retrieve", event.milliseconds / 1000, pass_number=event.pass_number, **figures)

    def _gap_ended(self, event: GapResolved) -> None:
        outcome = _name(event.result.outcome)
        self._gaps.add(1, outcome=outcome)
        _log.info("gaps.ended", pass_number=event.pass_number, outcome=outcome, step=event.result.step)

    def _pass_ended(self, event: PassFinished) -> None:
        number = str(event.pass_number)
        self._pass_duration.observe(event.milliseconds / 1000, **{"pass": number if number in _PASSES else _FOURTH_ON})
        if event.dropped_labels:
            self._citations.add(event.dropped_labels, verdict="dropped")
        figures: dict[str, str | int] = {
            "pass_number": event.pass_number,
            "engine": event.engine,
            "model": event.model,
            "input_tokens": event.usage.input_tokens,
            "output_tokens": event.usage.output_tokens,
        }
        _log.info("answer.pass_finished", **figures, milliseconds=round(event.milliseconds, 1))
        tracing.record("answer.pass", event.milliseconds / 1000, **figures)

    def _completed(self, answer: Answer) -> None:
        numbers = answer.metadata
        labels = {
            "outcome": "completed",
            "mode": _name(answer.classification.mode),
            "stop_reason": _name(numbers.stop_reason),
            **self._groups.of(answer),
        }
        self._passes.observe(numbers.passes, **labels)
        self._duration.observe((numbers.total_ms - numbers.taken_up_after_ms) / 1000, **labels)
        self._groups.completed(answer)
        if not numbers.taken_up_after_ms:  # its stages may have run before it was resumed
            self._own.observe(max(0.0, numbers.total_ms - numbers.engine_ms) / 1000)
            elsewhere = numbers.classification_ms + numbers.retrieval_ms + numbers.engine_ms
            self._overhead.observe(max(0.0, numbers.total_ms - elsewhere) / 1000)
        for source, tokens in _tokens_by_source(answer.evidence).items():
            self._context.observe(tokens, source=_name(source))
        for claim in answer.claims:
            self._claims.add(1, verdict=_name(claim.verdict))
        self._citations.add(len(answer.citations), verdict="checked")
        for name in answer.degraded:
            self._degraded.add(1, reason=name)
        uses = numbers.context_use
        _log.info(
            "budget.used",
            tokens={_name(each.source): each.used_tokens for each in uses},
            limits={_name(each.source): each.limit_tokens for each in uses},
        )
        _log.info(
            "answer.completed",
            snapshot=answer.snapshot_id,
            **_figures(answer),
        )


def _classified(event: Classified) -> None:
    found = event.classification
    labels = {"mode": _name(found.mode), "engine": _name(found.engine)}
    confidence = round(found.confidence, 3)
    _log.info("classification.taken", **labels, confidence=confidence, milliseconds=round(event.milliseconds, 1))
    tracing.record("answer.classify", event.milliseconds / 1000, **labels)


def _figures(answer: Answer) -> dict[str, str | float]:
    numbers = answer.metadata
    return {
        "engine": answer.engine,
        "confidence": _name(answer.confidence),
        "stop_reason": _name(numbers.stop_reason),
        "passes": numbers.passes,
        "citations": len(answer.citations),
        "gaps_unresolved": numbers.gaps_unresolved,
        "input_tokens": numbers.usage.input_tokens,
        "output_tokens": numbers.usage.output_tokens,
        "milliseconds": round(numbers.total_ms, 1),
    }


def _named_figures(answer: Answer) -> dict[str, str | float]:
    named = {"answer_id": answer.answer_id, "variant": answer.variant, "model": answer.model}
    return {**named, **_figures(answer)}


def _tokens_by_source(evidence: tuple[Evidence, ...]) -> dict[ContextSource, int]:
    sums: dict[ContextSource, int] = {}
    for each in evidence:
        sums[each.source] = sums.get(each.source, 0) + each.tokens
    return sums


def _name(member: Enum) -> str:
    return member.name.lower()


def _names(enum: type[Enum]) -> tuple[str, ...]:
    return tuple(_name(member) for member in enum)
