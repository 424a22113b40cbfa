"""Which terms stand in candidates and around them, told once for all descriptions that are asked together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.describing.company import company
from retriever.domain.describing.surroundings import calls_around, surroundings
from retriever.domain.ranking.corpus import NAME, SCOPE, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from retriever.domain.describing.found import Found
    from retriever.domain.ranking.corpus import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Around:
    """
    Candidates, and which terms stand where.

    Args:
        places: Of the candidates.
        held: By themselves: (fields, candidates, terms).
        said: Anywhere in them: (candidates, terms).
        in_head: In their name, scope or signature.
        tables: What stands around them, like these, by name of the column.
        calls: ln(1 + number) of callers and of callees.
    """

    places: Ints
    held: Bools
    said: Bools
    in_head: Bools
    tables: Mapping[str, Bools]
    calls: Mapping[str, Floats]

    @classmethod
    def of(cls, found: Found, places: Ints, calls: ArrayLike) -> Around:
        """
        Look at candidates.

        Args:
            calls: Rows of (caller id, callee id, confidence) around them.
        """
        held = found.held(places)
        said, in_head = _anywhere(held), _anywhere(held[[NAME, SCOPE, SIGNATURE]])
        by_calls, numbers = calls_around(found, places, calls)
        tables = {**surroundings(found, places, held, by_calls), **company(found, places, said)}
        return cls(places, held, said, in_head, tables, numbers)


def _anywhere(held: Bools) -> Bools:
    return np.asarray(held.any(axis=0), dtype=np.bool_)
