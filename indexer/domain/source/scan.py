"""Result of reading and screening the files of a tree."""

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
"""Words of left-out files are collected up to this size."""


@dataclass(frozen=True, slots=True)
class Reading:
    """
    Result of reading a file, valid as long as the file's stamp does not change.

    Args:
        stamp: Stamp of the entry that was read.
        reason: Why the file is left out; None if it is included.
        sha256: Hash of its bytes; "" if it is left out.
        size: In bytes; 0 if it is left out.
        lines: Number of lines of its text; 0 if it is left out.
        blob: Git's object id of its bytes.
        words: Set of the words of a left-out file, see `common.core.words.word_sets`; None if they are not known.
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
    """Included and left-out files, both in order of path; number of entries that ignore rules leave out; links."""

    files: Sequence[SourceFile]
    skipped: Sequence[Skipped]
    ignored: int
    revision: Revision
    links: Sequence[Link] = ()

    def identity(self, settings: Mapping[str, str]) -> Mapping[str, str]:
        """Return settings for `source_identity` with the targets of links added, as these also determine the index."""
        return {**settings, **{f"link {each.path}": each.target for each in self.links}}

    def counts(self, written: CoreSummary, left_out: Sequence[Skipped], parsed: Counts) -> Counts:
        """Return `parsed` with the sizes of a written core layer and the numbers of left-out files by reason."""
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
