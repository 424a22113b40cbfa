"""A commit of a git repository as a source tree: files come from the object store, nothing is checked out."""

from __future__ import annotations

from posixpath import dirname, join, normpath
from typing import IO, TYPE_CHECKING

from indexer.adapters.sources.history import read_history
from indexer.domain.errors import SourceUnavailable
from indexer.domain.tree import Commit, Entry, Link, Listing, Revision, Skipped, SkipReason, escaped, safe_path

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from pathspec import GitIgnoreSpec

    from indexer.adapters.sources.git import Git

_WINDOW = 64
_LONGEST_LINK = 4096
_ENDED = "git cat-file ended early; the repository may be damaged, run git fsck on it"


class GitTree:
    """
    Reads the files of one commit.

    Args:
        git: In the repository.
        commit: Full object id.
        excluded: Globs to leave out.
    """

    def __init__(self, git: Git, commit: str, excluded: GitIgnoreSpec) -> None:
        self._git = git
        self._commit = commit
        self._excluded = excluded
        self._objects: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> GitTree:
        """Return the tree."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the reading process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    @property
    def commit(self) -> str:
        """Return the commit."""
        return self._commit

    def listing(self) -> Listing:
        """Return regular files in order of path; links count as unsafe only if their target is outside."""
        listed = self._git.run("ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", self._commit)
        entries: list[Entry] = []
        skipped: list[Skipped] = []
        links: list[Link] = []
        ignored = 0
        for row in filter(None, listed.split(b"\0")):
            head, _, raw = row.partition(b"\t")
            mode, _, object_id, size = head.split()
            path = raw.decode("utf-8", "surrogateescape")
            if self._excluded.match_file(path):
                ignored += 1
                continue
            shown, refused = (path, None) if safe_path(path) else (escaped(path), SkipReason.UNSAFE_PATH)
            if mode == b"120000":
                is_short = size.isdigit() and int(size) <= _LONGEST_LINK
                target = self._target(path, object_id) if is_short else None
                if target is None:
                    skipped.append(Skipped(shown, SkipReason.UNSAFE_LINK))
                elif not refused:
                    links.append(Link(path, target))
            elif mode == b"160000":
                skipped.append(Skipped(shown, SkipReason.SUBMODULE))
            elif not size.isdigit():
                skipped.append(Skipped(shown, SkipReason.UNREADABLE))  # a partial or damaged clone lacks the object
            else:
                self._objects[path] = object_id.decode()
                entries.append(Entry(path, int(size), self._objects[path], refused))
        entries.sort(key=lambda entry: entry.path)
        links.sort(key=lambda link: link.path)
        return Listing(tuple(entries), tuple(skipped), ignored, tuple(links))

    def read(self, entries: Sequence[Entry]) -> Iterator[bytes | None]:
        """Return the bytes of each entry, through one `git cat-file --batch`."""
        for start in range(0, len(entries), _WINDOW):
            window = entries[start : start + _WINDOW]
            asked = "".join(f"{self._objects[entry.path]}\n" for entry in window)
            source = self._asked(asked.encode())
            for _ in window:
                yield _next_object(source)

    def revision(self, _blobs: Mapping[str, str]) -> Revision:
        """Return the commit; its files are those of the commit."""
        return Revision(self._commit)

    def history(self, limit: int) -> tuple[Commit, ...]:
        """Return at most `limit` commits that lead to the commit, newest first."""
        return read_history(self._git, self._commit, limit)

    def _target(self, path: str, object_id: bytes) -> str | None:
        """Return where in the tree a link leads, None if it leads out of it."""
        written = _next_object(self._asked(object_id + b"\n"))
        target = written.decode("utf-8", "surrogateescape") if written is not None else "/"
        if not _leads_inside(path, target):
            return None
        inside = normpath(join(dirname(path), target))
        return "" if inside == "." else inside

    def _asked(self, objects: bytes) -> IO[bytes]:
        """Ask for objects and return where they come out."""
        if self._process is None:
            self._process = self._git.start("cat-file", "--batch")
        if self._process.stdout is None or self._process.stdin is None:
            raise SourceUnavailable("git cat-file has no pipes")
        try:
            self._process.stdin.write(objects)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise SourceUnavailable(_ENDED) from None
        return self._process.stdout


def _next_object(source: IO[bytes]) -> bytes | None:
    header = source.readline().split()
    if not header:
        raise SourceUnavailable(_ENDED)
    if len(header) < 3:
        return None
    size = int(header[2])
    data = source.read(size + 1)
    if len(data) <= size:
        raise SourceUnavailable(_ENDED)
    return data[:-1]


def _leads_inside(path: str, target: str) -> bool:
    if target.startswith("/"):
        return False
    depth = path.count("/")
    for part in target.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return False
    return True
