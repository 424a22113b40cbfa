"""Reads which repositories the indexer has removed, from the notes that it leaves in object storage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.adapters.snapshots.removal_notes import decode_note

if TYPE_CHECKING:
    from common.core.removals import Removal
    from common.objects.bucket import Bucket

_REPOSITORIES = "repositories"
_NOTES = f"{_REPOSITORIES}/.removed"


class BucketRemovalNotes:
    """Implements `Removals`. A note that has not changed is not read again."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._read: dict[tuple[str, str], Removal | None] = {}

    def all(self) -> tuple[Removal, ...]:
        """
        Return the removals of the last year, in order of the repository's name; a damaged note is left out.

        Raises ObjectStoreUnavailable.
        """
        marks = self._bucket.marks(_NOTES)
        self._read = {
            key: self._read[key] if key in self._read else decode_note(self._bucket.read(key[0]) or b"")
            for key in marks.items()
        }
        found = [each for each in self._read.values() if each is not None]
        there = self._bucket.folders(_REPOSITORIES) if found else frozenset()
        again = (replace(each, indexed_again=self._is_there(each.repository, there)) for each in found)
        return tuple(sorted(again, key=lambda each: each.repository))

    def _is_there(self, repository: str, there: frozenset[str]) -> bool:
        """Return whether a repository exists; its folder alone is no proof, since leased files outlive a removal."""
        key = f"{_REPOSITORIES}/{repository}"
        return repository in there and any(
            self._bucket.look(f"{key}/{name}") is not None for name in ("CURRENT", "ANNOUNCED")
        )
