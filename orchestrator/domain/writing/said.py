"""The names that a question says in full, among those that definitions bear."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orchestrator.domain.following import stays_with
from orchestrator.domain.names import is_called, is_spelled, is_written

if TYPE_CHECKING:
    from collections.abc import Iterable

_WHAT_FOR = (
    r"(?:^\W*what (?:is|are|does|do)|\b(?:purpose|role|responsibilit(?:y|ies)|job|point|aim)s? of)"
    r" (?:the |an? )?(?:(?:class|type|interface|struct|module) )?`?"
)
"""How a question leads up to what it wants to know as a whole."""


@dataclass(frozen=True, slots=True)
class Said:
    """
    What a question says by name.

    Args:
        names: Those that it writes, or means alone, and that definitions bear in full; () if it says none.
        borne: Qualified names of the definitions.
    """

    names: tuple[str, ...]
    borne: tuple[str, ...]

    @classmethod
    def of(cls, question: str, symbols: Iterable[str], borne: Iterable[str]) -> Said:
        """
        Read a question.

        Args:
            symbols: Its anchors.
            borne: Qualified names of what is defined.
        """
        borne = tuple(borne)
        said = (each for each in symbols if each in question or stays_with(question, each))
        return cls(tuple(each for each in said if any(is_called(name, each) for name in borne)), borne)

    def __bool__(self) -> bool:
        return bool(self.names)

    def has(self, qualified_name: str) -> bool:
        """Tell whether it says a name, by a definition's exact spelling where one has that."""
        return any(
            is_spelled(qualified_name, name)
            if any(is_spelled(other, name) for other in self.borne)
            else is_called(qualified_name, name)
            for name in self.names
        )

    def covers(self, qualified_name: str) -> bool:
        """Tell whether it says a name, or what that is a member of."""
        ways = qualified_name.split(".")
        return any(self.has(".".join(ways[:end])) for end in range(1, len(ways) + 1))

    def asked_about(self, question: str) -> Said:
        """Keep the names of which a question asks what they are, or are for: "What is the role of Scaffold ...?"."""
        asked = (rf"{_WHAT_FOR}{re.escape(each)}(?![\w.]*\w)" for each in self.names)
        kept = tuple(
            name for name, each in zip(self.names, asked, strict=True) if re.search(each, question, re.IGNORECASE)
        )
        return replace(self, names=kept)

    def is_written_in(self, text: str) -> bool:
        """Tell whether a text writes one of them as a whole, in any case."""
        told = text.casefold()
        return any(is_written(each.casefold(), told) for each in self.names)
