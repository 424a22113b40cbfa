"""A model tried beside answers from evidence, through four real services: shown when asked for, dropped at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.e2e.four_services import CALL_SECONDS, SHOP, FourServices
from tests.e2e.test_e2e_command_line import cgrag
from tests.fakes.anthropic_replies import Message, stalled
from tests.fakes.anthropic_server import AnthropicServer

QUESTION = "Trace what happens when a cart is checked out"
TRIED = "`Checkout.run` calls `Warehouse.reserve` [E1]."
SHOWN = "`Checkout.run` calls `Warehouse.reserve` [1]."
"""What comes of it: the label becomes the number of a citation."""


@dataclass(frozen=True, slots=True)
class Trying:
    """Services that answer from evidence and try a scripted model beside."""

    services: FourServices
    model: AnthropicServer

    def ask(self) -> pb.Answer:
        """Return the answer that is served."""
        request = pb.AskRequest(repository="shop", question=QUESTION)
        return list(self.services.orchestrator.Ask(request, timeout=CALL_SECONDS))[-1].completed.answer

    def shadow(self, answer_id: str) -> pb.Shadow:
        """Return an answer beside its shadow, as soon as there is one."""
        ends = time.monotonic() + CALL_SECONDS
        while True:
            try:
                found: pb.Shadow = self.services.orchestrator.GetShadow(pb.GetShadowRequest(answer_id=answer_id))
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.NOT_FOUND or time.monotonic() > ends:
                    raise
                time.sleep(0.05)
            else:
                return found


@pytest.fixture(scope="module")
def trying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trying]:
    """Four services that know the shop."""
    with AnthropicServer(fallback=lambda _: Message(TRIED)) as model:
        settings = {
            "CGRAG_ORCHESTRATOR_ENGINE": "evidence",
            "CGRAG_ORCHESTRATOR_SHADOW_PERCENT": "100",
            "CGRAG_ORCHESTRATOR_SHADOW": "model",
            "CGRAG_ORCHESTRATOR_VARIANTS": 'model = {engine = "anthropic"}',
            "CGRAG_ORCHESTRATOR_MODEL_URL": model.base_url,
            "CGRAG_ORCHESTRATOR_MODEL_ATTEMPTS": "1",
            "ANTHROPIC_API_KEY": "sk-test",
        }
        with FourServices(tmp_path_factory.mktemp("trying") / "data", settings) as services:
            job = services.index(SHOP, "shop", without_vectors=True)
            assert job.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, job.error
            yield Trying(services, model)


def test_a_model_is_tried_on_the_same_code(trying: Trying) -> None:
    """Evidence answers the caller; the model answers nobody, from the same snapshot, and is checked as others are."""
    served = trying.ask()
    found = trying.shadow(served.answer_id)

    assert served.engine == "evidence"
    assert found.served == served
    assert (found.shadow.engine, found.shadow.text) == ("anthropic", SHOWN)
    assert found.shadow.snapshot_id == served.snapshot_id
    assert found.shadow.citations
    assert found.shadow.claims
    assert 0 < found.files <= 1
    assert found.agreement != pb.AGREEMENT_UNSPECIFIED


def test_the_command_line_shows_both(trying: Trying) -> None:
    """By the id of the answer; one that nobody knows is not found."""
    served = trying.ask()
    trying.shadow(served.answer_id)
    shown = cgrag("shadow", served.answer_id, **trying.services.addresses())
    unknown = cgrag("shadow", "ans_unknown", **trying.services.addresses())

    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith(f"{QUESTION}\n\nAgreement: ")
    assert shown.stdout.index(served.text.strip()[:40]) < shown.stdout.index(SHOWN)
    assert unknown.returncode == 4


def test_services_stop_at_once_though_a_shadow_hangs(trying: Trying) -> None:
    """Last in this file: SIGTERM drops it and nothing waits for it."""
    count = len(trying.model.requests)
    trying.model.enqueue(stalled())
    trying.ask()
    trying.model.wait_for_requests(count + 1)
    began = time.monotonic()
    codes = trying.services.stop()

    assert set(codes.values()) == {0}
    assert trying.model.wait_for_disconnect() - began < 5
