"""Identifies the symbols that evidence names, as several may have one name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.domain.evidence.piece import Evidence, SymbolRef

_SAYABLE = re.compile(r"[^\[\](),;`\s]{1,150}")
"""Names that can stand in a label: not the empty name of a module, "operator[]", or a test named by a sentence."""


def mention_name(evidence: Evidence, mention: SymbolRef) -> str:
    """Return the name of a mention, numbered if several have it ("#2.POST"), or the number alone ("#2.")."""
    name = mention.qualified_name if _SAYABLE.fullmatch(mention.qualified_name) else ""
    alike = sum(each.qualified_name == mention.qualified_name for each in evidence.mentions)
    return name if name and alike == 1 else f"#{evidence.mentions.index(mention) + 1}.{name}"


def find_mention(evidence: Evidence, name: str) -> SymbolRef | None:
    """Return the mention with this `mention_name`, else one with this name or its last part; None if there is none."""
    if not name:
        return None
    named = [each for each in evidence.mentions if mention_name(evidence, each) == name]
    exact = [each for each in evidence.mentions if each.qualified_name == name]
    loose = [each for each in evidence.mentions if each.name == name.rpartition(".")[2]]
    return next(iter(named + exact + loose), None)
