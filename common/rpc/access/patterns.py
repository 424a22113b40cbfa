"""Which repositories somebody may see."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PATTERN = re.compile(r"[\w.+@~*?-]{1,200}")
_MEANINGS = {"*": ".*", "?": "."}


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
        """Tell whether one of the patterns matches."""
        return self._compiled.fullmatch(name) is not None


def malformed(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return those that are no patterns: brackets and slashes mean nothing here, and no repository has them."""
    return tuple(each for each in patterns if not _PATTERN.fullmatch(each))


def _translated(pattern: str) -> str:
    # Stars in a row say what one does, and would be tried in every combination.
    return "".join(_MEANINGS.get(each) or re.escape(each) for each in re.sub(r"\*+", "*", pattern))
