"""Symbols that are one definition: overloads and branches of one function, the getter and setter of one property."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.values import Symbol

_TELLING = 2 / 3
"""What has fewer lines than this share of the longest leaves the work to it, as overloads without a body do."""


def grouped_by_name(found: Iterable[Symbol]) -> tuple[tuple[Symbol, ...], ...]:
    """Group symbols by definition, in the given order."""
    groups: dict[tuple[str, str], list[Symbol]] = {}
    for symbol in found:
        groups.setdefault(symbol.definition, []).append(symbol)
    return tuple(map(tuple, groups.values()))


def shown_of(group: Sequence[Symbol]) -> tuple[Symbol, tuple[int, ...]]:
    """
    Return the symbol that is shown for a definition, the first one that has a body worth showing, and the others' ids.

    That is no overload for type checkers, nor one that is much shorter than another: it only declares that, or hands
    on to it. Getters and setters that do about as much stay in the given order.
    """
    written = [each for each in group if not any(name.endswith("overload") for name in each.decorators)] or group
    most = max(each.lines for each in written)
    shown = next(each for each in written if each.lines >= _TELLING * most)
    return shown, tuple(each.id for each in group if each is not shown)
