"""Envoy, run for real with the configuration of deploy/envoy."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import google.rpc
import httpx

from tests.e2e.ports import free_port
from tests.fakes.programs import find_program

ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / "deploy/envoy/envoy.yaml"
ENVOY = find_program("envoy")


@contextmanager
def envoy_before(orchestrator: str, folder: Path) -> Iterator[httpx.Client]:
    """
    Run Envoy as the example has it, on a free port, and return a client of it.

    Args:
        orchestrator: Address on this machine that stands for the orchestrator's.
        folder: Empty; takes the configuration and the contracts.
    """
    assert ENVOY is not None
    port = free_port()
    contracts = [str(each.relative_to(ROOT / "protos")) for each in (ROOT / "protos/cgrag").rglob("*.proto")]
    compiler = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(ROOT / "protos")]
    compiler += ["-I", str(Path(next(iter(google.rpc.__path__))).parents[1]), "--include_imports"]
    compiler += [f"--descriptor_set_out={folder / 'cgrag.pb'}", *contracts, "google/rpc/error_details.proto"]
    subprocess.run(compiler, check=True, timeout=60)
    text = CONFIGURATION.read_text()
    text = text.replace("port_value: 8080", f"port_value: {port}")
    text = text.replace("port_value: 50054", f"port_value: {orchestrator.rpartition(':')[2]}")
    (folder / "envoy.yaml").write_text(text)
    command = [ENVOY, "-c", "envoy.yaml", "--base-id-path", "base", "--use-dynamic-base-id", "--concurrency", "1"]
    with (
        subprocess.Popen([*command, "-l", "warning"], cwd=folder, stderr=subprocess.PIPE) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20, trust_env=False) as client,
    ):
        try:
            _await_port(client, process)
            yield client
        finally:
            process.terminate()


def _await_port(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        try:
            client.get("/")
        except httpx.TransportError:
            assert process.poll() is None, process.stderr and process.stderr.read().decode()
            time.sleep(0.05)
        else:
            return
    raise TimeoutError
