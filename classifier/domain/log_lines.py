"""
Reads pasted log lines: extracts the message without time, level, thread and logger.

Supported are the default layouts of Python, log4j and Logback, Spring Boot, Go's log, hclog and glog, and JavaScript's
consoles; also logfmt, and JSON with one object a line.
"""

from __future__ import annotations

import json
import re

MOST = 5
"""Most messages that are returned for one text."""
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
_WHEN = rf"(?:\d{{4}}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} )?{_CLOCK}"
_TIME = rf"(?:{_WHEN}|\[{_WHEN}[^\]\n]{{0,60}}\])"
_ORDINARY, _WARNS = r"TRACE|DEBUG|INFO|NOTICE", r"WARN|WARNING"
_LEVEL = rf"{_ORDINARY}|{_WARNS}|ERROR|ERR|SEVERE|CRITICAL|FATAL|PANIC"
_STAMPED = re.compile(rf"[ \t>]*{_TIME}[ \t]+")
_GLOG = re.compile(r"[ \t>]*(?P<level>[IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w.\-]+:\d+\] ")
_LEVELLED = re.compile(
    rf"[ \t>]*(?:(?:\[[\w.\- ]{{1,40}}\] ?)?[(\[](?i:{_LEVEL})[)\]]:?\s"
    rf"|(?i:{_LEVEL}):(?:[\w.]*:(?=\S)|\s)|(?:{_LEVEL})(?:  | (?=\d)))"
)
_BEFORE = re.compile(
    rf"(?:{_TIME}|\[[^\]\n]{{1,80}}\]|[(\[]?(?i:{_LEVEL})[)\]]?(?=[: \t|\]])|\d+|[-|:]+"
    r"|[\w$/\-]+(?:\.[\w$/\-]+)+(?::\d+)?(?=[ \t]*(?: -|:|\]))|[\w$]+(?=[ \t]+[-:] ))[ \t]*[:|]?[ \t]+"
)
"""What may stand between time or level and message: thread, process, logger, a place in the code."""
_LOGFMT = re.compile(r"(?:^|[ \t])(?:msg|message|event)=(?:\"(?P<quoted>(?:\\.|[^\"\\])*)\"|(?P<bare>[^\s\"]+))")
_LOGFMT_LEVEL = re.compile(rf"(?:^|[ \t])(?:level|lvl|severity)=\"?(?P<level>(?i:{_LEVEL}))\b")
_MESSAGE_KEYS = ("msg", "message", "event", "Message")
_LEVEL_KEYS = ("level", "lvl", "severity", "levelname", "log.level", "Level")
_FINDS_LEVEL = re.compile(rf"\b(?i:{_LEVEL})\b")
_MILD = re.compile(rf"(?i:{_ORDINARY}|I)\Z"), re.compile(rf"(?i:{_WARNS}|W)\Z")
_MOST_CHARS = 1_000
_MOST_LINES = 100


def read_log(text: str) -> tuple[tuple[str, ...], str]:
    """
    Return the messages of a text's log lines, in order, and the text with each log line replaced by its message.

    Of more than MOST messages the most severe are returned; of equally severe ones the last.
    """
    lines = text.split("\n")
    found = [(*said, at) for at, line in enumerate(lines[:_MOST_LINES]) if (said := _read(line))]
    for _, message, at in found:
        lines[at] = message
    kept = sorted(found, key=lambda each: (-each[0], -each[2]))[:MOST]
    return tuple(message for _, message, _ in sorted(kept, key=lambda each: each[2])), "\n".join(lines)


def is_log(text: str) -> bool:
    """Return whether a text consists of log lines alone."""
    lines = [line for line in text.split("\n")[:_MOST_LINES] if line.strip()]
    return bool(lines) and all(map(_read, lines))


def _read(line: str) -> tuple[int, str] | None:
    """Return severity (0 to 2) and message of a log line; None for any other line, or one without a message."""
    line = line[:_MOST_CHARS].strip()
    if line.startswith("{"):
        return _read_object(line)
    if (level := _LOGFMT_LEVEL.search(line)) and (field := _LOGFMT.search(line)):
        return _severity(level["level"]), field["bare"] or field["quoted"].replace('\\"', '"')
    if head := _GLOG.match(line):
        return _severity(head["level"]), line[head.end() :]
    stamped = _STAMPED.match(line)
    head = stamped or _LEVELLED.match(line)
    if head is None:
        return None
    at = head.end()
    # After a level with a colon, such as "error:", the message begins at once.
    while (stamped or ":" not in head[0]) and (before := _BEFORE.match(line, at)):
        at = before.end()
    level = _FINDS_LEVEL.search(line, 0, at)
    message = " ".join(line[at:].split()).strip(" :")
    return (_severity(level[0] if level else "INFO"), message) if message else None


def _read_object(line: str) -> tuple[int, str] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    said = next((found[key].strip() for key in _MESSAGE_KEYS if isinstance(found.get(key), str)), "")
    level = next((found[key] for key in _LEVEL_KEYS if key in found), None)
    return (_severity(str(level)), said) if said and level is not None else None


def _severity(level: str) -> int:
    return next((at for at, pattern in enumerate(_MILD) if pattern.match(level)), len(_MILD))
