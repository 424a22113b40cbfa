"""Token caps of one answer, and the ledger that keeps them. The smallest remaining cap wins; none is ever exceeded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import ContextSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.questions.question import Mode


@dataclass(frozen=True, slots=True)
class Budget:
    """
    Caps in tokens.

    Args:
        total: Everything that is sent to the answering engine in one call.
        system: System text and question.
        initial: Evidence of the first pass.
        gap_total: All gaps of an answer together.
        gap: One gap.
        per_pass: Gaps fetched after one pass, whatever the pass.
        after_pass: Gaps fetched after pass 1, 2, 3 and so on; the last value holds for later passes.
        splits: Shares of the first evidence by source, for each mode, in tokens of the default budget.
    """

    total: int
    system: int
    initial: int
    gap_total: int
    gap: int
    per_pass: int
    after_pass: tuple[int, ...]
    splits: Mapping[Mode, Mapping[ContextSource, int]]

    @property
    def evidence(self) -> int:
        """Tokens that are left for evidence of every kind."""
        return max(0, self.total - self.system)

    def scaled(self, total: int) -> Budget:
        """Return the budget for another total: all caps in proportion, except that of the system text, which stays."""
        factor = max(0, total - self.system) / self.evidence if self.evidence else 1.0
        return replace(
            self,
            total=total,
            initial=round(self.initial * factor),
            gap_total=round(self.gap_total * factor),
            gap=round(self.gap * factor),
            per_pass=round(self.per_pass * factor),
            after_pass=tuple(round(each * factor) for each in self.after_pass),
        )

    def split(self, mode: Mode) -> Mapping[ContextSource, int]:
        """Return the caps of the first evidence by source, in proportion to what it may take in all."""
        shares = self.splits[mode]
        factor = self.initial / (sum(shares.values()) or 1)
        return {source: round(share * factor) for source, share in shares.items()}


class Ledger:
    """
    Keeps count of tokens against an overall cap and one cap for each source.

    A source without a cap of its own may not be used at all.
    """

    def __init__(self, overall: int, limits: Mapping[ContextSource, int]) -> None:
        self._overall = max(0, overall)
        self._limits = {source: max(0, limit) for source, limit in limits.items()}
        self._used = dict.fromkeys(limits, 0)

    def open_up(self, source: ContextSource) -> None:
        """Raise the cap of a source to all tokens that remain, so that it gets what other sources did not need."""
        self._limits[source] = self._used.get(source, 0) + self._overall - self.used

    def set_aside(self, tokens: int) -> int:
        """Reserve tokens, at most all that remain, until `release`; return how many were reserved."""
        reserved = min(tokens, self._overall - self.used)
        self._overall -= reserved
        return reserved

    def release(self, tokens: int) -> None:
        """Make reserved tokens available again."""
        self._overall += tokens

    @property
    def used(self) -> int:
        """Tokens spent on all sources."""
        return sum(self._used.values())

    def remaining(self, source: ContextSource) -> int:
        """Return what may still be spent on a source: the smallest of the caps that apply."""
        own = self._limits.get(source, 0) - self._used.get(source, 0)
        return min(own, self._overall - self.used)

    def spend(self, source: ContextSource, tokens: int) -> None:
        """Take tokens. Raises ValueError if they are negative or more than remain; nothing is taken then."""
        if tokens < 0 or tokens > self.remaining(source):
            raise ValueError(f"{tokens} tokens of {source.name} asked, {self.remaining(source)} remain")
        self._used[source] = self._used.get(source, 0) + tokens

    def report(self) -> tuple[tuple[ContextSource, int, int], ...]:
        """Return (source, limit, used) of each cap, in the order of the sources."""
        return tuple((each, min(self._limits[each], self._overall), self._used[each]) for each in sorted(self._limits))


def initial_ledger(budget: Budget, mode: Mode) -> Ledger:
    """Return the ledger of tokens for the first evidence, with a cap for all of it and one for each source."""
    return Ledger(min(budget.initial, budget.evidence), budget.split(mode))


def gap_ledger(budget: Budget, *, pass_number: int, used_tokens: int) -> Ledger:
    """
    Return the ledger of tokens for the gaps that are fetched after a pass.

    Args:
        pass_number: Number of the pass that asked, from 1.
        used_tokens: What gaps of earlier passes used.
    """
    position = min(max(pass_number, 1), len(budget.after_pass)) - 1
    after_pass = budget.after_pass[position] if budget.after_pass else 0
    left = min(budget.gap_total, budget.evidence) - used_tokens
    overall = min(left, budget.per_pass, after_pass)
    return Ledger(overall, {ContextSource.GAPS: overall})
