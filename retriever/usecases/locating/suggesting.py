"""Suggests corrections for a path or a name that is not in the snapshot."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from retriever.domain.questions.names import parse
from retriever.usecases.locating.occurrences import alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Snapshot

_MOST = 3
_LIKE = 0.6


def similar_paths(snapshot: Snapshot, path: str) -> tuple[str, ...]:
    """Return the paths most similar to a wrong one: those with its file name, else those with a similar spelling."""
    name = path.rpartition("/")[2]
    known = [file.path for file in snapshot.files.all()]
    same = [each for each in known if each.rpartition("/")[2] == name]
    return _nearest(path, same, 0.0) or _nearest(path, known, _LIKE)


def similar_names(snapshot: Snapshot, written: str) -> tuple[str, ...]:
    """Return qualified names most similar to a wrong one: with its last part, or with a similar spelling."""
    name = parse(written)
    if not name or not name.parts:
        return ()
    named = snapshot.symbols.named(name.last)
    if named:
        return _nearest(name.dotted, [each.qualified_name for each in named], _LIKE)
    spelled = [each for other in alike(snapshot, name.last) for each in snapshot.symbols.named(other)]
    return _nearest(name.dotted, [each.qualified_name for each in spelled], 0.0)


def _nearest(wrong: str, known: Sequence[str], floor: float) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(wrong, sorted(set(known)), _MOST, floor))
