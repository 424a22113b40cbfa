"""Finds imports that may be withdrawn among what is kept of SCIP indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.errors import ImportNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.ports import PreciseArchive


def files_of_imports(archive: PreciseArchive, repository: str, import_ids: Sequence[str]) -> int:
    """
    Return how many files imports are of: those in force, and those whose withdrawal did not come to its end.

    Blocks for a moment. Raises ImportNotFound if one of them is neither.
    """
    kept = {each.import_id: len(each.texts) for each in archive.imports(repository)}
    kept = {**archive.unfinished(repository), **kept}
    missing = [each for each in import_ids if each not in kept]
    if missing:
        raise ImportNotFound(
            f"{repository!r} has no import {missing[0]!r}; list what there is.",
            metadata={"repository": repository, "import_id": missing[0]},
        )
    return sum(kept[each] for each in set(import_ids))
