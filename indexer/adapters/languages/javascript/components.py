"""Takes the scripts out of files that hold markup and code: components of Vue, Svelte and Astro; lines stay."""

from __future__ import annotations

import re

COMPONENTS = (".vue", ".svelte", ".astro")

_SCRIPT = re.compile(r"<script\b[^>]*>(?P<code>.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FRONT = re.compile(r"\s*---[ \t]*\n(?P<code>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_NOT_A_LINE_END = re.compile(r"[^\n]")


def is_component(path: str) -> bool:
    """Return whether a file holds its code between tags."""
    return path.endswith(COMPONENTS)


def scripts_of(path: str, text: str) -> str:
    """Return the text with blanks for all that is no script."""
    parts = [match.span("code") for match in _SCRIPT.finditer(text)]
    front = _FRONT.match(text) if path.endswith(".astro") else None
    kept, at = [], 0
    for start, end in ([front.span("code")] if front else []) + parts:
        if start >= at:
            kept += [_NOT_A_LINE_END.sub(" ", text[at:start]), text[start:end]]
            at = end
    return "".join((*kept, _NOT_A_LINE_END.sub(" ", text[at:])))
