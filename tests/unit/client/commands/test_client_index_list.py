"""`cgrag index --list`: what a scheduled job runs."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2

from cgrag_client.cli import main
from cgrag_client.errors import UsageError
from cgrag_client.repositories import Listed, read_list
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, Serve, SuiteServer
from tests.unit.client.commands.test_client_cli import DONE

LIST = """
[flask]
source = "https://github.com/pallets/flask"
revision = "main"
exclude = ["docs/**"]

[shop]
source = "/repositories/shop"
vectors = false
"""
REFUSED = Failure(grpc.StatusCode.INVALID_ARGUMENT, "no such host", reason="ERROR_REASON_SOURCE_REFUSED")


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "repositories.toml"
    path.write_text(LIST, encoding="utf-8")
    return path


def started(server: SuiteServer) -> list[indexer_pb2.StartIndexingRequest]:
    return server.asked_for(indexer_pb2.StartIndexingRequest)


def test_all_that_is_listed_is_indexed_in_order(serve: Serve, listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each under its name, with what its table says, and summed up."""
    server = serve(Script(states=[DONE]))

    code = main(["index", "--list", str(listed), "--wait", "all"])

    flask, shop = started(server)
    assert code == 0
    assert (flask.repository, flask.source.git.url, flask.source.git.revision) == (
        "flask",
        "https://github.com/pallets/flask",
        "main",
    )
    assert (list(flask.exclude), flask.without_vectors, flask.request_id) == (["docs/**"], False, "")
    assert (shop.repository, shop.source.local_path, shop.without_vectors) == ("shop", "/repositories/shop", True)
    assert capsys.readouterr().out.count("15 files, 500 lines, 80 symbols") == 2


def test_a_run_asks_for_the_same_jobs_again(serve: Serve, listed: Path) -> None:
    """A pod that takes a run up gets the jobs of the pod before; another run, or another table, gets its own."""
    server = serve(Script(states=[DONE]))
    for run in ("index-1", "index-1", "index-2"):
        assert main(["index", "--list", str(listed), "--request-id", run]) == 0
    listed.write_text(LIST.replace("main", "dev"), encoding="utf-8")
    main(["index", "--list", str(listed), "--request-id", "index-2"])
    ids = [each.request_id for each in started(server)]

    assert ids[:2] == ids[2:4]
    assert len({*ids[:2], *ids[4:6]}) == 4
    assert (ids[6] == ids[4], ids[7] == ids[5]) == (False, True)
    assert all(len(each) == 64 for each in ids)


def test_one_that_fails_does_not_keep_the_others_from_being_indexed(
    serve: Serve, listed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told by its name, and the exit code says that not all went well."""
    server = serve(Script(states=[DONE], failure=REFUSED))

    code = main(["index", "--list", str(listed)])

    assert code == 1
    assert [each.repository for each in started(server)] == ["flask", "shop"]
    assert "flask:\nError: no such host" in capsys.readouterr().err


def test_a_job_that_fails_makes_the_run_fail(serve: Serve, listed: Path) -> None:
    """Its outcome is the run's."""
    failed = indexer_pb2.IndexJob(job_id="j1", repository="flask", state=indexer_pb2.INDEX_JOB_STATE_FAILED)
    server = serve(Script(states=[failed]))

    assert main(["index", "--list", str(listed)]) == 1
    assert len(started(server)) == 2


def test_a_run_ends_at_once_where_nobody_answers(serve: Serve, listed: Path) -> None:
    """Exit code 3: to be tried again, as a whole."""
    server = serve(Script(states=[DONE], failure=Failure(grpc.StatusCode.UNAVAILABLE)))

    assert main(["index", "--list", str(listed)]) == 3
    assert {each.repository for each in started(server)} == {"flask"}


def test_a_single_repository_takes_an_id_too(serve: Serve, tmp_path: Path) -> None:
    """As it is given."""
    server = serve(Script(states=[DONE]))

    assert main(["index", str(tmp_path), "--request-id", "mine"]) == 0
    assert [each.request_id for each in started(server)] == ["mine"]


def test_what_stands_in_the_list_is_not_said_again(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody could say whom a name is meant for."""
    assert main(["index", "--list", str(listed), "--name", "shop"]) == 2
    assert "everything about a repository stands in the list" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["names nothing"]),
        ("[a]\nrevision = 5", ["[a] source: is missing", "[a] revision: expected a text"]),
        ('[a]\nsource = "/x"\nbranch = "main"', ["[a] branch: no such key"]),
        ('[a]\nsource = "../x"\n[b]\nsource = "~/x"', ["[a] ../x: must be", "[b] ~/x: must be"]),
        (
            '[a]\nsource = "/x"\nexclude = "x"\nvectors = 1',
            ["[a] exclude: expected a list", "[a] vectors: expected true"],
        ),
        ('a = "x"', ["a: must be a table"]),
        ("[a", ["not valid TOML"]),
    ],
)
def test_all_faults_of_a_list_are_told_at_once(tmp_path: Path, text: str, problems: list[str]) -> None:
    """With the file, table and key."""
    path = tmp_path / "list.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as raised:
        read_list(path)

    told = str(raised.value).splitlines()
    assert [line.startswith(f"{path}: {problem}") for line, problem in zip(told, problems, strict=True)] == [
        True for _ in problems
    ]


def test_a_list_that_is_not_there_is_told(tmp_path: Path) -> None:
    """With the reason."""
    with pytest.raises(UsageError, match=r"none\.toml: cannot be read \(No such file or directory\)"):
        read_list(tmp_path / "none.toml")


def test_reads_what_stands_there(listed: Path) -> None:
    """In the order of the file."""
    assert read_list(listed) == (
        Listed("flask", "https://github.com/pallets/flask", "main", ("docs/**",)),
        Listed("shop", "/repositories/shop", vectors=False),
    )
