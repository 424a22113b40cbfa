"""Numbers as people write them."""

from __future__ import annotations


def plain(value: float) -> str:
    """Write whole numbers in full, others with six digits: 1000000 where `:g` says 1e+06."""
    return str(int(value)) if value % 1 == 0 else f"{value:g}"
