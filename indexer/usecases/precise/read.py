"""Reads an index in the SCIP format against the texts of a snapshot."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from indexer.domain.precise.placing import fitting_encoding
from indexer.domain.precise.reading import Definitions, read_file
from indexer.domain.precise.roots import is_safe, root_below
from indexer.domain.precise.sites import Reading, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.domain.precise.columns import Encoding
    from indexer.domain.precise.document import CodeText, Document
    from indexer.ports import IndexedTexts, ScipIndex


class ReadPrecise:
    """
    Reads one SCIP index, in two passes, since a symbol may be used in a document before the one that defines it.

    Args:
        index: The uploaded index.
        texts: The files of the snapshot that the index is matched with.
    """

    def __init__(self, index: ScipIndex, texts: IndexedTexts) -> None:
        self._index = index
        self._texts = texts
        self._refused: Counter[Refusal] = Counter()
        self._fitting: dict[int, tuple[str, Encoding]] = {}

    def run(self) -> Reading:
        """Return the edges of matching files, and the number of skipped documents. Raises IndexMalformed."""
        paths = self._texts.paths()
        root = root_below(self._index.root(), self._index.paths(), paths)
        definitions = Definitions(self._texts.by_module())
        seen: set[str] = set()
        for number, document in enumerate(self._index.documents()):
            path = root + document.path
            refusal = _refusal(document, path, paths, seen)
            code = None if refusal else self._texts.file(path)
            seen.add(path)
            encoding = fitting_encoding(document, code) if code is not None and code.definitions else None
            if code is None or encoding is None:
                self._refused[refusal or _misfit(code)] += 1
                definitions.note(document)
                continue
            definitions.add(document, code, encoding)
            self._fitting[number] = (path, encoding)
        files = tuple(
            read_file(document, self._texts.file(path), encoding, definitions)
            for document, path, encoding in self._fitting_documents()
        )
        return Reading(files, dict(self._refused))

    def _fitting_documents(self) -> Iterator[tuple[Document, str, Encoding]]:
        for number, document in enumerate(self._index.documents()):
            if number in self._fitting:
                yield document, *self._fitting[number]


def _refusal(document: Document, path: str, paths: frozenset[str], seen: set[str]) -> Refusal | None:
    if not is_safe(document.path):
        return Refusal.UNSAFE_PATH
    if path not in paths:
        return Refusal.NOT_INDEXED
    return Refusal.DUPLICATE if path in seen else None


def _misfit(code: CodeText | None) -> Refusal:
    return Refusal.OTHER_TEXT if code is not None and code.definitions else Refusal.WITHOUT_SYMBOLS
