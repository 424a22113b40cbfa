"""Composition root of the orchestrator. The only module that names adapters."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from common.core.clock import SystemClock
from common.core.ids import RandomIds
from common.core.runtime.allocator import use_one_arena
from common.core.words.tokens import BpeTokenCounter
from common.model.redaction import open_redact
from common.observability import tracing
from common.observability.metrics import Metrics
from common.rpc.access.opening import open_access, share_counts
from common.rpc.callers import set_caller
from common.rpc.client.deadlines import extend_deadline, remaining, start_deadline
from common.rpc.paging import PageTokens
from common.rpc.removals import FollowRemovals
from common.rpc.serving.lifecycle import run_beside, run_until_stopped
from common.rpc.serving.server import build_server
from common.rpc.tls import peer_credentials
from orchestrator.adapters.engines.evidence_engine import EvidenceEngine, RulesJudge
from orchestrator.adapters.engines.model_engine import ModelEngine, ModelJudge
from orchestrator.adapters.engines.models import ROLLOUT, SERVED, SHADOW, answering_models, open_models
from orchestrator.adapters.engines.prompts import AnswerPrompt, GapForm, JudgePrompt
from orchestrator.adapters.engines.recorded import Player
from orchestrator.adapters.engines.rollout import Rollout
from orchestrator.adapters.peers.classifier import ClassifierClient
from orchestrator.adapters.peers.freshness import FreshnessClient
from orchestrator.adapters.peers.replicas import Replicas
from orchestrator.adapters.peers.retriever import RetrieverClient
from orchestrator.adapters.spending.opening import open_spending
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers, open_answers
from orchestrator.adapters.stores.sqlite_sessions import SqliteSessions, open_sessions
from orchestrator.adapters.stores.visible import VisibleFeedback, VisibleRecords, VisibleSessions
from orchestrator.adapters.telemetry import AnswerTelemetry
from orchestrator.adapters.turns import Turns
from orchestrator.domain.questions.question import Strategy
from orchestrator.rpc.rules import RULES
from orchestrator.rpc.servicer import OrchestratorServicer, UseCases, registration
from orchestrator.usecases.answering.asking import Asking
from orchestrator.usecases.answering.classifying import Classifying
from orchestrator.usecases.answering.completing import Completing
from orchestrator.usecases.answering.context import AnsweringSettings
from orchestrator.usecases.answering.driver import AnswerDriver, Steps
from orchestrator.usecases.answering.judging import Judging
from orchestrator.usecases.answering.retrieving import Retrieving
from orchestrator.usecases.answers import GetAnswer, ManageAnswers
from orchestrator.usecases.ask import Ask
from orchestrator.usecases.checking import CheckText
from orchestrator.usecases.explain import Explain
from orchestrator.usecases.replay_answer import ReplayAnswer
from orchestrator.usecases.runs import Runs, RunSettings
from orchestrator.usecases.sessions import ManageSessions
from orchestrator.usecases.shadows.get_shadow import GetShadow
from orchestrator.usecases.shadows.shadowing import ShadowLimits, Shadows
from orchestrator.usecases.shadows.stand_ins import FrozenMemory, NullObserver

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.clock import Clock
    from common.model.client import ModelClient
    from common.rpc.access.opening import Access
    from common.rpc.callers import Caller
    from common.rpc.serving.server import Server
    from orchestrator.adapters.engines.models import Roles
    from orchestrator.adapters.spending.sqlite import SqliteSpending
    from orchestrator.adapters.spending.valkey import ValkeySpending
    from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
    from orchestrator.adapters.stores.valkey_sessions import ValkeySessions
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.domain.questions.sessions import SessionMemory
    from orchestrator.ports import (
        AnswerEngine,
        AnswerRecords,
        Debts,
        Feedback,
        KillSwitch,
        SessionMemories,
        SessionStore,
    )
    from orchestrator.ports import SufficiencyJudge as Judge
    from orchestrator.settings import OrchestratorSettings
    from orchestrator.usecases.feed import AnswerFeed
    from orchestrator.usecases.replay_answer import Play, Plays


# Renewals of a lease within its duration; requests of other replicas are read as often.
_SAID_WITHIN_A_HOLD = 10


async def serve(settings: OrchestratorSettings) -> None:
    """Serve until the process is stopped."""
    use_one_arena()
    async with AsyncExitStack() as stack:
        await run_until_stopped(build(settings, stack))


def build(settings: OrchestratorSettings, stack: AsyncExitStack) -> Server:
    """Build the server; `stack` closes what it opens, in reverse."""
    metrics = Metrics("orchestrator")
    parts = _open(settings, metrics, stack)
    shared = share_counts(settings, settings.session_store_url, "session_store_url", "orchestrator", stack)
    access = open_access(settings, metrics, RULES, calls_others=True, spending=parts.spending, shared=shared)
    spent = parts.spending.add if parts.spending is not None else lambda _: None
    client = open_models(settings, metrics, parts.clock, spent)
    if client is not None:
        stack.push_async_callback(client.close)
    shadows = _shadows(settings, parts, client, stack)
    driver_of = _drivers(settings, parts, client, shadows)

    def counted(answers: int) -> None:
        parts.telemetry.running(answers)
        shadows.served(answers)

    async def drive(record: AnswerRecord, feed: AnswerFeed) -> None:
        parts.telemetry.begin(record)
        await driver_of(record, feed).drive(record, feed)

    run_settings = RunSettings(settings.heartbeat_seconds, settings.linger_seconds)
    runs = Runs(drive, parts.answers, parts.answers, parts.clock, run_settings, counted, extend_deadline)
    stack.push_async_callback(runs.close)
    if not isinstance(parts.answers, SqliteAnswers):
        run_beside(runs.keep_holds(parts.answers, settings.answer_hold_seconds / _SAID_WITHIN_A_HOLD), stack)
    servicer = OrchestratorServicer(
        _use_cases(settings, parts, runs, access),
        PageTokens(settings.page_token_key.encode() or None),
        with_evidence_text=settings.stream_evidence_text,
    )
    run_beside(_follow_removals(parts, access.service("orchestrator"), settings.removals_seconds), stack)
    services = [registration(servicer, max_streams=settings.max_streams)]
    # A shared database does not decide readiness: its failure would take every replica out of service at once.
    ready = parts.answers.works if isinstance(parts.answers, SqliteAnswers) else None
    serving = partial(build_server, settings, services, metrics=metrics, access=access, open_redact=open_redact)
    return serving(ready=ready, draining=shadows.stop)


async def _follow_removals(parts: _Parts, caller: Caller, every_seconds: float) -> None:
    set_caller(caller)
    await FollowRemovals(parts.retriever.removals, (parts.answers, parts.sessions), parts.clock).run(every_seconds)


@dataclass(frozen=True, slots=True)
class _Parts:
    clock: Clock
    telemetry: AnswerTelemetry
    retriever: RetrieverClient
    classifier: ClassifierClient
    sessions: SqliteSessions | ValkeySessions
    answers: SqliteAnswers | PostgresAnswers
    spending: SqliteSpending | ValkeySpending | None
    turns: Turns
    freshness: FreshnessClient | None


def _open(settings: OrchestratorSettings, metrics: Metrics, stack: AsyncExitStack) -> _Parts:
    clock, telemetry = SystemClock(), AnswerTelemetry(metrics, answering_models(settings), settings.model_api)
    credentials = peer_credentials(settings.peer_ca_file, settings.peer_certificate_file, settings.peer_key_file)
    folder = settings.data_dir / "orchestrator"
    replicas = Replicas(
        settings.retriever, credentials, at_once=settings.retriever_calls, patience_seconds=settings.answer_seconds
    )
    sessions = open_sessions(
        folder,
        settings.session_store_url,
        stack,
        partial(telemetry.breaker, "sessions"),
        lifetime_seconds=settings.session_minutes * 60,
        max_evidence=settings.session_nodes,
        evicted=telemetry.evicted,
        counted=telemetry.sessions,
    )
    answers = open_answers(
        folder,
        settings.answer_store_url,
        clock,
        stack,
        hold_seconds=settings.answer_hold_seconds,
        retention_days=settings.answer_retention_days,
        max_bytes=settings.answer_log_mib * 1024**2,
    )
    spending: SqliteSpending | ValkeySpending | None = None
    if settings.access_file is not None:
        spending = open_spending(folder, settings.session_store_url, clock, stack, is_priced=settings.has_prices)
    classifier = ClassifierClient(
        settings.classifier,
        seconds=settings.classification_seconds,
        credentials=credentials,
        spent=spending.add if spending is not None else lambda _: None,
        clock=clock,
        shown=partial(telemetry.breaker, "classifier"),
    )
    freshness = FreshnessClient(settings.indexer, credentials=credentials) if settings.indexer else None
    for part in (replicas, classifier, *((freshness,) if freshness else ())):
        stack.push_async_callback(part.close)
    retriever = RetrieverClient(replicas, seconds=settings.retrieval_seconds)
    return _Parts(clock, telemetry, retriever, classifier, sessions, answers, spending, Turns(), freshness)


@dataclass(frozen=True, slots=True)
class _Engines:
    """The configured engine and judge, and those that need no model."""

    engine: AnswerEngine
    evidence: AnswerEngine
    judge: Judge
    rules: Judge


def _engines(settings: OrchestratorSettings, parts: _Parts, client: ModelClient | None, roles: Roles) -> _Engines:
    evidence = EvidenceEngine(parts.retriever, parts.turns, max_gaps=settings.max_gaps_per_pass)
    rules = RulesJudge(parts.turns)
    engine: AnswerEngine = evidence
    judge: Judge = rules
    if client is not None:
        counter = BpeTokenCounter()
        if settings.asks_model:
            engine = ModelEngine(
                client,
                AnswerPrompt(counter, max_gaps=settings.max_model_gaps_per_pass, folder=settings.prompts_dir),
                max_gaps=settings.max_model_gaps_per_pass,
                name=settings.model_api,
                role=roles.answer,
                form=GapForm(settings.model_gaps),
            )
        if settings.judge == "model":
            judge = ModelJudge(client, JudgePrompt(counter), role=roles.judge)
    return _Engines(engine, evidence, judge, rules)


def _drivers(
    settings: OrchestratorSettings, parts: _Parts, client: ModelClient | None, shadows: Shadows
) -> Callable[[AnswerRecord, AnswerFeed], AnswerDriver]:
    """Return the function that chooses an answer's driver: by the variant it began with, else by its session."""
    switch = Rollout(0, settings.kill_switch_file)
    admits = Rollout(settings.rollout_percent, name=settings.rollout).admits

    def driver(variant: str, roles: Roles) -> AnswerDriver:
        way = settings.variant(variant)
        steps = _steps(_engines(way, parts, client, roles), parts, parts.sessions, parts.answers, switch)
        answering = _answering(way, variant)
        return AnswerDriver(steps, answering, parts.clock, parts.telemetry, remaining, shadows.completed)

    drivers = {settings.rollout: driver(settings.rollout, ROLLOUT)} | {"": driver("", SERVED)}

    def driver_of(record: AnswerRecord, feed: AnswerFeed) -> AnswerDriver:
        name = settings.rollout if admits(record.question.session_id) else ""
        started = feed.state.started
        return drivers.get(started.variant if started else name, drivers[""])

    return driver_of


def _steps(engines: _Engines, parts: _Parts, memories: SessionMemories, debts: Debts, switch: KillSwitch) -> Steps:
    retrieving = Retrieving(parts.retriever, memories)
    return Steps(
        Classifying(parts.classifier),
        retrieving,
        Asking(engines.engine, engines.evidence, switch),
        Judging(parts.retriever, engines.judge, engines.rules, switch, parts.classifier),
        Completing(parts.retriever, retrieving, memories, debts, parts.freshness),
    )


def _shadows(
    settings: OrchestratorSettings, parts: _Parts, client: ModelClient | None, stack: AsyncExitStack
) -> Shadows:
    other = settings.variant(settings.shadow)
    engines, answering = _engines(other, parts, client, SHADOW), _answering(other, settings.shadow)
    parts = replace(parts, classifier=parts.classifier.unpaid())
    switch = Rollout(0, settings.kill_switch_file)

    async def drive(record: AnswerRecord, feed: AnswerFeed, memory: SessionMemory) -> None:
        parts.telemetry.begin(record)
        before = FrozenMemory(memory)
        steps = _steps(engines, parts, before, before, switch)
        with tracing.within(tracing.start_server_span("answer.shadow", {})):
            await AnswerDriver(steps, answering, parts.clock, NullObserver(), remaining).drive(record, feed)

    # Twice the time of an answer: its last pass may begin just before that time is over.
    most, seconds = (settings.shadow_at_once, settings.shadow_per_day), 2 * settings.answer_seconds
    limits = ShadowLimits(*most, settings.shadow_busy_answers, seconds)
    rollout, log = Rollout(settings.shadow_percent, settings.kill_switch_file, name="shadow "), parts.answers
    shadows = Shadows(drive, rollout, log, log, parts.clock, parts.telemetry, limits, start_deadline)
    stack.push_async_callback(shadows.close)
    return shadows


def _use_cases(settings: OrchestratorSettings, parts: _Parts, runs: Runs, access: Access) -> UseCases:
    records: AnswerRecords = parts.answers
    feedback: Feedback = parts.answers
    sessions: SessionStore = parts.sessions
    if access.is_on:
        records, feedback = VisibleRecords(records, access), VisibleFeedback(feedback, access)
        sessions = VisibleSessions(sessions, access)
    answering, get = _answering(settings), GetAnswer(records, parts.answers, parts.clock)
    return UseCases(
        Ask(
            runs,
            records,
            sessions,
            parts.retriever,
            RandomIds(),
            parts.clock,
            parts.telemetry,
            answering.budget,
            parts.turns.require_capacity,
        ),
        ManageAnswers(get, runs, records, feedback, parts.telemetry),
        Explain(parts.classifier.by_rules(), parts.retriever, parts.retriever, answering),
        ReplayAnswer(records, parts.answers, parts.retriever, _plays(settings, parts), parts.clock),
        GetShadow(get),
        CheckText(parts.retriever, parts.retriever),
        ManageSessions(sessions, records, runs),
        feedback,
        parts.telemetry,
    )


def _plays(settings: OrchestratorSettings, parts: _Parts) -> Plays:
    return {name: _play(settings.variant(name), parts, name) for name in ("", *settings.variants)}


def _play(settings: OrchestratorSettings, parts: _Parts, variant: str) -> tuple[Play, AnsweringSettings]:
    engines, answering = _engines(settings, parts, None, SERVED), _answering(settings, variant)
    played = parts.classifier.by_rules(), parts.retriever, engines.evidence, engines.rules
    return Player(*played, max_gaps=settings.max_model_gaps_per_pass, settings=answering).steps, answering


def _answering(settings: OrchestratorSettings, variant: str = "") -> AnsweringSettings:
    return AnsweringSettings(
        max_passes=settings.max_passes,
        strategy=Strategy[settings.strategy.upper()],
        stop_without_new_evidence=settings.stop_without_new_evidence,
        max_retrievals=settings.max_retrievals,
        answer_seconds=settings.answer_seconds,
        budget=settings.budget().following(AnsweringSettings().budget),
        recalled_share=settings.recalled_share,
        asking_share=settings.asking_share,
        thresholds=settings.thresholds(),
        citation_url=settings.citation_url,
        switches=settings.switches(),
        variant=variant,
    )
