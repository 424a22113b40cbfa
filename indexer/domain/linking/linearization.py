"""The order in which classes with several bases are searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.linking.values import Class


def merge(sequences: list[list[Class]]) -> list[Class] | None:
    """Merge search orders so that each is kept, C3 (Barrett and others, 1996); None if no order keeps them all."""
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
