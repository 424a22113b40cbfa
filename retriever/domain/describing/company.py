"""What stands beside a symbol and inside of it: the definitions before and after, members of its class, its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.corpus import DOC, NAME, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.describing.found import Found
    from retriever.domain.ranking.corpus import Bools, Ints

    Tables = Mapping[str, Bools]


def company(found: Found, places: Ints, said: Bools) -> Tables:
    """
    Tell which terms stand in what is defined next to each candidate, and in what it encloses.

    Args:
        said: Anywhere in the candidates themselves, (candidates, terms).

    Returns:
        Tables like it, by name of the column.
    """
    beside = _beside(found, places)
    in_class, own = np.split(
        found.held_by_members(np.concatenate((found.corpus.symbols.parent[places], places))), 2, axis=1
    )
    members = own.any(axis=0)
    return {
        "said in docs beside": beside[DOC],
        "said in heads beside": beside[[NAME, SIGNATURE]].any(axis=0),
        "said here or beside": said | beside[[NAME, DOC]].any(axis=0),
        "said in docs of class members": in_class[DOC],
        "said in names of class members": in_class[NAME],
        "said in members": members,
        "said in docs of members": own[DOC],
        "said here or in members": said | members,
    }


def _beside(found: Found, places: Ints) -> Bools:
    """Tell what the symbols before and after each hold together; modules, tests and other files hold nothing."""
    file = found.corpus.symbols.file
    wanted = np.concatenate((places - 1, places + 1))
    others = np.clip(wanted, 0, len(file) - 1)  # before the first and after the last symbol there is nothing
    units, row = np.unique(others, return_inverse=True)
    held = found.held(units)[:, row]
    held[:, (others != wanted) | (file[others] != np.tile(file[places], 2))] = False
    before, after = np.split(held, 2, axis=1)
    return np.asarray(before | after)
