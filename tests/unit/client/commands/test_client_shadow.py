"""`cgrag shadow` against a scripted service: both answers, and how far they agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2
from grpc import StatusCode
from rich.console import Console

from cgrag_client.cli import main
from cgrag_client.render.links import Links
from cgrag_client.render.shadow import rich_shadow
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, SuiteServer

CITED = evidence_pb2.Citation(number=1, span=code_pb2.Span(path="shop.py", start_line=3, end_line=9), title="bill")
FOUND = pb.Shadow(
    served=pb.Answer(
        answer_id="ans_1",
        repository="shop",
        question="How?\x1b[31m",
        text="So [1].",
        citations=[CITED],
        engine="evidence",
    ),
    shadow=pb.Answer(answer_id="ans_1-shadow", repository="shop", text="Otherwise.", engine="anthropic", model="big"),
    agreement=pb.AGREEMENT_DIFFERENT,
    files=0.25,
    symbols=0.0,
)


class Shadowed(SuiteServer):
    """Gives the same shadow for every answer, or fails."""

    failure: Failure | None = None

    def GetShadow(self, request: Any, context: Any) -> Any:
        """Give it."""
        self.asked.append(request)
        if self.failure:
            self.failure.abort(context)
        return FOUND


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shadowed]:
    """Point the command line at a server."""
    monkeypatch.delenv("CGRAG_CONFIG", raising=False)
    with Shadowed(Script()) as server:
        for name in ("ORCHESTRATOR", "INDEXER"):
            monkeypatch.setenv(f"CGRAG_CLIENT_{name}", server.address)
        assert isinstance(server, Shadowed)
        yield server


def test_both_are_shown_under_how_far_they_agree(served: Shadowed, capsys: pytest.CaptureFixture[str]) -> None:
    """In a pipe as markdown, without control codes."""
    code = main(["shadow", "ans_1"])
    out = capsys.readouterr().out

    assert code == 0
    assert served.asked[0] == pb.GetShadowRequest(answer_id="ans_1")
    assert "Agreement: different; both cite 25% of files, 0% of symbols\n" in out
    assert out.index("# Served") < out.index("So [1].") < out.index("# Shadow") < out.index("Otherwise.")
    assert "- [1] shop.py:3-9 bill" in out
    assert "engine anthropic big" in out
    assert "\x1b" not in out


def test_scripts_get_json(served: Shadowed, capsys: pytest.CaptureFixture[str]) -> None:
    """One message, with both answers whole."""
    code = main(["shadow", "ans_1", "--json"])
    found = json.loads(capsys.readouterr().out)

    assert code == 0
    assert found["agreement"] == "AGREEMENT_DIFFERENT"
    assert (found["served"]["text"], found["shadow"]["text"]) == ("So [1].", "Otherwise.")


def test_a_terminal_shows_both_with_rules_between() -> None:
    """The served one first; no share of symbols where neither cites one."""
    found = pb.Shadow()
    found.CopyFrom(FOUND)
    found.ClearField("symbols")
    console = Console(width=100, record=True, force_terminal=True)
    console.print(rich_shadow(found, Links()))
    shown = console.export_text()

    assert "Agreement: different; both cite 25% of files\n" in shown.replace(" \n", "\n")
    assert shown.index(" served ") < shown.index("So [1].") < shown.index(" shadow ") < shown.index("Otherwise.")


def test_an_answer_without_one_says_where_to_look(served: Shadowed, capsys: pytest.CaptureFixture[str]) -> None:
    """Asking again, as for other answers that are not there, would not help."""
    served.failure = Failure(StatusCode.NOT_FOUND, "answer ans_2 has no shadow", "ERROR_REASON_ANSWER_NOT_FOUND")
    code = main(["shadow", "ans_2"])
    told = capsys.readouterr().err

    assert code == 4
    assert "Next: `shadow.compared` in the orchestrator's log names answers that have one\n" in told
