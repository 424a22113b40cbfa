"""Patterns of the repositories that a caller may see."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PATTERN = re.compile(r"[\w.+@~*?-]{1,200}")


@dataclass(frozen=True, slots=True)
class Patterns:
    """
    Names of repositories; `*` stands for any characters, `?` for one. None of them matches nothing.

    Case counts. A pattern matches the whole of a name.
    """

    texts: tuple[str, ...] = ()
    _compiled: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the patterns, once."""
        # (?!) matches nothing, where no alternative would match the empty name.
        either = "|".join(map(_translated, self.texts)) if self.texts else "(?!)"
        object.__setattr__(self, "_compiled", re.compile(either, re.DOTALL))

    def match(self, name: str) -> bool:
        """Return whether one of the patterns matches."""
        return self._compiled.fullmatch(name) is not None


def malformed(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that are no valid patterns: names of repositories have neither brackets nor slashes."""
    return tuple(each for each in patterns if not _PATTERN.fullmatch(each))


def _translated(pattern: str) -> str:
    first, *rest = (re.escape(each).replace(r"\?", ".") for each in pattern.split("*"))
    if not rest:
        return first
    # Text between two stars is matched at its first occurrence only, without backtracking: the longest rest is left.
    return first + "".join(f"(?>.*?{each})" for each in rest[:-1]) + f".*{rest[-1]}"
