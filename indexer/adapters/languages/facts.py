"""Facts with the same form in all languages: assertions and rationale comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from indexer.domain.model import Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.domain.model import SymbolDef

MAX_RATIONALE: Final = 400
MAX_ASSERTION: Final = 200
# Words that mark a comment as rationale.
REASON: Final = re.compile(
    r"\b(?:NOTE|HACK|WHY|TODO|FIXME|XXX|BUG|WARNING|CAUTION|IMPORTANT|SAFETY|NB|Note|Hack|Todo"
    r"|because|workaround|work around|otherwise|in order to|so that|to avoid|to prevent|since|reason|historical"
    r"|backwards?[- ]compat|on purpose|deliberately|intentionally)\b"
)


def shortened(text: str) -> str:
    """Write a comment on one line, cut at `MAX_RATIONALE` characters."""
    return " ".join(text.split())[:MAX_RATIONALE]


def assertion(text: str) -> str:
    """Write an assertion on one line, cut at `MAX_ASSERTION` characters."""
    return " ".join(text.split())[:MAX_ASSERTION]


def rationale(
    symbols: Sequence[SymbolDef], bodies: Iterable[int], comments: Iterable[tuple[int, int, str]]
) -> Iterator[Fact]:
    """
    Attach each comment to the definition right below it, else to the innermost one around it.

    Args:
        bodies: Positions of the symbols that may have comments; the module's is always one of them.
        comments: (first line, last line, text) of each.
    """
    places = [(symbols[position], position) for position in sorted(bodies)]
    for first, last, text in comments:
        below = next((place for symbol, place in places if symbol.start_line == last + 1), None)
        around = [place for symbol, place in places if symbol.start_line <= first <= symbol.end_line]
        yield Fact(below if below is not None else (around or [0])[-1], FactKind.RATIONALE, text, first)
