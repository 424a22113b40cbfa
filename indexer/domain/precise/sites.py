"""What is kept of an index for one text: which names in it mean what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from indexer.domain.snapshots.snapshot import Layer


class Refusal(IntEnum):
    """Why a document of an index is left out; numbers are those of the contract."""

    UNSAFE_PATH = 1
    NOT_INDEXED = 2
    WITHOUT_SYMBOLS = 3
    DUPLICATE = 4
    OTHER_TEXT = 5

    @property
    def words(self) -> str:
        """Return it for a person."""
        return _WORDS[self]


_WORDS = {
    Refusal.UNSAFE_PATH: "with an unsafe path",
    Refusal.NOT_INDEXED: "not in the snapshot",
    Refusal.WITHOUT_SYMBOLS: "indexed as text",
    Refusal.DUPLICATE: "there twice",
    Refusal.OTHER_TEXT: "made for other text",
}


@dataclass(frozen=True, slots=True)
class Place:
    """
    A symbol that a name means.

    Args:
        path: Its file; "" if it is outside of the snapshot.
        name: Qualified name in its file; the dotted name of what is outside.
        line: First line in the text that the index was made for; 0 outside.
    """

    path: str
    name: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Site:
    """
    A name that is used.

    Args:
        line: 1-based.
        written: The name as it stands there.
        name: The symbol's own name; another one where it was imported under an alias.
        source: Qualified name and first line of the symbol whose body it stands in.
        called: Arguments follow.
        imported: The index says that it is imported here.
        callable: It means a function, a class or a macro, not a value that may hold one.
        meant: All definitions that it may mean; at least one.
    """

    line: int
    written: str
    name: str
    source: tuple[str, int]
    called: bool
    imported: bool
    callable: bool
    meant: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Implementation:
    """A class or method of the file, by qualified name and first line, and what it extends or overrides."""

    source: tuple[str, int]
    targets: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class PreciseFile:
    """
    What an index says of one text.

    Args:
        path: File.
        sha256: Of the text that this holds for.
        sites: In order of line and column.
        unknown: (line, name) of sites whose line has the same name once more, which the index does not explain.
        implementations: In order of line.
    """

    path: str
    sha256: str
    sites: tuple[Site, ...]
    unknown: frozenset[tuple[int, str]]
    implementations: tuple[Implementation, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What an index came to: files that it was made for, and documents that are left out by reason."""

    files: tuple[PreciseFile, ...]
    refused: Mapping[Refusal, int]


@dataclass(frozen=True, slots=True)
class BuiltPrecise:
    """A layer that was built; numbers of all edges in it, of precise ones, and of the linker's that they replace."""

    layer: Layer
    edges: int
    precise: int
    replaced: int


@dataclass(frozen=True, slots=True)
class PreciseOutcome:
    """Result of an import: imported and skipped documents, and counts of the layer."""

    snapshot_id: str
    documents: int
    refused: Mapping[Refusal, int]
    replaced: int
    precise: int


@dataclass(frozen=True, slots=True)
class KeptImport:
    """
    An index that was imported, as far as no later one replaced it.

    Args:
        import_id: A hash of what it says.
        time: When it was imported; None for what an earlier version took.
        tool: That made it, with its version; "" if it does not say.
        texts: Hashes of the texts that it is kept for, by path.
    """

    import_id: str
    time: datetime | None
    tool: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ListedImport:
    """An import, and in how many of its files it is in force: those whose text is that of the current snapshot."""

    kept: KeptImport
    in_force: int


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What withdrawing imports came to: files that they were kept for, and precise edges that are left."""

    snapshot_id: str
    files: int
    precise: int
