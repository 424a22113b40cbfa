"""Files of a core layer: their list is kept in memory; texts are decompressed on demand and cached."""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.snapshot import FileRole
from common.core.runtime.concurrency import raise_if_cancelled
from retriever.adapters.core.database import by_number
from retriever.domain.values import File

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from retriever.adapters.core.database import Database

_PARSED = 1
_ROLE = by_number(FileRole)
_CACHE_BYTES = 8_000_000
"""Size of the cache of recently read texts."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text in UTF-8, with the offsets of its line feeds."""

    content: bytes
    feeds: NDArray[np.int32]

    @classmethod
    def of(cls, content: bytes) -> _Text:
        feeds = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == ord("\n"))
        return cls(content, feeds.astype(np.int32))

    def lines(self, start: int, end: int) -> str:
        if not 1 <= start <= min(end, len(self.feeds) + 1):
            return ""
        first = self.feeds[start - 2] + 1 if start > 1 else 0
        last = self.feeds[end - 1] if end <= len(self.feeds) else len(self.content)
        return self.content[first:last].decode("utf-8") + "\n"

    @property
    def size(self) -> int:
        return len(self.content) + self.feeds.nbytes


class SqliteFiles:
    """Implements `Files`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._files: tuple[File, ...] | None = None
        self._by_path: dict[str, File] = {}
        self._by_id: dict[int, File] = {}
        self._by_stem: dict[str, list[File]] = {}
        self._folders: dict[str, bool] = {}
        self._texts: OrderedDict[str, _Text] = OrderedDict()
        self._kept_bytes = 0

    def all(self) -> tuple[File, ...]:
        """Return every file in order of path."""
        with self._lock:
            if self._files is None:
                files = read_files(self._database)
                self._by_path = {file.path: file for file in files}
                self._by_id = {file.id: file for file in files}
                for file in files:
                    for stem in _stems(file):
                        self._by_stem.setdefault(stem, []).append(file)
                self._folders = _folders(files)
                self._files = files
            return self._files

    def at(self, path: str) -> File | None:
        """Return the file of exactly this path."""
        self.all()
        return self._by_path.get(path)

    def by_id(self, file_id: int) -> File:
        """Return the file of this id, by which the other readers complete their rows."""
        if self._files is None:
            self.all()
        return self._by_id[file_id]

    def folders(self) -> Mapping[str, bool]:
        """Return every folder, without a final slash, and whether it contains a file that is not a test."""
        self.all()
        return self._folders

    def with_stem(self, stem: str) -> tuple[File, ...]:
        """Return files whose name, with or without extension, or whose module's last part is `stem`, by path."""
        self.all()
        return tuple(self._by_stem.get(stem, ()))

    def text(self, path: str) -> str:
        """Return the whole text of a file; "" if it does not exist."""
        return self._text(path).content.decode("utf-8")

    def lines(self, path: str, start: int, end: int) -> str:
        """Return lines of a file, each with its line feed."""
        return self._text(path).lines(start, end)

    def _text(self, path: str) -> _Text:
        raise_if_cancelled()
        with self._lock:
            if path in self._texts:
                self._texts.move_to_end(path)
                return self._texts[path]
        rows = self._database.rows("source", path=path)
        text = _Text.of(zlib.decompress(rows[0][0]) if rows else b"")
        self._keep(path, text)
        return text

    def _keep(self, path: str, text: _Text) -> None:
        with self._lock:
            if path in self._texts:
                return
            self._texts[path] = text
            self._kept_bytes += text.size
            while self._kept_bytes > _CACHE_BYTES and self._texts:
                _, dropped = self._texts.popitem(last=False)
                self._kept_bytes -= dropped.size


def read_files(database: Database) -> tuple[File, ...]:
    """Return every file of a core layer in order of path."""
    return tuple(
        File(key, path, language, module, lines, bool(is_test), status == _PARSED, error, _ROLE[role])
        for key, path, language, module, lines, is_test, status, error, role in database.rows("files")
    )


def _stems(file: File) -> set[str]:
    name = file.path.rpartition("/")[2]
    module = file.module.rpartition("/")[2] if "/" in file.module else file.module.rpartition(".")[2]
    return {name, name.partition(".")[0], module}


def _folders(files: tuple[File, ...]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for file in files:
        folder = file.path.rpartition("/")[0]
        while folder and not found.get(folder):
            if file.is_test and folder in found:
                break
            found[folder] = not file.is_test
            folder = folder.rpartition("/")[0]
    return found
