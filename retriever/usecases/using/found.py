"""The result of a search for the users of one thing: a definition, attribute or external name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.views.listing import User, UserList

if TYPE_CHECKING:
    from collections.abc import Iterable

    from common.core.contract.understanding import Relation
    from retriever.domain.values import Symbol


_PACKAGES = 10


@dataclass(frozen=True, slots=True)
class Use:
    """
    One user, with the place of use.

    Args:
        path: File of the use; not that of the user if declared elsewhere, as by `impl Trait for Type`.
        line: Line of the use, 1-based; 0 if it is not known.
        through: Name of what connects the user with the thing; "" for a direct use.
        others: How many further symbols with the user's name are possible at the same line.
    """

    user: Symbol
    path: str
    line: int
    confidence: float = 1.0
    through: str = ""
    others: int = 0

    def listed(self) -> User:
        """Return the use as an item of a list in evidence."""
        name = self.user.qualified_name or self.user.path
        return User(name, self.user, Span(self.path, self.line, self.line), self.through, self.others)


@dataclass(frozen=True, slots=True)
class Using:
    """
    A thing and its users, in the order of the list to show.

    Args:
        name: Name of the thing.
        relation: Relation of the users to the thing.
        thing: Definition of the thing; None for attributes and external types and packages.
        in_tests: How many further users are in tests.
        unsure: Possible users: code that has the name, without a resolved edge.
        named_after: Tests named after the thing that are not known to use it.
        notes: Lines to show after the list.
        test_uses: Users in tests; set only for implementers and overriding methods.
    """

    name: str
    relation: Relation
    thing: Symbol | None
    uses: tuple[Use, ...] = ()
    in_tests: int = 0
    unsure: tuple[Use, ...] = ()
    named_after: tuple[Use, ...] = ()
    notes: tuple[str, ...] = ()
    test_uses: tuple[Use, ...] = ()

    def with_tests(self) -> Using:
        """Return a copy with the uses in tests listed after the others."""
        return replace(
            self, uses=(*self.uses, *self.test_uses), in_tests=self.in_tests - len(self.test_uses), test_uses=()
        )

    def by_package(self) -> tuple[str, ...]:
        """Return a line with how many of the users each package has, by the first two folders; () for one package."""
        counts = Counter("/".join(use.path.split("/")[:-1][:2]) or "." for use in self.uses)
        told = ", ".join(f"{name} {count}" for name, count in counts.most_common(_PACKAGES))
        return (f"By package: {told}",) if len(counts) > 1 else ()

    def listing(self, most: int, *, first: int = 0) -> UserList:
        """Return the list with at most `most` users, from position `first` on."""
        return UserList(
            self.name,
            self.relation,
            self.thing,
            len(self.uses),
            tuple(use.listed() for use in self.uses[first : first + most]),
            self.in_tests,
            tuple(use.listed() for use in self.unsure),
            tuple(use.listed() for use in self.named_after),
            self.notes,
        )


def examples_last(uses: Iterable[Use]) -> list[Use]:
    """Move uses in examples and tools behind those in the code itself; else keep the order."""
    return sorted(uses, key=lambda use: use.user.is_aside)


def one_of_each(uses: Iterable[Use]) -> list[Use]:
    """Keep the first use of each user."""
    found: dict[int, Use] = {}
    for use in uses:
        found.setdefault(use.user.id, use)
    return list(found.values())
