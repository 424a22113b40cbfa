"""What is stored of a SCIP index for one text: the definitions to which its names refer."""

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
        """Return the reason as a phrase for people."""
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
    A symbol to which a name refers.

    Args:
        path: Its file; "" if it is outside of the snapshot.
        name: Qualified name in its file; outside of the snapshot, the full dotted name.
        line: First line in the text that the index was made for; 0 outside of the snapshot.
    """

    path: str
    name: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Site:
    """
    A use of a name.

    Args:
        line: 1-based.
        written: The name as it appears in the text.
        name: The symbol's own name, which differs from `written` where it was imported under an alias.
        source: Qualified name and first line of the symbol that contains the use.
        called: Arguments follow.
        imported: The index marks this occurrence as an import.
        callable: The name refers to a function, a class or a macro, not to a variable.
        meant: All definitions to which it may refer; at least one.
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
    What an index states about one text.

    Args:
        path: Path of the file.
        sha256: Hash of the text that the index was made for.
        sites: In order of line and column.
        unknown: (line, name) of sites whose line has the same name again, without an occurrence of it in the index.
        implementations: In order of line.
    """

    path: str
    sha256: str
    sites: tuple[Site, ...]
    unknown: frozenset[tuple[int, str]]
    implementations: tuple[Implementation, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of reading an index: the files that it fits, and the number of left-out documents by reason."""

    files: tuple[PreciseFile, ...]
    refused: Mapping[Refusal, int]


@dataclass(frozen=True, slots=True)
class BuiltPrecise:
    """A built precise layer: number of all edges in it, of precise edges, and of linker edges that these replace."""

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
    An imported index, limited to the files for which no later import replaced it.

    Args:
        import_id: Hash of its contents.
        time: When it was imported; None if an earlier version, which did not record it, imported it.
        tool: Tool that made it, with its version; "" if the index does not name it.
        texts: Hash of the text that it was made for, by path of the file.
    """

    import_id: str
    time: datetime | None
    tool: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ListedImport:
    """An import, and the number of its files in which it applies: the current snapshot has the same text."""

    kept: KeptImport
    in_force: int


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Result of withdrawing imports: number of their files, and of the precise edges that remain in the snapshot."""

    snapshot_id: str
    files: int
    precise: int
