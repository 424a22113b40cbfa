"""Logs events of tasks: their budget, and rules used in place of the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from retriever.domain.tasks.task import ContextRequest

_LOG = structlog.get_logger(__name__)


class LoggedTasks:
    """Implements `TaskJournal`."""

    def budget_set(self, request: ContextRequest) -> None:
        """Log the effective budget of a task."""
        _LOG.info(
            "budget.set",
            repository=request.repository,
            task_id=request.task_id,
            window_tokens=request.window_tokens,
            reserved_tokens=request.reserved_tokens,
            limit_tokens=request.limit_tokens,
        )

    def judge_fell_back(self, stage: str, why: str) -> None:
        """Log that rules judged the candidates of a stage instead of the model."""
        _LOG.warning("context.judge_fell_back", stage=stage, why=why)
