"""Findings over gRPC: made by analyzers, imported in chunks, listed by pages, kept over re-indexing."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
from cgrag.indexer.v1 import indexer_pb2 as pb

from tests.fakes.answering import eventually
from tests.integration.indexer.indexing import write_tree
from tests.integration.indexer.service import Indexer, refused, running

REPORTS = Path(__file__).parents[3] / "fixtures/sarif"
BAD = "import pickle\n\n\ndef load(data, seen=[]):\n    return pickle.loads(data), undefined_name\n"


def upload(report: bytes, request_id: str = "", size: int = 100) -> Iterator[pb.ImportFindingsRequest]:
    """Yield the header alone, then the report in chunks."""
    yield pb.ImportFindingsRequest(header=pb.ImportFindingsHeader(repository="shop", request_id=request_id))
    for start in range(0, len(report), size):
        yield pb.ImportFindingsRequest(chunk=report[start : start + size])


async def imported(indexer: Indexer, name: str, request_id: str = "") -> pb.ImportFindingsResponse:
    """Import a report of the fixtures."""
    return await indexer.stub.ImportFindings(upload((REPORTS / name).read_bytes(), request_id))


async def listed(indexer: Indexer, **more: Any) -> list[pb.Finding]:
    """Return all findings that fit, page by page."""
    found: list[pb.Finding] = []
    request = pb.ListFindingsRequest(repository="shop", **more)
    while True:
        page = await indexer.stub.ListFindings(request)
        found += page.findings
        request.page_token = page.next_page_token
        if not page.next_page_token:
            return found


def rules(findings: list[pb.Finding], tool: str = "") -> list[str]:
    """Return the rules of findings, of one tool or all."""
    return [each.rule for each in findings if tool in ("", each.tool)]


async def test_analyzers_of_the_house_find_things(data: Path, shop: Path) -> None:
    """A job ends with findings: of ruff without the repository's configuration, and of functions that are too much."""
    branches = "".join(f"    if a == {number}:\n        a += 1\n" for number in range(20))
    conditions = "    if (a > 1 && a < 9) { println(a) }\n" * 12
    write_tree(
        shop,
        {
            "build/load.py": BAD,
            "shop/long.py": f"def long(a):\n{branches}    return a\n",
            "shop/broken.py": "def (:\n",
            "tests/test_load.py": BAD,
            "ruff.toml": 'lint.select = ["I"]\n',
            "ruff.py": "raise SystemExit(3)\n",
            "deep.kt": f"fun deep(a: Int): Int {{\n{conditions}    return a\n}}\n",
            "deep.m": f"int deep(int a) {{\n{conditions}    return a;\n}}\n",
        },
    )
    async with running(data) as indexer:
        job = await indexer.index(shop)
        again = await indexer.index(shop)
        found = await listed(indexer)

    by_rule = {(each.tool, each.rule, each.span.path): each for each in found}
    assert job.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert job.counts.findings == len(found)
    assert (again.unchanged, again.snapshot_id) == (True, job.snapshot_id)
    pickled = by_rule["ruff", "S301", "build/load.py"]
    assert (pickled.severity, pickled.category) == (pb.SEVERITY_HIGH, pb.FINDING_CATEGORY_SECURITY)
    assert (pickled.span.start_line, pickled.symbol.qualified_name, pickled.symbol.path) == (5, "load", "build/load.py")
    assert by_rule["ruff", "F821", "tests/test_load.py"].category == pb.FINDING_CATEGORY_CORRECTNESS
    assert ("ruff", "S301", "tests/test_load.py") not in by_rule
    assert by_rule["ruff", "invalid-syntax", "shop/broken.py"].severity == pb.SEVERITY_HIGH
    assert by_rule["complexity", "complexity", "shop/long.py"].symbol.qualified_name == "long"
    assert by_rule["complexity", "complexity", "deep.kt"].symbol.qualified_name == "deep"
    assert by_rule["lizard", "complexity", "deep.m"].message == "deep has a cyclomatic complexity of 25, more than 15"
    assert [-each.severity for each in found] == sorted(-each.severity for each in found)


async def test_reports_are_imported_and_replace_their_tools_earlier_ones(data: Path, shop: Path) -> None:
    """Each tool has its findings; another report of the same tool replaces them; what is outside is counted."""
    async with running(data, CGRAG_INDEXER_ANALYZERS="") as indexer:
        job = await indexer.index(shop)
        empty = await listed(indexer)
        bandit = await imported(indexer, "bandit.sarif")
        await imported(indexer, "semgrep.sarif")
        both = await listed(indexer)
        snapshot = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop"))
        less = json.loads((REPORTS / "bandit.sarif").read_bytes())
        del less["runs"][0]["results"][1:]
        await indexer.stub.ImportFindings(upload(json.dumps(less).encode()))
        replaced = await listed(indexer)

    assert empty == []
    assert (bandit.imported, bandit.outside) == (2, 1)
    assert bandit.snapshot_id not in (job.snapshot_id, snapshot.snapshot_id)
    assert snapshot.counts.findings == 4
    assert [(each.tool, each.severity, each.span.path, each.span.start_line) for each in both] == [
        ("Bandit", pb.SEVERITY_HIGH, "shop/till.py", 7),
        ("Semgrep OSS", pb.SEVERITY_MEDIUM, "shop/cart.py", 12),
        ("Bandit", pb.SEVERITY_LOW, "shop/cart.py", 11),
        ("Semgrep OSS", pb.SEVERITY_LOW, "shop/cart.py", 14),
    ]
    assert [each.symbol.qualified_name for each in both] == ["pay", "Cart.add", "Cart.add", "Cart.add"]
    assert both[1].message == "Detected the use of eval(). It can be dangerous."
    assert rules(replaced, "Bandit") == ["B602"]
    assert len(replaced) == 3


async def test_imports_outlive_re_indexing_where_their_file_is_the_same(data: Path, shop: Path) -> None:
    """A changed file loses its imported findings until a scanner saw it again; analyzers look anew by themselves."""
    async with running(data) as indexer:
        await indexer.index(shop)
        await imported(indexer, "bandit.sarif")
        write_tree(shop, {"shop/cart.py": "import os\n", "shop/new.py": "x = 1\n"})
        await indexer.index(shop)
        kept = await listed(indexer)
        await indexer.stub.DeleteRepository(pb.DeleteRepositoryRequest(repository="shop"))
        await indexer.index(shop)
        gone = await listed(indexer)

    assert [(each.tool, each.span.path) for each in kept] == [("Bandit", "shop/till.py"), ("ruff", "shop/cart.py")]
    assert [each.tool for each in gone] == ["ruff"]


async def test_repeated_requests_import_once(data: Path, shop: Path) -> None:
    """The same id gives the same response, even after others came; with another file it is a conflict."""
    async with running(data, CGRAG_INDEXER_ANALYZERS="") as indexer:
        await indexer.index(shop)
        first = await imported(indexer, "bandit.sarif", "r1")
        await imported(indexer, "semgrep.sarif", "r2")
        repeated = await imported(indexer, "bandit.sarif", "r1")
        conflict = await refused(imported(indexer, "codeql.sarif", "r1"))

    assert repeated == first
    assert conflict == (grpc.StatusCode.ALREADY_EXISTS, "ERROR_REASON_REQUEST_ID_REUSED")


async def test_findings_are_filtered_and_paged(data: Path, shop: Path) -> None:
    """Pages of any size give the same list, also while others import; a token belongs to its request."""
    async with running(data, CGRAG_INDEXER_ANALYZERS="") as indexer:
        await indexer.index(shop)
        for name in ("bandit.sarif", "semgrep.sarif", "codeql.sarif"):
            await imported(indexer, name)
        whole = await listed(indexer)
        paged = await listed(indexer, page_size=3)
        worst = await listed(indexer, min_severity=pb.SEVERITY_HIGH)
        security = await listed(indexer, category=pb.FINDING_CATEGORY_SECURITY, path_prefix="shop/cart")
        first = await indexer.stub.ListFindings(pb.ListFindingsRequest(repository="shop", page_size=2))
        other = pb.ListFindingsRequest(
            repository="shop", page_token=first.next_page_token, category=pb.FINDING_CATEGORY_SECURITY
        )
        foreign = await refused(indexer.stub.ListFindings(other))
        too_many = await refused(indexer.stub.ListFindings(pb.ListFindingsRequest(repository="shop", page_size=1001)))

    assert len(whole) == 8
    assert paged == whole
    assert rules(worst) == ["py/sql-injection", "B602"]
    assert {(each.category, each.span.path) for each in security} == {
        (pb.FINDING_CATEGORY_SECURITY, "shop/cart.py"),
    }
    assert foreign[1] == "ERROR_REASON_PAGE_TOKEN_INVALID"
    assert too_many[1] == "ERROR_REASON_INVALID_ARGUMENT"


async def test_wrong_imports_are_refused_and_change_nothing(data: Path, shop: Path) -> None:
    """Each names what is wrong; what was listed stays listed."""
    header = pb.ImportFindingsHeader(repository="shop")
    invalid = [
        [],
        [pb.ImportFindingsRequest(header=header)],
        [pb.ImportFindingsRequest(chunk=b"{}")],
        [pb.ImportFindingsRequest(header=header), pb.ImportFindingsRequest(header=header, chunk=b"{}")],
        [pb.ImportFindingsRequest(header=header, chunk=b" " * (1 << 20) + b"{}")],
        [pb.ImportFindingsRequest(header=pb.ImportFindingsHeader(repository="../x"), chunk=b"{}")],
        [pb.ImportFindingsRequest(header=header, chunk=b'{"version": "2.1.0", "runs": [7]}')],
        [pb.ImportFindingsRequest(header=header, chunk=b"\x00")],
    ]
    async with running(data, CGRAG_INDEXER_ANALYZERS="") as indexer:
        missing = await refused(imported(indexer, "bandit.sarif"))
        await indexer.index(shop)
        await imported(indexer, "bandit.sarif")
        before = await listed(indexer)
        got = [await refused(indexer.stub.ImportFindings(iter(each))) for each in invalid]
        large = (pb.ImportFindingsRequest(header=header if not n else None, chunk=b" " * (1 << 20)) for n in range(65))
        got.append(await refused(indexer.stub.ImportFindings(large)))
        after = await listed(indexer)

    assert missing == (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_REPOSITORY_NOT_FOUND")
    assert set(got) == {(grpc.StatusCode.INVALID_ARGUMENT, "ERROR_REASON_INVALID_ARGUMENT")}
    assert after == before


async def test_uploads_have_a_limit_of_their_own(data: Path) -> None:
    """Each may take 64 MiB of memory: what is beyond eight is refused, other calls are served; their end makes room."""
    end = asyncio.Event()
    full = (grpc.StatusCode.RESOURCE_EXHAUSTED, "ERROR_REASON_OVERLOADED")
    unknown = (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_REPOSITORY_NOT_FOUND")

    async def held() -> AsyncIterator[pb.ImportFindingsRequest]:
        yield next(upload(b""))
        await end.wait()
        yield pb.ImportFindingsRequest(chunk=b"{}")

    async with running(data) as indexer:
        calls = [asyncio.ensure_future(refused(indexer.stub.ImportFindings(held(), timeout=60))) for _ in range(12)]
        await eventually(lambda: sum(each.done() for each in calls) == 4)
        await indexer.stub.ListRepositories(pb.ListRepositoriesRequest())
        end.set()

        assert Counter(await asyncio.gather(*calls)) == {full: 4, unknown: 8}
        assert await refused(indexer.stub.ImportFindings(upload(b"{}"))) == unknown
