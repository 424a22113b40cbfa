"""Facts that the indexer read from source; numbers are those of the snapshot format."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag


class SymbolMark(IntFlag):
    """What a language takes a definition for."""

    CONSTRUCTOR = 1
    IMPLICIT = 2
    TEST = 4
    STRUCTURAL = 8
    BEGINS = 16
    APART = 32
    PACKAGE = 64
    OPEN = 128


class FileRole(IntEnum):
    """Role of a file that is not a test."""

    CODE = 0
    EXAMPLE = 1
    DOCUMENTATION = 2
    BENCHMARK = 3
    TOOL = 4
    SUPPORT = 5
    VENDORED = 6
    GENERATED = 7
    CHANGES = 8
    STUB = 9
    PROSE = 10

    @property
    def is_aside(self) -> bool:
        """Whether such files show or serve the code that the repository is about."""
        return self in _ASIDE


_ASIDE = frozenset({FileRole.EXAMPLE, FileRole.DOCUMENTATION, FileRole.BENCHMARK, FileRole.TOOL})


class FactKind(IntEnum):
    """Behaviour that a symbol's body shows."""

    RAISES = 1
    MUTATES = 2
    ERROR_STRING = 3
    ENTRY_POINT = 4
    RATIONALE = 5
    ASSERTION = 6
    VALUE = 7
    ENVIRONMENT = 8
    ROUTE = 9
    CATCHES = 10
    HANDED = 11
    REQUIREMENT = 12
    PROJECT = 13
    COMMAND = 14
    TEXT = 15
    IMPLEMENTS = 16
    PROPERTY = 17


EVERYTHING = "*"
"""Value of a CATCHES fact of a clause that catches any exception."""


class Origin(IntEnum):
    """How a source gives a name its value; numbers are those of the snapshot format."""

    NONE = 0
    ASSIGNED = 1
    COMMENTED = 2
    LOOKED_UP = 3
    OPTION = 4
    PASSED = 5
    PARAMETER = 6
    PAGE = 7
    CONSTANT = 8
    COMPUTED = 9
    CONSTRUCTOR = 10
    RAISED = 11
    RETURNED = 12
    DEVELOPMENT = 13
    CONVENTION = 14
    ASSERTED = 15


@dataclass(frozen=True, slots=True)
class Fact:
    """
    Behaviour of one symbol.

    Args:
        value: As written.
        line: From 1.
        origin: RAISED, RETURNED or ASSERTED of the message of an error, where the core tells.
        detail: Condition of the branch around a message, or around what raises; of ASSERTED the type of the error.
    """

    symbol_id: int
    kind: FactKind
    value: str
    line: int
    origin: Origin = Origin.NONE
    detail: str = ""
