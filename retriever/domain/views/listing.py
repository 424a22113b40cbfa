"""Lists of the users of a definition, file or package (a "thing"): as data, and as text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.core.contract.evidence import Span
    from common.core.contract.understanding import Relation
    from retriever.domain.values import Symbol


@dataclass(frozen=True, slots=True)
class User:
    """
    A user of a thing: a definition, file or package that has the list's relation to it.

    Args:
        name: Qualified name of a definition, path of a file, or name of an external package with its version.
        symbol: The definition; None where the user has none, as an external package.
        place: The line of the use, in any file; line 0 if it is not known.
        through: What connects the user with the thing; "" for a direct use.
        others: Number of further definitions of that name, any of which the line may refer to.
        code: The line of the use, where the list shows it.
    """

    name: str
    symbol: Symbol | None
    place: Span
    through: str = ""
    others: int = 0
    code: str = ""

    def told(self) -> str:
        """Return the user with its place, and the place of the use where that is another line or file."""
        own = self.symbol or self.place
        place = f"{own.path}:{own.start_line}"
        is_place = self.symbol is None and self.name == own.path
        told = place if is_place else f"{self.name} ({place})"
        if self.place.path != own.path:
            told += f" at {self.place.path}:{self.place.start_line}"
        elif self.place.start_line and not is_place:
            told += f" at line {self.place.start_line}"
        others = "another" if self.others == 1 else f"{self.others} others"
        told += f" or {others} of that name" if self.others else ""
        told += f" through {self.through}" if self.through else ""
        return f"{told}: {self.code}" if self.code else told


@dataclass(frozen=True, slots=True)
class UserList:
    """
    The users of a thing, in the order of the text.

    Args:
        name: Name of the thing.
        definition: Definition of the thing; None if the repository has none.
        count: Number of users, listed or not.
        in_tests: Number of further users that are tests.
        unsure: Possible users: code that has the name, but what the name refers to is not resolved.
        named_after: Tests whose names contain the thing's name, where no test is known to use it.
        notes: Lines at the end of the text.
    """

    name: str
    relation: Relation
    definition: Symbol | None
    count: int
    listed: tuple[User, ...] = ()
    in_tests: int = 0
    unsure: tuple[User, ...] = ()
    named_after: tuple[User, ...] = ()
    notes: tuple[str, ...] = ()

    def text(self, heading: str = "") -> str:
        """Write a heading (by default the thing and its count), a line for each user, and how many more there are."""
        place = f" ({self.definition.path}:{self.definition.start_line})" if self.definition else ""
        lines = [heading or f"{self.name}{place} {self.relation.value} {self.count}", *map(_sure, self.listed)]
        if self.count > len(self.listed):
            lines.append(f"and {self.count - len(self.listed)} more")
        if self.in_tests:
            lines.append(f"and {self.in_tests} in tests")
        return "\n".join((*lines, *map(_unsure, self.unsure), *map(_named_after, self.named_after), *self.notes)) + "\n"

    def within(self, text: str) -> UserList:
        """Return the list with only the users and notes whose lines a cut text still has; the counts stay."""
        shown = frozenset(text.split("\n"))
        return replace(
            self,
            listed=tuple(each for each in self.listed if _sure(each) in shown),
            unsure=tuple(each for each in self.unsure if _unsure(each) in shown),
            named_after=tuple(each for each in self.named_after if _named_after(each) in shown),
            notes=tuple(each for each in self.notes if each in shown),
        )


def _sure(user: User) -> str:
    return f"- {user.told()}"


def _unsure(user: User) -> str:
    return f"? {user.told()} has the name, of what is not resolved"


def _named_after(user: User) -> str:
    return f"? {user.told()} is named after it"
