"""Which repositories the indexer has removed, by the notes that it leaves in object storage."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from common.core.removals import Removal

if TYPE_CHECKING:
    from common.objects.bucket import Bucket

_REPOSITORIES = "repositories"
_NOTES = f"{_REPOSITORIES}/.removed"


class BucketRemovalNotes:
    """Implements `Removals`. Notes that have not changed since are not read again."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._read: dict[tuple[str, str], Removal | None] = {}

    def all(self) -> tuple[Removal, ...]:
        """
        Return the removals of the last year, in order of the repository's name; a damaged note is left out.

        Raises ObjectStoreAway.
        """
        marks = self._bucket.marks(_NOTES)
        self._read = {key: self._read[key] if key in self._read else self._note(key[0]) for key in marks.items()}
        found = [each for each in self._read.values() if each is not None]
        there = self._bucket.folders(_REPOSITORIES) if found else frozenset()
        again = (replace(each, indexed_again=self._is_there(each.repository, there)) for each in found)
        return tuple(sorted(again, key=lambda each: each.repository))

    def _note(self, key: str) -> Removal | None:
        try:
            note = json.loads(self._bucket.read(key) or b"")
            return Removal(str(note["repository"]), datetime.fromisoformat(note["remove_time"]), indexed_again=False)
        except (ValueError, KeyError, TypeError):
            return None

    def _is_there(self, repository: str, there: frozenset[str]) -> bool:
        """Tell whether there is one of that name; what answers leased may be left of one that is gone."""
        key = f"{_REPOSITORIES}/{repository}"
        return repository in there and any(
            self._bucket.look(f"{key}/{name}") is not None for name in ("CURRENT", "ANNOUNCED")
        )
