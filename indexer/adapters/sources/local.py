"""A directory of this machine as a source tree. Links are never followed, and nothing outside is ever read."""

from __future__ import annotations

import os
import stat
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.sources.history import read_history
from indexer.adapters.sources.listing import list_folder, list_git, unwanted
from indexer.domain.errors import SourceUnavailable
from indexer.domain.source.blobs import blob_ids
from indexer.domain.tree import (
    Commit,
    Entry,
    Link,
    Listing,
    Revision,
    Skipped,
    SkipReason,
    escaped,
    may_be_opened,
    safe_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pathspec import GitIgnoreSpec

    from indexer.adapters.sources.git import Git

_SHORTEST_LINK, _LONGEST_LINK = 4, 255
"""Least and greatest size in bytes of a file that may contain the target of a link."""


class LocalTree:
    """
    Reads a directory: tracked and untracked files where git knows it, all files otherwise; .gitignore respected.

    Args:
        root: Real path of the directory.
        excluded: Globs to leave out.
        git: The git command line in that directory.
        settled_before: Nanoseconds since 1970, before the tree is listed. A file whose times are not older has no
            stamp: it may be changed again within the same tick of the file system's clock.
        most_bytes: At most this and one byte more, which shows that the file is longer, are read of a file.
    """

    def __init__(
        self, root: Path, excluded: GitIgnoreSpec, git: Git, settled_before: float, *, most_bytes: int
    ) -> None:
        self._root = str(root)
        self._path = root
        self._excluded = excluded
        self._git = git
        self._settled_before = settled_before
        self._most_bytes = most_bytes
        self._commit = git.commit("HEAD") or ""
        self._inside = {"": True}  # the root is a real path

    @property
    def commit(self) -> str:
        """Return HEAD, "" without git."""
        return self._commit

    def listing(self) -> Listing:
        """
        Return regular files in order of path; links, devices and unsafe paths come back as skipped.

        Raises SourceUnavailable if the directory is gone, as `read` does.
        """
        self._check_there()
        found = list_git(self._git) or list_folder(self._path)
        entries: list[Entry] = []
        skipped: list[Skipped] = []
        links: list[Link] = []
        ignored = found.ignored
        for path in sorted(found.paths):
            if self._excluded and self._excluded.match_file(path):
                ignored += 1
                continue
            judged = self._judge(path)
            if isinstance(judged, Link):
                links.append(judged)
            elif isinstance(judged, Entry):
                entries.append(judged)
            elif isinstance(judged, Skipped):
                skipped.append(judged)
        return Listing(tuple(entries), tuple(skipped), ignored, tuple(links))

    def read(self, entries: Sequence[Entry]) -> Iterator[bytes | None]:
        """Return the bytes of each entry; None for what vanished, was replaced by a link or may not be read."""
        return map(self._read, entries)

    def revision(self, blobs: Mapping[str, str]) -> Revision:
        """Return HEAD; it is dirty if a file in `blobs` is new or differs from HEAD, or a file of HEAD is missing."""
        if not self._commit:
            return Revision()
        try:
            committed = blob_ids(self._git.run("ls-tree", "-r", "-z", "--end-of-options", self._commit))
        except SourceUnavailable:
            return Revision(self._commit, dirty=True)
        changed = any(committed.get(path) != blob for path, blob in blobs.items())
        gone = {path for path in committed if path not in blobs and not os.path.lexists(self._full(path))}
        return Revision(self._commit, dirty=changed or bool(gone and gone - self._left_out_by_git))

    def history(self, limit: int) -> tuple[Commit, ...]:
        """Return at most `limit` commits that lead to HEAD, newest first."""
        return read_history(self._git, self._commit, limit)

    def _judge(self, path: str) -> Entry | Link | Skipped | None:
        """Return None for a missing file."""
        if path.endswith("/"):  # git lists an untracked repository in the tree in this form
            return Skipped(path.rstrip("/"), SkipReason.SUBMODULE)
        refused = None if safe_path(path) else SkipReason.UNSAFE_PATH
        if refused and not may_be_opened(path):
            return Skipped(escaped(path), refused)
        try:
            found = os.lstat(self._full(path))
            is_link = stat.S_ISLNK(found.st_mode) or not self._folder_inside(path)
        except FileNotFoundError:
            return Skipped(path, SkipReason.SPARSE) if path in self._left_out_by_git else None
        except OSError:
            return Skipped(path, SkipReason.UNREADABLE)
        if stat.S_ISREG(found.st_mode) and not is_link:
            if not refused and (written := self._written_link(path, found.st_size)) is not None:
                return Link(path, written)
            return Entry(path, found.st_size, self._stamp(found), refused)
        shown = escaped(path) if refused else path
        if is_link:
            target = self._target_of(os.fsencode(self._full(path)))
            if target is None:  # the content of a dangling link is known: nothing
                return Skipped(shown, SkipReason.UNSAFE_LINK, None if Path(self._full(path)).exists() else b"")
            return None if refused else Link(path, target)
        if stat.S_ISDIR(found.st_mode):
            is_open = os.access(self._full(path), os.R_OK | os.X_OK)
            return Skipped(shown, SkipReason.SUBMODULE if is_open else SkipReason.UNREADABLE)
        return Skipped(shown, SkipReason.SPECIAL, b"")

    def _stamp(self, found: os.stat_result) -> str:
        if max(found.st_mtime_ns, found.st_ctime_ns) >= self._settled_before:
            return ""
        return f"{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}:{found.st_ino}:{found.st_dev}"

    def _read(self, entry: Entry) -> bytes | None:
        full = self._full(entry.path)
        try:
            descriptor = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            self._check_there()
            return None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode) or _real_path(descriptor, full) != full:
                return None
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(self._most_bytes + 1)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def _check_there(self) -> None:
        """Refuse a folder that was removed or unmounted, instead of publishing an empty index."""
        if not self._path.is_dir():
            raise SourceUnavailable(f"{self._root} is gone; what was published stays. Check the path.")

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _folder_inside(self, path: str) -> bool:
        """Return whether the path to a file has no link in it."""
        folder = path.rpartition("/")[0]
        unknown = []
        above = folder
        while above not in self._inside:
            unknown.append(above)
            above = above.rpartition("/")[0]
        for each in reversed(unknown):
            is_link = stat.S_ISLNK(os.lstat(self._full(each)).st_mode)
            self._inside[each] = not is_link and self._inside[each.rpartition("/")[0]]
        return self._inside[folder]

    @cached_property
    def _left_out_by_git(self) -> frozenset[str]:
        return unwanted(self._git) if self._commit else frozenset()

    def _written_link(self, path: str, size: int) -> str | None:
        """
        Return the target of a link that was written as a plain file, as git and archives do without support for links.

        Such a file contains only a relative path (`../shared`) to something else in the tree.
        """
        if not _SHORTEST_LINK <= size <= _LONGEST_LINK:
            return None
        text = self._read(Entry(path, size))
        if text is None or not text.startswith((b"./", b"../")) or b"\n" in text:
            return None
        folder = self._full(path).rpartition("/")[0]
        return self._target_of(os.fsencode(folder) + b"/" + text)

    def _target_of(self, full: bytes) -> str | None:
        """Return where in the tree a link leads, None if it leads out of it or nowhere."""
        try:
            target = os.fsdecode(os.path.realpath(full, strict=True))
        except (OSError, ValueError):  # dangling, a loop, or no path at all
            return None
        if target == self._root:
            return ""
        return target.removeprefix(self._root + os.sep) if target.startswith(self._root + os.sep) else None


def _real_path(descriptor: int, path: str) -> str:
    """Return the real path of an open file: a folder of its path may have become a link after the check."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 (of each file: a Path costs more)
    except OSError:  # not on every system
        return os.path.realpath(path)
