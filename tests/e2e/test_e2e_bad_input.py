"""Bad input to the real services: a clear error each time, by the contract's reasons."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.e2e.four_services import CALL_SECONDS, NAMES, ROOT, FourServices, Refusal, refusal_of, run_service
from tests.e2e.ports import free_port

PORT_TAKEN_EXIT = 2


def refuse(call: Callable[[], object]) -> Refusal:
    """Make a call that must fail and read its status."""
    with pytest.raises(grpc.RpcError) as raised:
        call()
    return refusal_of(raised.value)


def asking(suite: FourServices, question: str, repository: str = "shop") -> Callable[[], object]:
    request = pb.AskRequest(repository=repository, question=question)
    return lambda: list(suite.orchestrator.Ask(request, timeout=CALL_SECONDS))


def test_all_violations_at_once(suite: FourServices) -> None:
    """Every field that is wrong is named in the one error."""
    request = pb.AskRequest(repository="", question=" ", options=pb.AskOptions(max_passes=99))
    refusal = refuse(lambda: list(suite.orchestrator.Ask(request, timeout=CALL_SECONDS)))

    assert set(refusal.fields) >= {"repository", "question", "options.max_passes"}


def test_missing_path(suite: FourServices) -> None:
    """A path that does not exist is refused when the job is started."""
    source = indexer_pb2.Source(local_path=str(ROOT / "no" / "such" / "folder"))
    request = indexer_pb2.StartIndexingRequest(repository="missing", source=source)
    refusal = refuse(lambda: suite.indexer.StartIndexing(request, timeout=CALL_SECONDS))

    assert refusal.reason == "ERROR_REASON_SOURCE_UNAVAILABLE"
    assert "does not exist" in refusal.message


def test_index_not_ready(suite: FourServices) -> None:
    """A repository whose first job has not published yet is known and not ready."""
    folder = suite.data.parent / "slow"
    folder.mkdir()
    for number in range(400):
        (folder / f"module_{number}.py").write_text("def f(x):\n    return x\n" * 200)
    source = indexer_pb2.Source(local_path=str(folder))
    request = indexer_pb2.StartIndexingRequest(repository="slow", source=source)
    job = suite.indexer.StartIndexing(request, timeout=CALL_SECONDS)
    refusal = refuse(asking(suite, "What is f?", "slow"))
    suite.indexer.CancelIndexJob(indexer_pb2.CancelIndexJobRequest(job_id=job.job_id), timeout=CALL_SECONDS)

    assert refusal.reason == "ERROR_REASON_INDEX_NOT_READY"


@pytest.mark.parametrize("name", NAMES)
def test_port_taken(name: str, tmp_path: Path) -> None:
    """A service whose port is taken ends at once and names the port and the setting."""
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        ended = run_service(name, tmp_path, **{f"CGRAG_{name}_PORT".upper(): str(port)})

    assert ended.returncode == PORT_TAKEN_EXIT
    assert str(port) in ended.stderr
    assert f"CGRAG_{name}_PORT".upper() in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("name", NAMES)
def test_malformed_settings(name: str, tmp_path: Path) -> None:
    """All wrong settings of file and environment are named at once, and nothing starts."""
    file = tmp_path / "cgrag.toml"
    file.write_text(f"[{name}]\nprot = 1\nhealth_port = -1\n")
    settings = {f"CGRAG_{name}_PORT".upper(): "many", "CGRAG_CONFIG": str(file)}
    ended = run_service(name, tmp_path / "data", **settings)

    assert ended.returncode == PORT_TAKEN_EXIT
    assert f"[{name}] prot: no such setting" in ended.stderr
    assert f"[{name}] health_port: must be at least 0" in ended.stderr
    assert f"CGRAG_{name}_PORT".upper() in ended.stderr
    assert "Traceback" not in ended.stderr


def test_config_check_names_faults_of_all_services(tmp_path: Path) -> None:
    """`cgrag config check` reports what is wrong anywhere, at once, of a file in the folder where it is called, too."""
    file = tmp_path / "cgrag.toml"
    file.write_text("[indexer]\nprot = 1\n[retriever]\nlog_level = 'loud'\n[client]\ntokn = ''\n")
    command = [sys.executable, "-m", "cgrag_client", "config", "check", "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CGRAG_")}
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "protos" / "gen")))

    def check(**settings: str) -> subprocess.CompletedProcess[str]:
        env = environment | settings
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=tmp_path)

    wrong = check(CGRAG_CONFIG=file.name, ANTHROPIC_API_KEY_FILE="/nowhere/key")
    right = check(CGRAG_MAX_PASSES="2")
    strange = tmp_path / "strange.toml"
    strange.write_text("log_level = 'debug'\n[indexr]\nport = 1\n")
    unread = check(CGRAG_CONFIG=str(strange))
    missing = check(CGRAG_CONFIG="missing.toml")
    unknown = check(CGRAG_COLOUR="blue", CGRAG_CLIENT_TOKEN="t")

    assert wrong.returncode == 2
    for text in ("[indexer] prot", "[retriever] log_level", "[client] tokn"):
        assert text in wrong.stderr
    assert wrong.stderr.count("/nowhere/key: cannot be read") == 1, "several services read it"
    assert unread.returncode == 2
    assert "log_level: outside of a table" in unread.stderr
    assert "[indexr]: no such table" in unread.stderr
    assert (unknown.returncode, unknown.stderr.splitlines()[1:]) == (
        2,
        ["CGRAG_COLOUR: no such setting; docs/settings.md has them all"],
    )
    assert (missing.returncode, missing.stderr.count("missing.toml")) == (2, 1), "the client and all services read it"
    rows = json.loads(right.stdout)["settings"]
    assert right.returncode == 0
    assert [row["value"] for row in rows if row["source"] == "CGRAG_MAX_PASSES"] == ["2"]
