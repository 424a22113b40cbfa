"""Resolves a gap by an error: a quoted message, or an exception type."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Part
from retriever.domain.tasks.gaps import Match, Wanted
from retriever.domain.values import FactKind
from retriever.usecases.locating.messages import matching_messages

if TYPE_CHECKING:
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask

_QUOTED = re.compile(r"(?<!\w)([\"'])(?P<plain>.{8,300}?)\1(?!\w)|“(?P<curved>.{8,300}?)”", re.DOTALL)
"""A quotation mark within a word is an apostrophe."""
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Fault)\b")
_SURE = 0.8
"""Least similarity of an error string to a quoted message (see `matching_messages`)."""
_FEW = 3
"""If more symbols than this raise an exception type, the type identifies none of them."""


class ErrorSearch:
    """
    Resolves a gap of a diagnostic question by its error, if the gap names no symbol.

    Args:
        error_chars: Most characters of a message that are looked up.
    """

    def __init__(self, error_chars: int) -> None:
        self._error_chars = error_chars

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Return the symbols that contain the message or raise the exception type."""
        named = wanted.name is not None and not _EXCEPTION.fullmatch(wanted.name.last)
        if task.mode != Mode.DIAGNOSTIC or named or Part.CODE_INDEX in task.off:
            return None
        return await asyncio.to_thread(_find, snapshot, wanted.gap.description, self._error_chars)


def _find(snapshot: Snapshot, text: str, error_chars: int) -> Match | None:
    for quoted in _QUOTED.finditer(text):
        message = quoted["plain"] or quoted["curved"]
        hits = [fact for fact, share in matching_messages(snapshot, message[:error_chars]) if share >= _SURE]
        symbols = snapshot.symbols.get(list(dict.fromkeys(fact.symbol_id for fact in hits)))
        if symbols:
            return Match(GapOutcome.RESOLVED, "error", f"the message {message!r} is made there", symbols[:_FEW])
    for name in dict.fromkeys(_EXCEPTION.findall(text)):
        facts = snapshot.facts.with_value(FactKind.RAISES, name)
        raisers = snapshot.symbols.get(list(dict.fromkeys(fact.symbol_id for fact in facts)))
        places = tuple(symbol for symbol in raisers if not symbol.is_test)
        if 0 < len(places) <= _FEW:
            return Match(GapOutcome.RESOLVED, "error", f"{name} is raised there", places)
    return None
