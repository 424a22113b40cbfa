"""Explains from the end of a service's log why the service ended or is not ready."""

from __future__ import annotations

import json
import shutil
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LINES_SHOWN = 12
_LITTLE = 64 * 1024


def explain_end(service: str, code: int | None, log: Path) -> str:
    """Return a message on why a service ended: the last lines of its log, with events as plain text, not JSON."""
    told = _last_of(log)
    if not told and _is_full(log.parent):
        return f"{service} ended with code {code}: no space is left in {log.parent}, where its log goes; free some"
    return f"{service} ended with code {code}; its log ({log}) ends with:\n{told or '  its log is empty'}"


def explain_unready(service: str, log: Path) -> str:
    """Return a message on why a running service is not ready: the last lines of its log."""
    told = _last_of(log)
    return f"{service} runs and says that it is not ready; its log ({log}) ends with:\n{told or '  its log is empty'}"


def _last_of(log: Path) -> str:
    try:
        with log.open(encoding="utf-8", errors="replace") as lines:
            last = deque(lines, LINES_SHOWN)
    except OSError:
        return ""
    return "\n".join(f"  {text}" for line in last if (text := _told(line)))


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _LITTLE
    except OSError:
        return False


def _told(line: str) -> str:
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        return line.rstrip()
    if not isinstance(event, dict):
        return line.rstrip()
    plain = {"timestamp", "level", "logger", "event", "service"}
    details = ", ".join(f"{key}={value}" for key, value in event.items() if key not in plain)
    return f"{event.get('level', '')} {event.get('event', '')} {details}".strip()
