"""How much source text one request may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.core.contract.evidence import Span
from common.core.errors import InvalidArgument
from retriever.usecases.read_spans import ReadSpans
from tests.fakes.served_snapshots import Served
from tests.fakes.snapshot_builder import SnapshotBuilder

HUGE, HALF = Span("huge.py", 0, 0), Span("half.py", 0, 0)


@pytest.fixture
def reading(tmp_path: Path) -> ReadSpans:
    """Read a repository with a file of 6000 lines and one of 2500."""
    builder = SnapshotBuilder().python("huge.py", "x = 1\n" * 6000).python("half.py", "x = 1\n" * 2500)
    builder.publish(tmp_path, "shop")
    return ReadSpans(Served(tmp_path).store)


@pytest.mark.parametrize(
    ("spans", "lines"), [([HUGE], 6000), ([HALF, HALF], 5000), ([HALF, Span("huge.py", 1, 2500)], 5000)]
)
async def test_so_much_is_read(reading: ReadSpans, spans: list[Span], lines: int) -> None:
    """One file as a whole, whatever its length, or 5000 lines in all."""
    _, texts = await reading.run("shop", "", spans)

    assert sum(text.count("\n") for _, text, _ in texts) == lines


@pytest.mark.parametrize(
    "spans", [[HUGE, HALF], [HALF, HALF, HALF], [HALF, Span("huge.py", 1, 2501)], [Span("huge.py", 1, 5001)]]
)
async def test_more_is_refused(reading: ReadSpans, spans: list[Span]) -> None:
    """Lines of whole files count as those that are named do; nothing is read."""
    with pytest.raises(InvalidArgument, match="spans: at most 5000 lines in all"):
        await reading.run("shop", "", spans)
