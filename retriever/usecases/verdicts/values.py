"""Whether a name has the value that a claim gives it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retriever.domain.assignments import assignments
from retriever.domain.claims import ClaimVerdict, folded
from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.claims import Claim
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.verdicts.behaviour import Verdict

_SIMPLE = re.compile(r"-?\d[\d_]*(?:\.\d+)?|True|False|None|true|false|null|nil|\"[^\"]*\"")


def has_value(snapshot: Snapshot, claim: Claim, symbols: Sequence[Symbol]) -> Verdict:
    """Return whether the one line that gives a constant its value gives it this one."""
    wanted = folded(claim.object)
    variables = [each for each in symbols if each.kind == SymbolKind.VARIABLE]
    given: dict[str, str] = {}
    for each in variables:
        lines = snapshot.files.lines(each.path, each.start_line, each.end_line)
        for found in assignments(lines, (each.name.casefold(),), is_code=True):
            if found.keys[-1].rpartition(".")[2] == each.name and found.value:
                given.setdefault(folded(found.value), f"{each.path}:{each.start_line}")
    if wanted in given:
        return ClaimVerdict.VERIFIED, f"{given[wanted]} gives {claim.subject} this value"
    is_simple = len(given) == 1 and len(symbols) == 1 and _SIMPLE.fullmatch(next(iter(given)))
    if is_simple and _SIMPLE.fullmatch(wanted):
        value, place = next(iter(given.items()))
        return ClaimVerdict.CONTRADICTED, f"{place} gives {claim.subject} the value {value}"
    return ClaimVerdict.UNCHECKABLE, f"the index does not show the value of {claim.subject}"
