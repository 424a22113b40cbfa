"""Puts the orchestrator together. The only place that names adapters."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.core.allocator import use_one_arena
from common.core.clock import SystemClock
from common.core.ids import RandomIds
from common.core.tokens import BpeTokenCounter
from common.model.config import ModelConfig, RetryPolicy, RoleModel, Timeouts
from common.model.values import Role
from common.observability.metrics import Metrics
from common.rpc.access.opening import open_access
from common.rpc.callers import current_caller, set_caller
from common.rpc.deadlines import prolong, remaining
from common.rpc.lifecycle import run_beside, run_until_stopped
from common.rpc.paging import PageTokens
from common.rpc.removals import FollowRemovals
from common.rpc.server import build_server
from common.rpc.tls import peer_credentials
from orchestrator.adapters.classifier import ClassifierClient
from orchestrator.adapters.evidence_engine import EvidenceEngine, RulesJudge
from orchestrator.adapters.model_engine import ModelEngine, ModelJudge
from orchestrator.adapters.prompts import AnswerPrompt, JudgePrompt
from orchestrator.adapters.replicas import Replicas
from orchestrator.adapters.retriever import RetrieverClient
from orchestrator.adapters.rollout import Rollout
from orchestrator.adapters.spending import SqliteSpending
from orchestrator.adapters.sqlite_answers import SqliteAnswers
from orchestrator.adapters.sqlite_sessions import SqliteSessions
from orchestrator.adapters.telemetry import AnswerTelemetry
from orchestrator.adapters.visible import VisibleFeedback, VisibleRecords, VisibleSessions
from orchestrator.domain.confidence import ConfidenceThresholds
from orchestrator.domain.question import Budget, Strategy
from orchestrator.rpc.rules import RULES
from orchestrator.rpc.servicer import OrchestratorServicer, UseCases, registration
from orchestrator.usecases.answering.asking import Asking
from orchestrator.usecases.answering.classifying import Classifying
from orchestrator.usecases.answering.completing import Completing
from orchestrator.usecases.answering.context import AnsweringSettings
from orchestrator.usecases.answering.driver import AnswerDriver, Steps
from orchestrator.usecases.answering.retrieving import Retrieving
from orchestrator.usecases.answering.weighing import Weighing
from orchestrator.usecases.ask import Ask
from orchestrator.usecases.cancel_answer import CancelAnswer
from orchestrator.usecases.explain import Explain
from orchestrator.usecases.get_answer import GetAnswer
from orchestrator.usecases.list_index_debt import ListIndexDebt
from orchestrator.usecases.rate_answer import RateAnswer
from orchestrator.usecases.runs import Runs, RunSettings
from orchestrator.usecases.sessions import ManageSessions
from orchestrator.usecases.watch_answer import WatchAnswer

if TYPE_CHECKING:
    from common.core.clock import Clock
    from common.model.client import ModelClient
    from common.rpc.access.opening import Access
    from common.rpc.callers import Caller
    from common.rpc.server import Server
    from orchestrator.adapters.valkey_sessions import ValkeySessions
    from orchestrator.ports import AnswerEngine, AnswerRecords, Feedback, Sessions, SufficiencyJudge
    from orchestrator.settings import OrchestratorSettings


async def serve(settings: OrchestratorSettings) -> None:
    """Serve until told to stop."""
    use_one_arena()
    async with AsyncExitStack() as stack:
        await run_until_stopped(build(settings, stack))


def build(settings: OrchestratorSettings, stack: AsyncExitStack) -> Server:
    """Build the server; `stack` closes what it opens, in reverse."""
    metrics = Metrics("orchestrator")
    parts = _open(settings, metrics, stack)
    access = open_access(settings, metrics, RULES, calls_others=True, spending=parts.spending)
    steps = _steps(settings, parts, metrics, stack)
    driver = AnswerDriver(steps, _answering(settings), parts.clock, parts.telemetry, remaining)
    run_settings = RunSettings(settings.heartbeat_seconds, settings.linger_seconds)
    runs = Runs(driver.drive, parts.answers, parts.answers, parts.clock, run_settings, parts.telemetry.running, prolong)
    stack.push_async_callback(runs.close)
    servicer = OrchestratorServicer(
        _use_cases(settings, parts, runs, access), PageTokens(), with_evidence_text=settings.stream_evidence_text
    )
    run_beside(_follow_removals(parts, access.service("orchestrator"), settings.removals_seconds), stack)
    services = [registration(servicer, max_streams=settings.max_streams)]
    return build_server(settings, services, metrics=metrics, access=access)


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
    answers: SqliteAnswers
    spending: SqliteSpending | None


def _open(settings: OrchestratorSettings, metrics: Metrics, stack: AsyncExitStack) -> _Parts:
    clock, telemetry = SystemClock(), AnswerTelemetry(metrics)
    credentials = peer_credentials(settings.peer_ca_file, settings.peer_certificate_file, settings.peer_key_file)
    folder = settings.data_dir / "orchestrator"
    replicas = Replicas(settings.retriever, credentials)
    classifier = ClassifierClient(settings.classifier, seconds=settings.classification_seconds, credentials=credentials)
    sessions = _session_store(settings, telemetry, stack)
    answers = SqliteAnswers(
        folder / "answers.db",
        clock,
        retention_days=settings.answer_retention_days,
        max_bytes=settings.answer_log_mib * 1024**2,
    )
    spending = _spending(settings, clock, stack) if settings.access_file is not None else None
    for part in (replicas, classifier, answers):
        stack.push_async_callback(part.close)
    retriever = RetrieverClient(replicas, seconds=settings.retrieval_seconds)
    return _Parts(clock, telemetry, retriever, classifier, sessions, answers, spending)


def _spending(settings: OrchestratorSettings, clock: Clock, stack: AsyncExitStack) -> SqliteSpending:
    path = settings.data_dir / "orchestrator" / "spending.db"
    is_priced = bool(settings.input_usd_per_million or settings.output_usd_per_million)
    spending = SqliteSpending(path, clock, lambda: current_caller().name, is_priced=is_priced)
    stack.push_async_callback(spending.close)
    return spending


def _session_store(
    settings: OrchestratorSettings, telemetry: AnswerTelemetry, stack: AsyncExitStack
) -> SqliteSessions | ValkeySessions:
    limits: dict[str, Any] = {
        "lifetime_seconds": settings.session_minutes * 60,
        "max_evidence": settings.session_nodes,
        "evicted": telemetry.evicted,
        "counted": telemetry.sessions,
    }
    if settings.session_store_url:
        from orchestrator.adapters.valkey_sessions import ValkeySessions  # its client is slow to load, few have one

        shared = ValkeySessions.at(settings.session_store_url, RandomIds(), **limits)
        stack.push_async_callback(shared.close)
        return shared
    sessions = SqliteSessions(settings.data_dir / "orchestrator" / "sessions.db", RandomIds(), **limits)
    stack.push_async_callback(sessions.close)
    return sessions


def _steps(settings: OrchestratorSettings, parts: _Parts, metrics: Metrics, stack: AsyncExitStack) -> Steps:
    evidence_engine = EvidenceEngine(parts.retriever, max_gaps=settings.max_gaps_per_pass)
    rules = RulesJudge()
    judge: SufficiencyJudge = rules
    engine: AnswerEngine = evidence_engine
    if settings.asks_model or settings.judge == "model":
        client = _model_client(settings, metrics, parts, stack)
        counter = BpeTokenCounter()
        prompt = AnswerPrompt(counter)
        if settings.asks_model:
            engine = ModelEngine(client, prompt, max_gaps=settings.max_model_gaps_per_pass)
        if settings.judge == "model":
            judge = ModelJudge(client, JudgePrompt(counter))
    rollout = Rollout(settings.model_percent, settings.kill_switch_file)
    retrieving = Retrieving(parts.retriever, parts.sessions)
    return Steps(
        Classifying(parts.classifier),
        retrieving,
        Asking(engine, evidence_engine, rollout),
        Weighing(parts.retriever, judge, rules, rollout),
        Completing(parts.retriever, retrieving, parts.sessions, parts.answers),
    )


def _use_cases(settings: OrchestratorSettings, parts: _Parts, runs: Runs, access: Access) -> UseCases:
    records: AnswerRecords = parts.answers
    feedback: Feedback = parts.answers
    sessions: Sessions = parts.sessions
    if access.is_on:
        records, feedback = VisibleRecords(records, access), VisibleFeedback(feedback, access)
        sessions = VisibleSessions(sessions, access)
    answering = _answering(settings)
    return UseCases(
        Ask(runs, records, sessions, parts.retriever, RandomIds(), parts.clock, parts.telemetry, answering.budget),
        WatchAnswer(runs, records),
        CancelAnswer(runs, records),
        GetAnswer(records, parts.answers, parts.clock),
        Explain(parts.classifier, parts.retriever, parts.retriever, answering),
        RateAnswer(records, feedback, parts.telemetry),
        ManageSessions(sessions, records, runs),
        ListIndexDebt(feedback),
    )


def _answering(settings: OrchestratorSettings) -> AnsweringSettings:
    return AnsweringSettings(
        max_passes=settings.max_passes,
        strategy=Strategy[settings.strategy.upper()],
        stop_without_new_evidence=settings.stop_without_new_evidence,
        max_retrievals=settings.max_retrievals,
        answer_seconds=settings.answer_seconds,
        budget=Budget(
            settings.total_tokens,
            settings.system_tokens,
            settings.initial_tokens,
            settings.gap_total_tokens,
            settings.gap_tokens,
            settings.pass_tokens,
            settings.after_pass_tokens,
        ),
        recalled_share=settings.recalled_share,
        thresholds=ConfidenceThresholds(
            settings.high_citations,
            settings.high_claims,
            settings.high_coverage,
            settings.medium_coverage,
            settings.max_unresolved_share,
        ),
        citation_url=settings.citation_url,
    )


def _model_client(
    settings: OrchestratorSettings, metrics: Metrics, parts: _Parts, stack: AsyncExitStack
) -> ModelClient:
    from common.model.client import open_model_client  # takes most of a service's start, and few ask a model

    config = ModelConfig(
        roles={
            Role.ANSWER: RoleModel(
                settings.answer_model,
                settings.answer_max_tokens,
                settings.input_usd_per_million,
                settings.output_usd_per_million,
            ),
            Role.JUDGE: RoleModel(settings.judge_model),
        },
        base_url=settings.model_url,
        api_key=settings.api_key,
        timeouts=Timeouts(
            first_event_seconds=settings.model_first_event_seconds, idle_seconds=settings.model_idle_seconds
        ),
        retry=RetryPolicy(max_attempts=settings.model_attempts),
    )

    def spent(_role: Role, usd: float) -> None:
        if parts.spending is not None:
            parts.spending.add(usd)

    client = open_model_client(config, metrics, parts.clock, spent=spent)
    stack.push_async_callback(client.close)
    return client
