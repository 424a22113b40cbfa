"""`cgrag delete` on a terminal: it asks where there is something to lose, and takes no for an answer."""

from __future__ import annotations

import io
import sys

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from cgrag_client.cli import main
from tests.fakes.suite_server import Script, Serve

SHOP = Script(repositories=[pb.Repository(repository="shop")])
QUEUED = Script(jobs=[pb.IndexJob(job_id="job_aa22", repository="shop", state=pb.INDEX_JOB_STATE_QUEUED)])


class Keyboard(io.StringIO):
    """A terminal on which something was typed."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("script", [SHOP, QUEUED])
@pytest.mark.parametrize(("typed", "code", "deletions"), [("y\n", 0, 1), ("n\n", 130, 0), ("\n", 130, 0), ("", 130, 0)])
def test_it_asks_about_what_is_there(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: Script,
    typed: str,
    code: int,
    deletions: int,
) -> None:
    """Also if nothing is published yet. No, Enter and the end of input delete nothing, and interrupt a script."""
    server = serve(script)
    monkeypatch.setattr(sys, "stdin", Keyboard(typed))
    found = main(["delete", "shop"])
    told = capsys.readouterr().err

    assert found == code
    assert "Delete shop with its snapshots" in told
    assert ("nothing was deleted" in told) == (not deletions)
    assert len(server.asked_for(pb.DeleteRepositoryRequest)) == deletions


def test_it_does_not_ask_about_what_is_not_there(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service says what it thinks of the name; a deletion that was begun is finished."""
    server = serve(Script())
    monkeypatch.setattr(sys, "stdin", Keyboard(""))
    code = main(["delete", "shop"])

    assert (code, capsys.readouterr().err) == (0, "")
    assert len(server.asked_for(pb.DeleteRepositoryRequest)) == 1
