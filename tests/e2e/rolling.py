"""Services as processes that come back on their ports out of another checkout, and callers who ask meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cgrag_client import Client
from cgrag_client.connecting.settings import ClientSettings
from cgrag_client.errors import ClientError
from tests.e2e.four_services import CALL_SECONDS, START_SECONDS
from tests.e2e.ports import free_port

_AT_ONCE = (("grpc.initial_reconnect_backoff_ms", 20), ("grpc.max_reconnect_backoff_ms", 50))
_ASKERS = 2
_TRIES = 200


class Node:
    """
    A process of one service.

    Args:
        service: Package that is run.
        folder: For what belongs to it alone; its log is written there.
        settings: Environment.
    """

    def __init__(self, service: str, folder: Path, settings: Mapping[str, str]) -> None:
        self.service = service
        self.port = free_port()
        self.target = f"127.0.0.1:{self.port}"
        self._log = folder / f"{service}-{self.port}.log"
        own = f"CGRAG_{service}_".upper()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CGRAG_", "ANTHROPIC_"))}
        ports = {f"{own}PORT": str(self.port), f"{own}METRICS_PORT": "0"}
        self._environment = inherited | dict(settings) | ports
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, checkout: Path) -> None:
        """Run it out of a checkout."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        packages = os.pathsep.join((str(checkout), str(checkout / "protos" / "gen")))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.service],
                cwd=checkout,
                env=self._environment | {"PYTHONPATH": packages},
                stdout=log,
                stderr=log,
            )

    def wait(self) -> None:
        """Wait until it serves."""
        assert self._process is not None
        name = f"cgrag.{self.service}.v1.{self.service.capitalize()}Service"
        ends = time.monotonic() + START_SECONDS
        with grpc.insecure_channel(f"127.0.0.1:{self.port + 1000}", options=_AT_ONCE) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            request = health_pb2.HealthCheckRequest(service=name)
            while time.monotonic() < ends and self._process.poll() is None:
                try:
                    if stub.Check(request, timeout=2, wait_for_ready=True).status == 1:
                        return
                except grpc.RpcError:
                    continue
        raise AssertionError(f"{self.service} does not serve:\n{self._log.read_text()[-4000:]}")

    def stop(self) -> int:
        """Tell it to stop, and return its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(START_SECONDS)

    def kill(self) -> None:
        """End it in the middle of what it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def roll(self, checkout: Path) -> None:
        """Stop it, and start it out of another checkout."""
        code = self.stop()
        assert code == 0, f"{self.service} ended with {code}:\n{self._log.read_text()[-4000:]}"
        self.start(checkout)
        self.wait()


class Deployment:
    """
    An indexer, a classifier, and two retrievers and orchestrators, which share their stores.

    Args:
        folder: Keeps everything.
        settings: Environment over the defaults.
        replicas: Of retriever and orchestrator.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str], *, replicas: int = 2) -> None:
        shared = {
            "CGRAG_DATA_DIR": str(folder / "data"),
            "CGRAG_INDEXER_ALLOWED_ROOTS": f"{folder},{folder.parent}",
        } | dict(settings)
        self.indexer = Node("indexer", folder, shared)
        self.classifier = Node("classifier", folder, shared)
        self.retrievers = [
            Node("retriever", folder, shared | {"CGRAG_RETRIEVER_STATE_DIR": str(folder / f"retriever-{number}")})
            for number in range(replicas)
        ]
        peers = {
            "CGRAG_ORCHESTRATOR_RETRIEVER": ",".join(each.target for each in self.retrievers),
            "CGRAG_ORCHESTRATOR_CLASSIFIER": self.classifier.target,
        }
        self.orchestrators = [Node("orchestrator", folder, shared | peers) for _ in range(replicas)]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return all processes in the order of docs/deploying.md: who reads comes before who writes."""
        return (*self.retrievers, self.indexer, *self.orchestrators, self.classifier)

    def start(self, checkout: Path) -> None:
        """Start all at once."""
        for each in self.nodes:
            each.start(checkout)
        for each in self.nodes:
            each.wait()

    def stop(self) -> list[int]:
        """Stop all, callers first; returns exit codes."""
        return [each.stop() for each in reversed(self.nodes)]

    def index(self, folder: Path, name: str) -> indexer_pb2.IndexJob:
        """Index a folder to the end of the job, whatever it is."""
        source = indexer_pb2.Source(local_path=str(folder))
        request = indexer_pb2.StartIndexingRequest(repository=name, source=source, without_vectors=True)
        with grpc.insecure_channel(self.indexer.target, options=_AT_ONCE) as channel:
            stub = indexer_pb2_grpc.IndexerServiceStub(channel)
            job = stub.StartIndexing(request, timeout=CALL_SECONDS, wait_for_ready=True)
            watch = indexer_pb2.WatchIndexJobRequest(job_id=job.job_id)
            last = list(stub.WatchIndexJob(watch, timeout=CALL_SECONDS))[-1]
        assert last.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, last.error
        return last

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.nodes:
            each.kill()


class Calls:
    """Stubs of this checkout to a process of any; a context manager."""

    def __init__(self, node: Node) -> None:
        self._channel = grpc.insecure_channel(node.target, options=_AT_ONCE)
        self.orchestrator = orchestrator_pb2_grpc.OrchestratorServiceStub(self._channel)
        self.retriever = retriever_pb2_grpc.RetrieverServiceStub(self._channel)
        self.indexer = indexer_pb2_grpc.IndexerServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()


@dataclass(slots=True)
class Askers:
    """
    Callers who each go on asking within one session, until the end of the `with` block raises what went wrong.

    They do as callers should: what nobody took up, or could go on with, is asked again under its request id.

    Args:
        targets: Where orchestrators listen.
        repository: That they ask about.
        question: What they ask, with the number of the question behind.
        options: How.
    """

    targets: tuple[str, ...]
    repository: str
    question: str
    options: pb.AskOptions
    streams: list[list[pb.AnswerEvent]] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _ended: bool = False
    _errors: list[BaseException] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    def wait_for_more(self) -> None:
        """Wait until each of them has, and so all have, answers to questions that were asked from now on."""
        with self._changed:
            wanted = len(self.streams) + 2 * _ASKERS
            is_there = self._changed.wait_for(lambda: len(self.streams) >= wanted or bool(self._errors), CALL_SECONDS)
        assert is_there, "callers get no answers"
        self._raise()

    def _raise(self) -> None:
        if self._errors:
            raise self._errors[0]

    def _run(self) -> None:
        try:
            asyncio.run(self._ask_on())
        except BaseException as error:  # noqa: BLE001 (the thread of the test raises it)
            with self._changed:
                self._errors.append(error)
                self._changed.notify_all()

    async def _ask_on(self) -> None:
        session_id, number = "", 0
        async with Client(ClientSettings(orchestrator="ipv4:" + ",".join(self.targets))) as client:
            while not self._ended:
                number += 1
                stream = await self._asked(client, f"{self.question} ({number})", session_id)
                assert session_id in ("", stream[0].started.session_id), "the session did not go on"
                session_id = stream[0].started.session_id
                with self._changed:
                    self.streams.append(stream)
                    self._changed.notify_all()

    async def _asked(self, client: Client, question: str, session_id: str) -> list[pb.AnswerEvent]:
        request_id = uuid.uuid4().hex
        for number in range(1, _TRIES + 1):
            seen: list[pb.AnswerEvent] = []
            answers = client.answers.ask(
                question,
                repository=self.repository,
                options=self.options,
                session_id=session_id,
                request_id=request_id,
            )
            try:
                async with aclosing(answers) as events:
                    async for event in events:
                        seen.append(event)  # noqa: PERF401 (what came before an error counts)
            except ClientError as error:
                if error.code is not grpc.StatusCode.UNAVAILABLE or number == _TRIES:
                    raise
                await asyncio.sleep(0.05)
            else:
                return [each for each in seen if each.WhichOneof("event") != "heartbeat"]
        raise AssertionError("unreachable")

    def __enter__(self) -> Self:
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(_ASKERS)]
        for each in self._threads:
            each.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        for each in self._threads:
            each.join(CALL_SECONDS)
        if error is None:
            self._raise()
