"""Files of a source tree: which are read, which are skipped, and why."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPRESSION = 6
_UNSAFE = frozenset(("", ".", "..", ".git"))


class SkipReason(IntEnum):
    """Why a file has no symbols in the index; numbers are those of the contract."""

    IGNORED = 1
    BINARY = 2
    UNDECODABLE = 3
    OVERSIZE = 4
    MINIFIED = 5
    GENERATED = 6
    VENDORED = 7
    UNSAFE_LINK = 8
    SPECIAL = 9
    UNREADABLE = 10
    UNPARSED = 11
    UNSAFE_PATH = 12
    SPARSE = 13
    SUBMODULE = 14
    SECRET = 15
    UNLINKED = 16


FAILED = frozenset((SkipReason.UNPARSED, SkipReason.UNLINKED))
"""Reasons for which a file is still indexed, as text only or without edges."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """
    A file that was left out, indexed as text only, or without its edges, for `reason`.

    Args:
        words: Set of the words in the file, see `common.core.words.word_sets`; None if they are not known.
    """

    path: str
    reason: SkipReason
    words: bytes | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link in a tree to a file or folder of the same tree."""

    path: str
    target: str

    def alias(self, path: str) -> str:
        """Return the path of a file through this link; "" if the file is not at or below the link's target."""
        inside = path == self.target or path.startswith(f"{self.target}/")
        return self.path + path[len(self.target) :] if inside else ""


@dataclass(frozen=True, slots=True)
class Entry:
    """
    A regular file in a tree, before it is read.

    Args:
        path: Relative to the root.
        size: In bytes.
        stamp: Changes whenever the contents change; "" where changes cannot be detected without reading the file.
        refused: Why it is left out regardless of its contents; None if it is not.
    """

    path: str
    size: int
    stamp: str = ""
    refused: SkipReason | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """
    The files of a tree, before any is read.

    Args:
        entries: Regular files, in order of path.
        skipped: Files that are refused for their type or path: unsafe links, devices, unsafe paths.
        ignored: Number of files and folders that .gitignore or an exclude glob leaves out.
        links: Symbolic links to another path of the tree, in order of path.
    """

    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]
    ignored: int
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class TextFile:
    """
    A file that is taken into the index and was read for it.

    Args:
        path: Relative to the root, with forward slashes.
        sha256: Of the bytes in the tree, lower-case hexadecimal.
        size: In bytes, in the tree.
        text: Decoded, with a single line feed as each line end.
    """

    path: str
    sha256: str
    size: int
    text: str

    @property
    def lines(self) -> int:
        """Return the number of lines; a last line without line feed counts."""
        return self.text.count("\n") + (1 if self.text and not self.text.endswith("\n") else 0)

    @property
    def packed(self) -> bytes:
        """Return the text as snapshots hold it: zlib of UTF-8."""
        return zlib.compress(self.text.encode(), _COMPRESSION)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """
    A file that is unchanged since the published core and was not read: its text is fetched from the core when needed.

    Args:
        fetch: Returns the packed text of the file with a given path.
    """

    path: str
    sha256: str
    size: int
    lines: int
    fetch: Callable[[str], bytes]

    @property
    def text(self) -> str:
        """Return the text, unpacked at each call."""
        return zlib.decompress(self.packed).decode()

    @property
    def packed(self) -> bytes:
        """Return the text as snapshots hold it."""
        return self.fetch(self.path)


SourceFile = TextFile | KeptFile
"""A file that is taken into the index."""


@dataclass(frozen=True, slots=True)
class Revision:
    """Git state of a tree: the checked-out commit, "" without git, and whether files differ from it (`dirty`)."""

    commit: str = ""
    dirty: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the history: seconds since 1970, the paths that it touched, and its message."""

    time: int
    paths: tuple[str, ...]
    message: str = ""


def escaped(path: str) -> str:
    """Return an unsafe path escaped to printable ASCII; different paths stay different."""
    return path.encode("unicode_escape").decode("ascii")


def may_be_opened(path: str) -> bool:
    """Return whether an unsafe path may still be opened: it stays below the root, outside of .git, without NUL."""
    return "\0" not in path and _UNSAFE.isdisjoint(path.lower().split("/"))


def safe_path(path: str) -> bool:
    """Return whether a snapshot may hold a path: relative, without "..", control characters, backslash, or .git."""
    return path.isprintable() and "\\" not in path and _UNSAFE.isdisjoint(path.lower().split("/"))
