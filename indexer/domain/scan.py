"""What a tree holds after it was read and screened."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.tree import Revision, Skipped, SkipReason, SourceFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Reading:
    """
    What reading a file came to; it is the same again as long as the file's stamp is.

    Args:
        stamp: Of the entry that was read.
        reason: Why it is left out; None if it is taken.
        sha256: Of its bytes; "" if it is left out.
        size: In bytes; 0 if it is left out.
        lines: Of its text; 0 if it is left out.
        blob: The object id that git gives its bytes.
    """

    stamp: str
    reason: SkipReason | None
    sha256: str = ""
    size: int = 0
    lines: int = 0
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """Files taken and left out, both in order of path, and the number of entries that ignore rules leave out."""

    files: Sequence[SourceFile]
    skipped: Sequence[Skipped]
    ignored: int
    revision: Revision

    def skip_counts(self, unparsed: int) -> Mapping[SkipReason, int]:
        """Return the number of files for each reason."""
        counts = Counter(each.reason for each in self.skipped)
        counts[SkipReason.IGNORED] += self.ignored
        counts[SkipReason.UNPARSED] += unparsed
        return {reason: counts[reason] for reason in sorted(counts) if counts[reason]}
