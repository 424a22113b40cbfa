"""A name or path that is nearly right is answered with the one that was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2

if TYPE_CHECKING:
    from tests.integration.retriever.conftest import Retriever


@pytest.mark.parametrize(
    ("written", "similar"),
    [
        ("Warehouse.reserv", "Warehouse.reserve"),
        ("Warehous.reserve", "Warehouse.reserve"),
        ("Warehuose", "Warehouse"),
    ],
)
async def test_names_spelled_alike_are_suggested(retriever: Retriever, written: str, similar: str) -> None:
    """Whichever part is wrong; the list of symbols stays empty."""
    response = await retriever.stub.LookupSymbols(pb.LookupSymbolsRequest(repository="shop", name=written))

    assert list(response.symbols) == []
    assert response.similar_names[0] == similar


@pytest.mark.parametrize("written", ["Warehouse", "Zzzyx.qqqqq", "a sentence of words"])
async def test_nothing_is_suggested_for_what_is_found_or_like_nothing(retriever: Retriever, written: str) -> None:
    """A guess that is far off would mislead."""
    response = await retriever.stub.LookupSymbols(pb.LookupSymbolsRequest(repository="shop", name=written))

    assert list(response.similar_names) == []


@pytest.mark.parametrize(
    ("path", "told"), [("warehouse.py", "did you mean shop/warehouse.py"), ("shop/warehose.py", "shop/warehouse.py")]
)
async def test_paths_that_are_nearly_right_are_suggested(retriever: Retriever, path: str, told: str) -> None:
    """The file of that name elsewhere, or the path spelled alike."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.ReadSpans(
            pb.ReadSpansRequest(repository="shop", spans=[code_pb2.Span(path=path, start_line=1, end_line=2)])
        )

    assert told in str(caught.value.details())
