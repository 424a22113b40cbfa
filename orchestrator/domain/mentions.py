"""What tells the symbols from one another that a piece of evidence names: several may bear one name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.domain.evidence import Evidence, SymbolRef


def mention_name(evidence: Evidence, mention: SymbolRef) -> str:
    """Return the name of a mention, with its number before it where several bear it ("#2.POST") or it is a module."""
    alike = sum(each.qualified_name == mention.qualified_name for each in evidence.mentions)
    is_told_apart = alike == 1 and mention.qualified_name != ""
    number = "" if is_told_apart else f"#{evidence.mentions.index(mention) + 1}."
    return number + mention.qualified_name


def find_mention(evidence: Evidence, name: str) -> SymbolRef | None:
    """Return the mention that `mention_name` calls so, else one of that name or of its last part; None for none."""
    if not name:
        return None
    named = [each for each in evidence.mentions if mention_name(evidence, each) == name]
    exact = [each for each in evidence.mentions if each.qualified_name == name]
    loose = [each for each in evidence.mentions if each.name == name.rpartition(".")[2]]
    return next(iter(named + exact + loose), None)
