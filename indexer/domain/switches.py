"""Leaves out kinds of facts that an operator has switched off."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set

    from indexer.domain.model import FactKind, ParsedFile


def without(parsed: ParsedFile, kinds: Set[FactKind]) -> ParsedFile:
    """Return the file without facts of these kinds."""
    if not kinds:
        return parsed
    return dataclasses.replace(parsed, facts=tuple(fact for fact in parsed.facts if fact.kind not in kinds))
