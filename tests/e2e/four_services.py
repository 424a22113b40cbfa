"""Starts the four services by hand, as `python -m <name>` on four ports, and gives the generated stubs to call them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
from cgrag.classifier.v1 import classifier_pb2_grpc
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2_grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from cgrag_client.suite.ports import HEALTH_PORT_OFFSET
from tests.e2e.ports import free_port

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "tests" / "fixtures" / "shop"
NAMES = ("indexer", "classifier", "retriever", "orchestrator")
START_SECONDS = 60.0
CALL_SECONDS = 60.0
_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("CGRAG_", "ANTHROPIC_"))} | {
    "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "protos" / "gen")))
}


def run_service(name: str, data: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a service that is expected to end by itself; returns how it ended."""
    return subprocess.run(
        [sys.executable, "-m", name],
        cwd=ROOT,
        env=_ENVIRONMENT | {"CGRAG_DATA_DIR": str(data), f"CGRAG_{name}_METRICS_PORT".upper(): "0"} | settings,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that failed, as its status says."""

    code: grpc.StatusCode
    reason: str
    message: str
    fields: tuple[str, ...] = ()


def refusal_of(error: grpc.RpcError) -> Refusal:
    """Read code, the one ErrorInfo and the violated fields out of a status."""
    status = rpc_status.from_call(error)
    infos: list[Any] = []
    fields: list[str] = []
    for detail in status.details:
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            info = error_details_pb2.ErrorInfo()
            detail.Unpack(info)
            infos.append(info)
        if detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            bad = error_details_pb2.BadRequest()
            detail.Unpack(bad)
            fields += [each.field for each in bad.field_violations]
    [info] = infos
    assert info.domain == "cgrag"
    return Refusal(error.code(), info.reason, error.details() or "", tuple(fields))


class FourServices:
    """
    The suite; a context manager that starts it and stops it.

    Args:
        data: Folder for everything that it keeps.
        settings: Environment over the defaults.
    """

    def __init__(self, data: Path, settings: dict[str, str] | None = None) -> None:
        self.data = data
        self.ports = {name: free_port() for name in NAMES}
        self._settings = settings or {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._channels: dict[str, grpc.Channel] = {}

    @property
    def orchestrator(self) -> orchestrator_pb2_grpc.OrchestratorServiceStub:
        """The stub of the orchestrator."""
        return orchestrator_pb2_grpc.OrchestratorServiceStub(self._channels["orchestrator"])

    @property
    def indexer(self) -> indexer_pb2_grpc.IndexerServiceStub:
        """The stub of the indexer."""
        return indexer_pb2_grpc.IndexerServiceStub(self._channels["indexer"])

    @property
    def retriever(self) -> retriever_pb2_grpc.RetrieverServiceStub:
        """The stub of the retriever."""
        return retriever_pb2_grpc.RetrieverServiceStub(self._channels["retriever"])

    @property
    def classifier(self) -> classifier_pb2_grpc.ClassifierServiceStub:
        """The stub of the classifier."""
        return classifier_pb2_grpc.ClassifierServiceStub(self._channels["classifier"])

    def index(self, folder: Path, name: str, *, without_vectors: bool = False) -> indexer_pb2.IndexJob:
        """Index a folder to the end of the job, whatever it is."""
        source = indexer_pb2.Source(local_path=str(folder))
        request = indexer_pb2.StartIndexingRequest(repository=name, source=source, without_vectors=without_vectors)
        job = self.indexer.StartIndexing(request, timeout=CALL_SECONDS)
        watch = indexer_pb2.WatchIndexJobRequest(job_id=job.job_id)
        return list(self.indexer.WatchIndexJob(watch, timeout=CALL_SECONDS))[-1]

    def addresses(self) -> dict[str, str]:
        """Settings by which the command line finds these services."""
        return {f"CGRAG_CLIENT_{name}".upper(): f"127.0.0.1:{port}" for name, port in self.ports.items()}

    def stop(self) -> dict[str, int]:
        """Tell all to stop, callers first, and wait; returns exit codes by name."""
        codes: dict[str, int] = {}
        for name, process in reversed(self._processes.items()):
            process.send_signal(signal.SIGTERM)
            codes[name] = process.wait(START_SECONDS)
        self._processes.clear()
        return codes

    def __enter__(self) -> Self:
        try:
            for name in NAMES:
                self._start(name)
            for name in NAMES:
                self._wait(name)
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for channel in self._channels.values():
            channel.close()
        try:
            self.stop()
        finally:
            self._kill()

    def _start(self, name: str) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        settings = {
            "CGRAG_DATA_DIR": str(self.data),
            "CGRAG_ORCHESTRATOR_CLASSIFIER": f"127.0.0.1:{self.ports['classifier']}",
            "CGRAG_ORCHESTRATOR_RETRIEVER": f"127.0.0.1:{self.ports['retriever']}",
            "CGRAG_INDEXER_ALLOWED_ROOTS": f"{ROOT},{self.data.parent}",
            f"CGRAG_{name}_PORT".upper(): str(self.ports[name]),
            f"CGRAG_{name}_METRICS_PORT".upper(): "0",
        }
        with (self.data / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", name],
                cwd=ROOT,
                env=_ENVIRONMENT | settings | self._settings,
                stdout=log,
                stderr=log,
            )
        self._channels[name] = grpc.insecure_channel(f"127.0.0.1:{self.ports[name]}")

    def _wait(self, name: str) -> None:
        request = health_pb2.HealthCheckRequest(service=f"cgrag.{name}.v1.{name.capitalize()}Service")
        ends = time.monotonic() + START_SECONDS
        with grpc.insecure_channel(f"127.0.0.1:{self.ports[name] + HEALTH_PORT_OFFSET}") as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            while time.monotonic() < ends and self._processes[name].poll() is None:
                try:
                    if stub.Check(request, timeout=2, wait_for_ready=True).status == 1:
                        return
                except grpc.RpcError:
                    continue
        raise AssertionError(f"{name} does not serve:\n{(self.data / f'{name}.log').read_text()[-4000:]}")

    def _kill(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()
