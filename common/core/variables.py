"""Names in the environment that nobody reads: a setting that is misspelled is told, not passed over."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_START = "CGRAG_"
# So alike are a name and what was meant by it: where it can be nobody else's, and where it may be another service's.
# Names of settings are less alike than the latter, as a test sees to.
_LIKE = 0.85
_VERY_LIKE = 0.9


def unread(prefix: str, variables: Mapping[str, str], environ: Iterable[str]) -> list[str]:
    """
    Say of each name that nobody reads that there is no such setting, and which one may be meant; in order of names.

    Names that begin otherwise than a service's own may be another's, which is not known here: they are told where they
    look like one of this service, or lack its name only.

    Args:
        prefix: Of names that only this service reads.
        variables: What it reads, by the name of the field.
        environ: Names in the environment.
    """
    known = sorted(variables.values())
    shared = [each for each in known if each.startswith(_START) and not each.startswith(prefix)]
    problems = []
    for name in sorted(each for each in environ if each.startswith(_START) and each not in known):
        is_own = name.startswith(prefix)
        field = name.removeprefix(prefix if is_own else _START).lower()
        near = difflib.get_close_matches(name, *((known, 1, _LIKE) if is_own else (shared, 1, _VERY_LIKE)))
        meant = [variables[field]] if field in variables else near
        if is_own or meant:
            problems.append(f"{name}: no such setting{''.join(f'; did you mean {each}?' for each in meant)}")
    return problems
