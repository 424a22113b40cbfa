"""Decides the type of a task from its text: the first matching rule of a list decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from classifier.domain.values import TaskType

if TYPE_CHECKING:
    from common.core.contract.question import Anchors

READ_CHARS = 1500
_OPENING_CHARS = 160

_ASKS = re.compile(
    r"(?i)^\W*(?:what|how|why|where|which|who|when|is|are|does|do|can|could|explain|describe|show|trace|walk|tell)\b"
)
_CHANGES = r"(?:write|add|create|fix|extend|update|improve|increase|missing)\b.{0,40}\b"
_REDUCES = r"(?:reduce|cut|lower)\b.{0,40}\b(?:memory|latency|time|allocations?|overhead)"
_WANTS = (
    (TaskType.TEST, _CHANGES + r"(?:tests?|test cases?|coverage)\b"),
    (TaskType.DOCUMENTATION, r"(?:document\b|docstrings?\b)"),
    (TaskType.DOCUMENTATION, _CHANGES + r"(?:docs?|documentation|docstrings?|readme|changelog|comments?)\b"),
    (
        TaskType.PERFORMANCE,
        r"(?:speed up|optimi[sz]e|make\b.{0,40}\b(?:faster|smaller|cheaper)|perf(?:ormance)?|slow)\b",
    ),
    (TaskType.PERFORMANCE, _REDUCES),
    (TaskType.REFACTORING, r"(?:refactor|restructure|rename|extract|inline|move|split|merge|decouple|clean ?up)\b"),
    (TaskType.REFACTORING, r"(?:simplify|deduplicate|modulari[sz]e|rework|replace)\b"),
    (TaskType.BUG_FIX, r"(?:fix|repair|debug|resolve|correct|\[bug\]|bug)\b"),
    (TaskType.FEATURE, r"(?:add|implement|support|allow|introduce|enable|create|build|provide|expose|extend)\b"),
    (TaskType.FEATURE, r"(?:permit|make|feature request|let|accept)\b"),
)
_POLITE = r"(?i)^\W*(?:please |we (?:need|want|should) (?:to )?|i (?:need|want) (?:to )?)?"
_OPENINGS = tuple((task, re.compile(_POLITE + pattern)) for task, pattern in _WANTS)
_FAILS = re.compile(
    r"(?i)\b(?:errors?|exceptions?|tracebacks?|crash\w*|fails?|failed|failing|failure|bugs?|broken|breaks|wrong\w*"
    r"|incorrect\w*|unexpected\w*|regression|raises?|throws?|doesn't|does not|isn't|is not|cannot|can't|won't|hangs?"
    r"|leaks?|stopped|ignored|ignores|inconsistent|invalid)\b"
)
_WISHES = re.compile(
    r"(?i)\b(?:feature request|would be (?:nice|useful|helpful|great)|enhancement|should (?:support|accept|allow)"
    r"|it'd be nice|being able to)\b"
)


def task_type(text: str, anchors: Anchors) -> TaskType | None:
    """Return the type of a task; None if nothing in the text decides it."""
    shown = text[:READ_CHARS]
    if anchors.frames:
        return TaskType.BUG_FIX
    if _ASKS.match(shown) or shown.rstrip().endswith("?"):
        return TaskType.QUESTION
    for task, pattern in _OPENINGS:
        if pattern.match(shown[:_OPENING_CHARS]):
            return task
    if anchors.exceptions or anchors.error_messages or _FAILS.search(shown[:_OPENING_CHARS]):
        return TaskType.BUG_FIX
    if _WISHES.search(shown):
        return TaskType.FEATURE
    return TaskType.BUG_FIX if _FAILS.search(shown) else None
