"""Reads the source text of spans."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.errors import InvalidArgument, Violation
from retriever.domain.errors import SpanNotFound
from retriever.domain.evidence.piece import hash_lines
from retriever.usecases.evidence.drafting import read_lines
from retriever.usecases.locating.suggesting import similar_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Snapshot, SnapshotStore


MAX_LINES = 5000


class ReadSpans:
    """Reads source text."""

    def __init__(self, snapshots: SnapshotStore) -> None:
        self._snapshots = snapshots

    async def run(
        self, repository: str, snapshot_id: str, spans: Sequence[Span]
    ) -> tuple[str, tuple[tuple[Span, str, str], ...]]:
        """
        Return the snapshot read and (span, text, SHA-256) of each span in order; a start line of 0 means all lines.

        Raises:
            SpanNotFound: for a file that is not there, or lines beyond its end.
            InvalidArgument: for more than 5000 lines in all, unless they are one file as a whole.
        """
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            return snapshot.info.snapshot_id, await asyncio.to_thread(_texts, snapshot, spans)


def _texts(snapshot: Snapshot, spans: Sequence[Span]) -> tuple[tuple[Span, str, str], ...]:
    found = _found(snapshot, spans)
    lines = sum(each.end_line - each.start_line + 1 for each in found)
    is_one_file = len(spans) == 1 and not spans[0].start_line
    if lines > MAX_LINES and not is_one_file:
        text = f"at most {MAX_LINES} lines in all, not {lines}, unless they are one file as a whole; ask in parts"
        raise InvalidArgument.of([Violation("spans", text)])
    texts = ((each, read_lines(snapshot, each)) for each in found)
    return tuple((each, text, hash_lines(text)) for each, text in texts)


def _found(snapshot: Snapshot, spans: Sequence[Span]) -> list[Span]:
    """Return the spans with the lines of whole files filled in. Raises SpanNotFound."""
    found: list[Span] = []
    for span in spans:
        file = snapshot.files.at(span.path)
        if file is None or span.end_line > max(file.lines, 1):
            have = f"the file has {file.lines} lines" if file else _no_file(snapshot, span.path)
            lines = f":{span.start_line}-{span.end_line}" if span.start_line else ""
            metadata = {"path": span.path, **({"lines": str(file.lines)} if file else {})}
            raise SpanNotFound(f"{span.path}{lines} is not in the snapshot: {have}", metadata=metadata)
        found.append(span if span.start_line else Span(span.path, 1, max(1, file.lines)))
    return found


def _no_file(snapshot: Snapshot, path: str) -> str:
    left_out = next((each for each in snapshot.coverage.left_out() if each.path == path), None)
    if left_out:
        return f"it {left_out.why}"
    similar = similar_paths(snapshot, path)
    if similar:
        return f"there is no such file; did you mean {' or '.join(similar)}?"
    return "there is no such file; Search finds files by words"
