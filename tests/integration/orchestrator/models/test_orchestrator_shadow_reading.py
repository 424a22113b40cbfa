"""An answer read beside its shadow: by whom, and of which answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.e2e.guarded import access_settings, metadata_of
from tests.fakes.answering import refusal
from tests.fakes.orchestrating import orchestrating
from tests.integration.orchestrator.models.test_orchestrator_shadows import TRIED, Models, compared, trying
from tests.integration.orchestrator.stores.test_orchestrator_quotas import Listening


@pytest.fixture
def models() -> Iterator[Models]:
    """Listen as both models."""
    with Models() as server:
        yield server


async def test_an_admin_reads_both(models: Models, tmp_path: Path) -> None:
    """Beside each other and whole, with how far they agree; nobody else does, and of no repository out of sight."""
    callers = {"anna": ("asker, operator", "*"), "root": ("admin", "*"), "adam": ("admin", "other")}
    files = access_settings(tmp_path, callers)
    codes = {}
    async with orchestrating(**files, **trying(models)) as suite:
        [*_, last] = await suite.ask(metadata=metadata_of("anna"))
        await compared(suite)
        request = pb.GetShadowRequest(answer_id=last.answer_id)
        found = await suite.stub.GetShadow(request, metadata=metadata_of("root"))
        for name, answer_id in (("anna", last.answer_id), ("adam", last.answer_id), ("root", "ans_none")):
            refused = await refusal(
                suite.stub.GetShadow(pb.GetShadowRequest(answer_id=answer_id), metadata=metadata_of(name))
            )
            codes[name] = refused.code().name

    assert codes == {"anna": "PERMISSION_DENIED", "adam": "NOT_FOUND", "root": "NOT_FOUND"}
    assert found.served == last.completed.answer
    assert (found.shadow.answer_id, found.shadow.model) == (f"{last.answer_id}-shadow", TRIED)
    assert (found.agreement, found.files, found.symbols) == (pb.AGREEMENT_SAME, 1.0, 1.0)


async def test_a_shadow_is_a_trace_of_its_own(models: Models) -> None:
    """The answer's trace, which its caller may have begun, has what was done for the answer and nothing else."""
    trace = "0af7651916cd43dd8448eb211c80319c"
    retriever = Listening()
    async with orchestrating(retriever, **trying(models)) as suite:
        await suite.ask(metadata=(("traceparent", f"00-{trace}-b7ad6b7169203331-01"),))
        await compared(suite)
    served, shadow = (each["traceparent"].split("-")[1] for each in retriever.came)

    assert served == trace
    assert shadow not in (trace, "0" * 32)


async def test_an_answer_without_a_shadow_says_so(models: Models) -> None:
    """It is there, and its shadow is not."""
    async with orchestrating(**trying(models, shadow_percent=0.0)) as suite:
        answer = await suite.answer()
        with pytest.raises(grpc.aio.AioRpcError, match="has no shadow") as unknown:
            await suite.stub.GetShadow(pb.GetShadowRequest(answer_id=answer.answer_id))

    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND
