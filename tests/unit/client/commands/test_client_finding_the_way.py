"""Who is a little wrong at the command line is helped on: the name that was meant, the version, an example."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from typer.main import get_command

from cgrag_client.cli import build_app, main
from cgrag_client.render.status import sessions_table
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, Serve, SuiteServer

ROOT = Path(__file__).parents[4]
NO_REPOSITORY = "ERROR_REASON_REPOSITORY_NOT_FOUND"


@pytest.fixture
def repositories(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve an indexer of two repositories, and an orchestrator that knows nothing of a third."""
    missing = Failure(grpc.StatusCode.NOT_FOUND, "no repository 'shpo'", NO_REPOSITORY, metadata={"repository": "shpo"})
    known = [indexer_pb2.Repository(repository=name) for name in ("till", "shop")]
    monkeypatch.delenv("CGRAG_CONFIG", raising=False)
    with SuiteServer(Script(failure=missing)) as orchestrator, SuiteServer(Script(repositories=known)) as indexer:
        monkeypatch.setenv("CGRAG_CLIENT_ORCHESTRATOR", orchestrator.address)
        monkeypatch.setenv("CGRAG_CLIENT_INDEXER", indexer.address)
        yield


def test_a_name_that_is_nearly_right_is_told(repositories: None, capsys: pytest.CaptureFixture[str]) -> None:
    """The repository that was meant is in the next step."""
    code = main(["ask", "Why?", "--repo", "shpo", "--json"])

    assert "Next: did you mean shop? `cgrag repos` lists what is indexed" in capsys.readouterr().err
    assert code == 4


def test_a_symbol_and_a_folder_that_are_nearly_right_are_told(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each message names what may be meant."""
    (tmp_path / "flask").mkdir()
    serve(Script(repositories=[indexer_pb2.Repository(repository="shop")], similar_names=["Client.send"]))
    codes = [main(["symbol", "Clent.send"]), main(["index", str(tmp_path / "flsk").removeprefix("/")])]
    codes.append(main(["index", os.path.relpath(tmp_path / "flsk")]))

    err = capsys.readouterr().err
    assert "no symbol is named Clent.send; did you mean Client.send?" in err
    assert f"did you mean {os.path.relpath(tmp_path / 'flask')}?" in err.replace("\n", " ")
    assert codes == [4, 2, 2]


@pytest.mark.parametrize(
    ("environ", "file", "told"),
    [
        ({"CGRAG_CLIENT_TOKN": "x"}, "", "CGRAG_CLIENT_TOKN: no such setting; did you mean CGRAG_CLIENT_TOKEN?"),
        ({}, "[client]\ntoken_fil = 'x'\n", "[client] token_fil: no such setting; did you mean token_file?"),
        ({}, "[indexr]\n", "[indexr]: no such table; did you mean indexer?"),
        ({}, "[indexer]\nprt = 1\n", "[indexer] prt: no such setting; did you mean port?"),
        ({"CGRAG_MAX_PASES": "1"}, "", "CGRAG_MAX_PASES: no such setting; did you mean CGRAG_MAX_PASSES?"),
    ],
)
def test_a_setting_that_is_nearly_right_is_told(
    environ: dict[str, str],
    file: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By variable, by key and by table."""
    (tmp_path / "cgrag.toml").write_text(file)
    monkeypatch.setenv("CGRAG_CONFIG", str(tmp_path / "cgrag.toml"))
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    code = main(["config", "check"])

    assert told in " ".join(capsys.readouterr().err.split())
    assert code == 2


def test_nothing_is_guessed_where_nobody_can_be_asked(
    repositories: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the indexer the error is the one that came first."""
    monkeypatch.setenv("CGRAG_CLIENT_INDEXER", "127.0.0.1:1")
    code = main(["ask", "Why?", "--repo", "shpo", "--json"])

    err = capsys.readouterr().err
    assert "Error: no repository 'shpo'\nNext: `cgrag repos` lists" in err
    assert code == 4


def test_health_is_shown_to_who_may_see_nothing_else(
    repositories: None, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """What serves is told before what is indexed is refused."""
    refused = Failure(
        grpc.StatusCode.UNAUTHENTICATED, "no credential came with the call", "ERROR_REASON_UNAUTHENTICATED"
    )
    serve(Script(failure=refused))
    code = main(["status"])

    out, err = capsys.readouterr()
    assert out.count(" serving") == 4
    assert "no credential came" in err
    assert code == 1


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """It is that of the project, whether it is installed or runs from a checkout."""
    code = main(["--version"])

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert capsys.readouterr().out == f"cgrag {project['version']}\n"
    assert code == 0


def test_sessions_fit_into_a_terminal() -> None:
    """A row with a whole id is no wider than 80 characters, what is remembered as absent included."""
    session = orchestrator_pb2.Session(
        session_id="ses_" + 32 * "0", repository="django", cached_evidence=50, remembered_absences=12
    )
    table = sessions_table([session])

    cells = [next(iter(column.cells)) for column in table.columns]
    fixed = [max(len(str(column.header)), len(str(cell))) for column, cell in zip(table.columns, cells, strict=True)]
    fixed[-1] = max(map(len, str(cells[-1]).split()))
    assert cells[-1] == "50, 12 not found"
    assert sum(fixed) + 2 * (len(fixed) - 1) <= 80
    assert [column.no_wrap for column in table.columns] == [True, True, True, False]


def test_every_command_has_an_example() -> None:
    """The help of each command that does something shows how it is typed, set off from the words before it."""
    known = commands(get_command(build_app()), "cgrag")

    # Right after the first paragraph it would be shown as prose: asterisks and underscores would go.
    assert [name for name, command in known if "\n\nExample" not in (command.help or "").partition("\n\n")[2]] == []


def test_examples_are_of_commands_that_there_are() -> None:
    """Commands and options of the examples, and of the README, exist."""
    known = dict(commands(get_command(build_app()), "cgrag"))
    texts = [command.help or "" for command in known.values()]
    typed = [line for text in texts for line in re.findall(r"^ +(.*\bcgrag .*)$", text, re.MULTILINE)]
    typed += re.findall(r"^(cgrag [a-z][^#\n]*)", (ROOT / "README.md").read_text(), re.MULTILINE)
    parts = [part for line in typed for part in re.findall(r"cgrag [^|;&)]*", line)]

    assert len(parts) > 40
    assert [part for part in parts if not _is_known(part, known)] == []


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Walk the commands that do something, by their whole names; the scorers have parsers of their own."""
    below = getattr(command, "commands", {})
    if (not below or command.invoke_without_command) and name != "cgrag eval":
        yield name, command
    for each, child in below.items():
        yield from commands(child, f"{name} {each}")


def _is_known(typed: str, known: Mapping[str, Any]) -> bool:
    words = typed.split()
    name = next((" ".join(words[:n]) for n in (3, 2) if " ".join(words[:n]) in known), "")
    if not name and words[:2] == ["cgrag", "context"]:
        name = "cgrag context build"
    options = {each for parameter in known[name].params for each in parameter.opts} if name else set()
    return bool(name) and {each for each in words if re.fullmatch("--?[a-z][a-z-]*", each)} <= options
