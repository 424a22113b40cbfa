"""What makes two gaps the same, however they are worded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.terms import terms

if TYPE_CHECKING:
    from orchestrator.domain.evidence import Gap

_CALL = re.compile(r"\(.*\)$", re.DOTALL)


def gap_key(gap: Gap) -> str:
    """
    Return a key that is equal for gaps that want the same thing.

    A symbol counts without its arguments and in lower case, a path without leading "./"; only a gap that names
    neither is told by the words of its description, in any order.
    """
    symbol = _CALL.sub("", gap.symbol.strip().strip("`")).replace("::", ".").strip(".").casefold()
    path = gap.path.strip().strip("`").replace("\\", "/").removeprefix("./").casefold()
    if symbol or path:
        return f"{path}::{symbol}"
    return "?" + " ".join(sorted(set(terms(gap.description))))


def wanted_of(gap: Gap) -> str:
    """Return what a gap wants as it is counted among others: without case, 200 characters at most."""
    return (gap.symbol or gap.path or gap.description).replace("\0", "").strip().casefold()[:200]
