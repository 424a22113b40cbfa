"""The actions that a loop can request of the driver, and the limits of a loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from common.core.contract.evidence import Gap
    from orchestrator.domain.answers.answer import StopReason


@dataclass(frozen=True, slots=True)
class Classify:
    """Classify the question."""


@dataclass(frozen=True, slots=True)
class RetrieveFirst:
    """Gather the first evidence, in full."""


@dataclass(frozen=True, slots=True)
class AskEngine:
    """
    Call the answering engine; the last pass may ask for nothing more.

    `without_model`: no time is left for a model.
    """

    pass_number: int
    is_last: bool
    without_model: bool = False


@dataclass(frozen=True, slots=True)
class FetchGaps:
    """Fetch exactly what the pass asked for, within `tokens`."""

    pass_number: int
    gaps: tuple[Gap, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Judge:
    """Ask the judge whether evidence and graph suffice after this retrieval."""

    iteration: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class RetrieveMore:
    """Search for a sub-question, within `tokens`."""

    iteration: int
    sub_question: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Finish:
    """Check claims, weigh the evidence, complete the answer."""

    stop_reason: StopReason


Action: TypeAlias = Classify | RetrieveFirst | AskEngine | FetchGaps | Judge | RetrieveMore | Finish


@dataclass(frozen=True, slots=True)
class LoopRules:
    """
    Limits of one answer.

    Args:
        max_passes: Calls of the engine, at least 1.
        total_tokens: Tokens of system text, question and all evidence together.
        system_tokens: Tokens of `total_tokens` that are reserved for system text and question.
        gap_total_tokens: Tokens of all fetches for gaps, or for sub-questions, together.
        min_fetch_tokens: With fewer tokens left, no fetch is made: the budget counts as spent.
        stop_without_new_evidence: A fetch that brought nothing new ends the loop.
        max_retrievals: Retrievals of the sufficiency strategy, the first one included.
    """

    max_passes: int = 3
    total_tokens: int = 8000
    system_tokens: int = 700
    gap_total_tokens: int = 2000
    min_fetch_tokens: int = 32
    stop_without_new_evidence: bool = True
    max_retrievals: int = 4


@dataclass(frozen=True, slots=True)
class Situation:
    """Input of the loop besides events: remaining seconds, and gaps that the session knows to be unfindable."""

    seconds_left: float = float("inf")
    remembered: frozenset[str] = frozenset()
