"""Symbols that are one definition: overloads and branches of one function, the getter and setter of one property."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.values import Symbol

_TELLING = 2 / 3
"""A symbol with fewer lines than this share of the longest is a mere declaration, as overloads without a body are."""


def grouped_by_name(found: Iterable[Symbol]) -> tuple[tuple[Symbol, ...], ...]:
    """Group symbols by definition, in the given order."""
    groups: dict[tuple[str, str], list[Symbol]] = {}
    for symbol in found:
        groups.setdefault(symbol.definition, []).append(symbol)
    return tuple(map(tuple, groups.values()))


def shown_of(group: Sequence[Symbol]) -> tuple[Symbol, tuple[int, ...]]:
    """
    Return the symbol that is shown for a definition, and the ids of the others.

    It is the first one that is neither an overload for type checkers nor much shorter than the longest: a much shorter
    one only declares the longest or delegates to it. Of a getter and a setter of similar length, the first is shown.
    """
    written = [each for each in group if not any(name.endswith("overload") for name in each.decorators)] or group
    most = max(each.lines for each in written)
    shown = next(each for each in written if each.lines >= _TELLING * most)
    return shown, tuple(each.id for each in group if each is not shown)
