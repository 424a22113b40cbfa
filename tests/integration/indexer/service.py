"""The indexer as a process, and a stub that asks it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from cgrag.indexer.v1 import indexer_pb2 as pb
from cgrag.indexer.v1 import indexer_pb2_grpc

from tests.fakes.answering import details, refusal

ROOT = Path(__file__).parents[3]


class Indexer:
    """A running indexer and a stub for it."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, log: asyncio.Task[None]) -> None:
        self.process = process
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        self.stub = indexer_pb2_grpc.IndexerServiceStub(self.channel)
        self._log = log

    async def index(self, folder: Path, **more: Any) -> pb.IndexJob:
        """Start a job and wait for its end."""
        job = await self.stub.StartIndexing(pb.StartIndexingRequest(source=pb.Source(local_path=str(folder)), **more))
        return (await self.watch(job.job_id))[-1]

    async def watch(self, job_id: str) -> list[pb.IndexJob]:
        """Return all that a watcher of a job hears."""
        return [job async for job in self.stub.WatchIndexJob(pb.WatchIndexJobRequest(job_id=job_id), timeout=60)]

    async def until(self, job_id: str, phase: int) -> None:
        """Wait until a job has reached a phase."""
        call = self.stub.WatchIndexJob(pb.WatchIndexJobRequest(job_id=job_id), timeout=60)
        try:
            async for job in call:
                if job.progress.phase >= phase:
                    return
        finally:
            call.cancel()

    async def kill(self) -> None:
        """End the process as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        await self.close()

    async def close(self) -> None:
        """End everything."""
        await self.channel.close()
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        await self.process.wait()
        await self._log


@asynccontextmanager
async def running(data: Path, embedding: str = "none", **settings: str) -> AsyncIterator[Indexer]:
    """Start an indexer on free ports, with more variables of the environment."""
    environ = {
        **os.environ,
        "CGRAG_DATA_DIR": str(data),
        "CGRAG_INDEXER_PORT": "0",
        "CGRAG_INDEXER_METRICS_PORT": "0",
        "CGRAG_INDEXER_GRACE_SECONDS": "1",
        "CGRAG_EMBEDDING_PROVIDER": embedding,
        "GRPC_VERBOSITY": "NONE",
        **settings,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "indexer", cwd=ROOT, env=environ, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    port = 0
    while not port:
        event = json.loads(await asyncio.wait_for(process.stderr.readline(), 30))
        port = event.get("port", 0)
    indexer = Indexer(process, port, asyncio.create_task(_drained(process.stderr)))
    try:
        yield indexer
    finally:
        await indexer.close()


async def _drained(log: asyncio.StreamReader) -> None:
    while await log.readline():
        pass


async def refused(call: Awaitable[object]) -> tuple[grpc.StatusCode, str]:
    """Return code and reason that a call is refused with."""
    error = await refusal(call)
    return error.code(), str(details(error)["ErrorInfo"].reason)
