"""Running the services as processes, with small stand-ins for the services."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from cgrag_client.connecting.settings import SERVICES, ClientSettings
from cgrag_client.errors import UsageError
from cgrag_client.suite import ServiceState, Suite, SuiteError, SuiteSettings, find_checkout, free_ports, ports_of
from cgrag_client.suite.logs import explain_end
from cgrag_client.suite.processes import variables_of
from cgrag_client.suite.running import RunningSuite, find_running, remembered, settings_in_force, stop_running

STAND_IN = """\
import os, signal, sys, time
from concurrent import futures
import grpc
from grpc_health.v1 import health, health_pb2_grpc

name = os.environ["STAND_IN_NAMES"] and sys.argv[0].split(os.sep)[-2]
server = grpc.server(futures.ThreadPoolExecutor(2))
servicer = health.HealthServicer()
health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
server.add_insecure_port("127.0.0.1:" + os.environ[f"CGRAG_{name.upper()}_HEALTH_PORT"])
told = []
def stop(number, _):
    if told and number == signal.SIGTERM:
        os._exit(1)  # a second one ends services at once, too
    told.append(number)
for number in (signal.SIGTERM, signal.SIGHUP):  # before it serves: who sees it serve may stop it
    signal.signal(number, stop)
server.start()
servicer.set(f"cgrag.{name}.v1.{name.capitalize()}Service", 1)
while not told:  # not signal.pause(): the signal may come to a thread of gRPC, which leaves the main one asleep
    time.sleep(0.05)
open(os.path.join(os.environ["CGRAG_DATA_DIR"], "stopped"), "a").write(name + "\\n")
os._exit(0)
"""
BROKEN = """\
import sys
print('{"level": "error", "event": "service.failed", "reason": "disk is full"}', file=sys.stderr)
print("cgrag retriever: port: expected a whole number, got 'x'", file=sys.stderr)
sys.exit(2)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like a checkout, with stand-ins that only answer health checks: their calls may need TLS."""
    for name in (*SERVICES, "common"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / "__main__.py").write_text(STAND_IN)
    return tmp_path


def settings_of(checkout: Path, **environ: str) -> SuiteSettings:
    return SuiteSettings(
        checkout=checkout,
        data=checkout / "data",
        ports=free_ports(),
        environ={**os.environ, "STAND_IN_NAMES": "1", **environ},
        services=SERVICES,
    )


async def test_starts_all_services_and_stops_callers_first(checkout: Path) -> None:
    """All four serve when the suite is entered; on leaving each is told to stop, the orchestrator first."""
    seen: list[Mapping[str, ServiceState]] = []
    async with Suite(settings_of(checkout), lambda states: seen.append(dict(states))) as suite:
        pids = suite.pids

    assert list(pids) == list(SERVICES)
    assert seen[0] == dict.fromkeys(SERVICES, ServiceState.STARTING)
    assert dict.fromkeys(SERVICES, ServiceState.SERVING) in seen
    assert seen[-1] == dict.fromkeys(SERVICES, ServiceState.STOPPED)
    assert (checkout / "data" / "stopped").read_text().split() == list(reversed(SERVICES))


async def test_says_why_a_service_did_not_start(checkout: Path) -> None:
    """The end of the log is told for a person, and the others are stopped."""
    (checkout / "retriever" / "__main__.py").write_text(BROKEN)

    with pytest.raises(SuiteError) as raised:
        async with Suite(settings_of(checkout)):
            pass

    message = str(raised.value)
    assert "retriever ended with code 2" in message
    assert "error service.failed reason=disk is full" in message
    assert "cgrag retriever: port: expected a whole number" in message


async def test_says_why_a_service_is_not_ready(checkout: Path) -> None:
    """A service that runs and cannot serve has said why; nobody waits for it as for one that is slow."""
    unready = STAND_IN.replace('Service", 1)', 'Service", 2)\nprint(\'{"event": "server.not_ready"}\', flush=True)')
    (checkout / "orchestrator" / "__main__.py").write_text(unready)

    with pytest.raises(SuiteError) as raised:
        async with Suite(replace(settings_of(checkout), unready_seconds=0.5)):
            pass

    assert "orchestrator runs and says that it is not ready" in str(raised.value)
    assert "server.not_ready" in str(raised.value)


async def test_services_read_the_settings_file_of_the_callers_folder(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run in the checkout, where a name that is relative to the caller's folder would lead elsewhere."""
    text = "import os, sys\nprint('cgrag retriever:', os.environ['CGRAG_CONFIG'], file=sys.stderr)\nsys.exit(2)\n"
    (checkout / "retriever" / "__main__.py").write_text(text)
    here = tmp_path_factory.mktemp("here")
    (here / "cgrag.toml").touch()
    monkeypatch.chdir(here)

    with pytest.raises(SuiteError, match=str(here / "cgrag.toml")):
        await Suite(settings_of(checkout, CGRAG_CONFIG="cgrag.toml")).start()


async def test_names_ports_that_are_taken(checkout: Path) -> None:
    """A port that somebody listens on is named before anything starts."""
    settings = settings_of(checkout)
    port = settings.ports.services["retriever"].grpc
    error = pytest.raises(SuiteError, match=rf"port taken: {port} \(retriever\)")
    with socket.create_server(("127.0.0.1", port)), error:
        async with Suite(settings):
            pass

    assert not (checkout / "data").exists()


async def test_notices_a_service_that_ends(checkout: Path) -> None:
    """Waiting ends with an error when a service ends by itself."""
    async with Suite(settings_of(checkout)) as suite:
        os.kill(suite.pids["classifier"], 15)
        with pytest.raises(SuiteError, match="classifier ended with code 0"):
            await suite.wait()


def test_keeps_the_log_of_the_run_before(checkout: Path) -> None:
    """Logs begin anew with each start; the one before is kept beside."""
    from cgrag_client.suite.processes import _fresh_log

    log = checkout / "logs" / "indexer.jsonl"
    for text in (b"one", b"two"):
        with _fresh_log(log) as file:
            file.write(text)

    assert log.read_bytes() == b"two"
    assert log.with_suffix(".previous.jsonl").read_bytes() == b"one"


def test_takes_ports_from_the_addresses() -> None:
    """The ports are those at which callers look; health and metrics follow."""
    ports = ports_of({}).services

    assert [each.grpc for each in ports.values()] == [50051, 50052, 50053, 50054]
    assert [each.health for each in ports.values()] == [51051, 51052, 51053, 51054]
    assert {each.metrics for each in ports.values()} == {None}


def test_takes_the_ports_that_services_are_set_to(tmp_path: Path) -> None:
    """By variable or file, the health port too; an address that is set besides has to agree."""
    (tmp_path / "cgrag.toml").write_text("[retriever]\nport = 40003\nhealth_port = 45003\n")
    environ = {
        "CGRAG_CONFIG": str(tmp_path / "cgrag.toml"),
        "CGRAG_INDEXER_PORT": "40001",
        "CGRAG_CLIENT_ORCHESTRATOR": "127.0.0.1:40004",
        "CGRAG_ORCHESTRATOR_PORT": "40004",
    }
    ports = ports_of(environ).services

    assert [each.grpc for each in ports.values()] == [40001, 50052, 40003, 40004]
    assert [each.health for each in ports.values()] == [41001, 51052, 45003, 41004]
    with pytest.raises(UsageError, match=r"CGRAG_INDEXER_PORT makes the indexer listen on 1, .* 127\.0\.0\.1:2;"):
        ports_of({"CGRAG_INDEXER_PORT": "1", "CGRAG_CLIENT_INDEXER": "127.0.0.1:2"})
    with pytest.raises(UsageError, match="CGRAG_INDEXER_PORT: expected a port from 0 to 65535, got 'x'"):
        ports_of({"CGRAG_INDEXER_PORT": "x"})


@pytest.mark.parametrize(
    ("environ", "file_urls"),
    [
        ({}, "true"),
        ({"CGRAG_INDEXER_HOST": "0.0.0.0"}, "false"),
        ({"CGRAG_INDEXER_ACCESS_FILE": "/etc/cgrag/access.toml"}, "false"),
        ({"CGRAG_INDEXER_GIT_ALLOW_FILE": "false"}, None),
    ],
)
def test_callers_of_this_machine_may_name_repositories_by_path(
    checkout: Path, environ: dict[str, str], file_urls: str | None
) -> None:
    """Where others may call, or the setting is set, that stays as it is."""
    given = variables_of("indexer", replace(settings_of(checkout), environ=environ))

    assert given.get("CGRAG_INDEXER_GIT_ALLOW_FILE") == file_urls


def test_runs_only_on_this_machine() -> None:
    """An address elsewhere cannot be started here."""
    with pytest.raises(UsageError, match=r"client\.retriever is example\.org:443"):
        ports_of({"CGRAG_CLIENT_RETRIEVER": "example.org:443"})


def test_finds_the_checkout(checkout: Path) -> None:
    """CGRAG_HOME names it; it must be one."""
    assert find_checkout({"CGRAG_HOME": str(checkout)}, checkout) == checkout
    with pytest.raises(UsageError, match="CGRAG_HOME"):
        find_checkout({"CGRAG_HOME": str(checkout / "common")}, checkout)


def test_remembers_which_suite_runs(tmp_path: Path) -> None:
    """A suite is found while it runs, and a second one in its folder is refused."""
    mine = RunningSuite(os.getpid(), {"indexer": "127.0.0.1:50051"})
    assert find_running(tmp_path) is None
    with remembered(tmp_path, mine):
        assert find_running(tmp_path) == mine
        with (
            pytest.raises(SuiteError, match=f"already running \\(process {os.getpid()}\\)"),
            remembered(tmp_path, mine),
        ):
            pass

    assert find_running(tmp_path) is None


def test_commands_find_the_suite_by_the_folder_of_its_data(tmp_path: Path) -> None:
    """Where it listens need not be told; an address that is set holds all the same."""
    environ = {"CGRAG_DATA_DIR": str(tmp_path), "CGRAG_CLIENT_INDEXER": "there:1"}
    with remembered(tmp_path, RunningSuite(1, {name: f"127.0.0.1:{len(name)}" for name in SERVICES})):
        found, origins = settings_in_force(environ)
        elsewhere, _ = settings_in_force({"CGRAG_DATA_DIR": str(tmp_path / "other")})
    after, _ = settings_in_force(environ)

    assert (found.indexer, found.retriever) == ("there:1", "127.0.0.1:9")
    told = {each.name: (each.value, each.source) for each in origins}
    assert told["client.indexer"] == ("there:1", "CGRAG_CLIENT_INDEXER")
    assert told["client.orchestrator"] == ("127.0.0.1:12", "cgrag up")
    assert elsewhere == ClientSettings()
    assert after.retriever == ClientSettings().retriever


def test_who_only_looks_keeps_no_suite_from_starting(tmp_path: Path) -> None:
    """A look holds the file for a moment; that is no suite."""
    with (tmp_path / "suite.json").open("w") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.2, fcntl.flock, (looking, fcntl.LOCK_UN)).start()
        with remembered(tmp_path, RunningSuite(1, {})):
            assert find_running(tmp_path) is not None


def test_a_stranger_with_the_process_id_of_a_dead_suite_is_left_alone(tmp_path: Path) -> None:
    """What a killed suite left behind names a process that may be anybody's by now."""
    with remembered(tmp_path, RunningSuite(os.getpid(), {})):
        left = (tmp_path / "suite.json").read_text()
    (tmp_path / "suite.json").write_text(left)

    assert find_running(tmp_path) is None
    assert not stop_running(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The message names the folder, the cause and what to do."""
    (tmp_path / "file").touch()
    refused = pytest.raises(SuiteError, match=r"file/x: cannot be written \(Not a directory\); name another folder")
    with refused, remembered(tmp_path / "file" / "x", RunningSuite(1, {})):
        pass


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that ends without a word may have had no room for one; otherwise the log is said to be empty."""
    assert "its log is empty" in explain_end("retriever", 1, tmp_path / "retriever.jsonl")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))

    assert "no space is left in" in explain_end("retriever", 1, tmp_path / "retriever.jsonl")
