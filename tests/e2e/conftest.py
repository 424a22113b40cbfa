"""One suite for all tests that only ask; it holds the index of the shop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cgrag.indexer.v1 import indexer_pb2

from tests.e2e.four_services import SHOP, FourServices


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FourServices]:
    """Four running services that know the repository "shop", by words and graph alone: the same on every machine."""
    with FourServices(tmp_path_factory.mktemp("suite") / "data", {"CGRAG_EMBEDDING_PROVIDER": "local"}) as services:
        job = services.index(SHOP, "shop", without_vectors=True)
        assert job.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, job.error
        yield services
