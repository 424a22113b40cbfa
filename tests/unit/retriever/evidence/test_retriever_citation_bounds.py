"""What a citation costs where its lines stand nowhere any more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

from common.core.contract.evidence import Span
from retriever.usecases.resolve_citation import Citation, CitationState, ResolveCitation

if TYPE_CHECKING:
    from retriever.ports import SnapshotStore


class _OneFile:
    """A snapshot of one file, and the store of it."""

    def __init__(self, text: str) -> None:
        self.info = self.files = self.symbols = self
        self.snapshot_id = "s"
        self._text = text

    async def at_revision(self, _repository: str, _revision: str) -> str:
        return "s"

    def open(self, _repository: str, _snapshot_id: str) -> _OneFile:
        return self

    async def __aenter__(self) -> _OneFile:
        return self

    async def __aexit__(self, *_error: object) -> None:
        pass

    def text(self, _path: str) -> str:
        return self._text


async def test_many_lines_of_a_long_file_are_not_looked_for_without_end() -> None:
    """Half of a file of half a million lines: each line might be the first of them."""
    store = cast("SnapshotStore", _OneFile("x\n" * 500_000))
    began = time.process_time()
    found = await ResolveCitation(store).run("r", Citation(Span("a.py", 1, 250_000), "0" * 64), "")

    assert found.state is CitationState.GONE
    assert time.process_time() - began < 10
