"""A retriever that starts where nothing can be written: it answers, and says what it cannot keep."""

from __future__ import annotations

import shutil
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb

from tests.fakes.retrieving import retriever_over
from tests.fakes.small_disk import mounted_disk, read_only

if TYPE_CHECKING:
    from pathlib import Path

TASK = pb.BuildContextRequest(repository="shop", task="Mend the till", stages=["scope"], context_window_tokens=4000)
SEARCH = pb.SearchRequest(repository="shop", query="checkout")


async def test_a_disk_that_cannot_be_written_ends_no_start(indexed: Path, tmp_path: Path) -> None:
    """Searches go on by words, tasks are refused, and both are whole again with the disk."""
    with mounted_disk(tmp_path / "disk", 512) as disk:
        shutil.copytree(indexed, disk / "data")
        async with AsyncExitStack() as stack:
            with read_only(disk):
                stub = await stack.enter_async_context(retriever_over(disk / "data"))
                found = await stub.Search(SEARCH)
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await stub.BuildContext(TASK)
            again = await stub.BuildContext(TASK)

    assert found.files
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert "the store of tasks does not work" in (refused.value.details() or "")
    assert again.task_id
