"""
Jupyter notebooks as text: long strings in cell outputs are removed, everything else keeps its line.

Line numbers are those of the .ipynb file, so that they are valid in the user's file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".ipynb"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_MAX_OUTPUT = 500
"""Greatest number of characters of one string in a cell's output; longer ones are images and data."""
_MAGIC = re.compile(r"^(\s*)(?:%[A-Za-z%].*|!(?!=).*|\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
"""Matches lines that are IPython magics, not Python; not lines that continue an expression with `%` or `!=`."""
_CELL_MAGIC = "%%"


@dataclass(slots=True)
class _Cell:
    """A cell: its kind, the strings of its source with their offsets, and the spans of strings in its outputs."""

    kind: str = ""
    source: list[tuple[int, str]] = field(default_factory=list)
    outputs: list[tuple[int, int]] = field(default_factory=list)


def is_notebook(path: str) -> bool:
    """Return whether a file is a notebook, by its suffix."""
    return path.endswith(ENDING)


def without_data(text: str) -> str:
    """Return a notebook with "" for long strings in outputs; line numbers stay. Other texts are returned unchanged."""
    kept, at = [], 0
    for cell in _cells(text):
        for start, end in cell.outputs:
            if end - start > _MAX_OUTPUT:
                kept += [text[at:start], '""', "\n" * text.count("\n", start, end)]
                at = end
    return "".join((*kept, text[at:]))


def own_size(text: str) -> int:
    """Return the number of characters of a notebook without the strings in its outputs."""
    return len(text) - sum(end - start for cell in _cells(text) for start, end in cell.outputs)


def code_of(text: str) -> str:
    """Return the Python code of the cells, at its lines of the file, other lines blank; magics become `pass`."""
    lines = [""] * (text.count("\n") + 1)
    row = at = 0
    for cell in _cells(text) if _is_python(text) else ():
        source = cell.source if cell.kind == "code" else []
        if source and source[0][1].startswith(_CELL_MAGIC):
            continue
        for place, written in source:
            row += text.count("\n", at, place)
            at = place
            parts = [_MAGIC.sub(r"\1pass", part) for part in written.rstrip("\n").split("\n")]
            # A source that is one string has all its lines in one line of the file: they run over into the next ones.
            for offset, part in enumerate(parts):
                if row + offset < len(lines):
                    lines[row + offset] = part
    return "\n".join(lines)


def _is_python(text: str) -> bool:
    """Return whether a notebook is in Python: it declares Python or no language."""
    try:
        metadata = json.loads(text)["metadata"]
        names = (metadata.get("kernelspec", {}).get("language"), metadata.get("language_info", {}).get("name"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return True
    return not any(name and "python" not in str(name).lower() for name in names)


def _cells(text: str) -> Iterator[_Cell]:
    """Yield the cells of a notebook, up to the first error of its JSON structure."""
    path: list[str] = []
    opened: list[str] = []
    cell, key, is_key = _Cell(), "", False
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark in _CLOSING:
            opened.append(mark)
            path.append(key)
            is_key = mark == "{"
            if path[1:] == ["cells", "cells"] and mark == "{":
                cell = _Cell()
        elif mark in "}]":
            if not opened or _CLOSING[opened.pop()] != mark:
                return
            if path[1:] == ["cells", "cells"] and mark == "}":
                yield cell
            key = path.pop()
            is_key = bool(opened) and opened[-1] == "{"
        elif is_key and mark.startswith('"'):
            key, is_key = mark[1:-1], False
        else:
            if path[1:3] == ["cells", "cells"]:
                _take(cell, [*path[3:], key], match)
            is_key = bool(opened) and opened[-1] == "{"


def _take(cell: _Cell, keys: list[str], match: re.Match[str]) -> None:
    """Store a string of a cell's type, source or outputs; `keys` is its path below the cell."""
    if not match[0].startswith('"'):
        return
    if keys[0] == "cell_type":
        cell.kind = match[0][1:-1]
    elif keys[0] == "source":
        try:
            cell.source.append((match.start(), str(json.loads(match[0], strict=False))))
        except ValueError:
            return
    elif keys[0] == "outputs":
        cell.outputs.append(match.span())
