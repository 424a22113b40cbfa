"""The command line against scripted services: what goes to stdout, what to stderr, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, question_pb2
from google.protobuf.json_format import MessageToDict, ParseDict
from grpc_health.v1 import health_pb2

from cgrag_client.cli import main
from cgrag_client.cli.installation.evaluate import SCORERS
from cgrag_client.cli.repositories.code import _found
from cgrag_client.render.links import Links
from tests.fakes.answer_events import two_pass_events
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, Serve

SHOP = indexer_pb2.Repository(
    repository="shop",
    current=indexer_pb2.Snapshot(
        snapshot_id="1a2b3c4d5e6f7a8b",
        repository="shop",
        commit="0123456789abcdef",
        dirty=True,
        layers=[indexer_pb2.Layer(kind=indexer_pb2.LAYER_KIND_CORE)],
        counts=indexer_pb2.IndexCounts(files=15, lines=500, symbols=80),
    ),
)
DONE = indexer_pb2.IndexJob(
    job_id="j1",
    repository="shop",
    state=indexer_pb2.INDEX_JOB_STATE_SUCCEEDED,
    snapshot_id="1a2b3c4d5e6f7a8b",
    counts=indexer_pb2.IndexCounts(files=15, lines=500, symbols=80),
)


def script_of(**changes: Any) -> Script:
    return Script(events=two_pass_events(), repositories=[SHOP], states=[DONE], **changes)


def test_prints_the_answer_on_stdout_and_its_course_on_stderr(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe gets the answer alone, without control codes; the course of events goes to stderr."""
    serve(script_of())

    code = main(["ask", "Why does checkout raise OutOfStock?"])

    out, err = capsys.readouterr()
    assert code == 0
    assert out.startswith("`Cart.checkout` [1] calls `reserve`")
    assert "- [2] shop/stock.py:12-27 reserve" in out
    assert "Pass 2" in err
    assert "Pass 2" not in out
    assert "\x1b" not in out + err


def test_prints_each_event_as_json(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """--json gives one AnswerEvent a line, and the last one is `completed` with the whole answer."""
    serve(script_of())

    code = main(["ask", "Why?", "--json"])

    lines = capsys.readouterr().out.splitlines()
    events = [ParseDict(json.loads(line), orchestrator_pb2.AnswerEvent()) for line in lines]
    assert code == 0
    assert events == two_pass_events()
    answer = json.loads(lines[-1])["completed"]["answer"]
    assert {"text", "citations", "gaps", "metadata", "confidence"} <= answer.keys()
    assert answer["metadata"]["passes"] == 2
    assert answer["metadata"]["stopReason"] == "STOP_REASON_ALL_UNFINDABLE"


def test_sends_what_was_asked_for(serve: Serve) -> None:
    """Options of the command become options of the request."""
    server = serve(script_of())

    switches = ["--no-gaps", "--without", "graph"]
    loop = ["--passes", "2", "--budget", "3000", "--depth", "deep", "--strategy", "sufficiency"]
    main(["ask", "Why?", "--repo", "shop", "--mode", "diagnostic", "--session", "s1", *switches, *loop, "--json"])

    [request] = server.asked_for(orchestrator_pb2.AskRequest)
    assert (request.repository, request.session_id) == ("shop", "s1")
    assert request.options == orchestrator_pb2.AskOptions(
        mode=question_pb2.MODE_DIAGNOSTIC,
        max_passes=2,
        strategy=orchestrator_pb2.STRATEGY_SUFFICIENCY,
        depth=orchestrator_pb2.DEPTH_DEEP,
        budget=question_pb2.Budget(total_tokens=3000),
        switches=question_pb2.Switches(without_call_graph=True, without_gap_resolution=True),
    )


@pytest.mark.parametrize(
    ("reason", "code", "exit_code"),
    [
        ("ERROR_REASON_REPOSITORY_NOT_FOUND", grpc.StatusCode.NOT_FOUND, 4),
        ("ERROR_REASON_INDEX_NOT_READY", grpc.StatusCode.FAILED_PRECONDITION, 5),
        ("ERROR_REASON_INVALID_ARGUMENT", grpc.StatusCode.INVALID_ARGUMENT, 2),
        ("ERROR_REASON_OVERLOADED", grpc.StatusCode.RESOURCE_EXHAUSTED, 6),
        ("ERROR_REASON_DEPENDENCY_UNAVAILABLE", grpc.StatusCode.UNAVAILABLE, 3),
        ("ERROR_REASON_INTERNAL", grpc.StatusCode.INTERNAL, 1),
    ],
)
def test_tells_failures_apart_by_exit_code(
    serve: Serve, capsys: pytest.CaptureFixture[str], reason: str, code: grpc.StatusCode, exit_code: int
) -> None:
    """A script can tell from the exit code what happened; a person reads the message and the reason on stderr."""
    serve(script_of(failure=Failure(code, "the repository [x] is not there", reason)))

    ended = main(["ask", "Why?", "--repo", "x"])

    out, err = capsys.readouterr()
    assert ended == exit_code
    assert out == ""
    assert "Error: the repository [x] is not there" in err
    assert reason in err


def test_says_how_to_start_services_that_do_not_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without services the exit code is 3 and the next step is named."""
    for name in ("ORCHESTRATOR", "INDEXER"):
        monkeypatch.setenv(f"CGRAG_CLIENT_{name}", "127.0.0.1:1")

    code = main(["ask", "Why?", "--repo", "shop"])

    err = capsys.readouterr().err
    assert code == 3
    assert "nobody answers at 127.0.0.1:1" in err
    assert "cgrag up" in err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ask", "   "], "the question is empty"),
        (["up", "--data", ""], "it is empty; name a file or folder"),
        (["down", "--data", " "], "it is empty; name a file or folder"),
        (["eval", "questions", "--cases", ""], "it is empty; name a file or folder"),
        (["index", "no/such/folder"], "no/such/folder: no such folder"),
        (["read", "a.py:x", "--repo", "shop"], "expected PATH, PATH:LINE or PATH:START-END"),
        (["read", "a.py:5-", "--repo", "shop"], "expected PATH, PATH:LINE or PATH:START-END"),
        (["eval", "nothing"], "no scorer is named 'nothing'"),
    ],
)
def test_refuses_wrong_usage_before_calling_anybody(
    serve: Serve, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    """What can be seen to be wrong here gives exit code 2 and says how to mend it."""
    server = serve(script_of())

    code = main(arguments)

    assert code == 2
    assert text in capsys.readouterr().err
    assert server.asked == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("cgrag sna", ["snapshots"]),
        ("cgrag jobs ", ["list", "watch", "cancel"]),
        ("cgrag ask --mod", ["--mode"]),
        ("cgrag ask --strategy ", ["gaps", "sufficiency"]),
    ],
)
def test_a_shell_completes_commands_options_and_values(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, offered: list[str]
) -> None:
    """As the script asks that `--show-completion` prints; nothing is asked of a service."""
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    monkeypatch.setenv("_CGRAG_COMPLETE", "complete_bash")

    code = main([])

    assert (code, capsys.readouterr().out.split()) == (0, offered)


def test_names_all_faults_of_the_settings_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Settings of file and environment are checked together."""
    file = tmp_path / "cgrag.toml"
    file.write_text("[client]\ntokn = 'x'\ncall_timeout_seconds = -1\n")
    monkeypatch.setenv("CGRAG_CONFIG", str(file))
    monkeypatch.setenv("CGRAG_CLIENT_ANSWER_TIMEOUT_SECONDS", "soon")

    code = main(["repos"])

    err = capsys.readouterr().err
    assert code == 2
    assert "[client] tokn: no such setting" in err
    assert "[client] call_timeout_seconds: must be more than 0 and at most 1000000, got -1" in err
    assert "CGRAG_CLIENT_ANSWER_TIMEOUT_SECONDS: expected a number of seconds, got 'soon'" in err


@pytest.mark.parametrize("value", ["inf", "1e12"])
def test_refuses_a_deadline_that_would_be_over_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    """gRPC takes one that is too far for one that has passed; it is refused by name, as a setting and as an option."""
    asked = main(["ask", "Why?", "--timeout", value])
    monkeypatch.setenv("CGRAG_CLIENT_CALL_TIMEOUT_SECONDS", value)
    listed = main(["repos"])

    err = capsys.readouterr().err
    assert (asked, listed) == (2, 2)
    assert "--timeout" in err
    assert "CGRAG_CLIENT_CALL_TIMEOUT_SECONDS: must be more than 0 and at most 1000000" in err


def test_asks_which_repository_is_meant(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """With several repositories and none named, the names are listed."""
    others = [SHOP, indexer_pb2.Repository(repository="bank")]
    serve(Script(events=two_pass_events(), repositories=others, states=[DONE]))

    code = main(["ask", "Why?"])

    assert code == 2
    assert "shop, bank" in capsys.readouterr().err


def test_leaves_it_to_the_indexer_whether_an_absolute_path_is_there(serve: Serve) -> None:
    """The indexer may run on another machine, or in a container with folders of its own."""
    server = serve(script_of())

    assert main(["index", "/repositories/of/another/machine"]) == 0
    assert server.asked[0].source.local_path == "/repositories/of/another/machine"


def test_indexes_a_folder_and_sums_it_up(serve: Serve, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The job is followed to its end; the summary is on stdout."""
    server = serve(script_of())

    code = main(["index", str(tmp_path), "--name", "shop", "--exclude", "*.md", "--wait", "all"])

    [request] = server.asked_for(indexer_pb2.StartIndexingRequest)
    assert code == 0
    assert request.source.local_path == str(tmp_path.resolve())
    assert (request.repository, list(request.exclude)) == ("shop", ["*.md"])
    assert "15 files, 500 lines, 80 symbols" in capsys.readouterr().out


def test_fails_when_the_job_fails(serve: Serve, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A failed job gives exit code 1 and its error."""
    failed = indexer_pb2.IndexJob(
        job_id="j1", repository="shop", state=indexer_pb2.INDEX_JOB_STATE_FAILED, error="no space left"
    )
    serve(Script(states=[failed]))

    code = main(["index", str(tmp_path)])

    assert code == 1
    assert "no space left" in capsys.readouterr().out


def test_shows_services_repositories_and_jobs(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """`status` shows what runs and what is indexed, with the layers that are ready."""
    serve(script_of())

    code = main(["status"])

    out = capsys.readouterr().out
    assert code == 0
    assert out.count("serving") == 4
    assert "1a2b3c4d5e6f" in out
    assert "core" in out


def test_a_service_that_is_not_ready_has_said_why(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """It runs: to start it would be no help, but its log is."""
    serve(script_of(health=health_pb2.HealthCheckResponse.NOT_SERVING))

    code = main(["status"])

    out, err = capsys.readouterr()

    assert code == 3
    assert out.count("not ready") == 4
    assert "says why in its log" in err
    assert "cgrag up` starts" not in err


def test_gives_status_as_json(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """`status --json` is one object for scripts."""
    serve(script_of())

    main(["status", "--json"])

    status = json.loads(capsys.readouterr().out)
    assert [each["health"] for each in status["services"]] == ["serving"] * 4
    assert status["repositories"] == [MessageToDict(SHOP)]


def test_reads_symbols_and_lines(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """`symbol` finds definitions, `read` prints their text."""
    found = code_pb2.Symbol(
        ref=code_pb2.SymbolRef(path="shop/cart.py", qualified_name="Cart", start_line=3, end_line=9),
        signature="class Cart",
    )
    serve(script_of(symbols=[found]))

    assert main(["symbol", "Cart"]) == 0
    assert main(["read", "shop/cart.py:1"]) == 0
    assert main(["search", "cart"]) == 0
    out = capsys.readouterr().out
    assert "shop/cart.py:3-9  class Cart" in out
    assert "import os\n" in out
    assert "app.py" in out


def test_says_when_no_symbol_has_the_name(serve: Serve) -> None:
    """Nothing found is exit code 4."""
    serve(script_of())

    assert main(["symbol", "Nothing"]) == 4


def test_no_heading_stands_over_nothing() -> None:
    """A search without results lists nothing."""
    links = Links()
    found = retriever_pb2.SearchResponse(files=[retriever_pb2.RankedFile(path="a.py", score=1)])

    assert list(_found(retriever_pb2.SearchResponse(), links)) == []
    assert [line.plain.split() for line in _found(found, links)] == [["Files"], ["1", "a.py"]]


def test_rates_an_answer(serve: Serve) -> None:
    """Rating and comment reach the service."""
    server = serve(script_of())

    code = main(["rate", "answer-1", "4", "--comment", "good"])

    [request] = server.asked_for(orchestrator_pb2.RateAnswerRequest)
    assert code == 0
    assert (request.answer_id, request.rating, request.comment) == ("answer-1", 4, "good")


@pytest.mark.parametrize("arguments", [["explain", "Why?"], ["sessions"], ["repos"]])
def test_has_json_for_scripts(serve: Serve, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """Commands that read print one JSON object with --json, and text without."""
    serve(script_of())

    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert main(arguments) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["index", "--help"], ["up", "--help"], ["eval"]])
def test_helps(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """Help teaches by example."""
    code = main(arguments)

    assert code == 0
    assert "cgrag " in capsys.readouterr().out


def test_flags_take_no_value(capsys: pytest.CaptureFixture[str]) -> None:
    """Help shows no type behind them; a number has its bounds beside, and not in its type."""
    code = main(["jobs", "list", "--help"])

    out = capsys.readouterr().out
    assert code == 0
    assert "<bool>" not in out
    assert "<int> [1<=x<=200]" in out


@pytest.mark.parametrize("arguments", [["jobs", "cancel"], ["precise", "remove"]])
def test_shows_once_that_something_may_be_repeated(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """Dots behind a name mean more of them."""
    code = main([*arguments, "--help"])

    assert code == 0
    assert capsys.readouterr().out.split("Usage:")[1].splitlines()[0].count("...") == 1


@pytest.mark.parametrize("name", SCORERS)
def test_helps_with_each_scorer(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """`cgrag eval NAME --help` shows the options of that scorer."""
    code = main(["eval", name, "--help"])

    assert code == 0
    assert f"cgrag eval {name}" in capsys.readouterr().out
