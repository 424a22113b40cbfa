"""How long to wait before asking a model again, and when not to."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from common.model.config import RetryPolicy
    from common.model.failures import ModelFailed


def parse_retry_after(text: str | None, now: datetime) -> float | None:
    """
    Return the seconds that a Retry-After header asks for (RFC 9110, 10.2.3): a number or an HTTP date.

    Args:
        text: The header; None or malformed gives None.
        now: The date against which a date is taken; one in the past gives 0.
    """
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        return _until_date(text, now)
    return seconds if 0 <= seconds < float("inf") else None


def next_wait(
    policy: RetryPolicy, failure: ModelFailed, attempt: int, left_seconds: float, jitter: Callable[[], float]
) -> float | None:
    """
    Return the wait before the next attempt; None gives up.

    Never shorter than what the endpoint asked for: what does not fit is given up at once rather than tried early.

    Args:
        policy: The bounds.
        failure: Of the attempt that just ended.
        attempt: Its number, from 1.
        left_seconds: Until the deadline.
        jitter: Gives a number from 0 to 1.
    """
    if not failure.is_retryable or attempt >= policy.max_attempts:
        return None
    backoff = policy.base_seconds * 2 ** (attempt - 1) * (0.5 + jitter() / 2)
    wait = max(failure.retry_after_seconds or 0.0, min(backoff, policy.max_wait_seconds))
    return None if wait > policy.max_wait_seconds or wait >= left_seconds else wait


def _until_date(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
