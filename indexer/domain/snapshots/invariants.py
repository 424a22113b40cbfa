"""Invariants of every index; a violation is a defect of the indexer, not of the source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Invariant(IntEnum):
    """The invariants; numbers are those of the contract."""

    EDGE_WITHIN_SOURCE = 1
    SYMBOL_WITHIN_FILE = 2
    SYMBOL_WITHIN_PARENT = 3
    TARGET_IN_OWN_PACKAGE = 4
    DEPENDENCY_BY_NAME = 5


@dataclass(frozen=True, slots=True)
class Violation:
    """One place at which an invariant does not hold, with a description."""

    invariant: Invariant
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """
    Result of a check.

    Args:
        edges: Number of checked edges.
        symbols: Number of checked symbols.
        violations: In order of invariant, path and line.
    """

    edges: int
    symbols: int
    violations: tuple[Violation, ...]


def is_astray(source: str, target: str, namesakes: Iterable[str]) -> bool:
    """
    Return whether an edge leads to a file although one of the same name and module shares more folders with its source.

    Args:
        namesakes: All files with the module name and the file name of the target.
    """
    reached = _shared(source, target)
    return any(_shared(source, other) > reached for other in namesakes if other not in (source, target))


def _shared(one: str, other: str) -> int:
    pairs = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
