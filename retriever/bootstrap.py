"""Puts the retriever together. The only place that names adapters."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from common.core.clock import SystemClock
from common.core.ids import RandomIds
from common.core.runtime.allocator import keep_freed_memory, use_one_arena
from common.core.words.tokens import BpeTokenCounter
from common.model.config import RetryPolicy, RoleModel, Timeouts
from common.model.metrics import EndpointMetrics
from common.model.redaction import open_redact
from common.model.values import ModelRole
from common.observability.metrics import Metrics
from common.rpc.access.opening import open_access, share_counts
from common.rpc.client.deadlines import child_timeout
from common.rpc.paging import PageTokens
from common.rpc.removals import FollowRemovals
from common.rpc.serving.lifecycle import run_beside, run_until_stopped
from common.rpc.serving.server import build_server
from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.cross_encoder import OnnxCrossEncoder
from retriever.adapters.judge.kill_switch import KillSwitch
from retriever.adapters.judge.model_judge import ModelJudge
from retriever.adapters.learned import read_describing_model, read_ranking_model, read_reranker_models, read_worth_model
from retriever.adapters.metrics import RetrieverMetrics
from retriever.adapters.published import open_published
from retriever.adapters.snapshots.opening import LayerOpeners
from retriever.adapters.snapshots.problems import LayerProblemNotes
from retriever.adapters.state.decisions_spared import SparedDecisionLog
from retriever.adapters.state.decisions_sqlite import SqliteDecisionLog
from retriever.adapters.state.tasks_sqlite import SqliteTaskStore
from retriever.adapters.task_journal import LoggedTasks
from retriever.adapters.vectors.layers import open_vector_layers
from retriever.adapters.visible import VisibleDecisions, VisibleSnapshots, VisibleTasks
from retriever.domain.evidence.budget import Budget
from retriever.domain.evidence.piece import ContextSource
from retriever.domain.packing.packer import TextLimits
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import WalkLimits
from retriever.rpc.rules import RULES
from retriever.rpc.servicer import RetrieverServicer, UseCases, registration
from retriever.usecases.build_context import BuildContext
from retriever.usecases.check_claims import CheckClaims
from retriever.usecases.evidence.offering import Offering
from retriever.usecases.expand_graph import ExpandGraph
from retriever.usecases.gaps.by_error import ErrorSearch
from retriever.usecases.gaps.by_meaning import SemanticSearch
from retriever.usecases.gaps.by_name import NamedFile, NamedSymbol, SymbolInFile
from retriever.usecases.gaps.by_place import LinesOfFile, Related
from retriever.usecases.gaps.by_tests import TestsOfSymbol
from retriever.usecases.gaps.by_text import NamedText
from retriever.usecases.gaps.reasons import Reasons
from retriever.usecases.inspecting import ListDecisions, ListLayerProblems, ListRemovals
from retriever.usecases.list_users import ListUsers
from retriever.usecases.look_up_symbols import LookUpSymbols
from retriever.usecases.read_spans import ReadSpans
from retriever.usecases.resolve_citation import ResolveCitation
from retriever.usecases.resolve_gaps import ResolveGaps
from retriever.usecases.retrieve import Retrieve
from retriever.usecases.search import Search
from retriever.usecases.searching.by_words import ByWords
from retriever.usecases.searching.describing import FindDescribed
from retriever.usecases.searching.hybrid import Hybrid, Lift
from retriever.usecases.searching.rerank import Rerank
from retriever.usecases.stages.runner import StageRunner
from retriever.usecases.stages.table import Strategies, strategies
from retriever.usecases.tasks.judging import FallingBackJudge, OrderJudge
from retriever.usecases.tasks.seeds import Seeds
from retriever.usecases.tasks.table import context_stages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from common.core.clock import Clock
    from common.core.words.tokens import TokenCounter
    from common.model.metrics import EndpointMeter
    from common.rpc.access.opening import Access
    from common.rpc.serving.server import Server
    from retriever.adapters.state.decisions_postgres import PostgresDecisionLog
    from retriever.adapters.state.tasks_valkey import ValkeyTaskStore
    from retriever.ports import DecisionLog, Judge, SnapshotStore, TaskStore
    from retriever.settings import RetrieverSettings
    from retriever.usecases.searching.hybrid import Ranker


_SECONDS_TO_PACK = 0.5
"""Seconds of a call's time reserved for packing after a judgement."""
_SHARE_OF_VECTORS = 0.5
"""Largest share of a call's time for the vector search; ranking by words runs in parallel, packing follows."""
_LIFT_OF_QUESTIONS = Lift(symbols=0.15, documents=1.0)


async def serve(settings: RetrieverSettings) -> None:
    """Serve until the process is stopped."""
    use_one_arena()
    keep_freed_memory()
    async with AsyncExitStack() as stack:
        await run_until_stopped(build(settings, stack))


def build(settings: RetrieverSettings, stack: AsyncExitStack) -> Server:
    """Build the server; `stack` closes its resources."""
    metrics = Metrics("retriever")
    shared = share_counts(settings, settings.task_store_url, "task_store_url", "retriever", stack)
    access = open_access(settings, metrics, RULES, shared=shared)
    outside = _open(settings, metrics, access, stack)
    servicer = RetrieverServicer(
        _use_cases(settings, outside, _encoder(settings, stack)),
        budget_of(settings),
        RandomIds(),
        PageTokens(settings.page_token_key.encode() or None),
    )
    services = [registration(servicer)]
    return build_server(settings, services, metrics=metrics, access=access, open_redact=open_redact)


@dataclass(frozen=True, slots=True)
class _Outside:
    """Resources and components that stay open while the service runs."""

    snapshots: SnapshotStore
    log: DecisionLog
    tasks: TaskStore
    meter: RetrieverMetrics
    ranker: Ranker
    strategies: Strategies
    by_meaning: SemanticSearch
    judge: Judge
    counter: TokenCounter
    clock: Clock
    removals: ListRemovals
    layer_problems: ListLayerProblems


def _open(settings: RetrieverSettings, metrics: Metrics, access: Access, stack: AsyncExitStack) -> _Outside:
    clock = SystemClock()
    model = read_describing_model()
    by_words = ByWords(read_ranking_model(), Rerank(read_reranker_models(), model))
    ranker = Hybrid(by_words, _LIFT_OF_QUESTIONS, seconds=_vector_seconds(settings))
    described = FindDescribed(model, seconds=_vector_seconds(settings))
    rows = strategies(ranker, described)
    by_meaning = SemanticSearch(described, model.floor, settings.targeted_top_k)
    names = {*rows.names, Seeds.name, *context_stages()}
    meter = RetrieverMetrics(metrics, sorted(names))
    endpoints, problems = _endpoints(settings, metrics), LayerProblemNotes(clock)
    vectors = open_vector_layers(settings, stack, meter=endpoints, problems=problems)
    openers = LayerOpeners(read_statements(), SqliteLexical, vectors.open if vectors else None)
    published = open_published(settings, _state_dir(settings), openers, clock, meter, stack)
    snapshots, notes = published.snapshots, published.removals
    kept_log = _decision_log(settings, clock, stack)
    log = SparedDecisionLog(kept_log, clock, meter.decisions_lost)
    tasks = _task_store(settings, clock, stack)
    counter = BpeTokenCounter()
    judge = _judge(settings, metrics, endpoints, counter, clock, stack) if settings.judge == "model" else OrderJudge()
    told = partial(asyncio.to_thread, notes.all)
    run_beside(FollowRemovals(told, (kept_log, snapshots, tasks), clock).run(settings.removals_seconds), stack)
    lists = ListRemovals(notes), ListLayerProblems(problems.all)
    everything = _Outside(snapshots, log, tasks, meter, ranker, rows, by_meaning, judge, counter, clock, *lists)
    if not access.is_on:
        return everything
    return replace(
        everything,
        snapshots=VisibleSnapshots(snapshots, access),
        log=VisibleDecisions(log, access),
        tasks=VisibleTasks(tasks, access),
        removals=ListRemovals(notes, access),
        layer_problems=ListLayerProblems(problems.all, access),
    )


def _state_dir(settings: RetrieverSettings) -> Path:
    return settings.state_dir or settings.data_dir / "retriever"


def _decision_log(
    settings: RetrieverSettings, clock: Clock, stack: AsyncExitStack
) -> SqliteDecisionLog | PostgresDecisionLog:
    days, retrievals = settings.decision_log_days, settings.decision_log_retrievals
    if settings.decision_log_url:
        from retriever.adapters.state.decisions_postgres import PostgresDecisionLog  # slow to load, few have one

        shared = PostgresDecisionLog.at(settings.decision_log_url, clock, days=days, retrievals=retrievals)
        stack.push_async_callback(shared.close)
        return shared
    log = SqliteDecisionLog(_state_dir(settings) / "decisions.db", clock, days=days, retrievals=retrievals)
    stack.push_async_callback(asyncio.to_thread, log.close)
    return log


def _task_store(settings: RetrieverSettings, clock: Clock, stack: AsyncExitStack) -> SqliteTaskStore | ValkeyTaskStore:
    if settings.task_store_url:
        from retriever.adapters.state.tasks_valkey import ValkeyTaskStore  # its client is slow to load, few have one

        shared = ValkeyTaskStore.at(settings.task_store_url, days=settings.decision_log_days)
        stack.push_async_callback(shared.close)
        return shared
    tasks = SqliteTaskStore(
        _state_dir(settings) / "tasks.db",
        clock,
        days=settings.decision_log_days,
        tasks=settings.decision_log_retrievals,
    )
    stack.push_async_callback(asyncio.to_thread, tasks.close)
    return tasks


def _judge(
    settings: RetrieverSettings,
    metrics: Metrics,
    endpoints: EndpointMeter | None,
    counter: TokenCounter,
    clock: Clock,
    stack: AsyncExitStack,
) -> Judge:
    """Return the judge for tasks, which asks a model. Questions never use a model as judge: it would take too long."""
    from common.model.client import open_model_client  # half of the start time, and few have a judge

    model = RoleModel(
        settings.judge_model,
        input_usd_per_million=settings.judge_input_usd_per_million,
        output_usd_per_million=settings.judge_output_usd_per_million,
    )
    config = settings.model_config(
        {ModelRole.JUDGE: model},
        Timeouts(total_seconds=settings.judge_seconds),
        RetryPolicy(max_attempts=settings.judge_attempts),
        reserve_seconds=_SECONDS_TO_PACK,
    )
    client = open_model_client(config, metrics, clock, endpoints=endpoints)
    stack.push_async_callback(client.close)
    asked = ModelJudge(client, counter, clock, max_tokens=settings.judge_tokens, remembered=settings.judge_remembered)
    return FallingBackJudge(asked, OrderJudge(), KillSwitch(settings.kill_switch_file).admits, LoggedTasks())


def _endpoints(settings: RetrieverSettings, metrics: Metrics) -> EndpointMeter | None:
    """Return the metrics of the model endpoints that this process calls; None if it calls none."""
    embeds = (ModelRole.EMBED,) if settings.provider not in ("local", "none") else ()
    roles = (*embeds, *((ModelRole.JUDGE,) if settings.judge == "model" else ()))
    return EndpointMetrics(metrics, roles) if roles else None


def _vector_seconds(settings: RetrieverSettings) -> Callable[[], float]:
    """Return a function for the seconds that a vector search may take now; a search can do without its result."""
    return partial(child_timeout, settings.vector_seconds, share=_SHARE_OF_VECTORS)


def _encoder(settings: RetrieverSettings, stack: AsyncExitStack) -> OnnxCrossEncoder | None:
    encoder = OnnxCrossEncoder(threads=settings.cross_encoder_threads)
    stack.callback(encoder.close)
    return encoder if settings.cross_encoder else None


def _use_cases(settings: RetrieverSettings, outside: _Outside, encoder: OnnxCrossEncoder | None) -> UseCases:
    counter = outside.counter
    offering = Offering(read_worth_model(), encoder)
    text = TextLimits(settings.source_lines, settings.docstring_chars)
    by_name = (SymbolInFile(), NamedFile(), NamedSymbol())
    reasons = Reasons()
    by_place = (LinesOfFile(), TestsOfSymbol(), Related(), NamedText())
    steps = (*by_place, *by_name, ErrorSearch(settings.error_string_chars), reasons, outside.by_meaning)
    return UseCases(
        retrieve=Retrieve(
            outside.snapshots,
            outside.strategies,
            StageRunner(OrderJudge(), outside.clock, outside.meter),
            counter,
            outside.log,
            outside.meter,
            walk_limits_of(settings),
            text,
            offering,
        ),
        resolve_gaps=ResolveGaps(outside.snapshots, steps, counter, outside.log, outside.meter, text, offering),
        search=Search(outside.snapshots, outside.ranker),
        look_up_symbols=LookUpSymbols(outside.snapshots),
        list_users=ListUsers(outside.snapshots),
        expand_graph=ExpandGraph(outside.snapshots),
        read_spans=ReadSpans(outside.snapshots),
        build_context=BuildContext(
            outside.snapshots,
            Seeds(outside.ranker),
            context_stages(),
            outside.judge,
            counter,
            outside.tasks,
            outside.log,
            LoggedTasks(),
            outside.meter,
            outside.clock,
        ),
        check_claims=CheckClaims(outside.snapshots, (*by_name, reasons)),
        resolve_citation=ResolveCitation(outside.snapshots),
        list_decisions=ListDecisions(outside.log),
        list_removals=outside.removals,
        list_layer_problems=outside.layer_problems,
    )


def budget_of(settings: RetrieverSettings) -> Budget:
    """Return the default caps of token budgets, for requests that set none."""
    docs, code, issues = ContextSource.DOCS, ContextSource.CODE, ContextSource.ISSUES
    return Budget(
        total=settings.total_context_budget,
        system=settings.system_budget,
        initial=settings.initial_budget,
        gap_total=settings.gap_total_budget,
        gap=settings.gap_budget,
        per_pass=settings.pass_budget,
        after_pass=settings.after_pass_budgets,
        splits={
            Mode.HYBRID: {code: settings.hybrid_code, docs: settings.hybrid_docs},
            Mode.CONCEPTUAL: {code: settings.conceptual_code, docs: settings.conceptual_docs},
            Mode.DIAGNOSTIC: {code: settings.diagnostic_code, docs: settings.diagnostic_docs},
            Mode.EXPLORATORY: {code: settings.exploratory_code, docs: settings.exploratory_docs},
            Mode.ANALYTICAL: {
                code: settings.analytical_code,
                issues: settings.analytical_issues,
                docs: settings.analytical_docs,
            },
        },
    )


def walk_limits_of(settings: RetrieverSettings) -> WalkLimits:
    """Return the limits of the stages: hops, callees per hop, and characters of an error message."""
    return WalkLimits(
        hops=settings.max_call_graph_hops,
        callees_per_hop=settings.callees_per_hop,
        error_chars=settings.error_string_chars,
    )
