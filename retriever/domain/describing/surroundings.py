"""Which terms occur in a symbol and around it: file, class, neighbours, members, callers, callees, namesakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.corpus import DOC, FIELDS, NAME, SCOPE, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from retriever.domain.describing.found import Found
    from retriever.domain.describing.searched import Searched
    from retriever.domain.ranking.corpus import Bools, Floats, Ints

    Tables = Mapping[str, Bools]

_SIDES = ("callees", "callers")


@dataclass(frozen=True, slots=True)
class Around:
    """
    Candidates, and which terms occur in and around them.

    Args:
        places: Of the candidates.
        held: Terms of each field of the candidates: (fields, candidates, terms).
        said: Terms anywhere in the candidates: (candidates, terms).
        in_head: Terms in their name, scope or signature: (candidates, terms).
        tables: Terms around them, by name of the column: (candidates, terms) each.
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
        Collect the terms in and around candidates.

        Args:
            calls: Rows of (caller id, callee id, confidence) around them.
        """
        held = found.held(places)
        said, in_head = _anywhere(held), _anywhere(held[[NAME, SCOPE, SIGNATURE]])
        by_calls, numbers = _calls_around(found, places, calls)
        tables = {**_surroundings(found, places, held, by_calls), **_company(found, places, said)}
        return cls(places, held, said, in_head, tables, numbers)


def _surroundings(found: Found, places: Ints, held: Bools, calls: Tables) -> Tables:
    """
    Return which terms occur around each candidate, alone and together with its own.

    Args:
        held: Terms of the candidates: (fields, candidates, terms).
        calls: Terms of their callers and callees (`_calls_around`).

    Returns:
        Tables of (candidates, terms) by name of the column.
    """
    said = held.any(axis=0)
    head = held[[NAME, SCOPE, SIGNATURE]].any(axis=0)
    file = _of_files(found, places)
    parent = _of_parents(found, places)
    context = parent[[NAME, DOC]].any(axis=0) | file[SCOPE]
    return {
        "said in path": file[SCOPE],
        "said in docs of file": file[DOC],
        "said in file": file.any(axis=0),
        "said in class": parent.any(axis=0),
        "said in docs of class": parent[DOC],
        "said here or above": said | context,
        "said in head or above": head | context,
        "said here or near": np.logical_or.reduce((said, *calls.values())),
        **calls,
    }


def _calls_around(found: Found, places: Ints, calls: ArrayLike) -> tuple[Tables, Mapping[str, Floats]]:
    """Return the terms in names and docstrings of callers and callees, and ln(1 + number) of callers and of callees."""
    symbols = found.corpus.symbols
    row = np.full(len(symbols), -1, dtype=np.int64)
    row[places] = np.arange(len(places))
    ends = np.array(calls, dtype=np.float64).reshape(-1, 3)[:, :2].astype(np.int64)
    source, target = symbols.places(ends[:, 0]), symbols.places(ends[:, 1])
    known = (source >= 0) & (target >= 0)
    source, target = source[known], target[known]
    near, at = np.unique(np.concatenate((source, target)), return_inverse=True)
    held = found.held(near)
    tables: dict[str, Bools] = {}
    numbers: dict[str, Floats] = {}
    for side, of, other in zip(_SIDES, (row[source], row[target]), (at[len(source) :], at[: len(source)]), strict=True):
        mine = np.flatnonzero(of >= 0)
        for field, name in ((DOC, "docs"), (NAME, "names")):
            hits = tables[f"said in {name} of {side}"] = np.zeros((len(places), found.terms), dtype=np.bool_)
            call, term = np.nonzero(held[field].take(other[mine], axis=0))
            hits[of[mine][call], term] = True
        numbers[side] = np.log1p(np.bincount(of[mine], minlength=len(places)))
    return tables, numbers


def of_namesakes(searched: Searched, places: Ints) -> Floats:
    """Return the highest share of the description in the docstring of a namesake, which is often an override."""
    symbols, documented = searched.corpus.symbols, searched.documented()
    names = [symbols.names[place] for place in places.tolist()]
    best = {name: _best_two(documented, symbols.by_name.get(name, ())) for name in dict.fromkeys(names)}
    rows = zip(places.tolist(), (best[name] for name in names), strict=True)
    return np.array([second if place == at else first for place, (at, first, second) in rows], dtype=np.float64)


def _of_files(found: Found, places: Ints) -> Bools:
    files, row = np.unique(found.corpus.symbols.file[places], return_inverse=True)
    return found.held_by_files(files)[:, row]


def _of_parents(found: Found, places: Ints) -> Bools:
    parents = found.corpus.symbols.parent[places]
    units, row = np.unique(parents[parents >= 0], return_inverse=True)
    held = np.zeros((FIELDS, len(places), found.terms), dtype=np.bool_)
    held[:, parents >= 0] = found.held(units)[:, row]
    return held


def _best_two(shares: Floats, places: tuple[int, ...]) -> tuple[int, float, float]:
    """Return the place of the highest share, that share, and the highest one elsewhere; 0 where there is none."""
    if not places:
        return -1, 0.0, 0.0
    found = shares[list(places)]
    at = int(found.argmax())
    best, found[at] = float(found[at]), 0.0
    return places[at], best, float(found.max())


def _company(found: Found, places: Ints, said: Bools) -> Tables:
    """
    Return which terms occur in the neighbours of each candidate, in members of its class, and in its own members.

    Args:
        said: Terms anywhere in the candidates themselves: (candidates, terms).

    Returns:
        Tables of (candidates, terms) by name of the column.
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
    """Return the terms of the symbols right before and after each in its file; modules and tests count as empty."""
    file = found.corpus.symbols.file
    wanted = np.concatenate((places - 1, places + 1))
    others = np.clip(wanted, 0, len(file) - 1)  # before the first and after the last symbol there is nothing
    units, row = np.unique(others, return_inverse=True)
    held = found.held(units)[:, row]
    held[:, (others != wanted) | (file[others] != np.tile(file[places], 2))] = False
    before, after = np.split(held, 2, axis=1)
    return np.asarray(before | after)


def _anywhere(held: Bools) -> Bools:
    return np.asarray(held.any(axis=0), dtype=np.bool_)
