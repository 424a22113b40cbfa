"""Removed repositories: what is told of them, and what is kept of them until then."""

from __future__ import annotations

import asyncio
import json
import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2

from retriever.domain.errors import SnapshotNotFound
from tests.fakes.clock import FakeClock
from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.served_snapshots import Served
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable
    from pathlib import Path

TEXT = "def charge():\n    return 1\n"


@asynccontextmanager
async def _serving(data: Path) -> AsyncIterator[Stub]:
    async with retriever_over(data, removals_seconds=0.1) as served:
        yield served


def _remove(data: Path, name: str, time: str = "2030-01-01T00:00:00Z") -> None:
    """Leave what the indexer leaves of a removed repository."""
    notes = data / "repositories/.removed"
    notes.mkdir(parents=True, exist_ok=True)
    (notes / f"{name}.json").write_text(json.dumps({"repository": name, "remove_time": time}))
    shutil.rmtree(data / "repositories" / name, ignore_errors=True)


async def test_removals_are_listed_by_name_and_page(tmp_path: Path) -> None:
    """With their time, and whether the name is taken again; notes that nobody can read are passed over."""
    for name in ("c", "a", "b"):
        _remove(tmp_path, name)
    SnapshotBuilder().python("shop.py", TEXT).publish(tmp_path, "b")
    (tmp_path / "repositories/.removed/d.json").write_text("{")
    async with _serving(tmp_path) as stub:
        first = await stub.ListRemovals(pb.ListRemovalsRequest(page_size=2))
        second = await stub.ListRemovals(pb.ListRemovalsRequest(page_token=first.next_page_token))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.ListRemovals(pb.ListRemovalsRequest(page_size=-1))

    assert [(each.repository, each.indexed_again) for each in first.removals] == [("a", False), ("b", True)]
    assert [each.repository for each in second.removals] == ["c"]
    assert second.removals[0].remove_time.ToJsonString() == "2030-01-01T00:00:00Z"
    assert second.next_page_token == ""
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_decisions_and_tasks_go_with_their_repository(tmp_path: Path) -> None:
    """Those of a removed repository are unknown soon, and its files are closed; those of another stay."""
    for name in ("shop", "other"):
        SnapshotBuilder().python("shop.py", TEXT).publish(tmp_path, name)
    async with _serving(tmp_path) as stub:
        for name in ("shop", "other"):
            await stub.Retrieve(pb.RetrieveRequest(repository=name, question="What is charged?", retrieval_id="r"))
            task = pb.BuildContextRequest(repository=name, task="Mend charge", task_id="t", stages=["scope"])
            task.context_window_tokens = 4000
            await stub.BuildContext(task)
        _remove(tmp_path, "shop")
        ids = ("r", "t")
        left = {
            (name, each): await _soon_unknown(stub, name, each) if name == "shop" else await _is_known(stub, name, each)
            for name in ("shop", "other")
            for each in ids
        }
        refined = await stub.RefineContext(
            pb.RefineContextRequest(repository="other", task_id="t", missing_files=["shop.py"])
        )

    assert left == {("shop", "r"): True, ("shop", "t"): True, ("other", "r"): True, ("other", "t"): True}
    assert refined.revision == 2


async def test_a_snapshot_that_is_read_as_its_repository_goes_is_served_to_nobody_else(tmp_path: Path) -> None:
    """Who reads it ends in peace; what is in use at that moment would be served for a quarter of an hour else."""
    removed = SnapshotBuilder().python("shop.py", TEXT).publish(tmp_path, "shop")
    store = Served(tmp_path).store
    async with store.open("shop", removed) as snapshot:
        _remove(tmp_path, "shop")
        await store.forget_repository("shop", FakeClock().now())
        SnapshotBuilder().python("other.py", TEXT).publish(tmp_path, "shop")
        text = snapshot.files.text("shop.py")
        with pytest.raises(SnapshotNotFound):
            await store.open("shop", removed).__aenter__()
    with pytest.raises(SnapshotNotFound):
        await store.open("shop", removed).__aenter__()
    async with store.open("shop", "") as snapshot:
        current = snapshot.files.text("other.py")
    store.close()

    assert text == current == TEXT


async def test_a_removed_snapshot_is_not_served_to_who_knows_its_name(tmp_path: Path) -> None:
    """Not by a retriever that had it open, when there is another repository of that name."""
    removed = SnapshotBuilder().python("shop.py", TEXT).publish(tmp_path, "shop")
    async with _serving(tmp_path) as stub:
        named = pb.ReadSpansRequest(repository="shop", snapshot_id=removed, spans=[code_pb2.Span(path="shop.py")])
        before = await stub.ReadSpans(named)
        _remove(tmp_path, "shop")
        SnapshotBuilder().python("other.py", TEXT).publish(tmp_path, "shop")
        codes = [grpc.StatusCode.OK]
        while codes[-1] is grpc.StatusCode.OK and len(codes) < 100:
            codes.append(await _code(stub.ReadSpans(named)))
            await asyncio.sleep(0.05)
        current = await stub.ReadSpans(pb.ReadSpansRequest(repository="shop", spans=[code_pb2.Span(path="other.py")]))

    assert before.texts[0].text == TEXT
    assert codes[-1] is grpc.StatusCode.NOT_FOUND
    assert current.texts[0].text == TEXT


async def _code(call: Awaitable[object]) -> grpc.StatusCode:
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


async def _soon_unknown(stub: Stub, name: str, retrieval: str) -> bool:
    for _ in range(100):
        if not await _is_known(stub, name, retrieval):
            return True
        await asyncio.sleep(0.05)
    return False


async def _is_known(stub: Stub, name: str, retrieval: str) -> bool:
    try:
        await stub.ListDecisions(pb.ListDecisionsRequest(repository=name, retrieval_id=retrieval))
    except grpc.aio.AioRpcError as error:
        return error.code() is not grpc.StatusCode.NOT_FOUND
    return True
