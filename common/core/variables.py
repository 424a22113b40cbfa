"""Finds environment variables that no setting reads: a misspelled one is reported, not ignored."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_START = "CGRAG_"
# Least similarity (0 to 1) at which a known name is suggested for a misspelled one: `_LIKE` for names with the prefix
# of this service, `_VERY_LIKE` for names that may belong to another service. A test checks that the names of no two
# settings reach `_VERY_LIKE`.
_LIKE = 0.85
_VERY_LIKE = 0.9


def meant(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean X?` for the known name most similar to a wrong one; "" if none is similar enough."""
    return "".join(f"; did you mean {each}?" for each in difflib.get_close_matches(name, list(known), 1, _LIKE))


def unread(prefix: str, variables: Mapping[str, str], environ: Iterable[str]) -> list[str]:
    """
    Report each variable that nothing reads, and which one may be meant; in order of names.

    A name without the service's prefix may belong to another service, whose names are not known here. It is reported
    only if it is similar to one of this service, or lacks nothing but the prefix.

    Args:
        prefix: Beginning of the names that only this service reads.
        variables: The names that it reads, by the name of the field.
        environ: Names in the environment.
    """
    known = sorted(variables.values())
    shared = [each for each in known if each.startswith(_START) and not each.startswith(prefix)]
    problems = []
    for name in sorted(each for each in environ if each.startswith(_START) and each not in known):
        is_own = name.startswith(prefix)
        field = name.removeprefix(prefix if is_own else _START).lower()
        near = difflib.get_close_matches(name, *((known, 1, _LIKE) if is_own else (shared, 1, _VERY_LIKE)))
        likely = [variables[field]] if field in variables else near
        if is_own or likely:
            problems.append(f"{name}: no such setting{''.join(f'; did you mean {each}?' for each in likely)}")
    return problems
