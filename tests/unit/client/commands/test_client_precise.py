"""`cgrag precise` against scripted services."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2

from cgrag_client.cli import main
from tests.fakes.suite_server import Script, Serve, SuiteServer


@pytest.fixture
def server(serve: Serve) -> SuiteServer:
    """Serve one repository."""
    return serve(Script(repositories=[indexer_pb2.Repository(repository="shop")]))


def test_an_index_is_sent_in_chunks(server: SuiteServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The header goes first and alone; chunks have at most 1 MiB; what was taken and left out is told."""
    index = b"x" * ((1 << 20) + 7)
    (tmp_path / "index.scip").write_bytes(index)
    code = main(["precise", "import", str(tmp_path / "index.scip")])

    header, *chunks = server.asked_for(indexer_pb2.ImportPreciseEdgesRequest)
    out, err = capsys.readouterr()
    assert code == 0
    assert out == "5 files covered; 1,100 precise edges now stand for 70 of the linker's\n"
    assert err == "left out: 2 documents made for other text than that of the snapshot\n"
    assert header.header.repository == "shop"
    assert [len(each.chunk) for each in chunks] == [1 << 20, 7]
    assert b"".join(each.chunk for each in chunks) == index


def test_what_an_import_came_to_is_there_for_scripts(
    server: SuiteServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --json the response is printed whole, and nothing else."""
    (tmp_path / "index.scip").write_bytes(b"x")
    code = main(["precise", "import", str(tmp_path / "index.scip"), "--repo", "shop", "--json"])

    printed = json.loads(capsys.readouterr().out)
    assert code == 0
    assert printed["edgesPrecise"] == "1100"
    assert printed["refused"] == [{"reason": "DOCUMENT_REFUSAL_OTHER_TEXT", "documents": "2"}]


def test_an_index_that_is_not_there_is_wrong_usage(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is sent, and the file is named."""
    code = main(["precise", "import", "/nowhere/index.scip"])

    assert code == 2
    assert "/nowhere/index.scip" in capsys.readouterr().err
    assert server.asked_for(indexer_pb2.ImportPreciseEdgesRequest) == []


def test_imports_are_listed_with_what_they_are_worth(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Newest first, from all pages: who made them, files that they cover, files where they are in force."""
    server.script.imports = [
        indexer_pb2.PreciseImport(import_id="1f0c9a6b22d4", tool="scip-python 0.6.6", files=1083, files_in_force=1080),
        indexer_pb2.PreciseImport(import_id="earlier", files=2),
    ]
    code = main(["precise", "list"])

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert lines == [
        ["Import", "Made", "by", "Files", "In", "force", "Imported"],
        ["1f0c9a6b22d4", "scip-python", "0.6.6", "1,083", "1,080", "-"],
        ["earlier", "-", "2", "0", "-"],
    ]


def test_imports_are_listed_for_scripts(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """A line of JSON for each; nothing on stdout if there are none."""
    none = main(["precise", "list", "--json"]), capsys.readouterr().out
    server.script.imports = [indexer_pb2.PreciseImport(import_id="1f0c9a6b22d4", files=3)]
    main(["precise", "list", "--json"])

    assert none == (0, "")
    assert json.loads(capsys.readouterr().out)["importId"] == "1f0c9a6b22d4"


@pytest.mark.parametrize(("arguments", "asked"), [(["a1", "b2"], ["a1", "b2"]), (["--all"], ["c3", "d4"])])
def test_imports_are_removed_by_name_or_all(
    server: SuiteServer, capsys: pytest.CaptureFixture[str], arguments: list[str], asked: list[str]
) -> None:
    """What is asked for goes in one call, and what is left is told."""
    server.script.imports = [indexer_pb2.PreciseImport(import_id=each) for each in ("c3", "d4")]
    code = main(["precise", "remove", *arguments])

    (request,) = server.asked_for(indexer_pb2.DeletePreciseImportsRequest)
    assert code == 0
    assert list(request.import_ids) == asked
    assert capsys.readouterr().out == "2 imports removed: 84 files withdrawn, 1,100 precise edges left\n"


def test_more_imports_than_a_call_takes_are_removed_in_batches(
    server: SuiteServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each call names at most 100, none is left out, and what they came to is told together."""
    names = [f"i{number}" for number in range(201)]
    server.script.imports = [indexer_pb2.PreciseImport(import_id=each) for each in names]
    code = main(["precise", "remove", "--all"])

    requests = server.asked_for(indexer_pb2.DeletePreciseImportsRequest)
    assert code == 0
    assert [len(request.import_ids) for request in requests] == [100, 100, 1]
    assert [each for request in requests for each in request.import_ids] == names
    assert capsys.readouterr().out == "201 imports removed: 252 files withdrawn, 1,100 precise edges left\n"


@pytest.mark.parametrize("arguments", [[], ["a1", "--all"]])
def test_removing_needs_names_or_all(
    server: SuiteServer, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """Neither or both is wrong usage, and nothing is asked."""
    code = main(["precise", "remove", *arguments])

    assert code == 2
    assert "--all" in capsys.readouterr().err
    assert server.asked_for(indexer_pb2.DeletePreciseImportsRequest) == []
