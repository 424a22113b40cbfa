"""
History: files that changed recently tend to change again (Hassan, ICSE 2009), and so do files touched by commits whose
message resembles the query (Zhou, Zhang, Lo, ICSE 2012, who use bug reports in place of messages).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.material import Columns
from retriever.domain.ranking.scale import by_maximum

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Floats
    from retriever.domain.ranking.material import Material, SignalInputs

_YEAR = 365.0 * 86400.0


def history_signal(inputs: SignalInputs) -> Columns:
    """Score files by 1 / (1 + years before the newest change), ln(1 + changes), and commits that match the query."""
    files = inputs.material.corpus.files
    known = files.last_change > 0
    age = (files.last_change.max(initial=0.0) - files.last_change) / _YEAR
    return Columns(
        files={
            "recent": np.where(known, 1.0 / (1.0 + age), 0.0),
            "changes": np.log1p(files.changes),
            **_like_the_query(inputs.material),
        }
    )


def _like_the_query(material: Material) -> dict[str, Floats]:
    """
    Score files by the commits that touched them: each commit's score over the root of the number of ranked files in it.

    Columns: the highest such score, the sum of their squares, and that sum over 1 + the root of the file's changes.
    """
    commits = material.corpus.commits
    ranked = material.ranked_files[commits.files]
    touching, touched = commits.commits[ranked], commits.files[ranked]
    width = np.maximum(np.bincount(touching, minlength=len(commits)), 1)
    shares = (material.commit_scores / np.sqrt(width))[touching]
    highest, total = np.zeros(len(material.corpus.files)), np.zeros(len(material.corpus.files))
    np.maximum.at(highest, touched, shares)
    np.add.at(total, touched, shares**2)
    often = 1.0 + np.sqrt(material.corpus.files.changes)
    return {
        "best message": by_maximum(highest),
        "messages": by_maximum(total),
        "share of messages": by_maximum(total / often),
    }
