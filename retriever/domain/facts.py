"""Facts that the indexer read from source; numbers are those of the snapshot format."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


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
    PROPERTY = 12


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


@dataclass(frozen=True, slots=True)
class Fact:
    """
    Behaviour of one symbol.

    Args:
        value: As written.
        line: From 1.
        origin: RAISED or RETURNED of the message of an error, where the core tells.
        detail: Type of the error where its statement says none.
    """

    symbol_id: int
    kind: FactKind
    value: str
    line: int
    origin: Origin = Origin.NONE
    detail: str = ""
