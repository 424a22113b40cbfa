"""What a tree holds after it was read and screened."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.tree import Revision, Skipped, SkipReason, TextFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Scan:
    """Files taken and left out, both in order of path, and the number of entries that ignore rules leave out."""

    files: Sequence[TextFile]
    skipped: Sequence[Skipped]
    ignored: int
    revision: Revision

    def skip_counts(self, unparsed: int) -> Mapping[SkipReason, int]:
        """Return the number of files for each reason."""
        counts = Counter(each.reason for each in self.skipped)
        counts[SkipReason.IGNORED] += self.ignored
        counts[SkipReason.UNPARSED] += unparsed
        return {reason: counts[reason] for reason in sorted(counts) if counts[reason]}
