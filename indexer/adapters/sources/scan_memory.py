"""Cache of earlier scans: an expendable file beside the snapshots of each repository."""

from __future__ import annotations

import marshal
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from indexer.domain.source.scan import Reading
from indexer.domain.tree import SkipReason

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILE = "scan.cache"
_REASONS = {int(reason): reason for reason in SkipReason} | {0: None}


class FolderScanMemory:
    """
    Caches readings of files in `<data>/repositories/<repository>/scan.cache`.

    Args:
        folder: `<data>/repositories`.
        version: Version of all that affects how files are read; a cache of another version is ignored.
    """

    def __init__(self, folder: Path, version: str) -> None:
        self._folder = folder
        self._version = version

    def load(self, repository: str, commit: str) -> dict[str, Reading]:
        """Return the cached readings by path; {} if the file is missing, damaged or of another version."""
        try:
            version, rows = marshal.loads(zlib.decompress(self._file(repository).read_bytes()))  # noqa: S302 - written by us, checksum checked
            if version != self._header(commit):
                return {}
            return {path: Reading(stamp, _REASONS[reason], *rest) for path, stamp, reason, *rest in rows}
        except (OSError, zlib.error, ValueError, EOFError, TypeError, KeyError):
            return {}

    def save(self, repository: str, commit: str, readings: Mapping[str, Reading]) -> None:
        """Replace the cached readings; an error while writing is ignored, as the cache can be made again."""
        rows: list[tuple[Any, ...]] = [
            (path, each.stamp, int(each.reason or 0), each.sha256, each.size, each.lines, each.blob, each.words)
            for path, each in sorted(readings.items())
        ]
        packed = zlib.compress(
            marshal.dumps((self._header(commit), rows)), 0
        )  # for the checksum: an edit waits for this
        file = self._file(repository)
        beside = file.with_name(f".{_FILE}.new")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(packed)
            beside.replace(file)
        except OSError:
            with suppress(OSError):
                beside.unlink()

    def _file(self, repository: str) -> Path:
        return self._folder / repository / _FILE

    def _header(self, commit: str) -> str:
        """Return version and length of commit ids, which differs by the hash that git uses for object ids."""
        return f"{self._version}:{len(commit)}"
