"""Places that the text names: paths, frames of tracebacks, lines, dotted names of modules and members."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.material import Columns

if TYPE_CHECKING:
    from common.core.contract.question import StackFrame
    from retriever.domain.ranking.corpus import Corpus, Floats
    from retriever.domain.ranking.material import Material

_MOST_MATCHES = 3
"""Most files that a name may match to count."""


def places_signal(material: Material) -> Columns:
    """Score named files and symbols 1; less where a name matches several or a frame is far from the error."""
    finder = _Finder(material)
    for path, line in material.query.mentions.paths:
        finder.note_path(path, line)
    finder.note_frames(material.query.mentions.frames)
    for name in material.query.mentions.dotted:
        finder.note_dotted(tuple(name.split(".")))
    return Columns(
        files={"path": finder.path, "frame": finder.frame, "module": finder.module, "last part": finder.last_part},
        symbols={"line": finder.line, "frame": finder.frame_symbol, "dotted": finder.dotted},
    )


class _Finder:
    """Looks mentions up among ranked files and keeps the best score of each place."""

    def __init__(self, material: Material) -> None:
        self._corpus: Corpus = material.corpus
        self._ranked = material.ranked_files
        files, symbols = len(material.corpus.files), len(material.corpus.symbols)
        self.path, self.frame, self.module, self.last_part = (np.zeros(files) for _ in range(4))
        self.line, self.frame_symbol, self.dotted = (np.zeros(symbols) for _ in range(3))

    def note_path(self, path: str, line: int) -> None:
        files = self._files_ending(path)
        for file in files:
            _raise(self.path, file, 1.0 / len(files))
            if line:
                inside = [place for place in self._corpus.symbols.of_file(file) if self._holds(place, line)]
                if inside:
                    _raise(self.line, inside[-1], 1.0)

    def note_frames(self, frames: tuple[StackFrame, ...]) -> None:
        """Weigh frames by 1 / position, counted from the error, among those that lie in this repository."""
        position = 0
        for frame in reversed(frames):
            files = self._files_ending(frame.path)
            position += bool(files)
            for file in files:
                _raise(self.frame, file, 1.0 / position)
                for place in self._in_frame(file, frame):
                    _raise(self.frame_symbol, place, 1.0 / position)

    def note_dotted(self, parts: tuple[str, ...]) -> None:
        """Find the longest prefix that is a module's name or the end of one, then a member of that module by name."""
        for length in range(len(parts), 0, -1):
            files = self._files_of_module(parts[:length])
            if not files or len(files) > _MOST_MATCHES:
                continue
            column = self.module if length > 1 else self.last_part
            for file in files:
                _raise(column, file, 1.0 / len(files))
                if length > 1 and length < len(parts):
                    self._note_member(file, ".".join(parts[length:]), parts[-1])
            break
        self._note_pairs(parts)

    def _note_member(self, file: int, qualified: str, name: str) -> None:
        symbols = self._corpus.symbols
        for place in symbols.of_file(file):
            if symbols.qualified_names[place] == qualified or symbols.names[place] == name:
                _raise(self.dotted, place, 1.0)

    def _note_pairs(self, parts: tuple[str, ...]) -> None:
        """Find Class.member by its last two parts, wherever the class is."""
        symbols = self._corpus.symbols
        for owner, name in pairwise(parts):
            ending = f"{owner}.{name}"
            found = [
                place
                for place in symbols.by_name.get(name, ())
                if f".{symbols.qualified_names[place]}".endswith(f".{ending}") and self._ranked[symbols.file[place]]
            ]
            for place in found:
                _raise(self.dotted, place, 1.0 / len(found))

    def _files_ending(self, path: str) -> list[int]:
        """Return the ranked files that share the longest suffix with a path; none if more than three do."""
        wanted = [part for part in path.split("/") if part not in ("", ".", "..")]
        if not wanted:
            return []
        shared = {
            file: _common_end(wanted, self._corpus.files.rows[file].path.split("/"))
            for file in self._corpus.files.by_basename.get(wanted[-1], ())
            if self._ranked[file]
        }
        longest = max(shared.values(), default=0)
        best = [file for file, length in shared.items() if length == longest]
        return best if len(best) <= _MOST_MATCHES else []

    def _files_of_module(self, parts: tuple[str, ...]) -> list[int]:
        ending = "." + ".".join(parts)
        files = self._corpus.files
        places = files.by_module_end.get(parts[-1], ())
        return [place for place in places if self._ranked[place] and f".{files.rows[place].module}".endswith(ending)]

    def _in_frame(self, file: int, frame: StackFrame) -> list[int]:
        symbols = self._corpus.symbols
        named = [place for place in symbols.of_file(file) if symbols.names[place] == frame.function]
        return [place for place in named if self._holds(place, frame.line)] or named

    def _holds(self, place: int, line: int) -> bool:
        symbols = self._corpus.symbols
        return bool(symbols.start_line[place] <= line <= symbols.end_line[place])


def _common_end(one: list[str], other: list[str]) -> int:
    length = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        length += 1
    return length


def _raise(scores: Floats, place: int, score: float) -> None:
    scores[place] = max(scores[place], score)
