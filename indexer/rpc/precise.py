"""Messages about precise edges as values of the domain, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2 as pb

from indexer.rpc import convert

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

    from indexer.domain.precise.sites import ListedImport, PreciseOutcome, Withdrawal

MAX_IMPORTS = 100
MAX_ID = 64


async def open_upload(
    requests: AsyncIterator[pb.ImportPreciseEdgesRequest],
) -> tuple[str, AsyncGenerator[bytes]]:
    """Return the repository and the chunks of an upload; reading on raises InvalidArgument at an invalid message."""
    first = await anext(requests, pb.ImportPreciseEdgesRequest())
    chunk = _checked(first, is_first=True)
    return first.header.repository, _chunks(chunk, requests)


async def _chunks(first: bytes, others: AsyncIterator[pb.ImportPreciseEdgesRequest]) -> AsyncGenerator[bytes]:
    yield first
    async for request in others:
        yield _checked(request, is_first=False)


def _checked(request: pb.ImportPreciseEdgesRequest, *, is_first: bool) -> bytes:
    with convert.checked() as wrong:
        convert.check_part(request, wrong, is_first=is_first)
    return request.chunk


def import_message(outcome: PreciseOutcome) -> pb.ImportPreciseEdgesResponse:
    """Return the outcome of an import of a SCIP index."""
    return pb.ImportPreciseEdgesResponse(
        snapshot_id=outcome.snapshot_id,
        documents=outcome.documents,
        refused=[
            pb.RefusedDocuments(reason=pb.DocumentRefusal.ValueType(reason), documents=number)
            for reason, number in sorted(outcome.refused.items())
        ],
        edges_replaced=outcome.replaced,
        edges_precise=outcome.precise,
    )


def import_names(import_ids: Sequence[str]) -> tuple[str, ...]:
    """Return ids of imports, each once. Raises InvalidArgument."""
    with convert.checked() as wrong:
        wrong.require(1 <= len(import_ids) <= MAX_IMPORTS, "import_ids", f"must have 1 to {MAX_IMPORTS} ids")
        fit = all(0 < len(each) <= MAX_ID for each in import_ids)
        wrong.require(fit, "import_ids", f"must have 1 to {MAX_ID} characters each")
    return tuple(dict.fromkeys(import_ids))


def listed_message(listed: ListedImport) -> pb.PreciseImport:
    """Return an import."""
    kept = listed.kept
    message = pb.PreciseImport(
        import_id=kept.import_id, tool=kept.tool, files=len(kept.texts), files_in_force=listed.in_force
    )
    if kept.time is not None:
        message.import_time.FromDatetime(kept.time)
    return message


def withdrawal_message(done: Withdrawal) -> pb.DeletePreciseImportsResponse:
    """Return the outcome of withdrawing imports."""
    return pb.DeletePreciseImportsResponse(snapshot_id=done.snapshot_id, files=done.files, edges_precise=done.precise)
