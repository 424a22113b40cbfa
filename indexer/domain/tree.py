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
"""Reasons of files that are indexed all the same."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """
    A file that was left out, indexed as text only, or without its edges, for `reason`.

    Args:
        words: The words that it holds, see `common.core.words.word_sets`; None if they are not known.
    """

    path: str
    reason: SkipReason
    words: bytes | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a tree to a file or folder of the same tree."""

    path: str
    target: str

    def alias(self, path: str) -> str:
        """Return the path by which the link leads to a file, "" if it does not."""
        inside = path == self.target or path.startswith(f"{self.target}/")
        return self.path + path[len(self.target) :] if inside else ""


@dataclass(frozen=True, slots=True)
class Entry:
    """
    A regular file that a tree offers.

    Args:
        path: Relative to the root.
        size: In bytes.
        stamp: As long as it stays the same, so do the contents; "" where that cannot be told without reading them.
        refused: Why it is left out whatever it holds; None if it is not.
    """

    path: str
    size: int
    stamp: str = ""
    refused: SkipReason | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """
    What a tree offers before anything is read.

    Args:
        entries: Regular files, in order of path.
        skipped: Files that are refused by what they are: links, devices, unsafe paths.
        ignored: Number of files and folders that .gitignore or an exclude glob leaves out.
        links: Those that lead to something else in the tree, in order of path.
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
        text: Decoded, with line ends as one line feed each.
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
    A file that is what the published core has of it, and was not read: its text is fetched from there when asked for.

    Args:
        fetch: Returns the packed text of a path.
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
    """Where a tree stands in git: the commit, and whether its files differ from it. Empty commit without git."""

    commit: str = ""
    dirty: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the history: seconds since 1970, the paths that it touched, and its message."""

    time: int
    paths: tuple[str, ...]
    message: str = ""


def escaped(path: str) -> str:
    """Return a path that is not safe as printable ASCII, in which no two paths are the same."""
    return path.encode("unicode_escape").decode("ascii")


def may_be_opened(path: str) -> bool:
    """Return whether a path that is not safe leads to a file below the root all the same."""
    return "\0" not in path and _UNSAFE.isdisjoint(path.lower().split("/"))


def safe_path(path: str) -> bool:
    """Return whether a snapshot may have a path: relative, no "..", control characters, backslash, or .git."""
    return path.isprintable() and "\\" not in path and _UNSAFE.isdisjoint(path.lower().split("/"))
