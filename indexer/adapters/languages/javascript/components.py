"""Extracts the scripts of component files with markup (Vue, Svelte, Astro); line numbers stay."""

from __future__ import annotations

import re

COMPONENTS = (".vue", ".svelte", ".astro")

_SCRIPT = re.compile(r"<script\b[^>]*>(?P<code>.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FRONT = re.compile(r"\s*---[ \t]*\n(?P<code>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_NOT_A_LINE_END = re.compile(r"[^\n]")


def is_component(path: str) -> bool:
    """Return whether a file is a component with its code inside of markup."""
    return path.endswith(COMPONENTS)


def scripts_of(path: str, text: str) -> str:
    """Return the text with blanks for everything outside of scripts."""
    parts = [match.span("code") for match in _SCRIPT.finditer(text)]
    front = _FRONT.match(text) if path.endswith(".astro") else None
    kept, at = [], 0
    for start, end in ([front.span("code")] if front else []) + parts:
        if start >= at:
            kept += [_NOT_A_LINE_END.sub(" ", text[at:start]), text[start:end]]
            at = end
    return "".join((*kept, _NOT_A_LINE_END.sub(" ", text[at:])))
