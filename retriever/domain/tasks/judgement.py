"""Requests to a judge about candidates, and its verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retriever.domain.tasks.context import Candidate


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Asks a judge which candidates of a stage are relevant to the task: `keep` of them at most, best first."""

    stage: str
    task: str
    candidates: tuple[Candidate, ...]
    keep: int

    def kept(self, verdict: Verdict) -> tuple[int, ...]:
        """Return the valid positions of a verdict, each once, best first, at most `keep`."""
        there = (each for each in verdict.kept if 0 <= each < len(self.candidates))
        return tuple(dict.fromkeys(there))[: self.keep]


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    A judge's response.

    Args:
        kept: Positions of the candidates to keep, best first.
        text: The judge's remark on all candidates, for the log.
        shown: The text of each candidate that the judge saw, by position; may be shorter than the candidates.
        said: The judge's remark on each candidate, by position.
    """

    kept: tuple[int, ...]
    text: str = ""
    latency_ms: float = 0.0
    tokens: int = 0
    shown: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
