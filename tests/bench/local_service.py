"""Starts one service of this checkout as a process on free ports, for benchmarks."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cgrag_client.errors import UsageError
from cgrag_client.evaluation.mirrors import sources_of
from cgrag_client.suite import free_ports

ROOT = Path(__file__).parents[2]
START_SECONDS = 60.0
_CONNECT_AT_ONCE = (
    ("grpc.initial_reconnect_backoff_ms", 20),
    ("grpc.min_reconnect_backoff_ms", 20),
    ("grpc.max_reconnect_backoff_ms", 20),
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.use_local_subchannel_pool", 1),
)


def copy_sources(repo: Path, target: Path) -> None:
    """Copy the files of a repository without git's, of a bare one those of its HEAD; ends the process if it is none."""
    try:
        with sources_of(repo) as folder:
            shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    except UsageError as error:
        raise SystemExit(str(error)) from error


class LocalService:
    """
    A service in a process; a context manager that starts it and stops it.

    Args:
        name: Package that is run.
        data: Its data folder; its log is written there too.
        settings: Environment over the caller's own.
    """

    def __init__(self, name: str, data: Path, **settings: str) -> None:
        self.name = name
        ports = free_ports().services[name]
        self.port = ports.grpc
        self._health = ports.health
        self._log = data / f"{name}.log"
        own = f"CGRAG_{name}_".upper()
        self._environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("CGRAG_")},
            "CGRAG_DATA_DIR": str(data),
            f"{own}PORT": str(ports.grpc),
            f"{own}HEALTH_PORT": str(ports.health),
            f"{own}METRICS_PORT": str(ports.metrics),
            **settings,
        }
        self.metrics_port = ports.metrics
        self.started_at = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def target(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    def channel(self) -> grpc.aio.Channel:
        """Open a channel to it that connects as soon as it listens."""
        return grpc.aio.insecure_channel(self.target, options=_CONNECT_AT_ONCE)

    def wait(self) -> None:
        """Wait until it says that it serves. Raises SystemExit if it does not."""
        name = f"cgrag.{self.name}.v1.{self.name.capitalize()}Service"
        ends = time.monotonic() + START_SECONDS
        with grpc.insecure_channel(f"127.0.0.1:{self._health}", options=_CONNECT_AT_ONCE) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            while time.monotonic() < ends and self._process is not None and self._process.poll() is None:
                try:
                    answer = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=2, wait_for_ready=True)
                except grpc.RpcError:
                    continue
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    return
                time.sleep(0.01)
        raise SystemExit(f"{self.name} does not serve; its log ends with:\n{self._log.read_text()[-2000:]}")

    def __enter__(self) -> Self:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            self.started_at = time.perf_counter()
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.name],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
