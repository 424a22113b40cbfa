"""The order in which classes with several bases are searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.solver.values import Class


def c3(cls: Class, bases: Sequence[Class]) -> list[Class]:
    """
    Order a class and its ancestors by C3 (Barrett and others, 1996); depth first where that finds no order.

    Of one base, the order is that of the base.
    """
    merged = _merge([*(list(base.order) for base in bases), list(bases)]) if len(bases) > 1 else None
    if merged is None:
        merged = list(dict.fromkeys(ancestor for base in bases for ancestor in base.order))
    return [cls, *(ancestor for ancestor in merged if ancestor is not cls)]


def _merge(sequences: list[list[Class]]) -> list[Class] | None:
    """Merge search orders so that each is kept; None if no order keeps them all."""
    result: list[Class] = []
    pending = [sequence for sequence in sequences if sequence]
    while pending:
        for sequence in pending:
            candidate = sequence[0]
            if not any(candidate in other[1:] for other in pending):
                break
        else:
            return None
        result.append(candidate)
        pending = [rest for sequence in pending if (rest := [item for item in sequence if item is not candidate])]
    return result
