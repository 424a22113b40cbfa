"""A service as a process: start, signals, drain, exit codes, and what it says when it cannot start."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.fakes.answering import refusal

ROOT = Path(__file__).parents[2]
SERVICE = "cgrag.orchestrator.v1.OrchestratorService"


class Sample:
    """A running sample service."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self._arrived = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    async def wait_for(self, event: str) -> dict[str, Any]:
        """Return the first event of this name once it was logged."""
        async with asyncio.timeout(20), self._arrived:
            await self._arrived.wait_for(lambda: event in [each["event"] for each in self.events])
        return next(each for each in self.events if each["event"] == event)

    def stop(self) -> None:
        """Send SIGTERM."""
        self.process.send_signal(signal.SIGTERM)

    async def close(self) -> None:
        """End it if it still runs."""
        if self.process.returncode is None:
            self.process.kill()
        await self._reading
        await self.process.wait()

    async def _read(self) -> None:
        # A log that nobody reads would in the end block who writes it.
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            async with self._arrived:
                self.events.append(json.loads(line))
                self._arrived.notify_all()

    async def ended(self) -> int:
        """Return the exit code."""
        async with asyncio.timeout(20):
            await self._reading
            return await self.process.wait()


async def start(*arguments: str, **settings: str) -> asyncio.subprocess.Process:
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'protos' / 'gen'}", "CGRAG_SAMPLE_PORT": "0", **settings}
    # The core of gRPC writes lines of its own; what runs services in earnest silences it likewise.
    environ["GRPC_VERBOSITY"] = "NONE"
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.fakes.sample_service", *arguments),
        cwd=ROOT,
        env=environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def sample(**settings: str) -> AsyncIterator[tuple[Sample, Mapping[str, Any], Any]]:
    """Run a sample; give it with where it listens and a stub."""
    running = Sample(await start(**settings))
    try:
        where = await running.wait_for("server.listening")
        async with grpc.aio.insecure_channel(f"127.0.0.1:{where['port']}") as channel:
            yield running, where, orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
    finally:
        await running.close()


async def fails_to_start(*arguments: str, **settings: str) -> tuple[int | None, str]:
    process = await start(*arguments, **settings)
    async with asyncio.timeout(20):
        _, err = await process.communicate()
    return process.returncode, err.decode()


async def test_sigterm_lets_the_running_stream_finish_and_exits_0() -> None:
    """Readiness goes, the stream completes, everything is closed, and the code says that all is well."""
    async with sample() as (running, where, stub):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{where['health_port']}") as channel:
            health = health_pb2_grpc.HealthStub(channel)
            call = stub.Ask(orchestrator_pb2.AskRequest(question="0.5"))
            first = await call.read()
            running.stop()
            await running.wait_for("server.draining")
            ready = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE))
        second = await call.read()
        end = await call.code()
        await running.wait_for("service.stopped")
        code = await running.ended()

    assert (first.sequence, second.sequence, end, code) == (1, 2, grpc.StatusCode.OK, 0)
    assert ready.status == health_pb2.HealthCheckResponse.NOT_SERVING
    assert "sample.flushed" in [event["event"] for event in running.events]


async def test_a_stream_that_outlives_the_grace_is_cut() -> None:
    """After the grace the process ends anyway, still with 0."""
    async with sample(CGRAG_SAMPLE_GRACE_SECONDS="0.2") as (running, _, stub):
        call = stub.Ask(orchestrator_pb2.AskRequest(question="60"))
        await call.read()
        running.stop()
        drained = await running.wait_for("server.drained")
        code = await running.ended()

    assert drained["cancelled"] == 1
    assert code == 0


async def test_a_second_signal_ends_at_once() -> None:
    """Who signals twice does not wait for streams."""
    async with sample() as (running, _, stub):
        call = stub.Ask(orchestrator_pb2.AskRequest(question="60"))
        await call.read()
        running.stop()
        await running.wait_for("server.draining")
        running.stop()
        code = await running.ended()

    assert code == 128 + signal.SIGTERM


async def test_a_supervisor_that_is_gone_cuts_no_stream() -> None:
    """SIGHUP says so, and more than once; the running stream completes, and who wants the end at once signals that."""
    async with sample() as (running, _, stub):
        call = stub.Ask(orchestrator_pb2.AskRequest(question="0.5"))
        await call.read()
        running.process.send_signal(signal.SIGHUP)
        await running.wait_for("server.draining")
        running.process.send_signal(signal.SIGHUP)
        second = await call.read()
        code = await running.ended()
    async with sample() as (running, _, stub):
        call = stub.Ask(orchestrator_pb2.AskRequest(question="60"))
        await call.read()
        running.process.send_signal(signal.SIGHUP)
        await running.wait_for("server.draining")
        running.stop()
        at_once = await running.ended()

    assert (second.sequence, code) == (2, 0)
    assert at_once == 128 + signal.SIGTERM


async def test_a_taken_port_is_one_clear_line_and_exit_2() -> None:
    """The line names the port, the setting, and what to do; nothing of the library is around it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, err = await fails_to_start(CGRAG_SAMPLE_PORT=str(port))

    lines = [line for line in err.splitlines() if not line.startswith("{")]
    assert code == 2
    assert len(lines) == 1
    assert all(word in lines[0] for word in (f"127.0.0.1:{port}", "CGRAG_SAMPLE_PORT", "stop what uses it"))


async def test_wrong_settings_are_told_all_at_once(tmp_path: Path) -> None:
    """Every problem of file and environment is on stderr, and nothing started."""
    file = tmp_path / "cgrag.toml"
    file.write_text('[sample]\npasses = 99\nlog_level = "loud"\nno_such = 1\n')
    code, err = await fails_to_start(CGRAG_CONFIG=str(file), CGRAG_SAMPLE_PORT="many")

    assert code == 2
    assert all(name in err for name in ("passes", "log_level", "no_such", "CGRAG_SAMPLE_PORT"))
    assert "Traceback" not in err


async def test_a_missing_settings_file_is_told() -> None:
    """A CGRAG_CONFIG that cannot be read stops the start."""
    code, err = await fails_to_start(CGRAG_CONFIG="/no/such.toml")

    assert code == 2
    assert "/no/such.toml" in err


async def test_prints_the_settings_in_force() -> None:
    """Each setting with its value, its origin and its meaning, as JSON; secrets hidden."""
    process = await start("--print-settings", CGRAG_SAMPLE_PASSES="5", CGRAG_SAMPLE_API_KEY="hunter2")
    out, _ = await process.communicate()

    origins = {each["name"]: each for each in json.loads(out)}
    assert process.returncode == 0
    assert (origins["sample.passes"]["value"], origins["sample.passes"]["source"]) == ("5", "CGRAG_SAMPLE_PASSES")
    assert origins["sample.grace_seconds"]["source"] == "default"
    assert b"hunter2" not in out


async def test_serves_metrics_when_a_port_is_set() -> None:
    """Prometheus finds the process's metrics on the configured port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with sample(CGRAG_SAMPLE_METRICS_PORT=str(port)) as (running, _, _):
        text = await asyncio.to_thread(_read, f"http://127.0.0.1:{port}/metrics")
        running.stop()
        code = await running.ended()

    assert code == 0
    assert "cgrag_event_loop_lag_seconds" in text
    assert f'grpc_service="{SERVICE}"' in text


async def test_certificates_are_used_and_may_change(tmp_path: Path) -> None:
    """With certificate files the server talks TLS only; new files are taken up without a restart."""
    certificate, key = await _make_certificate(tmp_path)
    settings = {"CGRAG_SAMPLE_TLS_CERTIFICATE_FILE": str(certificate), "CGRAG_SAMPLE_TLS_KEY_FILE": str(key)}
    async with sample(**settings) as (_, where, plain):
        await refusal(plain.Ask(orchestrator_pb2.AskRequest(question="0"), timeout=5).read())
        first = await _ask_over_tls(where["port"], certificate.read_bytes())
        await _make_certificate(tmp_path)
        second = await _ask_over_tls(where["port"], certificate.read_bytes())

    assert (first, second) == (1, 1)


async def test_half_a_certificate_is_refused(tmp_path: Path) -> None:
    """A certificate without its key, or a file that is not there, stops the start with a line."""
    code, err = await fails_to_start(CGRAG_SAMPLE_TLS_CERTIFICATE_FILE=str(tmp_path / "a.pem"))

    assert code == 2
    assert "tls_key_file" in err


def _read(url: str) -> str:
    with urllib.request.urlopen(url) as response:
        return str(response.read().decode())


async def _make_certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "cert.pem", folder / "key.pem"
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    process = await asyncio.create_subprocess_exec(
        "openssl",
        *command.split(),
        *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert await process.wait() == 0
    return certificate, key


async def _ask_over_tls(port: int, authority: bytes) -> int:
    credentials = grpc.ssl_channel_credentials(authority)
    async with grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
        stub: Any = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        event = await stub.Ask(orchestrator_pb2.AskRequest(question="0"), timeout=5).read()
        return int(event.sequence)
