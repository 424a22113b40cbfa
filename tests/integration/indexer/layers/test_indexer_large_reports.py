"""Large reports are taken over by a process of their own, as small ones are by the service."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from indexer.adapters.findings.import_process import SMALL_BYTES, ProcessFindingsImporter
from indexer.domain.errors import ImportFailed
from indexer.usecases.findings.apply_import import ApplyFindingsImport
from tests.integration.indexer.indexing import write_tree
from tests.integration.indexer.layers import test_indexer_findings_service as small_reports
from tests.integration.indexer.service import refused, running

upload = partial(small_reports.upload, size=SMALL_BYTES)


def report(size: int, **driver: Any) -> bytes:
    """Return a report with one result, as large as is wanted."""
    place = {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 1}}
    result = {"ruleId": "R1", "message": {"text": "wrong"}, "locations": [{"physicalLocation": place}]}
    run = {"tool": {"driver": {"name": "scan"} | driver}, "results": [result], "properties": {"pad": "x" * size}}
    return json.dumps({"version": "2.1.0", "runs": [run]}).encode()


async def test_a_large_report_is_taken_over_as_a_small_one_is(tmp_path: Path) -> None:
    """What is found in it, which request brought it, and what is wrong with it."""
    write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    small, large = report(0), report(SMALL_BYTES)
    async with running(tmp_path / "data", CGRAG_INDEXER_ANALYZERS="") as indexer:
        await indexer.index(tmp_path / "tree", repository="shop")
        outcomes = [await indexer.stub.ImportFindings(upload(data, str(len(data)))) for data in (small, large, large)]
        listed = (await indexer.stub.ListFindings(pb.ListFindingsRequest(repository="shop"))).findings
        reused = await refused(indexer.stub.ImportFindings(upload(report(SMALL_BYTES + 1), str(len(large)))))
        wrong = await refused(indexer.stub.ImportFindings(upload(report(SMALL_BYTES, name=7), "")))

    assert [(each.imported, each.outside) for each in outcomes] == [(1, 0)] * 3
    assert outcomes[1] == outcomes[2]
    assert [(each.tool, each.rule, each.message) for each in listed] == [("scan", "R1", "wrong")]
    assert [code.name for code, _ in (reused, wrong)] == ["ALREADY_EXISTS", "INVALID_ARGUMENT"]


def test_a_process_that_ends_is_told() -> None:
    """Whatever ended it: here it does not even begin to read."""
    importer = ProcessFindingsImporter({**os.environ, "CGRAG_CONFIG": "/none"}, cast("ApplyFindingsImport", None))
    with pytest.raises(ImportFailed, match="ended unexpectedly"):
        importer.run("shop", "", report(SMALL_BYTES))
