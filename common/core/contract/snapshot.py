"""
Enumerations of docs/snapshot-format.md: the indexer writes the numbers that the retriever reads.

A number never changes its meaning, since a release reads what the one before has written.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag, StrEnum


class SymbolKind(IntEnum):
    """What a symbol is."""

    MODULE = 1
    CLASS = 2
    FUNCTION = 3
    METHOD = 4
    VARIABLE = 5


class SymbolMark(IntFlag):
    """Properties that a language gives a definition."""

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
        """Whether files of this role only demonstrate or support the main code."""
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


class Origin(IntEnum):
    """How a source gives a name its value."""

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


class EdgeKind(IntEnum):
    """Kind of relation between two symbols."""

    CALL = 1
    IMPORT = 2
    INHERITS = 3
    REFERENCES = 4


class Resolution(IntEnum):
    """What is known about the target of an edge."""

    RESOLVED = 1
    EXTERNAL = 2
    UNRESOLVED = 3


class Tier(IntEnum):
    """The step of the linker that found an edge."""

    STATIC = 1
    PROTOCOL = 2
    CONTAINER = 3
    ARGUMENT = 4
    UNIQUE_NAME = 5
    OVERRIDE = 6
    PRECISE = 7


class Severity(IntEnum):
    """Severity of a finding; the format has the names in lower case."""

    INFO = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4
    CRITICAL = 5


class LayerKind(StrEnum):
    """The parts of a snapshot. A later release may know others."""

    CORE = "core"
    VECTORS = "vectors"
    FINDINGS = "findings"
    ENRICHMENT = "enrichment"
    PRECISE = "precise"
