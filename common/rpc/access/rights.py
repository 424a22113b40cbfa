"""Rights of callers, and the roles that each method requires."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.rpc.access.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.descriptor import ServiceDescriptor


class Role(Enum):
    """Roles; a caller may have several, and none implies another."""

    READER = "reader"
    """Reads and searches source."""
    ASKER = "asker"
    """Asks questions, which may cost money, and reads what answers rest on."""
    OPERATOR = "operator"
    """Manages indexes of repositories, without reading source."""
    ADMIN = "admin"
    """May call everything, and alone removes repositories."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What a caller may do: methods by its roles, repositories by their names."""

    roles: frozenset[Role] = frozenset()
    repositories: Patterns = field(default_factory=Patterns)


@dataclass(frozen=True, slots=True)
class Rule:
    """
    Which roles may call a method.

    Args:
        roles: One of them is enough.
        changes: Each allowed call is written to the audit log.
        spends: It may ask a model, which costs money.
    """

    roles: frozenset[Role]
    changes: bool = False
    spends: bool = False


def for_roles(*roles: Role) -> Rule:
    """Return the rule of a method that only reads."""
    return Rule(frozenset(roles))


def changing_for_roles(*roles: Role) -> Rule:
    """Return the rule of a method that changes something."""
    return Rule(frozenset(roles), changes=True)


def spending_for_roles(*roles: Role) -> Rule:
    """Return the rule of a method that may spend money."""
    return Rule(frozenset(roles), changes=True, spends=True)


@dataclass(frozen=True, slots=True)
class Rules:
    """
    Rules of one contract; nobody may call a method without a rule.

    Args:
        contract: Descriptor of the contract.
        of: The rules by the method's name.
    """

    contract: ServiceDescriptor
    of: Mapping[str, Rule]

    def by_path(self) -> Mapping[str, Rule]:
        """Return the rules by the method's path, `/contract/Method`."""
        return MappingProxyType({f"/{self.contract.full_name}/{name}": rule for name, rule in self.of.items()})
