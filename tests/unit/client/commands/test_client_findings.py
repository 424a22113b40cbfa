"""`cgrag findings` against scripted services."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.type.v1 import code_pb2

from cgrag_client.cli import main
from tests.fakes.suite_server import Script, Serve, SuiteServer

EVAL = indexer_pb2.Finding(
    tool="ruff",
    rule="S307",
    severity=indexer_pb2.SEVERITY_HIGH,
    category=indexer_pb2.FINDING_CATEGORY_SECURITY,
    message="Use of eval \x1b[31m",
    span=code_pb2.Span(path="shop/cart.py", start_line=4, end_line=4),
    symbol=code_pb2.SymbolRef(path="shop/cart.py", qualified_name="Cart.add"),
)
LONG = indexer_pb2.Finding(
    tool="complexity",
    rule="length",
    severity=indexer_pb2.SEVERITY_LOW,
    category=indexer_pb2.FINDING_CATEGORY_MAINTAINABILITY,
    message="has 200 lines",
    span=code_pb2.Span(path="shop/till.py", start_line=1, end_line=200),
)


@pytest.fixture
def server(serve: Serve) -> SuiteServer:
    """Serve one repository with two findings."""
    return serve(Script(repositories=[indexer_pb2.Repository(repository="shop")], findings=[EVAL, LONG]))


def test_findings_are_printed_one_a_line(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Severity, category, place, message, and who says so; all pages, nothing that drives the terminal."""
    code = main(["findings"])

    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert [line.split()[:3] for line in lines] == [
        ["high", "security", "shop/cart.py:4"],
        ["low", "maintainability", "shop/till.py:1-200"],
    ]
    assert lines[0].endswith("Use of eval [31m  ruff S307  Cart.add")


def test_findings_are_filtered_by_the_service(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Options become fields of the request; --json prints one finding a line; --limit ends the reading."""
    code = main(["findings", "--severity", "low", "--category", "security", "--path", "shop/", "-n", "1", "--json"])

    out, err = capsys.readouterr()
    request = server.asked_for(indexer_pb2.ListFindingsRequest)[0]
    assert code == 0
    assert [json.loads(line)["rule"] for line in out.splitlines()] == ["S307"]
    assert "--limit" in err
    assert (request.min_severity, request.category, request.path_prefix) == (
        indexer_pb2.SEVERITY_LOW,
        indexer_pb2.FINDING_CATEGORY_SECURITY,
        "shop/",
    )


def test_no_findings_is_not_an_error(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty list says so on stderr."""
    server.script.findings.clear()
    code = main(["findings", "--repo", "shop"])

    out, err = capsys.readouterr()
    assert (code, out, err) == (0, "", "no findings\n")


def test_a_report_is_sent_in_chunks(server: SuiteServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The header goes first and alone; chunks have at most 1 MiB; the outcome is told."""
    report = b"x" * ((1 << 20) + 7)
    (tmp_path / "big.sarif").write_bytes(report)
    code = main(["findings", "import", str(tmp_path / "big.sarif")])

    header, *chunks = server.asked_for(indexer_pb2.ImportFindingsRequest)
    assert code == 0
    assert capsys.readouterr().out == "3 findings imported, 1 outside of the index left out\n"
    assert header.header.repository == "shop"
    assert header.header.request_id
    assert [len(each.chunk) for each in chunks] == [1 << 20, 7]
    assert b"".join(each.chunk for each in chunks) == report


def test_a_report_goes_where_the_command_before_it_says(serve: Serve, tmp_path: Path) -> None:
    """`--repo` may stand on either side of `import`; a report must not land in another repository."""
    server = serve(Script(repositories=[indexer_pb2.Repository(repository=name) for name in ("shop", "till")]))
    (tmp_path / "a.sarif").write_bytes(b"x")
    for arguments in (["--repo", "till", "import"], ["import", "--repo", "till"]):
        assert main(["findings", *arguments, str(tmp_path / "a.sarif")]) == 0

    headers = [each.header.repository for each in server.asked_for(indexer_pb2.ImportFindingsRequest) if not each.chunk]
    assert headers == ["till", "till"]


def test_a_report_that_is_not_there_is_wrong_usage(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is sent, and the file is named."""
    code = main(["findings", "import", "/nowhere/x.sarif"])

    assert code == 2
    assert "/nowhere/x.sarif" in capsys.readouterr().err
    assert server.asked_for(indexer_pb2.ImportFindingsRequest) == []
