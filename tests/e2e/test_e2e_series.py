"""What four services export: the metrics that are promised, by the labels that are promised, and few series."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.four_services import CALL_SECONDS, NAMES, SHOP
from tests.e2e.guarded import Guarded, metadata_of
from tests.fakes.anthropic_replies import Failure, Message
from tests.fakes.anthropic_server import AnthropicServer

REPOSITORIES = 1000
AT_ONCE = 50
MARK = "zzq"
MOST_SERIES = 2000
SERVER_LABELS = {"grpc_type", "grpc_service", "grpc_method"}
# Each metric with its labels; `le` of histograms aside.
PROMISED: dict[str, set[str]] = {
    "grpc_server_started": SERVER_LABELS,
    "grpc_server_handled": {*SERVER_LABELS, "grpc_code"},
    "grpc_server_handling_seconds": SERVER_LABELS,
    "grpc_server_msg_sent": SERVER_LABELS,
    "gen_ai_client_operation_duration_seconds": {"role", "gen_ai_request_model"},
    "gen_ai_client_token_usage": {"role", "gen_ai_request_model", "gen_ai_token_type"},
    "cgrag_answer_passes": {"outcome", "mode", "stop_reason", "engine", "model", "variant"},
    "cgrag_answer_duration_seconds": {"outcome", "mode", "stop_reason", "engine", "model", "variant"},
    "cgrag_answer_confidence": {"confidence", "engine", "model", "variant"},
    "cgrag_answer_tokens": {"kind", "engine", "model", "variant"},
    "cgrag_answer_cost_usd": {"engine", "model", "variant"},
    "cgrag_pass_duration_seconds": {"pass"},
    "cgrag_time_to_first_event_seconds": {"kind"},
    "cgrag_stage_duration_seconds": {"service", "stage"},
    "cgrag_orchestrator_overhead_seconds": set(),
    "cgrag_gaps": {"outcome"},
    "cgrag_classifications": {"mode", "engine"},
    "cgrag_classification_duration_seconds": {"mode", "engine"},
    "cgrag_context_tokens": {"source"},
    "cgrag_claims": {"verdict"},
    "cgrag_citations": {"verdict"},
    "cgrag_answer_rating": {"rating", "engine", "model", "variant"},
    "cgrag_answers_shadow": {"agreement"},
    "cgrag_llm_requests": {"role", "model", "outcome"},
    "cgrag_llm_retries": {"role", "model", "outcome"},
    "cgrag_llm_breaker_state": {"role"},
    "cgrag_llm_cost_usd": {"role", "model"},
    "cgrag_answer_deadlines": {"waiting_for"},
    "cgrag_degraded_answers": {"reason"},
    "cgrag_shed": {"reason"},
    "cgrag_streams_in_flight": SERVER_LABELS,
    "cgrag_dependency_breaker_state": {"dependency"},
    "cgrag_sessions": set(),
    "cgrag_session_evictions": {"reason"},
    "cgrag_index_build_seconds": {"state"},
    "cgrag_index_files": {"result"},
    "cgrag_index_freshness_seconds": set(),
    "cgrag_snapshot_load_failures": {"reason"},
    "cgrag_secrets_redacted": {"class"},
    "cgrag_authz_denied": {"method"},
    "cgrag_event_loop_lag_seconds": set(),
    "cgrag_ready": set(),
    "cgrag_build_info": {"service", "version"},
}
CLOSED = {
    "cgrag_time_to_first_event_seconds": {"ack", "evidence", "token"},
    "cgrag_gaps": {"resolved", "absent", "ambiguous", "external", "out_of_coverage", "below_floor"},
    "cgrag_context_tokens": {"docs", "code", "issues", "gaps"},
}
WITH_GAP = 'An order is placed [E1].\n\n<gaps>\n<gap symbol="Warehouse.reserve">how pieces are set aside</gap>\n</gaps>'


@dataclass(frozen=True, slots=True)
class Asked:
    """Services behind an access file, which were asked about the shop once."""

    services: Guarded

    def text(self, name: str) -> str:
        """Return what a service exports."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.services.metrics[name]}/metrics", timeout=10) as answer:
            return str(answer.read().decode())


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Index the shop, and ask a model that is busy at first and names a gap."""
    with AnthropicServer(fallback=lambda _: Message(WITH_GAP)) as model:
        folder = tmp_path_factory.mktemp("series")
        settings = {
            "CGRAG_ORCHESTRATOR_ENGINE": "anthropic",
            "CGRAG_ORCHESTRATOR_MODEL_URL": model.base_url,
            "ANTHROPIC_API_KEY": "k",
        }
        with Guarded(folder, settings) as services:
            root = metadata_of("root")
            source = indexer_pb2.Source(local_path=str(SHOP))
            start = indexer_pb2.StartIndexingRequest(repository="shop", source=source, without_vectors=True)
            job = services.indexer.StartIndexing(start, timeout=CALL_SECONDS, metadata=root)
            watch = indexer_pb2.WatchIndexJobRequest(job_id=job.job_id)
            list(services.indexer.WatchIndexJob(watch, timeout=CALL_SECONDS, metadata=root))
            model.enqueue(Failure(529, retry_after="0"))
            ask = orchestrator_pb2.AskRequest(repository="shop", question="Trace how an order is placed")
            list(services.orchestrator.Ask(ask, timeout=CALL_SECONDS, metadata=root))
            yield Asked(services)


def families(text: str) -> dict[str, list[dict[str, str]]]:
    """Return the labels of each family's series."""
    return {
        each.name: [{name: value for name, value in one.labels.items() if name != "le"} for one in each.samples]
        for each in text_string_to_metric_families(text)
    }


def flood(calls: list[tuple[Any, Any, Any]]) -> set[str]:
    """Make calls, some at once, each with its metadata; return the codes."""
    codes: set[str] = set()
    for start in range(0, len(calls), AT_ONCE):
        begun = [
            call.future(request, timeout=CALL_SECONDS, metadata=given)
            for call, request, given in calls[start : start + AT_ONCE]
        ]
        for each in begun:
            try:
                each.result()
                codes.add("OK")
            except grpc.RpcError as error:
                codes.add(error.code().name)
    return codes


def test_every_metric_is_there_with_its_labels(asked: Asked) -> None:
    """By the names and labels that dashboards, alerts and other people's queries go by."""
    exported = [families(asked.text(name)) for name in NAMES]
    labels: dict[str, set[str]] = {}
    values: dict[str, set[str]] = {}
    for name, series in ((name, series) for each in exported for name, series in each.items()):
        for one in series:
            labels.setdefault(name, set()).update(one)
            values.setdefault(name, set()).update(one.values())

    assert {name: labels.get(name) for name in PROMISED} == PROMISED
    assert all(closed <= values[name] for name, closed in CLOSED.items())
    assert all("cgrag_build_info" in each and "cgrag_event_loop_lag_seconds" in each for each in exported)


def test_series_stay_few_whatever_callers_send(asked: Asked) -> None:
    """A thousand repositories, callers, sessions, jobs and methods that nobody knows are in no label of any service."""
    before = {name: len(families(asked.text(name))) for name in NAMES}
    services = asked.services
    unknown = grpc.insecure_channel(f"127.0.0.1:{services.ports['retriever']}")
    calls: list[tuple[Any, Any, Any]] = []
    for number in range(REPOSITORIES):
        name = f"{MARK}-{number}"
        root = (*metadata_of("root"), ("x-request-id", name), ("x-cgrag-caller", name))
        stranger = (("authorization", f"Bearer {name}"),)
        question = f"What is {name}?"
        source = indexer_pb2.Source(local_path=f"/{name}")
        calls += [
            (services.indexer.StartIndexing, indexer_pb2.StartIndexingRequest(repository=name, source=source), root),
            (services.indexer.GetIndexJob, indexer_pb2.GetIndexJobRequest(job_id=name), stranger),
            (services.classifier.ClassifyQuestion, classifier_pb2.ClassifyQuestionRequest(question=question), root),
            (services.retriever.Search, retriever_pb2.SearchRequest(repository=name, query=name), root),
            (services.retriever.Search, retriever_pb2.SearchRequest(repository="shop", query=name), stranger),
            (services.orchestrator.Explain, orchestrator_pb2.ExplainRequest(repository=name, question=question), root),
            (services.orchestrator.GetSession, orchestrator_pb2.GetSessionRequest(session_id=name), root),
            (unknown.unary_unary(f"/{name}/{name}"), b"", root),
        ]
    codes = flood(calls)
    texts = {name: asked.text(name) for name in NAMES}

    assert codes >= {"OK", "NOT_FOUND", "UNAUTHENTICATED", "UNIMPLEMENTED"}
    for name, text in texts.items():
        series = [line for line in text.splitlines() if not line.startswith("#")]

        assert MARK not in text, name
        assert len(series) < MOST_SERIES, name
        assert len(families(text)) == before[name], name
