"""An embedding endpoint that is ill, seen from a caller of the service: answers come without vectors, and in time."""

from __future__ import annotations

import hashlib
import json
import re
import urllib.request
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import question_pb2

from common.model.redaction import SECRET_CLASSES
from tests.e2e.ports import free_port
from tests.fakes.embedding_endpoint import DIMENSIONS, EmbeddingEndpoint
from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


TEXT = "def fetch_page(url):\n    return url\n"
LEFT_ALONE = re.compile(r"vectors: the embedding endpoint failed \d+ times in a row; it is tried again in ")
SECRET = "AKIA" + "ABCDEFGHIJKLMNOP"


def publish(data: Path) -> None:
    """Write a snapshot with a vectors layer of the endpoint's model; its shard is never opened."""
    SnapshotBuilder().python("net.py", TEXT).publish(data, "net")
    home = data / "repositories/net"
    written = json.loads((home / f"sets/{(home / 'CURRENT').read_text().strip()}.json").read_text())
    digest = hashlib.sha256(b"shard").hexdigest()
    folder = home / f"layers/vectors-{digest[:16]}"
    folder.mkdir()
    (folder / "shard.tar.gz").write_bytes(b"shard")
    layer = {"kind": "vectors", "digest": digest, "model": f"openai:tiny@{DIMENSIONS}"}
    files = {"shard.tar.gz": {"sha256": digest, "bytes": 5}}
    (folder / "manifest.json").write_text(json.dumps({**layer, "schema_version": 1, "files": files}))
    written["layers"].append({**layer, "folder": folder.name, "bytes": 5})
    listed = "".join(sorted(f"{each['kind']}:{each['digest']}\n" for each in written["layers"]))
    written["snapshot_id"] = hashlib.sha256(listed.encode()).hexdigest()
    (home / f"sets/{written['snapshot_id']}.json").write_text(json.dumps(written))
    (home / "CURRENT").write_text(f"{written['snapshot_id']}\n")


class Served:
    """A retriever that is asked, and its metrics."""

    def __init__(self, stub: Stub, metrics_port: int) -> None:
        self._stub = stub
        self._metrics_port = metrics_port

    async def skipped(self, question: str, seconds: float) -> list[str]:
        """Ask, and return what was left out."""
        classification = question_pb2.Classification(mode=question_pb2.MODE_CONCEPTUAL)
        request = pb.RetrieveRequest(repository="net", question=question, classification=classification)
        response = await self._stub.Retrieve(request, timeout=seconds)
        return [each for each in response.quality.skipped if each.startswith("vectors")]

    def metrics(self) -> str:
        """Return what it exports."""
        return exported(self._metrics_port)


def exported(port: int) -> str:
    """Return the metrics of a process."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


@asynccontextmanager
async def served(data: Path, endpoint: EmbeddingEndpoint, *, vector_seconds: float) -> AsyncIterator[Served]:
    """Serve a folder, with the endpoint for queries."""
    port = free_port()
    async with retriever_over(
        data,
        metrics_port=port,
        embedding_provider="openai",
        embedding_model="tiny",
        embedding_url=endpoint.environ["CGRAG_EMBEDDING_URL"],
        embedding_dimensions=DIMENSIONS,
        vector_seconds=vector_seconds,
    ) as stub:
        yield Served(stub, port)


async def test_an_endpoint_that_hangs_leaves_time_for_an_answer(tmp_path: Path) -> None:
    """A deadline that is shorter than the time of the vectors gets an answer by words, not DEADLINE_EXCEEDED."""
    publish(tmp_path)
    with EmbeddingEndpoint(held_after=0) as endpoint:
        async with served(tmp_path, endpoint, vector_seconds=60.0) as retriever:
            skipped = await retriever.skipped("how is a page fetched", 5.0)

    assert skipped == ["vectors: not in time"]


async def test_an_endpoint_that_hangs_is_left_alone(tmp_path: Path) -> None:
    """Callers wait for it a few times; then they are told at once, and so is who operates it."""
    publish(tmp_path)
    with EmbeddingEndpoint(held_after=0) as endpoint:
        async with served(tmp_path, endpoint, vector_seconds=0.3) as retriever:
            for number in range(50):
                skipped = await retriever.skipped(f"how is page {number} fetched", 30.0)
                if LEFT_ALONE.match(skipped[0]):
                    break
            later = [await retriever.skipped(f"how is row {number} fetched", 30.0) for number in range(5)]
            metrics = retriever.metrics()

    assert LEFT_ALONE.match(skipped[0])
    # The last ones of those before may still be on their way to it.
    assert "row" not in " ".join(endpoint.texts)
    assert any(LEFT_ALONE.match(each) for (each,) in later)
    assert 'cgrag_llm_breaker_state{role="embed"} 2.0' in metrics


async def test_secrets_of_questions_are_counted(tmp_path: Path) -> None:
    """As those are which other models would have been sent."""
    publish(tmp_path)
    with EmbeddingEndpoint(held_after=1000) as endpoint:
        async with served(tmp_path, endpoint, vector_seconds=5.0) as retriever:
            await retriever.skipped(f"why is {SECRET} refused", 10.0)
            metrics = retriever.metrics()

    assert endpoint.texts
    assert SECRET not in "".join(endpoint.texts)
    counted = [each for each in SECRET_CLASSES if f'secrets_redacted_total{{class="{each}"}} 1.0' in metrics]
    assert len(counted) == 1


@pytest.mark.parametrize("provider", ["local", "none"])
async def test_a_retriever_without_an_endpoint_shows_none(tmp_path: Path, provider: str) -> None:
    """Series that can never count say nothing."""
    port = free_port()
    async with retriever_over(tmp_path, metrics_port=port, embedding_provider=provider):
        text = exported(port)

    assert "cgrag_build_info" in text
    assert "breaker" not in text


async def test_a_judge_and_an_endpoint_have_their_lines_side_by_side(tmp_path: Path) -> None:
    """Both go out to models; each has its breaker."""
    port = free_port()
    async with retriever_over(
        tmp_path,
        metrics_port=port,
        judge="model",
        embedding_provider="voyage",
        embedding_model="m",
        embedding_url="http://127.0.0.1:9",
    ):
        text = exported(port)

    assert all(f'cgrag_llm_breaker_state{{role="{role}"}} 0.0' in text for role in ("embed", "judge"))
