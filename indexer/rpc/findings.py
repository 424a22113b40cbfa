"""Messages about findings as values of the domain, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2 as pb
from cgrag.type.v1 import code_pb2

from common.core.contract.snapshot import Severity
from indexer.domain.findings.finding import Category, Finding, FindingsQuery
from indexer.rpc import convert

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from indexer.domain.findings.finding import ImportOutcome

MAX_REPORT_BYTES = 64 << 20
DEFAULT_PAGE_SIZE = 100
MAX_PAGE_SIZE = 1000


async def read_upload(requests: AsyncIterator[pb.ImportFindingsRequest]) -> tuple[str, str, bytes]:
    """Return repository, request id and report of an upload. Raises InvalidArgument at the first invalid message."""
    header: pb.ImportFindingsHeader | None = None
    report = bytearray()
    async for request in requests:
        with convert.checked() as wrong:
            convert.check_part(request, wrong, is_first=header is None)
            if header is None:
                header = request.header
                wrong.text(header.request_id, "header.request_id", max_length=64)
            report += request.chunk
            wrong.require(len(report) <= MAX_REPORT_BYTES, "chunk", "the file must have at most 64 MiB")
    with convert.checked() as wrong:
        wrong.require(bool(report), "chunk", "the file must not be empty")
    return (header.repository, header.request_id, bytes(report)) if header else ("", "", b"")


def import_message(outcome: ImportOutcome) -> pb.ImportFindingsResponse:
    """Return the outcome of an import of findings."""
    return pb.ImportFindingsResponse(
        snapshot_id=outcome.snapshot_id, imported=outcome.imported, outside=outcome.outside
    )


def query(request: pb.ListFindingsRequest) -> tuple[FindingsQuery, int]:
    """Return the filter of a request for findings, and its page size. Raises InvalidArgument."""
    with convert.checked() as wrong:
        known = (request.min_severity in pb.Severity.values(), request.category in pb.FindingCategory.values())
        wrong.require(known[0], "min_severity", "must be one of the contract's")
        wrong.require(known[1], "category", "must be one of the contract's")
        wrong.text(request.path_prefix, "path_prefix", max_length=1000)
        wrong.number(request.page_size, "page_size", minimum=0, maximum=MAX_PAGE_SIZE)
    wanted = FindingsQuery(
        min_severity=Severity(request.min_severity or Severity.INFO),
        category=Category(request.category) if request.category else None,
        path_prefix=request.path_prefix,
    )
    return wanted, request.page_size or DEFAULT_PAGE_SIZE


def cursor(finding: Finding) -> str:
    """Return where a page ends, for its token."""
    return json.dumps(finding.order)


def position(cursor: str) -> tuple[object, ...]:
    """Return where a page begins, by the cursor of the one before."""
    return tuple(json.loads(cursor)) if cursor else ()


def finding_message(finding: Finding) -> pb.Finding:
    """Return a finding."""
    message = pb.Finding(
        tool=finding.tool,
        rule=finding.rule,
        severity=pb.Severity.ValueType(finding.severity),
        category=pb.FindingCategory.ValueType(finding.category),
        message=finding.message,
        span=code_pb2.Span(path=finding.path, start_line=finding.start_line, end_line=finding.end_line),
    )
    if finding.symbol is not None:
        message.symbol.path = finding.path
        message.symbol.kind = code_pb2.SymbolKind.ValueType(finding.symbol.kind)
        message.symbol.qualified_name = finding.symbol.qualified_name
        message.symbol.start_line = finding.symbol.start_line
        message.symbol.end_line = finding.symbol.end_line
    return message
