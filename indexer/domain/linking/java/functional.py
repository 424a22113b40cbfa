"""Functional interfaces: any method of a function value is the function itself."""

from __future__ import annotations


class EveryMethod:
    """Holds all names of methods, which end in a number of arguments: `apply(1)`."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.endswith(")")
