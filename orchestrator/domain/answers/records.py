"""The record of an answer: its owner, its question and its state."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING

from common.core.errors import PageTokenInvalid
from orchestrator.domain.answers.orders import Pin
from orchestrator.domain.questions.question import AskOptions

if TYPE_CHECKING:
    from common.core.contract.evidence import GapOutcome

# No caller can have this name, so a shadow belongs to no caller.
SHADOW_OWNER = "(shadow)"


def shadow_id(answer_id: str) -> str:
    """Return the identity of an answer's shadow."""
    return f"{answer_id}-shadow"


class Hold(Enum):
    """Result of requesting the lease of an answer; only its holder makes the answer."""

    CLEAN = "held, and all that was shown of it is kept"
    BROKEN = "held, but whoever held it before is gone without an end: events may have been shown that are not kept"
    ELSEWHERE = "another process holds it"
    REFUSED = "nobody may: it was cancelled, or is forgotten"


@dataclass(frozen=True, slots=True)
class Held:
    """
    State of the leases on the answers that this process makes, by exception.

    An answer whose lease was renewed and that no other process follows is in no set.

    Args:
        refused: Answers that were cancelled or forgotten at another process.
        lost: Answers that another process has taken over, since this one did not renew its lease in time.
        wanted: Answers whose events a caller follows at another process.
    """

    refused: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Question:
    """A request for an answer."""

    repository: str
    question: str
    snapshot_id: str = ""
    session_id: str = ""
    request_id: str = ""
    options: AskOptions = field(default_factory=AskOptions)

    def pin(self) -> Pin:
        """Return the snapshot that the request names."""
        return Pin(self.repository, self.snapshot_id)

    def fingerprint(self) -> str:
        """Return a digest of the request without its id: equal for a repeated request."""
        text = repr((self.repository, self.question, self.snapshot_id, self.session_id, self.options.stated()))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """
    An accepted request for an answer. The answer is complete once its last event is `Completed`.

    `question` has session and snapshot filled in. `session_expired` says that the session asked for was replaced.
    """

    answer_id: str
    owner: str
    question: Question
    fingerprint: str
    create_time: datetime
    session_expired: bool = False
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Rating:
    """What its owner thinks of an answer, 1 (bad) to 5 (good)."""

    answer_id: str
    rating: int
    comment: str = ""


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """A rating with the time of its answer."""

    answer_id: str
    rating: int
    comment: str
    create_time: datetime

    @property
    def place(self) -> str:
        """Return the position in a list of ratings, newest answers first, for a page token."""
        return json.dumps([self.create_time.isoformat(), self.answer_id])


def ratings_behind(place: str) -> tuple[datetime, str]:
    """Return time and answer after which a list of ratings continues; "" is its start. Raises PageTokenInvalid."""
    if not place:
        return datetime.max.replace(tzinfo=UTC), ""
    try:
        created, answer_id = json.loads(place)
        return datetime.fromisoformat(created), answer_id
    except (ValueError, TypeError):
        raise PageTokenInvalid("the page token is of another list; start again without one") from None


@dataclass(frozen=True, slots=True)
class IndexDebt:
    """A cause of unresolved gaps, with its number of occurrences."""

    outcome: GapOutcome
    wanted: str
    count: int
    last_time: datetime

    @property
    def place(self) -> str:
        """Return the position in a list of causes, most frequent first, for a page token."""
        return json.dumps([self.count, self.wanted, self.outcome.name])


def debts_behind(place: str) -> tuple[int, str, str]:
    """
    Return the sort key after which a list continues, as (-count, wanted, outcome); "" is the start of the list.

    A cause that is met again while a caller pages may move towards the front; no other entry changes its page.

    Raises PageTokenInvalid for a position in the format of the previous release.
    """
    if not place:
        return -(2**31), "", ""
    try:
        count, wanted, outcome = json.loads(place)
    except (ValueError, TypeError):
        raise PageTokenInvalid("the page token is of an earlier release; start again without one") from None
    return -count, wanted, outcome
