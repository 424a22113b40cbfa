"""Files of a core layer: their list is kept in memory, their texts are unpacked when asked and kept for a while."""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING

from retriever.domain.values import File

if TYPE_CHECKING:
    from retriever.adapters.database import Database

_PARSED = 1


class SqliteFiles:
    """
    Implements `Files`.

    Args:
        cache_chars: Characters of recently read texts that are kept.
    """

    def __init__(self, database: Database, cache_chars: int = 8_000_000) -> None:
        self._database = database
        self._cache_chars = cache_chars
        self._lock = threading.Lock()
        self._files: tuple[File, ...] | None = None
        self._by_path: dict[str, File] = {}
        self._by_id: dict[int, File] = {}
        self._by_stem: dict[str, list[File]] = {}
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._kept_chars = 0

    def all(self) -> tuple[File, ...]:
        """Return every file in order of path."""
        with self._lock:
            if self._files is None:
                files = self._load()
                self._by_path = {file.path: file for file in files}
                self._by_id = {file.id: file for file in files}
                for file in files:
                    for stem in _stems(file):
                        self._by_stem.setdefault(stem, []).append(file)
                self._files = files
            return self._files

    def at(self, path: str) -> File | None:
        """Return the file of exactly this path."""
        self.all()
        return self._by_path.get(path)

    def by_id(self, file_id: int) -> File:
        """Return the file of this id; the other readers join by it."""
        self.all()
        return self._by_id[file_id]

    def with_stem(self, stem: str) -> tuple[File, ...]:
        """Return files whose name or whose module's last part is this, by path."""
        self.all()
        return tuple(self._by_stem.get(stem, ()))

    def text(self, path: str) -> str:
        """Return the whole text of a file, "" if there is none."""
        with self._lock:
            if path in self._texts:
                self._texts.move_to_end(path)
                return self._texts[path]
        rows = self._database.rows("source", path=path)
        text = zlib.decompress(rows[0][0]).decode("utf-8") if rows else ""
        self._keep(path, text)
        return text

    def _keep(self, path: str, text: str) -> None:
        with self._lock:
            if path in self._texts:
                return
            self._texts[path] = text
            self._kept_chars += len(text)
            while self._kept_chars > self._cache_chars and self._texts:
                _, dropped = self._texts.popitem(last=False)
                self._kept_chars -= len(dropped)

    def _load(self) -> tuple[File, ...]:
        rows = self._database.rows("files")
        return tuple(
            File(key, path, language, module, lines, bool(is_test), status == _PARSED, error)
            for key, path, language, module, lines, is_test, status, error in rows
        )


def _stems(file: File) -> set[str]:
    name = file.path.rpartition("/")[2]
    module = file.module.rpartition("/")[2] if "/" in file.module else file.module.rpartition(".")[2]
    return {name, name.partition(".")[0], module}
