"""What was found of the users of one thing."""

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
        path: Of the place; that of the user but where it is told of elsewhere, as by `impl Trait for Type`.
        line: 1-based; 0 if it is not known.
        through: What leads from the user to the thing; "" if it does so itself.
        others: Further ones of its name at the same line, any of which may be meant.
    """

    user: Symbol
    path: str
    line: int
    confidence: float = 1.0
    through: str = ""
    others: int = 0

    def listed(self) -> User:
        """Return the list as evidence data."""
        name = self.user.qualified_name or self.user.path
        return User(name, self.user, Span(self.path, self.line, self.line), self.through, self.others)


@dataclass(frozen=True, slots=True)
class Using:
    """
    A thing and its users, in the order in which they are to be told.

    Args:
        name: How the thing is called.
        relation: What the users do with it.
        thing: Its definition; None for what has none here: attributes, types and packages of others.
        in_tests: How many further ones are in tests.
        unsure: Who has the name, where no user is known, or beside those of something unknown.
        named_after: Tests whose own names have that of the thing, where none is known to use it.
        notes: Lines to be told behind the list.
        test_uses: Those in tests, where no other relation lists them: implementers and overriding methods.
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
        """Return it with the uses in tests behind the others."""
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
    """Put what only shows use behind the code itself; the order stays otherwise."""
    return sorted(uses, key=lambda use: use.user.is_aside)


def one_of_each(uses: Iterable[Use]) -> list[Use]:
    """Keep the first use of each user."""
    found: dict[int, Use] = {}
    for use in uses:
        found.setdefault(use.user.id, use)
    return list(found.values())
