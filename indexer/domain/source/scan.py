"""What a tree holds after it was read and screened."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.tree import Link, Revision, Skipped, SkipReason, SourceFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.snapshots.core import CoreSummary
    from indexer.domain.snapshots.snapshot import Counts


MAX_WORDS_BYTES = 16_000_000
"""Of a larger file that is left out the words are not known."""


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
        words: The words of a file that is left out, see `common.core.words.word_sets`; None if they are not known.
    """

    stamp: str
    reason: SkipReason | None
    sha256: str = ""
    size: int = 0
    lines: int = 0
    blob: str = ""
    words: bytes | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """Files taken and left out, both in order of path, the number of entries that ignore rules leave out, links."""

    files: Sequence[SourceFile]
    skipped: Sequence[Skipped]
    ignored: int
    revision: Revision
    links: Sequence[Link] = ()

    def identity(self, settings: Mapping[str, str]) -> Mapping[str, str]:
        """Return the settings with the targets of links, which also determine the index."""
        return {**settings, **{f"link {each.path}": each.target for each in self.links}}

    def counts(self, written: CoreSummary, left_out: Sequence[Skipped], parsed: Counts) -> Counts:
        """Return the counts of a core layer that leaves files out, with those of `parsed` added."""
        skipped = Counter(each.reason for each in left_out)
        skipped[SkipReason.IGNORED] += self.ignored
        return dataclasses.replace(
            parsed,
            files=len(self.files),
            lines=sum(file.lines for file in self.files),
            symbols=written.symbols,
            edges=written.edges,
            docs=written.docs,
            skipped={reason: skipped[reason] for reason in sorted(skipped) if skipped[reason]},
        )
