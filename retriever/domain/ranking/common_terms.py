"""
Terms that people use whatever the repository: "reproduce", "expect", "mechanism".

In code they are rare, so that their inverse document frequency there is high, and yet they say nothing of the place.
What they are worth is learned from texts about many repositories (scripts/train_ranker.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.ranking.corpus import Floats


@dataclass(frozen=True, slots=True)
class CommonTerms:
    """What a term is worth in a question and in a report, 0 to 1; a term that is not there is worth 1."""

    question: Mapping[str, float] = field(default_factory=dict)
    report: Mapping[str, float] = field(default_factory=dict)

    def worth(self, terms: Sequence[str], *, is_report: bool) -> Floats:
        """Return the worth of each term."""
        worth = self.report if is_report else self.question
        return np.array([worth.get(term, 1.0) for term in terms])
