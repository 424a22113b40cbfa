"""Secrets of indexed source: taken out on the way to an embedding endpoint, and counted where metrics are asked for."""

from __future__ import annotations

import asyncio
import urllib.request
from pathlib import Path

from cgrag.indexer.v1 import indexer_pb2 as pb

from tests.e2e.ports import free_port
from tests.fakes.embedding_endpoint import EmbeddingEndpoint
from tests.integration.indexer.service import running

SECRET = "AKIA" + "ABCDEFGHIJKLMNOP"
CODE = f'def connect():\n    """Log in as {SECRET}."""\n    return 1\n'


def exported(port: int) -> list[str]:
    """Return the lines of a process's metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        return str(answer.read().decode()).splitlines()


async def test_the_service_counts_what_its_worker_took_out(tmp_path: Path) -> None:
    """A job's process has no metrics of its own, and ends with it."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source/login.py").write_text(CODE)
    port = free_port()
    with EmbeddingEndpoint(held_after=1000) as endpoint:
        environ = endpoint.environ | {
            "CGRAG_INDEXER_METRICS_PORT": str(port),
            "CGRAG_INDEXER_ALLOWED_ROOTS": str(tmp_path / "source"),
        }
        async with running(tmp_path / "data", embedding="openai", **environ) as indexer:
            job = await indexer.index(tmp_path / "source")
            lines = await asyncio.to_thread(exported, port)

    counted = [each for each in lines if each.startswith("cgrag_secrets_redacted_total{") and not each.endswith(" 0.0")]
    assert job.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert endpoint.texts
    assert SECRET not in "".join(endpoint.texts)
    assert len(counted) == 1
