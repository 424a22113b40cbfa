"""Two retrievers that keep their decisions in one database."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb

from tests.fakes.postgres_server import needs_postgres, postgres_database
from tests.fakes.retrieving import retriever_over


@needs_postgres
async def test_every_replica_tells_what_any_has_considered(indexed: Path, tmp_path: Path) -> None:
    """A retrieval is begun at one and goes on at the other; both list all of it, page by page, in one order."""
    async with AsyncExitStack() as stack:
        url = stack.enter_context(postgres_database()).url
        stubs = []
        for name in ("first", "second"):
            served = retriever_over(indexed, state_dir=tmp_path / name, decision_log_url=url, page_token_key="k" * 16)
            stubs.append(await stack.enter_async_context(served))
        answer = await stubs[0].Retrieve(pb.RetrieveRequest(repository="shop", question="How is an order paid?"))
        listed = pb.ListDecisionsRequest(repository="shop", retrieval_id=answer.retrieval_id, page_size=2)
        first = await stubs[0].ListDecisions(listed)
        listed.page_token = first.next_page_token
        listed.page_size = 1000
        rest = await stubs[1].ListDecisions(listed)
        whole = pb.ListDecisionsRequest(repository="shop", retrieval_id=answer.retrieval_id, page_size=1000)
        everywhere = [(await stub.ListDecisions(whole)).decisions for stub in stubs]

    assert len(rest.decisions) > 2
    assert [*first.decisions, *rest.decisions] == [*everywhere[0]] == [*everywhere[1]]
    assert not _files(tmp_path)


@needs_postgres
async def test_retrievals_go_on_while_the_log_is_away(indexed: Path, tmp_path: Path) -> None:
    """Nothing is missing in what is found; what was considered is said to be out of reach, or not kept."""
    async with AsyncExitStack() as stack:
        database = stack.enter_context(postgres_database())
        stub = await stack.enter_async_context(
            retriever_over(indexed, state_dir=tmp_path, decision_log_url=database.url)
        )
        question = pb.RetrieveRequest(repository="shop", question="How is an order paid?")
        before = await stub.Retrieve(question)
        database.go_away()
        meanwhile = [await stub.Retrieve(question) for _ in range(2)]
        listed = pb.ListDecisionsRequest(repository="shop", retrieval_id=meanwhile[0].retrieval_id)
        with pytest.raises(grpc.aio.AioRpcError) as away:
            await stub.ListDecisions(listed)
        database.come_back()
        with pytest.raises(grpc.aio.AioRpcError) as lost:
            await stub.ListDecisions(listed)

    assert [[*each.evidence] for each in meanwhile] == [[*before.evidence]] * 2
    assert before.evidence
    assert away.value.code() is grpc.StatusCode.UNAVAILABLE
    assert lost.value.code() is grpc.StatusCode.NOT_FOUND


def _files(folder: Path) -> list[Path]:
    return list(folder.glob("*/decisions.db"))
