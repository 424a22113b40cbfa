"""The inventory of metrics: what dashboards and alerts ask for exists; what exists is shown, or left out knowingly."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from cgrag.orchestrator.v1 import orchestrator_pb2
from prometheus_client.parser import text_string_to_metric_families

from cgrag_client.evaluation.classifier import write_accuracy
from classifier.adapters.metrics import ClassifierMetrics
from common.core.clock import SystemClock
from common.core.contract.usage import TokenUsage
from common.model.failures import Cause
from common.model.metrics import ModelMetrics
from common.model.values import Finished, ModelRole
from common.observability.metrics import Metrics, values_of
from common.rpc.access.opening import open_access
from common.rpc.serving.metrics import ServerMetrics
from common.rpc.serving.server import ServiceRegistration
from common.rpc.settings import ServerSettings
from deploy.grafana.dashboards import DASHBOARDS, render
from indexer.adapters.metrics import PrometheusIndexMetrics
from orchestrator.adapters.telemetry import AnswerTelemetry
from orchestrator.domain.answers.answer import StopReason
from orchestrator.domain.answers.events import Completed, PassFinished
from orchestrator.domain.answers.state import AnswerState
from orchestrator.domain.questions.question import Classification, Mode
from orchestrator.rpc.rules import RULES
from retriever.adapters.metrics import RetrieverMetrics
from tests.e2e.guarded import access_file
from tests.unit.orchestrator.runs.test_orchestrator_telemetry import ANSWER

ROOT = Path(__file__).parents[3]
NOT_SHOWN = {
    "cgrag_retrieval_gaps": "what answers asked for is shown; this counts other callers of the retriever too",
    "cgrag_retrieval_context_tokens": "what answers were supplied with is shown; this counts other callers too",
    "cgrag_decision_log_failures": "costs no answer anything; the runbook names it",
    "process_virtual_memory_bytes": "says nothing where files are memory-mapped",
    "process_start_time_seconds": "restarts are Kubernetes' to show",
    "process_open_fds": "no limit of ours is near",
    "process_max_fds": "no limit of ours is near",
}
OF_PROMETHEUS = {"up"}
_NAME = re.compile(r"\b(?:cgrag|grpc|gen_ai|process)_[a-z0-9_]+\b|\bup\b")
_PARTS = ("common", "indexer", "classifier", "retriever", "orchestrator")
_KINDS = frozenset({"counter", "gauge", "histogram"})
_NOT_A_NAME = re.compile(r"\{[^}]*\}|namespace:\w+|\b(?:by|on|ignoring|group_left) \([^)]*\)")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the metric families of all services: name and type."""
    metrics = Metrics("orchestrator")
    add: Any = None
    registration = ServiceRegistration(
        orchestrator_pb2.DESCRIPTOR.services_by_name["OrchestratorService"], add, servicer=None
    )
    ServerMetrics(metrics, registration.methods)
    metrics.gauge("event_loop_lag_seconds", "Defined by the server.")
    metrics.gauge("ready", "Defined by the server.")
    ModelMetrics(metrics, [ModelRole.ANSWER], ["m"])
    AnswerTelemetry(metrics)
    files: dict[str, Any] = {
        name: tmp_path_factory.mktemp("access") / name for name in ("access_file", "identity_key_file")
    }
    files["access_file"].write_text(access_file())
    files["identity_key_file"].write_text("k" * 40)
    open_access(ServerSettings(**files), metrics, RULES)
    families = {"orchestrator": metrics, **{name: Metrics(name) for name in ("indexer", "classifier", "retriever")}}
    PrometheusIndexMetrics(families["indexer"], SystemClock())
    ClassifierMetrics(families["classifier"])
    RetrieverMetrics(families["retriever"], ["lexical"])
    return {each.name: each.type for one in families.values() for each in one.registry.collect()}


def series_of(name: str, kind: str) -> set[str]:
    """Return the names under which Prometheus stores a family."""
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(kind, ("",))
    return {name + suffix for suffix in suffixes}


def asked_for() -> Iterator[str]:
    """Yield the metrics that dashboards and alerts name; recorded series, which have colons, aside."""
    expressions = [
        target["expr"]
        for spec in DASHBOARDS
        for panel in json.loads(render(spec))["panels"]
        for target in panel.get("targets", [])
    ]
    groups = yaml.safe_load((ROOT / "deploy" / "prometheus" / "rules.yaml").read_text(encoding="utf-8"))["groups"]
    expressions += [rule["expr"] for group in groups for rule in group["rules"]]
    for expression in expressions:
        yield from _NAME.findall(_NOT_A_NAME.sub("", expression))


def test_no_metric_is_missing_here(exported: dict[str, str]) -> None:
    """Whatever the code defines under a fixed name is in the inventory that the other tests go by."""
    defined = set()
    for path in (each for part in _PARTS for each in (ROOT / part).rglob("*.py")):
        for call in (
            each for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(each, ast.Call)
        ):
            if isinstance(call.func, ast.Attribute) and call.func.attr in _KINDS:
                match call.args:
                    case [ast.Constant(value=str(name)), *_]:
                        has_own_prefix = any(each.arg == "prefix" for each in call.keywords)
                        defined.add(name if has_own_prefix else f"cgrag_{name}")

    assert len(defined) > 30
    assert defined - exported.keys() == set()


def test_every_metric_shown_exists(exported: dict[str, str], tmp_path: Path) -> None:
    """No panel and no alert asks for what nobody exports."""
    known = {series for name, kind in exported.items() for series in series_of(name, kind)}

    assert set(asked_for()) - known - OF_PROMETHEUS - evaluated(tmp_path) == set()


def evaluated(folder: Path) -> set[str]:
    """Return the metrics of the evaluation job, as Prometheus reads them out of its file."""
    write_accuracy(folder / "cgrag.prom", {"accuracy": 0.9})
    [written] = folder.iterdir()
    found = list(text_string_to_metric_families(written.read_text()))
    assert [(sample.labels, sample.value) for each in found for sample in each.samples] == [({}, 0.9)]
    return {each.name for each in found}


def test_every_metric_exported_is_shown_or_left_out_with_a_reason(exported: dict[str, str]) -> None:
    """A new metric gets a panel, an alert, or a line in NOT_SHOWN."""
    asked = set(asked_for())
    unseen = {name for name, kind in exported.items() if not series_of(name, kind) & asked}

    assert unseen - NOT_SHOWN.keys() == set()


def test_nothing_is_left_out_that_is_shown_or_gone(exported: dict[str, str]) -> None:
    """NOT_SHOWN has no stale lines."""
    asked = set(asked_for())
    stale = [name for name in NOT_SHOWN if name not in exported or series_of(name, exported[name]) & asked]

    assert stale == []


def test_series_stay_few_whatever_callers_send() -> None:
    """With every declared value in use and a thousand invented ones, a process stays below 2,000 series."""
    metrics = Metrics("orchestrator")
    add: Any = None
    service = orchestrator_pb2.DESCRIPTOR.services_by_name["OrchestratorService"]
    registration = ServiceRegistration(service, add, servicer=None)
    server = ServerMetrics(metrics, registration.methods)
    roles = {
        role: f"model of {role.value}"
        for role in (ModelRole.ANSWER, ModelRole.JUDGE, ModelRole.SHADOW, ModelRole.SHADOW_JUDGE)
    }
    model = ModelMetrics(metrics, list(roles), tuple(roles.values()))
    answers_of_every_kind(AnswerTelemetry(metrics))
    for role, name in roles.items():
        model.used(role, name, Finished(name, "end_turn", TokenUsage(1, 1, 1, 1), 0.1))
        for outcome in (*values_of(Cause), "ok", "cancelled"):
            model.ended(role, name, outcome, 1.0)
        for cause in Cause:
            model.retried(role, name, cause)
    for number in range(1000):
        for method in registration.methods:
            server.started(method)
            server.handled(method, f"CODE_{number}", 0.1, 1)
            server.stream_changed(method, 1)
        for role in ModelRole:
            model.ended(role, f"model-{number}", "ok", 1.0)
            model.redacted(f"class-{number}")

    series = [line for line in metrics.text().splitlines() if not line.startswith("#")]
    assert len(series) < 2100


def answers_of_every_kind(telemetry: AnswerTelemetry) -> None:
    """Let answers end in every way that there is: a whole one has a mode and a reason, one that was stopped may not."""
    for mode in Mode:
        classification = Classification(mode)
        for error in (None, RuntimeError()):
            telemetry.stopped(AnswerState(classification=classification), error, 1.0)
        for number, reason in enumerate(StopReason):
            if Mode.UNSPECIFIED is mode or StopReason.UNSPECIFIED is reason:
                continue
            numbers = replace(ANSWER.metadata, stop_reason=reason, passes=number)
            answer = replace(ANSWER, repository=f"r{number}", classification=classification, metadata=numbers)
            telemetry.observe_event(Completed(answer), 1.0)
    for number in range(12):
        telemetry.observe_event(PassFinished(number), 1.0)
