"""The stages that a request can name, in the order in which they make sense. A new stage is a new file and a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.usecases.tasks.precision import Precision
from retriever.usecases.tasks.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.usecases.tasks.protocol import ContextStage


def context_stages() -> Mapping[str, ContextStage]:
    """Return the stages by name."""
    stages: tuple[ContextStage, ...] = (Scope(), Precision())
    return {stage.name: stage for stage in stages}
