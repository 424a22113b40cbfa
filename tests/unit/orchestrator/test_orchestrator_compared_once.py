"""Questions that compare two things are read in one pass, whatever is in them."""

from __future__ import annotations

import time

from orchestrator.domain.writing.statements import compared


def test_what_is_compared_is_read_once() -> None:
    """A question that began with brackets alone, as many as one may hold, stopped an orchestrator."""
    began = time.process_time()

    assert compared(f"{'(' * 90_000} difference between `a` and b?") == ("a", "b")
    assert time.process_time() - began < 2
