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

    A date is compared with the answer's own Date header, so that our clock need not agree with the endpoint's.

    Args:
        headers: Headers of the answer.
        now: Date to compare with if the answer has no Date header.

    Returns:
        Seconds, 0 for a date that has passed, infinity for a number that no float holds; None without a Retry-After
        or for a malformed one.
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

    It is never shorter than the endpoint's Retry-After: if that exceeds the policy's longest wait or the deadline,
    there is no next attempt.

    Args:
        policy: The bounds.
        failure: Failure of the attempt that just ended.
        attempt: Number of that attempt, from 1.
        left_seconds: Time until the deadline.
        jitter: Returns a number from 0 to 1.
    """
    if not failure.is_retryable or attempt >= policy.max_attempts:
        return None
    backoff = policy.base_seconds * 2 ** (attempt - 1) * (0.5 + jitter() / 2)
    wait = max(failure.retry_after_seconds or 0.0, min(backoff, policy.max_wait_seconds))
    return None if wait > policy.max_wait_seconds or wait >= left_seconds else wait


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    # OverflowError: for numbers beyond the range of dates.
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
