"""Whether a name has the value that a claim gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimVerdict
from common.core.secrets.redaction import REDACTED
from retriever.domain.claims import folded
from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.evidence import Claim
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.verdicts.behaviour import Verdict


def has_value(snapshot: Snapshot, claim: Claim, symbols: Sequence[Symbol]) -> Verdict:
    """Return whether a constant is assigned the claimed value; refuted only if it has one literal assignment."""
    if REDACTED in claim.object:
        return ClaimVerdict.UNCHECKABLE, "the value was taken out as a secret"
    wanted = folded(claim.object)
    places = {(each.path, each.start_line) for each in symbols if each.kind == SymbolKind.VARIABLE}
    given = {
        folded(each.value): each
        for name in {each.name for each in symbols}
        for each in reversed(snapshot.values.named(name))
        if each.value and each.keys[-1] == name and (each.path, each.line) in places
    }
    if wanted in given:
        found = given[wanted]
        return ClaimVerdict.VERIFIED, f"{found.path}:{found.line} gives {claim.subject} this value"
    if len(given) == 1 and len(symbols) == 1 and " " not in claim.object:
        value, found = next(iter(given.items()))
        if found.is_plain and _is_literal(value):
            told = f"{found.path}:{found.line} gives {claim.subject} the value {value}"
            return ClaimVerdict.CONTRADICTED, told
    return ClaimVerdict.UNCHECKABLE, f"the index does not show the value of {claim.subject}"


def _is_literal(value: str) -> bool:
    """Return whether a value is a single number, name or string: an expression may still yield the claimed value."""
    return value[:1] in ("'", '"', "`") or all(letter.isalnum() or letter in "._+-" for letter in value)
