"""Evaluation takes what strangers bring: odd files of cases, odd mirrors, repositories that are not there."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from cgrag_client.cli import main
from cgrag_client.client import Client
from cgrag_client.errors import ServiceUnreachable, UsageError
from cgrag_client.evaluation.cases import LocalizationCase, parse_localization, parse_question, read_cases
from cgrag_client.evaluation.mirrors import Mirrors, plain_name, sources_of
from cgrag_client.evaluation.output import print_table
from cgrag_client.evaluation.ranks import title_of
from cgrag_client.evaluation.running import Run
from tests.fakes.git_repositories import git
from tests.fakes.suite_server import Script, SuiteServer

REPORT = {"instance_id": "i", "repo": "a/b", "base_commit": "c", "problem_statement": "p"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of one commit with one file."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.py").write_text('def one():\n    """Count the parcels of the night train."""\n')
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


def test_texts_may_hold_any_line_separator(tmp_path: Path) -> None:
    """Only a line feed ends a case: U+2028, form feeds and the like stand unescaped within texts that people wrote."""
    file = tmp_path / "cases.jsonl"
    statement = "one\u2028two\x85three"
    row = json.dumps({**REPORT, "problem_statement": statement}, ensure_ascii=False)
    file.write_bytes(b"\xef\xbb\xbf" + f"{row}\r\n".encode())

    assert [case.problem_statement for case in read_cases(file, parse_localization)] == [statement]


def test_cases_may_be_numbered_and_lack_places(tmp_path: Path) -> None:
    """A number is a name, and null is no place."""
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": 7, "repo": "a/b", "commit": "c", "question": "q", "gold_files": None}))
    (case,) = read_cases(file, parse_question)

    assert (case.id, case.gold_files) == ("7", ())


def test_borrowed_objects_may_be_read(repository: Path, tmp_path: Path) -> None:
    """A clone that borrows from another needs both: without the second the indexer would see no history."""
    git(tmp_path, "clone", "-q", "--shared", str(repository), str(tmp_path / "owner__name"))
    readable = Mirrors(tmp_path).readable(["owner/name"])

    assert {tmp_path / "owner__name/.git/objects", repository / ".git/objects"} <= {*readable}


def test_a_work_tree_is_a_mirror(repository: Path, tmp_path: Path) -> None:
    """Its `.git` is a file that leads to where the objects are."""
    git(repository, "worktree", "add", "-q", "--detach", str(tmp_path / "owner+name"))
    with Mirrors(tmp_path).checkout("owner/name", git(repository, "rev-parse", "HEAD")) as checkout:
        assert (checkout / "a.py").is_file()


def test_history_ends_where_that_of_a_shallow_mirror_does(repository: Path, tmp_path: Path) -> None:
    """What is there can be read; git stops midway with an error where a parent is named that it does not have."""
    for number in range(3):
        git(repository, "commit", "-q", "--allow-empty", "-m", str(number))
    git(tmp_path, "clone", "-q", "--bare", "--depth", "2", f"file://{repository}", "owner+name")
    with Mirrors(tmp_path).checkout("owner/name", git(repository, "rev-parse", "HEAD")) as checkout:
        log = git(checkout, "log", "--format=%s", "--name-only")

    assert log.split() == ["2", "1", "a.py"]


def test_a_bare_repository_is_read_at_its_head(repository: Path, tmp_path: Path) -> None:
    """Commands that take a folder of sources take a bare repository as well, under its own name."""
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(tmp_path / "shop.git"))
    with sources_of(tmp_path / "shop.git") as folder:
        found = (folder.name, (folder / "a.py").is_file())
    with sources_of(repository) as folder:
        itself = folder

    assert found == ("shop", True)
    assert itself == repository.resolve()


def test_a_bare_repository_without_commits_is_refused(tmp_path: Path) -> None:
    """There is nothing to read, and the message says why."""
    git(tmp_path, "init", "-q", "--bare", "empty.git")

    with pytest.raises(UsageError, match="bare repository without commits"), sources_of(tmp_path / "empty.git"):
        pass


async def measured(_client: Client, _repository: str, _case: LocalizationCase) -> Mapping[str, object]:
    raise AssertionError("there is nothing to measure")


async def test_what_cannot_be_had_counts_as_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Progress reaches its end although repositories are missing, and the misses are told in words."""
    cases = [parse_localization({**REPORT, "instance_id": name}) for name in "xy"]
    with SuiteServer(Script()) as server:
        for service in ("INDEXER", "RETRIEVER"):
            monkeypatch.setenv(f"CGRAG_CLIENT_{service}", server.address)
        run = Run("reports", Mirrors(tmp_path), measured, 1, tmp_path / "kept")
        found = await run.over(cases)
    told = capsys.readouterr().err

    assert found == [{}, {}]
    assert "2 cases are misses: " in told
    assert "reports 2/2" in told


async def test_services_that_are_away_are_no_misses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run over nothing would end well, with figures that look like a measurement."""
    monkeypatch.setenv("CGRAG_CLIENT_INDEXER", "127.0.0.1:1")
    run = Run("reports", Mirrors(tmp_path), measured, 1, tmp_path / "kept")

    with pytest.raises(ServiceUnreachable):
        await run.over([parse_localization(REPORT)])


def test_recorded_calls_of_what_is_not_there_are_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One repository that cannot be had does not keep the others from being scored; its edges are misses."""
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "gone.json").write_text(
        json.dumps({"repo": "no/body", "commit": "c", "source_root": "src", "edges": {"a.f": ["a.g"]}})
    )
    code = main(["eval", "callgraph", "--cases", str(cases), "--mirrors", str(tmp_path), "--json"])
    out, err = capsys.readouterr()

    assert code == 0
    assert json.loads(out)["per_case"]["gone"]["missed"] == [["a.f", "a.g"]]
    assert "all edges of gone are missed: no git repository for no/body" in err


def test_help_keeps_what_stands_in_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    """A format is told whole."""
    main(["eval", "callgraph", "-h"])

    assert "{case: {caller: [callees]}}" in capsys.readouterr().out


def test_tables_are_whole_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Titles and cells keep their words in a file or pipe, whatever width is assumed."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "20")
    print_table("milliseconds a call", ("mode", "as conceptual", "as exploratory"), [("DIAGNOSTIC", 1, 2)])

    assert out.getvalue().startswith("milliseconds a call\n")
    assert all(word in out.getvalue() for word in ("as conceptual", "as exploratory", "DIAGNOSTIC"))


def test_any_folder_has_a_name_for_its_index() -> None:
    """Capitals, plus signs and letters of other alphabets are none that an index may have."""
    assert plain_name("Fabric+fábric (old)") == "fabric-f-bric--old"


def test_a_table_tells_what_was_not_measured() -> None:
    """Misses for want of a repository are not taken for a bad ranking."""
    assert title_of("questions", {"n": 5, "failed": 2}) == "questions, n=5, 2 of them not measured"
    assert title_of("questions", {"n": 5, "failed": 0}) == "questions, n=5"
