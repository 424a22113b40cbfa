"""The beginnings that the file of a registration gives to the paths of its routes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STRING = r"[\"'`]([^\"'`\n]*)[\"'`]"
_GROUPING = (
    r"\b(?:[Gg]roup|[Pp]ath[Pp]refix|[Rr]oute|[Ss]ubrouter|[Bb]lueprint|\w*Router|\w*Blueprint|scope"
    r"|[Nn]amespace)\b"
)
_PREFIX_ARGUMENT = re.compile(rf"(?:url_prefix|prefix|path)\s*[=:]\s*{_STRING}")
_FIRST_ARGUMENT = re.compile(rf"{_GROUPING}\s*\(\s*{_STRING}")
_BASE = re.compile(r"\b([A-Za-z_]\w*+)\s*\.\s*(?:[Gg]roup|[Pp]ath[Pp]refix|[Rr]oute)\b")
_RECEIVER = re.compile(r"(?:@|\b)([A-Za-z_]\w*)\s*\.\s*\w+\s*\(")
_CHAINED = re.compile(rf"\b(?:[Gg]roup|[Pp]ath[Pp]refix)\(\s*{_STRING}[^\n]*\)\s*\.\s*\w+\(")
"""A group that is made where it is used: `g.Group("/user").POST("", create)`."""
_LIST = re.compile(r"^(\w+)\s*(?::[^=]+)?=\s*\[")
_DEEPEST = 8


class RoutePrefixes:
    """Reads one file of registrations; what is around its lines is found once, for generated ones have thousands."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._outer = _outer_lines(lines)
        self._margins = [
            at for at, line in enumerate(lines) if line.strip() and line[0] != "]" and not line[0].isspace()
        ]
        self._made: dict[str, list[tuple[int, str]]] = {}
        self._mounted: dict[str, tuple[str, ...]] = {}

    def of(self, line: int) -> tuple[str, ...]:
        """Return what may stand before the path that a line registers, from 1: of its group, its router, its list."""
        at = line - 1
        if not 0 <= at < len(self._lines):
            return ("",)
        nested = "".join(map(_joined, self._nesting(at)))
        receiver = _RECEIVER.search(self._lines[at])
        grouped = self._of_group(at - 1, receiver[1], 0) if receiver else ""
        chained = _CHAINED.search(self._lines[at])
        grouped += _joined(chained[1]) if chained else ""
        return tuple(f"{each}{grouped}{nested}" for each in self._mounts(at))

    def _nesting(self, at: int) -> Iterable[str]:
        """Return the prefixes of blocks around a line, outermost first: `r.Route("/users", func(r chi.Router) {`."""
        found: list[str] = []
        while (at := self._outer[at]) >= 0:
            line = self._lines[at]
            opened = _FIRST_ARGUMENT.search(line)
            if opened and line.rstrip().endswith(("{", "(", "do |r|", "=>")) and "=" not in line.split("(", 1)[0]:
                found.append(opened[1])
        return reversed(found)

    def _of_group(self, at: int, receiver: str, depth: int) -> str:
        """Return the prefix that a variable was made with, that of what it was made of before it."""
        made = self._makings(receiver)
        last = bisect_right(made, at, key=lambda each: each[0]) - 1
        if last < 0:
            return ""
        above, given = made[last]
        call = " ".join((given, *self._lines[above + 1 : above + 6])) if given.rstrip().endswith("(") else given
        own = _PREFIX_ARGUMENT.search(call) or _FIRST_ARGUMENT.search(call)
        base = _BASE.search(call)
        before = self._of_group(above - 1, base[1], depth + 1) if base and depth < _DEEPEST else ""
        is_path = own and (own[1].startswith("/") or own.re is _PREFIX_ARGUMENT or base or "Namespace(" in call)
        return before + _joined(own[1] if own and is_path else "")

    def _makings(self, name: str) -> list[tuple[int, str]]:
        """Return the positions of the lines that give a variable a value, in order, each with what that begins with."""
        if name not in self._made:
            made = re.compile(rf"\b{re.escape(name)}\b\s*(?::[^=]{{1,60}})?:?=\s*(.*)")
            found = ((at, made.search(line)) for at, line in enumerate(self._lines) if name in line)
            self._made[name] = [(at, match[1]) for at, match in found if match]
        return self._made[name]

    def _mounts(self, at: int) -> tuple[str, ...]:
        """Return where the list around a line is included in the same file, as Django's are; ("",) if it is nowhere."""
        above = bisect_left(self._margins, at)
        nearest = self._lines[self._margins[above - 1]] if above else ""
        named = _LIST.match(self._lines[at]) or _LIST.match(nearest)
        if not named:
            return ("",)
        if named[1] not in self._mounted:
            included = re.compile(rf"{_STRING}\s*,\s*include\(\s*{re.escape(named[1])}\b")
            found = (included.search(line) for line in self._lines)
            self._mounted[named[1]] = tuple(_joined(each[1]) for each in found if each) or ("",)
        return self._mounted[named[1]]


def _outer_lines(lines: Sequence[str]) -> list[int]:
    """Return for each line the position of the last one above that stands further out; -1 if none does."""
    outer: list[int] = []
    around: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        while line.strip() and around and around[-1][0] >= indent:
            around.pop()
        outer.append(around[-1][1] if around else -1)
        if line.strip():
            around.append((indent, at))
    return outer


def _joined(path: str) -> str:
    """Return a part of a path so that others can stand before and behind it; "" for that of everything."""
    return f"/{path.strip('/')}" if path.strip("/") else ""
