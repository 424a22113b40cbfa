"""What a caller's answers may cost in a day, and whose name goes along to the services behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from common.rpc.access.proofs import Verifier
from common.rpc.callers import CALLER_KEY, PROOF_KEY
from tests.e2e.guarded import access_settings, metadata_of
from tests.fakes.answering import details, eventually, refusal
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.clock import FakeClock
from tests.fakes.orchestrating import Orchestrating, model_at, orchestrating
from tests.fakes.peers import REPOSITORY, FakeClassifier, FakeRetriever
from tests.fakes.valkey_server import needs_server, valkey_server

KEY = "k" * 40
CONTRACT = "cgrag.retriever.v1.RetrieverService"
DAY = 86_400


class Listening(FakeRetriever):
    """Remembers what came along with calls."""

    def __init__(self) -> None:
        super().__init__()
        self.came: list[dict[str, Any]] = []

    async def Retrieve(self, request: Any, context: Any) -> Any:
        self.came.append(dict(context.invocation_metadata()))
        return await super().Retrieve(request, context)


def guarded(folder: Path, **settings: Any) -> Any:
    """Run an orchestrator behind an access file, where Anna may spend a tenth of a cent a day and Bert anything."""
    files = access_settings(
        folder,
        dict.fromkeys(("anna", "bert", "cora", "dora"), ("asker", "*")),
        anna="usd_per_day = 0.001",
        cora="requests_per_minute = 2",
        dora="calls_at_once = 1",
    )
    return orchestrating(**(files | settings))


async def test_whoever_has_spent_the_days_money_waits_for_the_next(tmp_path: Path) -> None:
    """The first answer is given, whatever it costs; the next is refused until midnight, also after a restart."""
    prices = {"input_usd_per_million": 1000.0, "output_usd_per_million": 1000.0, "data_dir": tmp_path / "data"}
    with AnthropicServer(fallback=lambda _: Message("It charges [E1].\n")) as model:
        wanted = model_at(model) | prices
        async with guarded(tmp_path, **wanted) as suite:
            first = await suite.ask(metadata=metadata_of("anna"))
            other = await suite.ask(metadata=metadata_of("bert"))
            refused = await refusal(suite.ask(metadata=metadata_of("anna")))
        async with guarded(tmp_path, **wanted) as suite:
            again = await refusal(suite.ask(metadata=metadata_of("anna")))
            third = await suite.ask(metadata=metadata_of("bert"))

    assert all(events[-1].HasField("completed") for events in (first, other, third))
    for error in (refused, again):
        found = details(error)
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert found["ErrorInfo"].reason == "ERROR_REASON_QUOTA_EXCEEDED"
        assert found["ErrorInfo"].metadata["quota"] == "usd_per_day"
        assert 0 < found["RetryInfo"].retry_delay.seconds <= DAY


@pytest.mark.parametrize("who", ["classifier", "judge"])
async def test_what_classifier_and_judge_cost_counts_too(tmp_path: Path, who: str) -> None:
    """Where the answering model is free, or none, the next answer is refused all the same."""
    enough = {"sufficient": True, "reasoning": "all is shown", "sub_question": ""}
    with AnthropicServer(fallback=lambda _: Message(tool=("judgement", enough))) as model:
        judged = {"judge": "model", "model_url": model.base_url, "api_key": "sk-test", "strategy": "sufficiency"}
        prices = {"judge_input_usd_per_million": 100.0, "judge_output_usd_per_million": 1000.0}
        wanted = judged | prices if who == "judge" else {}
        classifier = FakeClassifier(cost_usd=0.002 if who == "classifier" else 0.0)
        async with guarded(tmp_path, classifier=classifier, engine="evidence", **wanted) as suite:
            first = await suite.ask(metadata=metadata_of("anna"))
            other = await suite.ask(metadata=metadata_of("bert"))
            spent = await refusal(suite.ask(metadata=metadata_of("anna")))

    assert all(events[-1].HasField("completed") for events in (first, other))
    assert details(spent)["ErrorInfo"].metadata["quota"] == "usd_per_day"


async def test_a_shadow_costs_its_caller_nothing(tmp_path: Path) -> None:
    """What its classification costs is on the operator, as all of it."""
    classifier = FakeClassifier(cost_usd=0.0006)
    async with guarded(tmp_path, classifier=classifier, shadow_percent=100.0) as suite:
        first = await suite.ask(metadata=metadata_of("anna"))
        await eventually(lambda: len(classifier.requests) == 2)
        second = await suite.ask(metadata=metadata_of("anna"))

    assert first[-1].HasField("completed")
    assert second[-1].HasField("completed")


@needs_server
async def test_replicas_that_share_a_server_count_together(tmp_path: Path) -> None:
    """What was spent at one counts at the other, and so does what was called, until the server is away."""
    prices = {"input_usd_per_million": 1000.0, "output_usd_per_million": 1000.0}
    for name in ("one", "two", "server"):
        (tmp_path / name).mkdir()
    with AnthropicServer(fallback=lambda _: Message("It charges [E1].\n")) as model:
        wanted = model_at(model) | prices
        with valkey_server(tmp_path / "server") as url:
            wanted["session_store_url"] = url
            async with guarded(tmp_path / "one", **wanted) as one, guarded(tmp_path / "two", **wanted) as two:
                first = await one.ask(metadata=metadata_of("anna"))
                spent = await refusal(two.ask(metadata=metadata_of("anna")))
                called = [await _list(each, "cora") for each in (one, two, one, two)]
        async with guarded(tmp_path / "one", **wanted) as one:
            alone = [await _list(one, "cora") for _ in range(3)]

    assert first[-1].HasField("completed")
    assert details(spent)["ErrorInfo"].metadata["quota"] == "usd_per_day"
    assert called == ["OK", "OK", "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"]
    assert alone == ["OK", "OK", "RESOURCE_EXHAUSTED"]


@needs_server
async def test_a_call_that_is_left_makes_room_at_all_replicas(tmp_path: Path) -> None:
    """A stream counts until its caller cancels it, wherever the next call comes in."""
    for name in ("one", "two", "server"):
        (tmp_path / name).mkdir()
    with valkey_server(tmp_path / "server") as url:
        wanted = {"session_store_url": url}
        async with guarded(tmp_path / "one", **wanted) as one, guarded(tmp_path / "two", **wanted) as two:
            one.retriever.delay = {"Retrieve": 30.0}
            request = pb.AskRequest(repository=REPOSITORY, question="Who pays?")
            call = one.stub.Ask(request, timeout=60, metadata=metadata_of("dora"))
            await call.read()
            while_it_runs = await _list(two, "dora")
            call.cancel()
            after = [await _list(two, "dora")]
            while after[-1] != "OK" and len(after) < 100:
                after.append(await _list(two, "dora"))

    assert while_it_runs == "RESOURCE_EXHAUSTED"
    assert after[-1] == "OK"


async def _list(suite: Orchestrating, caller: str) -> str:
    """Make a call that no session is needed for, and return how it ended."""
    try:
        await suite.stub.GetAnswer(pb.GetAnswerRequest(answer_id="ans_none"), metadata=metadata_of(caller))
    except grpc.aio.AioRpcError as error:
        return "OK" if error.code() is grpc.StatusCode.NOT_FOUND else error.code().name
    return "OK"


async def test_the_caller_goes_along_as_a_proof_and_not_as_a_name(tmp_path: Path) -> None:
    """What the retriever gets is signed, speaks of the caller, and nothing of the token goes along."""
    retriever = Listening()
    async with guarded(tmp_path, retriever=retriever) as suite:
        await suite.ask(metadata=metadata_of("anna"))
    came = retriever.came[0]
    clock = FakeClock()
    clock.jump(-DAY * 365 * 30)  # long before the proof ends
    proven = Verifier(lambda: (KEY.encode(),), (CONTRACT,), clock).read(came[PROOF_KEY])

    assert proven.name == "anna"
    assert proven.rights.repositories.match(REPOSITORY)
    assert CALLER_KEY not in came
    assert "authorization" not in came


async def test_without_an_access_file_the_name_goes_along() -> None:
    """As it always did, and no proof."""
    retriever = Listening()
    async with orchestrating(retriever) as suite:
        await suite.ask(metadata=((CALLER_KEY, "carl"),))

    assert retriever.came[0][CALLER_KEY] == "carl"
    assert PROOF_KEY not in retriever.came[0]
