"""Values of a classification: mode, task type, mentions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.core.contract.question import Anchors, StackFrame
    from common.core.contract.understanding import QuestionPart, Understanding


class Mode(IntEnum):
    """The kind of a question; numbers are those of the contract."""

    CONCEPTUAL = 1
    DIAGNOSTIC = 2
    EXPLORATORY = 3
    ANALYTICAL = 4


class Engine(IntEnum):
    """What made a classification; numbers are those of the contract."""

    RULES = 1
    MODEL = 2
    FORCED = 3


class TaskType(IntEnum):
    """What a text wants done; numbers are those of the contract."""

    QUESTION = 1
    BUG_FIX = 2
    FEATURE = 3
    REFACTORING = 4
    TEST = 5
    DOCUMENTATION = 6
    PERFORMANCE = 7


@dataclass(frozen=True, slots=True)
class Trace:
    """
    The stack traces of a text.

    Args:
        frames: Outermost first, whatever order the language prints.
        exceptions: Names of the exception types that were raised.
        messages: Texts of those exceptions.
        spans: (start, end) offsets of the traces in the text.
    """

    frames: tuple[StackFrame, ...] = ()
    exceptions: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What an engine decides about a question.

    Args:
        confidence: Probability that the mode is right, 0 to 1.
        reasoning: One sentence.
        scope: Path prefix or module name as mentioned; "" for the whole codebase.
        parts: The parts of the question, if the engine read them; if empty, the parts that the rules read are used.
    """

    mode: Mode
    confidence: float
    reasoning: str
    scope: str
    parts: tuple[QuestionPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Classification:
    """The mode of a question with its engine, understanding, anchors and task type."""

    verdict: Verdict
    engine: Engine
    anchors: Anchors
    task_type: TaskType | None
    understanding: Understanding
