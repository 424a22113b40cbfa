"""State machine of the answer loop: which event is allowed in which phase, as a table of transitions."""

from __future__ import annotations

from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING

from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    Judged,
    PassFinished,
    PassStarted,
    RetrievalProgress,
    Started,
    TextDelta,
    Unknown,
    Warned,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orchestrator.domain.answers.events import Event


class Phase(Enum):
    """Phase of an answer."""

    NEW = auto()
    OPENED = auto()
    CLASSIFIED = auto()
    SUPPLIED = auto()
    JUDGED = auto()
    ANSWERING = auto()
    ANSWERED = auto()
    DONE = auto()


class IllegalTransition(Exception):
    """The event is not allowed in this phase: a defect of the driver or a damaged log."""

    def __init__(self, phase: Phase, event: Event) -> None:
        super().__init__(f"{type(event).__name__} may not come in phase {phase.name}")
        self.phase = phase


# An interrupted or failed pass restarts from ANSWERING; its text so far is discarded.
TRANSITIONS: Mapping[tuple[Phase, type], Phase] = MappingProxyType(
    {
        (Phase.NEW, Started): Phase.OPENED,
        (Phase.OPENED, Classified): Phase.CLASSIFIED,
        (Phase.CLASSIFIED, RetrievalProgress): Phase.CLASSIFIED,
        (Phase.CLASSIFIED, EvidenceSupplied): Phase.SUPPLIED,
        (Phase.SUPPLIED, Judged): Phase.JUDGED,
        (Phase.JUDGED, RetrievalProgress): Phase.JUDGED,
        (Phase.JUDGED, EvidenceSupplied): Phase.SUPPLIED,
        (Phase.JUDGED, PassStarted): Phase.ANSWERING,
        (Phase.SUPPLIED, PassStarted): Phase.ANSWERING,
        (Phase.ANSWERING, PassStarted): Phase.ANSWERING,
        (Phase.ANSWERING, TextDelta): Phase.ANSWERING,
        (Phase.ANSWERING, GapsFound): Phase.ANSWERING,
        (Phase.ANSWERING, PassFinished): Phase.ANSWERED,
        (Phase.ANSWERED, GapResolved): Phase.ANSWERED,
        (Phase.ANSWERED, RetrievalProgress): Phase.ANSWERED,
        (Phase.ANSWERED, EvidenceSupplied): Phase.SUPPLIED,
        # A pass that only requested gaps is followed by one that answers, whether anything was fetched or not.
        (Phase.ANSWERED, PassStarted): Phase.ANSWERING,
        (Phase.ANSWERED, Completed): Phase.DONE,
        (Phase.SUPPLIED, Completed): Phase.DONE,
    }
)


def advance(phase: Phase, event: Event) -> Phase:
    """
    Return the phase after an event. Raises IllegalTransition for an event that is not allowed in the phase.

    `Warned` is allowed in all phases but NEW and DONE, `Unknown` in all.
    """
    if isinstance(event, Unknown):
        return phase
    if isinstance(event, Warned) and phase not in (Phase.NEW, Phase.DONE):
        return phase
    after = TRANSITIONS.get((phase, type(event)))
    if after is None:
        raise IllegalTransition(phase, event)
    return after
