"""Parameters of an answer: the classification and the caller's options."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, fields, is_dataclass, replace
from enum import Enum, auto
from functools import lru_cache

from common.core.contract.question import Anchors
from common.core.contract.understanding import Understanding


class Mode(Enum):
    """The kind of a question; it decides how evidence is retrieved."""

    UNSPECIFIED = auto()
    CONCEPTUAL = auto()
    DIAGNOSTIC = auto()
    EXPLORATORY = auto()
    ANALYTICAL = auto()


class ClassifierEngine(Enum):
    """Which engine made a classification."""

    UNSPECIFIED = auto()
    RULES = auto()
    MODEL = auto()
    FORCED = auto()


class TaskType(Enum):
    """The kind of task that a question asks for."""

    UNSPECIFIED = auto()
    QUESTION = auto()
    BUG_FIX = auto()
    FEATURE = auto()
    REFACTORING = auto()
    TEST = auto()
    DOCUMENTATION = auto()
    PERFORMANCE = auto()


class Strategy(Enum):
    """Kind of loop: passes that fetch gaps, or retrievals until a judge finds the evidence sufficient."""

    UNSPECIFIED = auto()
    GAPS = auto()
    SUFFICIENCY = auto()


class Depth(Enum):
    """How much effort is spent on an answer."""

    UNSPECIFIED = auto()
    QUICK = auto()
    DEEP = auto()


@dataclass(frozen=True, slots=True)
class Classification:
    """The mode of a question, with the probability that it is right, and what the question mentions."""

    mode: Mode = Mode.UNSPECIFIED
    confidence: float = 0.0
    reasoning: str = ""
    scope: str = ""
    engine: ClassifierEngine = ClassifierEngine.UNSPECIFIED
    anchors: Anchors = field(default_factory=Anchors)
    task_type: TaskType = TaskType.UNSPECIFIED
    understanding: Understanding = field(default_factory=Understanding)


@dataclass(frozen=True, slots=True)
class Budget:
    """Caps on tokens; 0 means the configured default."""

    total_tokens: int = 0
    system_tokens: int = 0
    initial_tokens: int = 0
    gap_total_tokens: int = 0
    gap_tokens: int = 0
    pass_tokens: int = 0
    after_pass_tokens: tuple[int, ...] = ()

    def following(self, usual: Budget) -> Budget:
        """Return the budget with those parts that have their defaults scaled to its own evidence budget."""
        parts = usual.scaled_to(self.total_tokens - self.system_tokens)
        return Budget(
            self.total_tokens,
            self.system_tokens,
            parts.initial_tokens if self.initial_tokens == usual.initial_tokens else self.initial_tokens,
            parts.gap_total_tokens if self.gap_total_tokens == usual.gap_total_tokens else self.gap_total_tokens,
            parts.gap_tokens if self.gap_tokens == usual.gap_tokens else self.gap_tokens,
            parts.pass_tokens if self.pass_tokens == usual.pass_tokens else self.pass_tokens,
            parts.after_pass_tokens if self.after_pass_tokens == usual.after_pass_tokens else self.after_pass_tokens,
        )

    def scaled_to(self, room: int) -> Budget:
        """Return the budget with its parts scaled to an evidence budget; total and system text stay."""
        share = room / (self.total_tokens - self.system_tokens)

        def part(tokens: int) -> int:
            return min(room, max(1, int(tokens * share))) if tokens else 0

        return replace(
            self,
            initial_tokens=part(self.initial_tokens),
            gap_total_tokens=part(self.gap_total_tokens),
            gap_tokens=part(self.gap_tokens),
            pass_tokens=part(self.pass_tokens),
            after_pass_tokens=tuple(map(part, self.after_pass_tokens)),
        )


@dataclass(frozen=True, slots=True)
class Switches:
    """Parts of the retrieval that are turned off."""

    without_code_index: bool = False
    without_call_graph: bool = False
    without_source: bool = False
    without_mode_routing: bool = False
    without_gap_resolution: bool = False
    without_vectors: bool = False

    def with_all_of(self, other: Switches) -> Switches:
        """Return switches that turn off every part that either of the two turns off."""
        return Switches(*(mine or theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def narrow_search(self) -> bool:
        """Return whether gaps may stay open because a part of the search is off."""
        return self.without_code_index or self.without_vectors


@dataclass(frozen=True, slots=True)
class AskOptions:
    """Options of one request; unset ones keep the service's setting."""

    mode: Mode = Mode.UNSPECIFIED
    max_passes: int = 0
    strategy: Strategy = Strategy.UNSPECIFIED
    depth: Depth = Depth.UNSPECIFIED
    budget: Budget = field(default_factory=Budget)
    switches: Switches = field(default_factory=Switches)
    continue_without_new_evidence: bool = False

    def stated(self) -> str:
        """Return the options that differ from their defaults, as text that stays equal when a release adds options."""
        return _options_stated(self)


@lru_cache(maxsize=256)
def _options_stated(options: AskOptions) -> str:
    return repr(_stated(options))


def _stated(value: object) -> object:
    if isinstance(value, Enum):
        return value.name
    if not is_dataclass(value) or isinstance(value, type):
        return value
    given = {each.name: _stated(getattr(value, each.name)) for each in fields(value)}
    left = type(value)()
    return {name: each for name, each in sorted(given.items()) if getattr(value, name) != getattr(left, name)}


def without_classifier(forced: Mode) -> Classification:
    """Return the forced mode, else CONCEPTUAL, without an understanding: the retriever then searches by words alone."""
    if forced is not Mode.UNSPECIFIED:
        return Classification(forced, 1.0, "The caller named the mode.", "", ClassifierEngine.FORCED)
    reason = "The classifier did not answer; the question is searched for by its words."
    return Classification(Mode.CONCEPTUAL, 0.5, reason, "", ClassifierEngine.RULES)
