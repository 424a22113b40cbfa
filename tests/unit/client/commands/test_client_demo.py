"""`cgrag demo`, and so `make run`, beside services that run already."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2

from cgrag_client.cli import main
from cgrag_client.connecting.settings import SERVICES
from cgrag_client.suite.running import RunningSuite, remembered
from tests.fakes.suite_server import SuiteServer
from tests.unit.client.commands.test_client_cli import script_of


def test_services_that_run_already_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have the data folder, in which there is no room for an indexer of one's own; and they go on."""
    monkeypatch.delenv("CGRAG_CONFIG", raising=False)
    monkeypatch.setenv("CGRAG_DATA_DIR", str(tmp_path / "data"))
    with SuiteServer(script_of()) as server:
        running = RunningSuite(os.getpid(), dict.fromkeys(SERVICES, server.address))
        with remembered((tmp_path / "data").resolve(), running):
            code = main(["demo", "--repo", str(tmp_path), "--question", "Why does checkout raise OutOfStock?"])
    out, err = capsys.readouterr()

    assert code == 0, err
    assert "Using the services that run already" in err
    assert "OutOfStock" in out
    assert server.asked_for(indexer_pb2.StartIndexingRequest)[0].source.local_path == str(tmp_path.resolve())
    assert server.asked_for(orchestrator_pb2.AskRequest)[0].question == "Why does checkout raise OutOfStock?"
