"""`cgrag context`: what is asked for, where the budget comes from, and what is refused before any call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cgrag.retriever.v1 import retriever_pb2

from cgrag_client.cli import main
from tests.fakes.suite_server import Script, Serve, SuiteServer


@pytest.fixture
def server(serve: Serve) -> SuiteServer:
    """Serve a script of nothing."""
    return serve(Script())


def _built(server: SuiteServer) -> retriever_pb2.BuildContextRequest:
    [request] = [each for each in server.asked if isinstance(each, retriever_pb2.BuildContextRequest)]
    return request


def test_a_task_is_built_without_naming_the_command(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """The package goes to stdout, what it took and how to go on to stderr."""
    budget = ["--context-window", "800", "--reserved-tokens", "100"]

    code = main(["context", "Retry it", "--repo", "shop", "--stages", "scope,precision", *budget, "--format", "prompt"])

    out, err = capsys.readouterr()
    request = _built(server)
    assert code == 0
    assert out == "# Context\n"
    assert "3 of 700 tokens" in err
    assert "cgrag context refine task_1" in err
    assert (request.task, list(request.stages)) == ("Retry it", ["scope", "precision"])
    assert (request.context_window_tokens, request.reserved_tokens) == (800, 100)
    assert request.format == retriever_pb2.CONTEXT_FORMAT_PROMPT
    assert not request.HasField("anchors")


@pytest.mark.parametrize(
    ("name", "text"), [("b.toml", "window = 800\nreserved = 100\n"), ("b.json", '{"window": 800, "reserved": 100}')]
)
def test_a_budget_can_come_from_a_file(server: SuiteServer, tmp_path: Path, name: str, text: str) -> None:
    """TOML or JSON, by the name of the file."""
    (tmp_path / name).write_text(text)

    main(["context", "--repo", "shop", "--budget-file", str(tmp_path / name), "Retry it"])

    assert (_built(server).context_window_tokens, _built(server).reserved_tokens) == (800, 100)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--context-window or --budget-file"),
        (["--budget-file", "b.toml", "--context-window", "800"], "not both"),
        (["--budget-file", "b.toml", "--reserved-tokens", "1"], "not both"),
        (["--budget-file", "missing.toml"], "cannot be read"),
        (["--budget-file", "half.toml"], "window and reserved"),
        (["--budget-file", "words.toml"], "window and reserved"),
        (["--budget-file", "broken.json"], "expected TOML, or JSON"),
        (["--budget-file", "deep.json"], "expected TOML, or JSON"),
        (["--budget-file", "deep.toml"], "expected TOML, or JSON"),
        (["--budget-file", "huge.toml"], "10,000,000"),
        (["--context-window", "99999999999999999999"], "10,000,000"),
        (["--context-window", "800", "--min-co-changes", "99999999999"], "100000"),
    ],
)
def test_budgets_that_say_nothing_or_too_much_are_refused(
    server: SuiteServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    """Nothing is asked of any service."""
    monkeypatch.chdir(tmp_path)
    Path("b.toml").write_text("window = 800\nreserved = 100\n")
    Path("half.toml").write_text("window = 800\n")
    Path("words.toml").write_text('window = "much"\nreserved = true\n')
    Path("broken.json").write_text("{")
    Path("deep.json").write_text("[" * 5000)
    Path("deep.toml").write_text("window = " + "[" * 5000)
    Path("huge.toml").write_text("window = 99999999999\nreserved = 1\n")

    code = main(["context", "Retry it", "--repo", "shop", *arguments])

    assert code == 2
    assert said in capsys.readouterr().err
    assert server.asked == []


def test_a_refinement_that_finds_not_everything_says_so(
    server: SuiteServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nothing in the index is called would otherwise be missed without a word."""
    main(["context", "refine", "task_1", "--repo", "shop", "--test", "test_[a]"])

    assert server.asked
    assert "not found, or not clear enough: test_[a]" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["ask", "context", "explain", "search", "symbol", "read"])
def test_arguments_that_are_no_text_are_refused(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """A shell hands over any bytes; the contract carries UTF-8 alone."""
    code = main([command, "caf\udce9"])

    assert code == 2
    assert "'caf?' is not UTF-8" in capsys.readouterr().err


def test_a_refinement_says_what_was_missing(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind may be repeated; `--json` prints the whole package."""
    arguments = ["--file", "a.py", "--symbol", "A.b", "--symbol", "c", "--test", "test_a", "--error", "no such thing"]

    code = main(["context", "refine", "task_1", "--repo", "shop", *arguments, "--reason", "it calls it", "--json"])

    request = server.asked[-1]
    assert code == 0
    assert json.loads(capsys.readouterr().out)["revision"] == 2
    assert (request.task_id, list(request.missing_files)) == ("task_1", ["a.py"])
    assert (list(request.missing_symbols), list(request.missing_tests)) == (["A.b", "c"], ["test_a"])
    assert (list(request.error_signatures), request.reason) == (["no such thing"], "it calls it")


def test_a_refinement_must_say_what_was_missing(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """In the words of the command's options, before anything is asked."""
    code = main(["context", "refine", "task_1", "--repo", "shop", "--reason", "it calls it"])

    assert code == 2
    assert "Name --file, --symbol, --test or --error" in capsys.readouterr().err
    assert not server.asked
