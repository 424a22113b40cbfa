"""Recency: files that were changed lately are changed again (Hassan, ICSE 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.material import Columns

if TYPE_CHECKING:
    from retriever.domain.ranking.material import Evidence

_YEAR = 365.0 * 86400.0


def history_signal(evidence: Evidence) -> Columns:
    """Score files by 1 / (1 + years before the newest change), and by ln(1 + changes); 0 where nothing is known."""
    files = evidence.material.corpus.files
    known = files.last_change > 0
    age = (files.last_change.max(initial=0.0) - files.last_change) / _YEAR
    return Columns(files={"recent": np.where(known, 1.0 / (1.0 + age), 0.0), "changes": np.log1p(files.changes)})
