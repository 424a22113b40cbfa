"""Every query of every dashboard returns data from a real Prometheus that scraped the running suite."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import grpc
import pytest
import pytest_asyncio
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2

from deploy.grafana.dashboards import DASHBOARDS, render
from tests.e2e.four_services import NAMES, SHOP, FourServices
from tests.e2e.ports import free_port
from tests.e2e.prometheus_server import Prometheus, prometheus
from tests.fakes.anthropic_replies import Failure, Message, stalled
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.programs import find_program

pytestmark = pytest.mark.skipif(find_program("prometheus") is None, reason="no prometheus here: run `make servers`")

ROUNDS = 4
WITH_GAP = """An order is placed [E1].

<gaps>
<gap symbol="Warehouse.reserve" path="">how pieces are set aside</gap>
</gaps>"""
QUESTIONS = (
    "What does the warehouse do with the key AKIAIOSFODNN7EXAMPLE?",
    "Why do I get OutOfStock when placing an order?",
    "Trace how an order is placed",
    "Which modules are most coupled?",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A suite whose metrics can be scraped, and the model that its orchestrator asks."""

    services: FourServices
    metrics_ports: dict[str, int]
    model: AnthropicServer


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    """Four services, one of them with a model that names a gap."""
    ports = {name: free_port() for name in NAMES}
    with AnthropicServer(fallback=lambda _: Message(WITH_GAP)) as model:
        settings = {f"CGRAG_{name}_METRICS_PORT".upper(): str(port) for name, port in ports.items()} | {
            "CGRAG_ORCHESTRATOR_ENGINE": "anthropic",
            "CGRAG_ORCHESTRATOR_MODEL_URL": model.base_url,
            "CGRAG_ORCHESTRATOR_INPUT_USD_PER_MILLION": "3",
            "ANTHROPIC_API_KEY": "sk-ant-test",
        }
        with FourServices(tmp_path_factory.mktemp("measured") / "data", settings) as services:
            yield Measured(services, ports, model)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scraped(measured: Measured, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Prometheus]:
    """A Prometheus that saw several rounds of load."""
    async with prometheus(tmp_path_factory.mktemp("prometheus"), measured.metrics_ports.values()) as server:
        for number in range(ROUNDS):
            await asyncio.to_thread(load, measured, number)
            await asyncio.sleep(1.5)  # a rate needs samples from before and after
        yield server


def load(measured: Measured, number: int) -> None:
    """One round: an index job, a question of each mode, ratings, a model that is busy at first, refusals."""
    services = measured.services
    services.index(SHOP, f"shop{number}")
    measured.model.enqueue(Failure(529, retry_after="0"))
    for question in QUESTIONS:
        request = orchestrator_pb2.AskRequest(repository="shop0", question=question)
        events = list(services.orchestrator.Ask(request, timeout=60))
        rating = orchestrator_pb2.RateAnswerRequest(answer_id=events[-1].answer_id, rating=4)
        services.orchestrator.RateAnswer(rating, timeout=10)
    with pytest.raises(grpc.RpcError):
        list(services.orchestrator.Ask(orchestrator_pb2.AskRequest(repository="shop0"), timeout=10))
    measured.model.enqueue(stalled())
    late = orchestrator_pb2.AskRequest(repository="shop0", question=QUESTIONS[0])
    with pytest.raises(grpc.RpcError):
        list(services.orchestrator.Ask(late, timeout=1))
    missing = indexer_pb2.StartIndexingRequest(source=indexer_pb2.Source(local_path=str(SHOP / "missing")))
    with pytest.raises(grpc.RpcError):
        services.indexer.StartIndexing(missing, timeout=10)


def queries() -> list[tuple[str, str, str]]:
    """Return (dashboard, panel, expression) with Grafana's variables filled in."""
    found = []
    for spec in DASHBOARDS:
        for panel in json.loads(render(spec))["panels"]:
            for target in panel.get("targets", ()):
                expression = target["expr"].replace("$__rate_interval", "30s").replace("$__range", "30s")
                found.append((spec.title, panel["title"], re.sub(r"\$\{?namespace\}?", ".*", expression)))
    return found


@pytest.mark.asyncio(loop_scope="module")
async def test_every_panel_has_data(scraped: Prometheus) -> None:
    """Under load that uses every service, no panel stays empty."""
    empty = [(board, panel, query) for board, panel, query in queries() if not await scraped.query(query)]

    assert not empty, "\n".join(" / ".join(each) for each in empty)


@pytest.mark.asyncio(loop_scope="module")
async def test_times_lead_to_traces(scraped: Prometheus) -> None:
    """Prometheus keeps the trace of a call beside its time, for every service."""
    series = await scraped.exemplars("grpc_server_handling_seconds_bucket")
    traces = {each["seriesLabels"]["grpc_service"]: each["exemplars"][-1]["labels"]["trace_id"] for each in series}

    assert {name.split(".")[1] for name in traces} == set(NAMES)
    assert all(re.fullmatch("[0-9a-f]{32}", trace) for trace in traces.values())
    assert await scraped.exemplars("cgrag_answer_duration_seconds_bucket")


@pytest.mark.asyncio(loop_scope="module")
async def test_passes_are_those_of_the_load(scraped: Prometheus) -> None:
    """The passes counted are those of the answers that were streamed."""
    [series] = await scraped.query("sum(cgrag_answer_passes_count)")

    assert float(series["value"][1]) >= ROUNDS * len(QUESTIONS)
