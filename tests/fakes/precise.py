"""An index and the texts that it is compared with, both made by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from indexer.domain.model import SymbolKind
from indexer.domain.precise.columns import Encoding
from indexer.domain.precise.document import CodeText, Document, IndexedSymbol, Occurrence

_KINDS = {"class": SymbolKind.CLASS, "def": SymbolKind.FUNCTION}


@dataclass
class FakeIndex:
    """Implements `ScipIndex`."""

    made: list[Document] = field(default_factory=list)
    made_in: str = "file:///srv/shop"

    def root(self) -> str:
        """Return where it was made."""
        return self.made_in

    def tool(self) -> str:
        """Return who made it."""
        return "hand 1.0"

    def paths(self) -> Iterator[str]:
        """Give the paths."""
        return (each.path for each in self.made)

    def documents(self) -> Iterator[Document]:
        """Give the documents."""
        return iter(self.made)


class FakeTexts:
    """
    Implements `IndexedTexts`: definitions are lines that begin with `class NAME` or `def NAME`, up to the next one.

    Args:
        files: Text by path; a module's name is its path.
        language: Of all files.
    """

    def __init__(self, files: Mapping[str, str], language: str = "python") -> None:
        self._files = {path: _code(path, text, language) for path, text in files.items()}

    def paths(self) -> frozenset[str]:
        """Return the paths."""
        return frozenset(self._files)

    def file(self, path: str) -> CodeText:
        """Return a file."""
        return self._files[path]

    def by_module(self) -> dict[str, IndexedSymbol]:
        """Return definitions by module and name."""
        return {
            f"{file.module}.{each.qualified_name}": each for file in self._files.values() for each in file.definitions
        }


def _code(path: str, text: str, language: str) -> CodeText:
    lines = tuple(text.split("\n"))
    starts = [number for number, line in enumerate(lines, 1) if line.split(" ")[0] in _KINDS]
    found = [IndexedSymbol(path, SymbolKind.MODULE, path, "", 1, len(lines))] if starts else []
    for start, following in zip(starts, [*starts[1:], len(lines) + 1], strict=False):
        word, _, rest = lines[start - 1].partition(" ")
        name = rest.partition("(")[0].rstrip(":")
        found.append(IndexedSymbol(path, _KINDS[word], name, name, start, following - 1))
    module = path.removesuffix(".py").replace("/", ".")
    return CodeText(path, language, module, hashlib.sha256(text.encode()).hexdigest(), lines, tuple(found))


def occurrence(text: str, line: int, name: str, symbol: str, *, nth: int = 0, **more: bool | int) -> Occurrence:
    """Return where a name stands in a line of a text for the nth time, in code points."""
    written = text.split("\n")[line - 1]
    start = -1
    for _ in range(nth + 1):
        start = written.index(name, start + 1)
    return Occurrence(line, start, start + len(name), symbol, **more)  # type: ignore[arg-type]  # flags by name


def document(path: str, *occurrences: Occurrence, encoding: Encoding | None = None) -> Document:
    """Return a document without relationships."""
    return Document(path, occurrences, {}, encoding)
