"""Finds comments that give a rationale, a warning or a known shortcoming."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.facts import REASON, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MARK = re.compile(r"#")
_DIRECTIVE = re.compile(r"#\s*(?:noqa|type:|pragma|pylint:|fmt:|isort:|!|-\*-)")


def rationale_comments(lines: Sequence[str], nodes: Iterable[ast.AST]) -> Iterator[tuple[int, int, str]]:
    """
    Give (first line, last line, text) of comment blocks that hold a reason, in order.

    A block is a run of lines with nothing but a comment, or one comment behind code. `#` inside of strings is
    excluded by the positions of strings in the tree.
    """
    signs = ((number, line, line.find("#")) for number, line in enumerate(lines, 1))
    suspects = [number for number, line, at in signs if at >= 0 and REASON.search(line, at + 1)]
    if not suspects:
        return
    strings = _strings_on(frozenset(suspects), nodes)
    done = 0
    for number in suspects:
        if number <= done:
            continue
        start = _comment_start(lines[number - 1], number, strings.get(number, ()))
        if start < 0 or _DIRECTIVE.match(lines[number - 1][start:]):
            continue
        first = last = number
        if not lines[number - 1][:start].strip():
            while first > 1 and lines[first - 2].lstrip().startswith("#"):
                first -= 1
            while last < len(lines) and lines[last].lstrip().startswith("#"):
                last += 1
        done = last
        block = [lines[first - 1][start:]] if first == last else lines[first - 1 : last]
        yield first, last, shortened(" ".join(line.strip().lstrip("#") for line in block))


def _strings_on(wanted: frozenset[int], nodes: Iterable[ast.AST]) -> dict[int, list[tuple[int, int, int, int]]]:
    """Return by line the begins and ends of all strings that are partly or wholly on it."""
    found: dict[int, list[tuple[int, int, int, int]]] = {}
    for node in nodes:
        if (isinstance(node, ast.Constant) and isinstance(node.value, str)) or isinstance(node, ast.JoinedStr):
            place = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
            for line in wanted.intersection(range(place[0], place[2] + 1)):
                found.setdefault(line, []).append(place)
    return found


def _comment_start(line: str, number: int, strings: Sequence[tuple[int, int, int, int]]) -> int:
    for mark in _MARK.finditer(line):
        column = len(line[: mark.start()].encode())
        if not any((top, left) <= (number, column) < (bottom, right) for top, left, bottom, right in strings):
            return mark.start()
    return -1
