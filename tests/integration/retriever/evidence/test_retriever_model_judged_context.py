"""The context of a task judged by a model, over the contract, against a local server that speaks the Messages API."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2

from tests.e2e.ports import free_port
from tests.fakes.anthropic_replies import Failure, Message
from tests.fakes.anthropic_server import AnthropicServer, ReceivedRequest
from tests.fakes.retrieving import retriever_over

_TASK = "Release the reservation in `Checkout.run` when the payment times out"


@asynccontextmanager
async def _judged_by(model: AnthropicServer, data: Path, **settings: Any) -> AsyncIterator[Any]:
    wanted: dict[str, Any] = {"judge": "model", "model_url": model.base_url, "api_key": "sk-test", "judge_attempts": 1}
    async with retriever_over(data, **(wanted | settings)) as stub:
        yield stub


def _request(task_id: str) -> pb.BuildContextRequest:
    return pb.BuildContextRequest(
        repository="shop",
        task=_TASK,
        task_id=task_id,
        stages=["scope", "precision"],
        context_window_tokens=8000,
        reserved_tokens=1000,
    )


async def _decisions(stub: Any, task_id: str) -> list[evidence_pb2.Decision]:
    request = pb.ListDecisionsRequest(repository="shop", retrieval_id=task_id, page_size=1000)
    return list((await stub.ListDecisions(request)).decisions)


def _only_the_first(_: ReceivedRequest) -> Message:
    return Message(tool=("choice", {"kept": [{"number": 1, "reason": "it will be changed"}]}))


async def test_what_the_model_costs_is_counted(indexed: Path) -> None:
    """By the configured prices, for the role of the judge."""
    port = free_port()
    prices = {"judge_input_usd_per_million": 1000.0, "judge_output_usd_per_million": 5000.0}
    with AnthropicServer(fallback=_only_the_first) as model:
        async with _judged_by(model, indexed, metrics_port=port, **prices) as stub:
            await stub.BuildContext(_request("priced"))
            metrics = (await asyncio.to_thread(_metrics, port)).split("\n")
        asked = len(model.requests)
    [line] = [each for each in metrics if each.startswith("cgrag_llm_cost_usd_total{") and 'role="judge"' in each]

    assert asked
    assert float(line.split()[-1]) == pytest.approx(0.2 * asked)


def _metrics(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as response:
        return str(response.read().decode())


async def test_the_model_decides_and_the_log_has_its_words(indexed: Path) -> None:
    """One candidate of each offer stays; decisions carry what the model saw and said, its time and its tokens."""
    with AnthropicServer(fallback=_only_the_first) as model:
        async with _judged_by(model, indexed) as stub:
            package = await stub.BuildContext(_request("judged"))
            decisions = await _decisions(stub, "judged")
            again = await stub.BuildContext(_request("judged"))

        asked = len(model.requests)

    judged = [each for each in decisions if each.judge_input]
    primary = [each for each in package.entries if each.role == pb.CONTEXT_ROLE_PRIMARY]
    assert [each.evidence.symbol.qualified_name for each in primary] == ["Checkout.run"]
    assert again == package
    assert 2 <= asked <= 6
    assert all("<candidate number=" in each.judge_input for each in judged)
    assert any(each.judge_output.startswith("it will be changed (") for each in judged if each.included)
    assert all(each.judge_tokens == 120 and each.judge_latency_ms > 0 for each in judged)


async def test_without_its_model_a_task_gets_what_the_order_gives(indexed: Path) -> None:
    """An overloaded model costs the judgement, not the package; the log names the reason."""
    with AnthropicServer(fallback=lambda _: Failure(529)) as model:
        async with _judged_by(model, indexed) as stub:
            package = await stub.BuildContext(_request("overloaded"))
            decisions = await _decisions(stub, "overloaded")
        async with _judged_by(model, indexed, judge="deterministic") as stub:
            plain = await stub.BuildContext(_request("plain"))

    names = [each.evidence.evidence_id for each in package.entries]
    assert names == [each.evidence.evidence_id for each in plain.entries]
    assert all("no model judged" in each.judge_output for each in decisions if each.judge_input)


async def test_the_kill_switch_keeps_tasks_from_the_model(indexed: Path, tmp_path: Path) -> None:
    """While the file exists the model hears nothing."""
    switch = tmp_path / "stop"
    switch.touch()
    with AnthropicServer(fallback=_only_the_first) as model:
        async with _judged_by(model, indexed, kill_switch_file=switch) as stub:
            package = await stub.BuildContext(_request("stopped"))

        asked = len(model.requests)

    assert package.entries
    assert asked == 0
