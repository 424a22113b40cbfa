"""What stands around a symbol: its file, its class, what it calls and what calls it, and what bears the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.corpus import DOC, FIELDS, NAME, SCOPE, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from retriever.domain.describing.searched import Searched
    from retriever.domain.ranking.corpus import Bools, Floats, Ints

    Columns = Mapping[str, Floats]


def surroundings(searched: Searched, places: Ints, held: Bools, calls: ArrayLike) -> Columns:
    """Measure how much of the description stands around each candidate, alone and together with what it says itself."""
    said = held.any(axis=2)
    head = held[:, :, [NAME, SCOPE, SIGNATURE]].any(axis=2)
    file = _of_files(searched, places)
    parent = _of_parents(searched, places)
    context = parent[:, :, [NAME, DOC]].any(axis=2) | file[:, :, SCOPE]
    around, near = _of_calls(searched, places, calls)
    return {
        "said in path": searched.share(file[:, :, SCOPE]),
        "said in docs of file": searched.share(file[:, :, DOC]),
        "said in file": searched.share(file.any(axis=2)),
        "said in class": searched.share(parent.any(axis=2)),
        "said in docs of class": searched.share(parent[:, :, DOC]),
        "said here or above": searched.share(said | context),
        "said in head or above": searched.share(head | context),
        "said here or near": searched.share(said | near),
        **around,
        "said of a namesake": _of_namesakes(searched, places),
    }


def _of_files(searched: Searched, places: Ints) -> Bools:
    in_file = searched.corpus.symbols.file[places]
    files, row = np.unique(in_file, return_inverse=True)
    return searched.held_by_files(files)[row]


def _of_parents(searched: Searched, places: Ints) -> Bools:
    parents = searched.corpus.symbols.parent[places]
    units, row = np.unique(parents[parents >= 0], return_inverse=True)
    held = np.zeros((len(places), len(searched.weights), FIELDS), dtype=np.bool_)
    held[parents >= 0] = searched.held(units)[row]
    return held


def _of_calls(searched: Searched, places: Ints, calls: ArrayLike) -> tuple[dict[str, Floats], Bools]:
    """Return the columns of callers and callees, and which terms their names and documentation strings hold."""
    symbols = searched.corpus.symbols
    row = np.full(len(symbols), -1, dtype=np.int64)
    row[places] = np.arange(len(places))
    ends = np.array(calls, dtype=np.float64).reshape(-1, 3)[:, :2].astype(np.int64)
    source, target = symbols.places(ends[:, 0]), symbols.places(ends[:, 1])
    known = (source >= 0) & (target >= 0)
    source, target = source[known], target[known]
    near, at = np.unique(np.concatenate((source, target)), return_inverse=True)
    held = searched.held(near)
    sides = {"callees": (row[source], at[len(source) :]), "callers": (row[target], at[: len(source)])}
    columns: dict[str, Floats] = {}
    together = np.zeros((len(places), len(searched.weights)), dtype=np.bool_)
    for side, (of, other) in sides.items():
        mine = of >= 0
        for field, name in ((DOC, "docs"), (NAME, "names")):
            hits = np.zeros_like(together)
            call, term = np.nonzero(held[other[mine], :, field])
            hits[of[mine][call], term] = True
            columns[f"said in {name} of {side}"] = searched.share(hits)
            together |= hits
        columns[side] = np.log1p(np.bincount(of[mine], minlength=len(places)))
    return columns, together


def _of_namesakes(searched: Searched, places: Ints) -> Floats:
    """Return the highest share that the documentation of another symbol of the same name holds: often an override."""
    symbols, documented = searched.corpus.symbols, searched.documented()
    names = [symbols.names[place] for place in places.tolist()]
    best = {name: _best_two(documented, symbols.by_name.get(name, ())) for name in dict.fromkeys(names)}
    rows = zip(places.tolist(), (best[name] for name in names), strict=True)
    return np.array([second if place == at else first for place, (at, first, second) in rows], dtype=np.float64)


def _best_two(shares: Floats, places: tuple[int, ...]) -> tuple[int, float, float]:
    """Return the place of the highest share, that share, and the highest one elsewhere; 0 where there is none."""
    if not places:
        return -1, 0.0, 0.0
    found = shares[list(places)]
    at = int(found.argmax())
    best, found[at] = float(found[at]), 0.0
    return places[at], best, float(found.max())
