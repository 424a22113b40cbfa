"""`cgrag replay` against a scripted service: what a person reads, what a script reads, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from cgrag_client.cli import main
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, SuiteServer

SAME = pb.ReplayAnswerResponse(answer_id="ans_1", repository="shop", snapshot_id="0123456789abcdef", played_passes=2)
DIFFERENT = pb.ReplayAnswerResponse(
    answer_id="ans_1",
    repository="shop",
    snapshot_id="0123456789abcdef",
    differences=[
        pb.ReplayDifference(
            event="evidence", pass_number=1, sequence=7, field="evidence 3", then="a.py:1-9 f", now="b.py:3 \x1b[31mg"
        ),
        pb.ReplayDifference(
            event="text_delta", pass_number=2, sequence=9, field="text", then="it calls", now="it eats"
        ),
        pb.ReplayDifference(event="completed", sequence=40, then="the answer was whole"),
        pb.ReplayDifference(event="pass_started", pass_number=3, now="pass number 3"),
        pb.ReplayDifference(event="not_known_yet", field="x", then="1", now="2"),
    ],
    stopped="the model would be asked for pass 3, which it did not write then",
)


class Replaying(SuiteServer):
    """Answers every replay with the same."""

    def __init__(self, response: pb.ReplayAnswerResponse, failure: Failure | None = None) -> None:
        super().__init__(Script())
        self._response = response
        self._failure = failure

    def ReplayAnswer(self, request: Any, context: Any) -> Any:
        """Give the response, or the failure."""
        self.asked.append(request)
        if self._failure is not None:
            self._failure.abort(context)
        return self._response


@pytest.fixture
def served(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Replaying]:
    """Point the command line at a server that gives the parameter."""
    monkeypatch.delenv("CGRAG_CONFIG", raising=False)
    failure = request.param if isinstance(request.param, Failure) else None
    with Replaying(SAME if failure else request.param, failure) as server:
        monkeypatch.setenv("CGRAG_CLIENT_ORCHESTRATOR", server.address)
        assert isinstance(server, Replaying)
        yield server


@pytest.mark.parametrize("served", [SAME], indirect=True)
def test_the_same_is_said_in_two_lines(served: Replaying, capsys: pytest.CaptureFixture[str]) -> None:
    """What was replayed, and that no model was asked; the exit code is 0."""
    code = main(["replay", "ans_1"])

    assert code == 0
    assert served.asked == [pb.ReplayAnswerRequest(answer_id="ans_1")]
    assert capsys.readouterr().out.splitlines() == [
        "Same        answer ans_1  snapshot 0123456789ab of shop",
        "Played      2 passes of the model; no model was asked, everything else ran anew",
    ]


@pytest.mark.parametrize("served", [DIFFERENT], indirect=True)
def test_what_is_different_is_said_where_it_began_first(served: Replaying, capsys: pytest.CaptureFixture[str]) -> None:
    """Then and now of each, in words; what came only once has nothing on the other side; the exit code is 7."""
    code = main(["replay", "ans_1"])

    assert served.asked
    assert code == 7
    assert capsys.readouterr().out.splitlines() == [
        "Different   answer ans_1  snapshot 0123456789ab of shop",
        "Played      no model wrote this answer; everything ran anew",
        "",
        "Began with  the evidence of pass 1, event 7, evidence 3",
        "            then  a.py:1-9 f",
        "            now   b.py:3 [31mg",
        "",
        "Then also   the text of pass 2, event 9",
        "            then  it calls",
        "            now   it eats",
        "",
        "Then also   the finished answer, event 40",
        "            then  the answer was whole",
        "            now   nothing",
        "",
        "Then also   the beginning of pass 3",
        "            then  nothing",
        "            now   pass number 3",
        "",
        "Then also   not known yet, x",
        "            then  1",
        "            now   2",
        "",
        "Stopped     the model would be asked for pass 3, which it did not write then",
    ]


@pytest.mark.parametrize("served", [DIFFERENT], indirect=True)
def test_scripts_read_the_response_and_the_exit_code(served: Replaying, capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON object, with the exit code of a difference."""
    code = main(["replay", "ans_1", "--json"])

    read = json.loads(capsys.readouterr().out)
    assert served.asked
    assert code == 7
    assert read["differences"][0]["event"] == "evidence"
    assert read["stopped"].startswith("the model")


@pytest.mark.parametrize(
    "served",
    [Failure(grpc.StatusCode.NOT_FOUND, "its snapshot is not kept", "ERROR_REASON_SNAPSHOT_NOT_FOUND")],
    indirect=True,
)
def test_a_replay_that_cannot_be_is_no_difference(served: Replaying, capsys: pytest.CaptureFixture[str]) -> None:
    """An error has its own exit code and nothing on stdout."""
    code = main(["replay", "ans_1"])

    out, err = capsys.readouterr()
    assert served.asked
    assert code == 4
    assert out == ""
    assert "not kept" in err
