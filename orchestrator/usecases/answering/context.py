"""The context that the steps of one answer share: settings, options, state and time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from common.core.errors import InvalidArgument, Violation
from orchestrator.domain.answers.confidence import ConfidenceThresholds
from orchestrator.domain.answers.events import Started
from orchestrator.domain.answers.orders import Pin
from orchestrator.domain.answers.phases import Phase
from orchestrator.domain.loop.actions import LoopRules, Situation
from orchestrator.domain.loop.fitting import fit
from orchestrator.domain.questions.question import Budget, Depth, Strategy, Switches
from orchestrator.domain.questions.sessions import SessionMemory

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.clock import Clock
    from orchestrator.domain.answers.events import Event
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.evidence.piece import Evidence, GapResult
    from orchestrator.domain.questions.question import AskOptions
    from orchestrator.ports import AnswerObserver
    from orchestrator.usecases.feed import AnswerFeed


_KEPT = 256
"""Size of the caches of budgets and rules, which answers share."""


@dataclass(frozen=True, slots=True)
class AnsweringSettings:
    """
    Defaults of the loop; a request may change passes, strategy and budget.

    Args:
        max_passes: Calls of the engine for one answer.
        strategy: Strategy of requests that name none.
        stop_without_new_evidence: Whether the loop ends after a fetch that brought no new evidence.
        max_retrievals: Retrievals for one answer of the sufficiency strategy.
        answer_seconds: Time for one answer, including finished work before it was resumed; afterwards, or after an
            earlier deadline of the caller, no further pass begins.
        budget: Default token budget, in which every limit is set.
        recalled_share: Share of the initial tokens that evidence of the session may take, 0 to 1.
        asking_share: Share of the initial tokens that a model is shown before it may ask for more, 0 to 1.
        thresholds: Thresholds of confidence.
        citation_url: Template of links; "" for none.
        switches: Parts of the retrieval that are off for every request.
        variant: Name of the configuration; "" for the standard one.
    """

    max_passes: int = 3
    strategy: Strategy = Strategy.GAPS
    stop_without_new_evidence: bool = True
    max_retrievals: int = 4
    answer_seconds: float = 120.0
    budget: Budget = field(
        default_factory=lambda: Budget(8000, 700, 2800, 6000, 1200, 6000, after_pass_tokens=(4500, 5000, 1000))
    )
    recalled_share: float = 0.75
    asking_share: float = 0.65
    thresholds: ConfidenceThresholds = field(default_factory=ConfidenceThresholds)
    citation_url: str = ""
    switches: Switches = field(default_factory=Switches)
    variant: str = ""


@dataclass(slots=True)
class Answering:
    """
    One answer while it is made. Answers with equal options and settings share budget and rules.

    Args:
        record: Owner and question of the answer.
        feed: Feed to which its events are appended.
        settings: Defaults of the loop.
        clock: Measures time.
        observer: Receives every event.
        remaining: Returns the seconds until the last of its callers' deadlines, which may change; None without one.

    """

    record: AnswerRecord
    feed: AnswerFeed
    settings: AnsweringSettings
    clock: Clock
    observer: AnswerObserver
    remaining: Callable[[], float | None] = lambda: None
    pin: Pin = field(init=False)
    memory: SessionMemory = field(default_factory=SessionMemory)
    started_at: float = field(init=False)
    earlier_seconds: float = field(init=False)
    spent_seconds: float = field(init=False)

    def __post_init__(self) -> None:
        """Record the start; of a resumed answer also the time since its request and the time already worked."""
        self.started_at = self.clock.monotonic()
        since = (self.clock.now() - self.record.create_time).total_seconds()
        self.earlier_seconds = 0.0 if self.state.phase is Phase.NEW else max(0.0, since)
        # Measured while the work was done, so that suspension and changes of the clock do not count.
        self.spent_seconds = self.state.worked_ms / 1000
        self.pin = Pin(self.record.question.repository, self.record.question.snapshot_id)

    @property
    def question(self) -> str:
        """Return the text of the question."""
        return self.record.question.question

    @property
    def state(self) -> AnswerState:
        """Return the answer's state after all events so far."""
        return self.feed.state

    @property
    def options(self) -> AskOptions:
        """Return the options of the request, with the parts that are off for every request."""
        return restricted(self.record.question.options, self.settings)

    @property
    def strategy(self) -> Strategy:
        """Return the strategy in force."""
        return self.settings.strategy if self.options.strategy is Strategy.UNSPECIFIED else self.options.strategy

    @property
    def may_ask_for_more(self) -> bool:
        """Return whether the answer is written by a model that may name gaps."""
        started = self.state.started
        by_model = started is not None and started.by_model
        return by_model and self.strategy is Strategy.GAPS and self.rules.max_passes > 1

    @property
    def elapsed(self) -> float:
        """Return the seconds since the work began or was last resumed."""
        return self.clock.monotonic() - self.started_at

    @property
    def caller_seconds_left(self) -> float | None:
        """Return seconds until the caller's deadline; None without one."""
        return self.remaining()

    @property
    def rules(self) -> LoopRules:
        """Return the limits of this answer's loop."""
        options, settings = self.options, self.settings
        return _rules(
            self.budget,
            max_passes(options, settings),
            max_retrievals(options, settings),
            stop_without_new_evidence=settings.stop_without_new_evidence and not options.continue_without_new_evidence,
        )

    def situation(self) -> Situation:
        """Return the input of the loop that is not in the events: time left and gaps known to be absent."""
        left, of_caller = self.settings.answer_seconds - self.spent_seconds - self.elapsed, self.remaining()
        return Situation(left if of_caller is None else min(left, of_caller), frozenset(self.memory.absent()))

    @property
    def budget(self) -> Budget:
        """Return the token budget in force."""
        return decide_budget(self.options.budget, self.settings.budget)

    def shown(self) -> tuple[Evidence, ...]:
        """Return the evidence that the next pass is shown."""
        return fit(self.state.needed, self.budget.total_tokens - self.budget.system_tokens, self.state.cited)

    async def emit(self, event: Event) -> None:
        """Append an event to the answer's feed."""
        if not isinstance(event, Started):
            # `Ask` reports Started, timed from the request.
            self.observer.observe_event(event, self.elapsed)
        await self.feed.emit(event)

    def remembered(self, key: str) -> GapResult | None:
        """Return the session's result for a gap known to be absent; None if there is none."""
        found = self.memory.absent().get(key)
        return found.from_session() if found else None


@lru_cache(maxsize=_KEPT)
def _rules(budget: Budget, passes: int, retrievals: int, *, stop_without_new_evidence: bool) -> LoopRules:
    return LoopRules(
        max_passes=passes,
        total_tokens=budget.total_tokens,
        system_tokens=budget.system_tokens,
        gap_total_tokens=budget.gap_total_tokens,
        stop_without_new_evidence=stop_without_new_evidence,
        max_retrievals=retrievals,
    )


@lru_cache(maxsize=_KEPT)
def decide_budget(asked: Budget, default: Budget) -> Budget:
    """
    Decide the token budget of an answer: the request's limits, else the settings' in proportion to the total.

    Raises:
        InvalidArgument: if system text and question leave no room for evidence.
    """
    total = asked.total_tokens or default.total_tokens
    system = asked.system_tokens or default.system_tokens
    room = total - system
    if room <= 0:
        field = "system_tokens" if asked.system_tokens else "total_tokens"
        text = f"leaves nothing for evidence: {system} of {total} tokens in all are for system text and question"
        raise InvalidArgument.of([Violation(f"options.budget.{field}", text)])
    parts = default.scaled_to(room)
    return Budget(
        total_tokens=total,
        system_tokens=system,
        initial_tokens=min(asked.initial_tokens or parts.initial_tokens, room),
        gap_total_tokens=min(asked.gap_total_tokens or parts.gap_total_tokens, room),
        gap_tokens=asked.gap_tokens or parts.gap_tokens,
        pass_tokens=asked.pass_tokens or parts.pass_tokens,
        after_pass_tokens=asked.after_pass_tokens or parts.after_pass_tokens,
    )


def restricted(options: AskOptions, settings: AnsweringSettings) -> AskOptions:
    """Return the options, with the parts of the retrieval switched off that the settings switch off."""
    switches = options.switches.with_all_of(settings.switches)
    return options if switches == options.switches else replace(options, switches=switches)


def max_passes(options: AskOptions, settings: AnsweringSettings) -> int:
    """Return how many calls of the engine an answer may take."""
    if options.depth is Depth.QUICK or options.switches.without_gap_resolution:
        return 1
    return options.max_passes or settings.max_passes


def max_retrievals(options: AskOptions, settings: AnsweringSettings) -> int:
    """Return how many retrievals an answer of the sufficiency strategy may take."""
    return 1 if options.depth is Depth.QUICK else settings.max_retrievals
