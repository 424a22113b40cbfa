"""Logs as events with fields: one JSON object a line on standard error."""

from __future__ import annotations

import functools
import logging
import sys
from typing import TYPE_CHECKING, TextIO

import structlog
from opentelemetry import trace

from common.core.secrets.redaction import redact_known

if TYPE_CHECKING:
    from collections.abc import Collection, MutableMapping

    from structlog.typing import Processor, WrappedLogger

_SECRET_NAMES = ("token", "secret", "password", "api_key", "authorization", "credential")
_HIDDEN = "(secret)"
_REMEMBERED = 1024
_LONGEST_NAME = 64


def configure(service: str, *, level: str = "info", muted: Collection[str] = (), stream: TextIO | None = None) -> None:
    """
    Send the logs of this process, those of libraries too and what they warn of, to one stream as JSON.

    Args:
        service: Name that every event carries.
        level: Least level that is logged: debug, info, warning, error.
        muted: Topics that are not logged below warning; the topic of an event is its name up to the first dot.
        stream: Where to; standard error by default.
    """
    shared: list[Processor] = [
        functools.partial(_mute, frozenset(muted)),
        structlog.contextvars.merge_contextvars,
        structlog.processors.format_exc_info,
        hide_secrets,
        # After `hide_secrets`: these fields are our own, and most have a different value in every line.
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        functools.partial(_add_fields, service),
    ]
    number = logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(default=str, ensure_ascii=False),
            ],
        )
    )
    logging.captureWarnings(capture=True)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(number, logging.WARNING))
    logging.getLogger("cgrag").setLevel(number)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: logging.getLogger("cgrag"),
        cache_logger_on_first_use=False,
    )


def hide_secrets(
    _logger: WrappedLogger, _method: str, event: MutableMapping[str, object]
) -> MutableMapping[str, object]:
    """Redact the values of fields whose names denote secrets, and secrets of known formats within any text."""
    for name, value in event.items():
        # Names with this prefix are internal to structlog and its formatter, and are not written.
        if not name.startswith("_"):
            event[name] = _shown(name, value)
    return event


def _shown(name: str, value: object) -> object:
    """Return a value without secrets; types that JSON lacks become texts, as in the renderer."""
    if value is None or value == "" or isinstance(value, bool | int | float):
        return value
    if _names_a_secret(name):
        return _HIDDEN
    if isinstance(value, dict):
        return {_redacted(str(key)): _shown(str(key), each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_shown(name, each) for each in value]
    return _redacted(value if isinstance(value, str) else str(value))


@functools.lru_cache(_REMEMBERED)
def _names_a_secret(field: str) -> bool:
    lower = field.lower()
    return any(lower == name or lower.endswith(f"_{name}") for name in _SECRET_NAMES)


def _redacted(value: str) -> str:
    return _redacted_name(value) if len(value) <= _LONGEST_NAME else redact_known(value).text


@functools.lru_cache(_REMEMBERED)
def _redacted_name(value: str) -> str:
    """Redact a short text; most are names that every event repeats."""
    return redact_known(value).text


def _mute(
    topics: frozenset[str], _logger: WrappedLogger, method: str, event: MutableMapping[str, object]
) -> MutableMapping[str, object]:
    """Drop an event of a muted topic; warnings and errors always pass."""
    topic = str(event.get("event", "")).partition(".")[0]
    if topic in topics and method in ("debug", "info"):
        raise structlog.DropEvent
    return event


def _add_fields(
    service: str, _logger: WrappedLogger, _method: str, event: MutableMapping[str, object]
) -> MutableMapping[str, object]:
    """Add the service's name and, within a trace, the ids of trace and span."""
    event["cgrag_service"] = service
    context = trace.get_current_span().get_span_context()
    if context.is_valid:
        event["trace_id"] = trace.format_trace_id(context.trace_id)
        event["span_id"] = trace.format_span_id(context.span_id)
    return event
