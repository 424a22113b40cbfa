"""Markdown that answers are made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.writing.excerpts import Excerpt

_TICKS = re.compile(r"`+")


def quote(excerpt: Excerpt) -> str:
    """Return a code block of lines below their place; the file ending is the language for renderers."""
    name, _, ending = excerpt.path.rpartition("/")[2].rpartition(".")
    last = f"-{excerpt.end_line}" if excerpt.end_line > excerpt.start_line else ""
    place = f"`{excerpt.path}:{excerpt.start_line}{last}`"
    return f"{place}\n{fenced(excerpt.lines, ending if name else '')}"


def code(text: str) -> str:
    """Put text on one line into code marks that it cannot close."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {text} {mark}" if longest else f"{mark}{text}{mark}"


def fenced(lines: Sequence[str], info: str) -> str:
    """Put lines into a code block that they cannot close, which begins with an info string."""
    body = "\n".join(lines)
    mark = "`" * max(3, max(map(len, _TICKS.findall(body)), default=0) + 1)
    return f"{mark}{info}\n{body}\n{mark}"


def bullets(lines: Sequence[str]) -> str:
    """Return a list with one item for each line."""
    return "\n".join(f"- {line}" for line in lines)


def head(text: str, limit: int) -> list[str]:
    """Return the first lines that are not empty, and how many more there are."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    more = len(lines) - limit
    return [*lines[:limit], f"… {more} more lines"] if more > 0 else lines
