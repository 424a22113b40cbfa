"""Lists of users of a thing: as data, and as text."""

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
    Somebody who has to do with a thing.

    Args:
        name: Of a definition its qualified name, of a file its path, of a package of others with its version.
        symbol: Its definition; None for a package of others.
        place: The line where it has to do with the thing, in whatever file; line 0 if it is not known.
        through: What leads from it to the thing; "" if it does so itself.
        others: Further ones of its name, any of which may be meant by that line.
        code: That line, where the list shows it.
    """

    name: str
    symbol: Symbol | None
    place: Span
    through: str = ""
    others: int = 0
    code: str = ""

    def told(self) -> str:
        """Write it with its place, and the place of use where that is in another line or file."""
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
    Who has to do with a thing, in the order in which they are told.

    Args:
        name: How the thing is called.
        definition: Of the thing; None for what has none here.
        count: How many there are, listed or not.
        in_tests: How many further ones are tests.
        unsure: Who has the name, where nobody is known, or beside those of something unknown.
        named_after: Tests whose names have its name, where none is known.
        notes: Lines that are told behind the list.
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
        """Return it with those alone whose lines a text still has, which may have been cut; it counts what it did."""
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
