"""One of two orchestrators is killed in the middle of an answer; the other, on the same database, goes on with it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import grpc
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc

from tests.bench.local_service import LocalService
from tests.e2e.four_services import CALL_SECONDS, SHOP, FourServices
from tests.fakes.anthropic_replies import Message, stalled_after
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import kinds, text_of
from tests.fakes.postgres_server import needs_postgres, postgres_database

FIRST = (
    "A cart is checked out by `Checkout.run` [E1].\n"
    '<gaps>\n<gap symbol="Warehouse.release" path="shop/warehouse.py">how stock comes back</gap>\n</gaps>'
)
# Long enough to be shown at once, not when more comes.
LOST = "This is what the first process heard. " * 8 + "Then"
SECOND = "The cart is checked out [E1], and what is not there is refused [E2]."


@needs_postgres
def test_an_answer_outlives_the_process_that_makes_it(tmp_path: Path) -> None:
    """Seen before and seen after are the whole, nothing twice; only the pass that was cut is asked again."""
    with postgres_database() as database, AnthropicServer() as model:
        settings = {
            "CGRAG_ORCHESTRATOR_ANSWER_STORE_URL": database.url,
            "CGRAG_ORCHESTRATOR_ANSWER_HOLD_SECONDS": "1",
            "CGRAG_ORCHESTRATOR_ENGINE": "anthropic",
            "CGRAG_ORCHESTRATOR_MODEL_URL": model.base_url,
            "CGRAG_ORCHESTRATOR_MODEL_ATTEMPTS": "1",
            "CGRAG_ORCHESTRATOR_INITIAL_TOKENS": "600",  # so that gaps bring what is not shown yet
            "CGRAG_RETRIEVER_DECISION_LOG_URL": database.url,
            "ANTHROPIC_API_KEY": "sk-test",
        }
        with FourServices(tmp_path / "data", settings) as services:
            job = services.index(SHOP, "shop", without_vectors=True)
            assert job.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, job.error
            peers = {
                f"CGRAG_ORCHESTRATOR_{name}".upper(): f"127.0.0.1:{services.ports[name]}"
                for name in ("retriever", "classifier")
            }
            model.enqueue(Message(FIRST), stalled_after(LOST), Message(SECOND))
            with LocalService("orchestrator", tmp_path / "other", **settings, **peers) as doomed:
                doomed.wait()
                seen = _seen_until_killed(doomed)
            answer_id = seen[0].answer_id
            watch = pb.WatchAnswerRequest(answer_id=answer_id, after_sequence=seen[-1].sequence)
            rest = list(services.orchestrator.WatchAnswer(watch, timeout=CALL_SECONDS))
            kept = list(services.orchestrator.WatchAnswer(pb.WatchAnswerRequest(answer_id=answer_id)))
            answer = services.orchestrator.GetAnswer(pb.GetAnswerRequest(answer_id=answer_id))

    union = seen + rest
    numbers = [event.sequence for event in union]
    assert numbers == sorted(set(numbers))
    assert [kinds(union).count(kind) for kind in ("started", "classified", "pass_finished", "completed")] == [
        1,
        1,
        2,
        1,
    ]
    assert [each for each in kept if each in union] == kept
    assert text_of(union, 2) == answer.text == union[-1].completed.answer.text
    assert LOST in "".join(event.text_delta.text for event in seen)
    assert LOST not in answer.text
    assert answer.metadata.passes == 2
    assert len(model.requests) == 3


def _seen_until_killed(service: LocalService) -> list[pb.AnswerEvent]:
    """Ask, kill the service while the model is in the middle of its second pass, and return what was seen."""
    seen: list[pb.AnswerEvent] = []
    request = pb.AskRequest(repository="shop", question="Trace what happens when a cart is checked out")
    with grpc.insecure_channel(service.target) as channel:
        call = orchestrator_pb2_grpc.OrchestratorServiceStub(channel).Ask(request, timeout=CALL_SECONDS)
        try:
            for event in call:
                seen.append(event)
                if event.text_delta.pass_number == 2 and LOST in text_of(seen, 2):
                    os.kill(service.pid, signal.SIGKILL)
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017 (what was seen before is what counts)
    return seen
