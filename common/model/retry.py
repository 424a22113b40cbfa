"""Waits between attempts at a model, and when to give up."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from common.model.config import RetryPolicy
    from common.model.failures import ModelFailed


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """
    Return the seconds that an answer's Retry-After asks for (RFC 9110, 10.2.3): a number or an HTTP date.

    A date is taken against the answer's own, so that no clock of ours has to agree with the endpoint's.

    Args:
        headers: Of the answer; None comes back for no Retry-After, and for a malformed one, infinity for a number that
            no float holds.
        now: The date where the answer has none. One that is over gives 0.
    """
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        until = _date(text)
        return None if until is None else max(0.0, (until - (_date(headers.get("date", "")) or now)).total_seconds())
    return seconds if seconds >= 0 and (seconds < float("inf") or text.strip().isdecimal()) else None


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


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    # The second one for numbers that no date has.
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
