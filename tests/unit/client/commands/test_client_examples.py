"""Clients of docs/clients in four languages, over stubs alone: stream, resume after a cut, errors, cancel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2

from tests.fakes.answer_events import two_pass_events
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, SuiteServer

ROOT = Path(__file__).parents[4]
CLIENTS = ROOT / "docs" / "clients"


def built(language: str, command: list[str], program: Path) -> object:
    """Return a case for a client that `make clients` builds where it finds the tools of its language."""
    missing = not program.exists() or shutil.which(command[0]) is None
    reason = "not built here: run `make clients`, which tells what it needs"
    return pytest.param(command, id=language, marks=pytest.mark.skipif(missing, reason=reason))


TYPESCRIPT, GO, JAVA = CLIENTS / "typescript/ask.js", ROOT / "build/clients/go/ask", ROOT / "build/clients/java/ask"
COMMANDS = [
    pytest.param([sys.executable, str(CLIENTS / "python" / "ask.py")], id="python"),
    built("typescript", ["node", str(TYPESCRIPT), str(ROOT / "protos")], TYPESCRIPT),
    built("go", [str(GO)], GO),
    built("java", [str(JAVA)], JAVA),
]
NOT_FOUND = Failure(grpc.StatusCode.NOT_FOUND, "no repository 'shop'", "ERROR_REASON_REPOSITORY_NOT_FOUND")


def run(command: list[str], script: Script) -> tuple[subprocess.CompletedProcess[str], SuiteServer]:
    """Ask a scripted service."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "protos" / "gen")}
    with SuiteServer(script) as server:
        done = subprocess.run(
            [*command, server.address, "shop", "Why does checkout raise OutOfStock?"],
            capture_output=True,
            text=True,
            env=environ,
            timeout=60,
            check=False,
        )
        return done, server


@pytest.mark.parametrize("command", COMMANDS)
def test_an_answer_that_is_cut_is_taken_up(command: list[str]) -> None:
    """Twice; asked once, then watched from where it was cut."""
    done, server = run(command, Script(events=two_pass_events(), cuts=[2, 5]))

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("`Cart.checkout` [1] calls `reserve`")
    assert "[2] shop/stock.py:12" in done.stdout
    assert len(server.asked_for(orchestrator_pb2.AskRequest)) == 1
    watched = [each.after_sequence for each in server.asked_for(orchestrator_pb2.WatchAnswerRequest)]
    assert watched == [2, 5]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_error_is_told_with_its_reason(command: list[str]) -> None:
    """That of the contract, out of the details of the status."""
    done, _ = run(command, Script(failure=NOT_FOUND))

    assert done.returncode == 1
    assert "ERROR_REASON_REPOSITORY_NOT_FOUND: no repository 'shop'" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_client_that_is_ended_ends_its_call(command: list[str]) -> None:
    """The service notices that nobody reads, and stops."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "protos" / "gen")}
    with SuiteServer(Script(events=two_pass_events(), hang_after=3)) as server:
        with subprocess.Popen(
            [*command, server.address, "shop", "Why?"], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            while not server.asked_for(orchestrator_pb2.AskRequest) and process.poll() is None:
                time.sleep(0.02)
            process.terminate()

        assert server.left.wait(20)
