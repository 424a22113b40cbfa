"""A section of an answer: its paragraphs, and how far the evidence supports the first of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.answers.confidence import Support


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an answer: paragraphs in markdown; empty ones are dropped."""

    paragraphs: Sequence[str]
    support: Support
