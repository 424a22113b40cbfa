"""A decision log that fails costs no retrieval anything but what it would have kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
import structlog

from common.core.contract.evidence import Span
from common.core.errors import DependencyUnavailable
from retriever.adapters.state.decisions_spared import SparedDecisionLog
from retriever.adapters.state.decisions_sqlite import SqliteDecisionLog
from retriever.domain.evidence.piece import Decision
from tests.fakes.clock import FakeClock

DECISION = Decision("search", "words", Span("a.py", 1, 2), "A.b", included=True, reason="found")


class Failing:
    """A log that fails, hangs or works."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.hangs = False
        self.asked: list[str] = []

    async def append(self, _repository: str, retrieval_id: str, _decisions: Sequence[Decision]) -> None:
        """Note the id."""
        self.asked.append(retrieval_id)
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error

    async def read(self, *_: object) -> tuple[tuple[int, Decision], ...]:
        """Return nothing."""
        return ()


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_store_that_fails_is_left_alone_and_then_tried_by_one(*, hangs: bool) -> None:
    """Nobody is told but the operator, once; each loss is counted; it is used again when it works."""
    store, clock, lost = Failing(), FakeClock(), list[int]()
    log = SparedDecisionLog(store, clock, lambda: lost.append(1), patience_seconds=0.01)
    store.hangs, store.error = hangs, DependencyUnavailable("away")
    with structlog.testing.capture_logs() as logs:
        for name in ("a", "b", "c"):
            await log.append("shop", name, [DECISION])
        assert store.asked == ["a"]
        clock.advance(5)
        await asyncio.gather(*(log.append("shop", name, [DECISION]) for name in ("d", "e")))
        assert store.asked == ["a", "d"]
        store.hangs, store.error = False, None
        clock.advance(5)
        for name in ("f", "g"):
            await log.append("shop", name, [DECISION])

    assert store.asked == ["a", "d", "f", "g"]
    assert len(lost) == 5
    assert [each["event"] for each in logs] == ["decisions.not_kept", "decisions.kept_again"]


async def test_a_damaged_file_holds_up_neither_start_nor_retrievals(tmp_path: Path) -> None:
    """Reading says that there is nothing to read from; without the file the log begins anew."""
    path, clock, lost = tmp_path / "decisions.db", FakeClock(), list[int]()
    path.write_bytes(b"no database" * 500)
    kept = SqliteDecisionLog(path, clock, days=7, retrievals=10)
    log = SparedDecisionLog(kept, clock, lambda: lost.append(1))
    await log.append("shop", "a", [DECISION])
    with pytest.raises(DependencyUnavailable, match="decisions"):
        await log.read("shop", "a", 0, 10)
    path.unlink()
    clock.advance(5)
    await log.append("shop", "b", [DECISION])
    found = await log.read("shop", "b", 0, 10)
    kept.close()

    assert len(lost) == 1
    assert found == ((1, DECISION),)
