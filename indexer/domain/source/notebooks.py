"""
Notebooks of Jupyter as text: what cells say stays where it stands in the file, data that they put out goes.

Lines are those of the file, so that a place in it is one in the notebook that people have.
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
"""Characters of one string that a cell puts out; longer ones are pictures and data."""
_MAGIC = re.compile(r"^(\s*)(?:%[A-Za-z%].*|!(?!=).*|\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
"""Lines for IPython alone; `%` and `!=` also begin lines that an expression goes on in."""
_CELL_MAGIC = "%%"


@dataclass(slots=True)
class _Cell:
    """A cell: its kind, strings of its source with their places, and where strings of its outputs stand."""

    kind: str = ""
    source: list[tuple[int, str]] = field(default_factory=list)
    outputs: list[tuple[int, int]] = field(default_factory=list)


def is_notebook(path: str) -> bool:
    """Return whether a file is a notebook by its ending."""
    return path.endswith(ENDING)


def without_data(text: str) -> str:
    """Return a notebook with blanks for long strings that its cells put out; lines stay. What is no notebook stays."""
    kept, at = [], 0
    for cell in _cells(text):
        for start, end in cell.outputs:
            if end - start > _MAX_OUTPUT:
                kept += [text[at:start], '""', "\n" * text.count("\n", start, end)]
                at = end
    return "".join((*kept, text[at:]))


def own_size(text: str) -> int:
    """Return the characters of a notebook without what its cells put out."""
    return len(text) - sum(end - start for cell in _cells(text) for start, end in cell.outputs)


def code_of(text: str) -> str:
    """Return the Python of the code cells, each line where it stands in the file, all else blank; magics do nothing."""
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
            # A source that is one string has one line in the file for all of its own.
            for offset, part in enumerate(parts):
                if row + offset < len(lines):
                    lines[row + offset] = part
    return "\n".join(lines)


def _is_python(text: str) -> bool:
    """Return whether a notebook is in Python: declared, or without another declaration."""
    try:
        metadata = json.loads(text)["metadata"]
        names = (metadata.get("kernelspec", {}).get("language"), metadata.get("language_info", {}).get("name"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return True
    return not any(name and "python" not in str(name).lower() for name in names)


def _cells(text: str) -> Iterator[_Cell]:
    """Yield the cells of a notebook; none if it is not one."""
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
    """Take a string or number of a cell, under its keys from the cell inwards."""
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
