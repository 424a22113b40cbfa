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
"""Part of the cache key; changes with the format of cached facts. For the code see `PlacedFile.version`."""


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """
    A file to be parsed.

    Args:
        key: Cache key of its facts, see `PlacedFile.key`.
        language: Name of the language; "" for plain text, which has lexical counts only.
        path: Relative to the root of the tree.
        module: Importable name.
        text: With a line feed at each line end.
    """

    key: str
    language: str
    path: str
    module: str
    text: str


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """
    A file with its language and module name, which depend on the whole tree.

    Args:
        version: Version of the code that extracts facts.
        language: Name of the language that parses it; "" for plain text.
        label: Name of the language as shown to people.
        module: Importable name; the path where the language has none.
        error: Why a file of code is treated as plain text; "" if it is not.
    """

    source: SourceFile
    version: str
    language: str
    label: str
    module: str
    error: str = ""

    @property
    def key(self) -> str:
        """Return the cache key of its facts: SHA-256 of everything that they depend on, computed at each call."""
        parts = (FACTS_VERSION, self.language, self.version, self.source.path, self.module, self.source.sha256)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def request(self) -> ParseRequest:
        """Return the parse request with the text."""
        return ParseRequest(self.key, self.language, self.source.path, self.module, self.source.text)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """
    Result of parsing one file.

    Args:
        key: Key of the request.
        parsed: Symbols, facts and linker input; None for plain text and where the parser failed.
        lexical: Term counts.
        error: Why `parsed`, or its program, is missing for a file in a known language; "" if neither is.
        values: Facts of a file without symbols.
        keep: The result may be cached, as it depends only on the key; false where a limit of time or memory was hit.
        packed: This value as serialized by a parsing process, which a cache stores unchanged; b"" for none.
    """

    key: str
    parsed: ParsedFile | None
    lexical: FileTerms
    error: str = ""
    values: tuple[Fact, ...] = ()
    keep: bool = True
    packed: bytes = field(default=b"", compare=False, repr=False)
