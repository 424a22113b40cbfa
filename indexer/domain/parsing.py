"""A parse request, its result, and its cache key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.model import Fact, ParsedFile
    from indexer.domain.snapshots.lexical import FileTerms
    from indexer.domain.tree import SourceFile

FACTS_VERSION = "2"
"""Changes with the format of cached facts; changes of the code that makes them are noticed separately."""


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """
    A file to be read.

    Args:
        key: Under which its facts are kept, see `PlacedFile.key`.
        language: Name of the language; "" for plain text, which has lexical counts only.
        path: In the tree.
        module: Importable name.
        text: With line feeds.
    """

    key: str
    language: str
    path: str
    module: str
    text: str


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """
    A file with what the tree as a whole says of it.

    Args:
        version: Of the code that reads facts.
        language: Name of the language that reads it; "" for plain text.
        label: What people call the language.
        module: Importable name; the path where the language has none.
        error: Why a file of code is read as text.
    """

    source: SourceFile
    version: str
    language: str
    label: str
    module: str
    error: str = ""

    @property
    def key(self) -> str:
        """Return the name under which its facts are kept: everything that they depend on, hashed at each call."""
        parts = (FACTS_VERSION, self.language, self.version, self.source.path, self.module, self.source.sha256)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def request(self) -> ParseRequest:
        """Return the parse request with the text."""
        return ParseRequest(self.key, self.language, self.source.path, self.module, self.source.text)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """
    What was read from one file.

    Args:
        key: The request's.
        parsed: Symbols, facts and linker input; None for plain text and where the parser failed.
        lexical: Term counts.
        error: Why `parsed`, or its program, is missing for a file in a known language.
        values: Facts of a file without symbols.
        keep: The result depends on nothing but the key; false where a limit of time or memory was hit.
        packed: The facts as a parsing process packed them, which a cache stores as they are; b"" for none.
    """

    key: str
    parsed: ParsedFile | None
    lexical: FileTerms
    error: str = ""
    values: tuple[Fact, ...] = ()
    keep: bool = True
    packed: bytes = field(default=b"", compare=False, repr=False)
