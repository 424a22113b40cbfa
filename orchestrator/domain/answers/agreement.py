"""How far two answers to one question agree, by the files and symbols that they cite and by their confidence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from orchestrator.domain.answers.answer import Answer

_SAME_SHARE = 0.8
_SIMILAR_SHARE = 0.4


class Agreement(Enum):
    """Degree of agreement; values are labels of metrics. FAILED: the second answer failed, so nothing was compared."""

    SAME = "same"
    SIMILAR = "similar"
    DIFFERENT = "different"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    Two answers compared.

    Args:
        agreement: The verdict.
        files: Share of the cited files that both cite, 0 to 1.
        symbols: The same for cited symbols; None where neither cites one.
    """

    agreement: Agreement
    files: float = 0.0
    symbols: float | None = None


def compare(served: Answer, shadow: Answer) -> Comparison:
    """
    Compare an answer with its shadow.

    A share is Dice's coefficient (Dice, Ecology 1945): twice what both cite over the sum of what each cites; 1 where
    neither cites anything. The overlap is the mean of the shares of files and of symbols. SAME is an overlap of at
    least 0.8 and the same confidence, SIMILAR one of at least 0.4, DIFFERENT any other. Words are not compared: two
    good answers need not share any. Stop reasons are not compared either: configurations with different passes stop for
    different reasons by design.
    """
    files = _share(_files(served), _files(shadow))
    ours, theirs = _symbols(served), _symbols(shadow)
    symbols = _share(ours, theirs) if ours or theirs else None
    overlap = files if symbols is None else (files + symbols) / 2
    if overlap >= _SAME_SHARE and served.confidence is shadow.confidence:
        return Comparison(Agreement.SAME, files, symbols)
    return Comparison(Agreement.SIMILAR if overlap >= _SIMILAR_SHARE else Agreement.DIFFERENT, files, symbols)


def _share(ours: AbstractSet[object], theirs: AbstractSet[object]) -> float:
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 1.0


def _files(answer: Answer) -> set[str]:
    return {each.span.path for each in answer.citations}


def _symbols(answer: Answer) -> set[tuple[str, str]]:
    return {(each.symbol.path, each.symbol.qualified_name) for each in answer.citations if each.symbol}
