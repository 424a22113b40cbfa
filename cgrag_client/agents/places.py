"""Paths and ranges as agents write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

_LINES = re.compile(r"(?P<path>.+?)(?::|#L)(?P<start>\d+)(?:(?:-L?|:)(?P<end>\d+))?")


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and lines of it from 1; 0 names none."""

    path: str
    start: int = 0
    end: int = 0


def parse_place(written: str, start: int | None, end: int | None, *, root: str = "") -> Place:
    """
    Read a place: `a/b.py`, `./a/b.py`, `a/b.py:4`, `a/b.py:4-9`, `a/b.py#L4-L9`, or the absolute path of a file.

    Args:
        start: First line, if it is given apart from the path; wins over what stands in the path.
        end: Last line, likewise; before the first line it counts as the first line.
        root: Folder that the repository was indexed from; "" if that is not known.
    """
    match = _LINES.fullmatch(written.strip())
    path = match["path"] if match else written.strip()
    first = start or (int(match["start"]) if match else 0)
    last = end or (int(match["end"] or 0) if match and not start else 0)
    if root and path.startswith(f"{root.rstrip('/')}/"):
        path = path.removeprefix(f"{root.rstrip('/')}/")
    path = str(PurePosixPath(path)).removeprefix("./")
    if last and not first:
        first = 1
    return Place(path, first, max(first, last))
