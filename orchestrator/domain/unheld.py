"""Words of a question that nothing in the index holds, or holds together: what it asks for is hardly there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from orchestrator.domain.evidence import Evidence

_TOLD = re.compile(r"(In no file|Together in no definition and on no page) of the index: (.+)\.\s*")
"""How the retriever says so."""
_WORD = re.compile(r"“([^“”]+)”")


def unheld_words(question: str, evidence: Iterable[Evidence]) -> str:
    """
    Return the words as a clause: `“kafka” together with “transactions”`; "" if none are told.

    What the session tells again counts only where the question has all of the words.
    """
    told = (_TOLD.fullmatch(each.text) for each in evidence if each.kind is EvidenceKind.METRICS)
    for found in filter(None, told):
        words = _WORD.findall(found[2])
        if words and all(word in question for word in words):
            glue = " or " if found[1] == "In no file" else " together with "
            return glue.join(f"“{word}”" for word in words)
    return ""
