"""`cgrag precise` against scripted services."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from cgrag.indexer.v1 import indexer_pb2

from cgrag_client.cli import main
from tests.fakes.suite_server import Script, SuiteServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[SuiteServer]:
    """Serve one repository, and point the command line at it."""
    monkeypatch.delenv("CGRAG_CONFIG", raising=False)
    with SuiteServer(Script(repositories=[indexer_pb2.Repository(repository="shop")])) as running:
        monkeypatch.setenv("CGRAG_CLIENT_INDEXER", running.address)
        yield running


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
