"""Words of a question that nothing in the index holds, or holds together: what it asks for is hardly there."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from orchestrator.domain.evidence_data import Absence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from orchestrator.domain.evidence import Evidence

_GLUE = MappingProxyType({Absence.EACH: " or ", Absence.TOGETHER: " together with "})


def unheld_words(question: str, evidence: Iterable[Evidence]) -> str:
    """
    Return the words as a clause: `“kafka” together with “transactions”`; "" if none are told.

    What the session tells again counts only where the question has all of the words.
    """
    for told in (each.unheld for each in evidence if each.unheld):
        if told.words and told.absence in _GLUE and all(word in question for word in told.words):
            return _GLUE[told.absence].join(f"“{word}”" for word in told.words)
    return ""
