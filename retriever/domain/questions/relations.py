"""Relations of code to the thing that a question names."""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Relation(Enum):
    """Relation of code to a thing; the values are passive, as seen from that thing."""

    UNSPECIFIED = "has to do with"
    CALLS = "is called by"
    CALLEES = "calls"
    INHERITS = "is extended by"
    IMPLEMENTS = "is implemented by"
    OVERRIDES = "is overridden by"
    USES = "is used by"
    TESTS = "is tested by"
    SETS = "is set by"
    RAISES = "is raised by"
    FAILS = "can fail in"
    CATCHES = "is caught by"
    IMPORTS = "is imported by"
    REQUIRES = "requires"
    NAMES = "names"
    REGISTERS = "registers"
    HOLDS = "holds"
    BEGINS = "begins in"
    COMMANDS = "is the purpose of"
    CHANGES = "changes together with"

    def said_of_user(self, name: str) -> str:
        """Say what a user has to do with the thing of this name, as a clause without the user."""
        return _PASSIVE[self].format(name) if self in _PASSIVE else f"{_VERBS[self]} {name}"


_PASSIVE: Mapping[Relation, str] = MappingProxyType(
    {Relation.CALLEES: "called by {}", Relation.FAILS: "a part of {} that raises", Relation.NAMES: "called {}"}
)
_VERBS: Mapping[Relation, str] = MappingProxyType(
    {
        Relation.CALLS: "calls",
        Relation.INHERITS: "inherits from",
        Relation.IMPLEMENTS: "implements",
        Relation.OVERRIDES: "overrides",
        Relation.USES: "uses",
        Relation.TESTS: "tests",
        Relation.SETS: "sets",
        Relation.RAISES: "raises",
        Relation.CATCHES: "catches",
        Relation.IMPORTS: "imports",
    }
)
