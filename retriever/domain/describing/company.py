"""What stands beside a symbol and inside of it: the definitions before and after, members of its class, its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.corpus import DOC, NAME, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.describing.searched import Searched
    from retriever.domain.ranking.corpus import Bools, Floats, Ints

    Columns = Mapping[str, Floats]


def company(searched: Searched, places: Ints, held: Bools) -> Columns:
    """Measure how much of the description stands in what is defined next to each candidate, and in what it encloses."""
    said = held.any(axis=2)
    beside = _beside(searched, places)
    in_class, own = np.split(
        searched.held_by_members(np.concatenate((searched.corpus.symbols.parent[places], places))), 2
    )
    return {
        "said in docs beside": searched.share(beside[:, :, DOC]),
        "said in heads beside": searched.share(beside[:, :, [NAME, SIGNATURE]].any(axis=2)),
        "said here or beside": searched.share(said | beside[:, :, [NAME, DOC]].any(axis=2)),
        "said in docs of class members": searched.share(in_class[:, :, DOC]),
        "said in names of class members": searched.share(in_class[:, :, NAME]),
        "said in members": searched.share(own.any(axis=2)),
        "said in docs of members": searched.share(own[:, :, DOC]),
        "said here or in members": searched.share(said | own.any(axis=2)),
    }


def _beside(searched: Searched, places: Ints) -> Bools:
    """Tell what the symbols before and after each hold together; modules, tests and other files hold nothing."""
    file = searched.corpus.symbols.file
    wanted = np.concatenate((places - 1, places + 1))
    others = np.clip(wanted, 0, len(file) - 1)  # before the first and after the last symbol there is nothing
    units, row = np.unique(others, return_inverse=True)
    held = searched.held(units)[row]
    held[(others != wanted) | (file[others] != np.tile(file[places], 2))] = False
    before, after = np.split(held, 2)
    return np.asarray(before | after)
