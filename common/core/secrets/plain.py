"""
Finds plain words that are secrets where settings are kept: `password: correcthorse`, as in YAML, `.ini`, `.env` and
properties.

In code, such a line has a variable or a type at its right side. So the lines before and after decide: they must be
settings, too. Values that only name or point to a secret do not count: paths, variables, templates and placeholders.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMED = (
    r"(?:[A-Za-z0-9_.-]{0,80}?"
    r"(?:[Pp]assword|[Pp]asswd|[Pp]assphrase|PASSWORD|PASSWD|PASSPHRASE"
    r"|(?:client|app|jwt|session|cookie|shared|consumer|webhook|signing)[_-]?[Ss]ecret"
    r"|(?:auth|access|api|bot|refresh|bearer)[_-]?[Tt]oken|api[_-]?[Kk]ey)"
    r"|[A-Z0-9_]{0,80}?(?:_PASS|_PWD|SECRET|SECRET_KEY|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY))"
)
_SETTING = re.compile(
    rf"(?m)^[ \t]*(?:-[ \t]+)?(?:(?:export|ENV|ARG)[ \t]+)?[\"']?{_NAMED}(?P<by>=|[ \t]{{1,80}}=[ \t]*|:[ \t]+)"
    r"(?P<secret>[A-Za-z0-9!@#%^&*+~_/.=-]{4,128})[\"']?[ \t]*(?:[ \t]#.*)?\r?$"
)
# Environment variables in Kubernetes manifests.
_VARIABLE = re.compile(
    r"(?m)^[ \t]*-[ \t]+name:[ \t]+[\"']?[A-Za-z0-9_.]{0,80}?"
    r"(?i:password|passwd|passphrase|_pass|secret(?:_?key)?|token|api_?key|private_?key)[\"']?[ \t]*\r?\n"
    r"[ \t]+value:[ \t]+(?P<quote>[\"']?)(?P<secret>[^\s\"'<>{}$#|]{4,128})(?P=quote)[ \t]*\r?$"
)
_NO_SECRET = re.compile(
    # Paths, files, small numbers and versions, members of something.
    r"[~.]{0,2}/.*|[\w.-]+\.(?:ya?ml|json|txt|pem|key|crt|env|p12|jks)|\d{1,4}|\d+(?:\.\d+)+"
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
    # Types such as `SecretStr` and `HTTPSecretStore`, which titles of fields look like in any language.
    r"|[A-Z]+[a-z]+(?:[A-Z][a-z]*)*"
    # Values that are named like variables, and references to secrets that are stored elsewhere.
    r"|(?i:(?:[\w-]+[_-])?(?:password|passwd|passphrase|pwd|secret|token|key)s?)"
    r"|[a-z]\w*(?:Password|Passwd|Secret|Token|Key)"
    r"|(?i:true|false|none|null|undefined|auto|default|enabled?|disabled?|required|optional|empty|unset|prompt|redacted"
    r"|string|text|bytes|integer|bool|boolean|number|object|symbol|unknown|varchar)"
    r"|(?i:change|replace|please|fixme|your|insert|placeholder|todo)[\w!.-]*|[xX*.#_-]+"
)
_ONE_OF_SETTINGS = re.compile(
    r"[#!;]|\[[^\[\]]*\]$|---|\{\{|-[ \t]"
    r"|(?!(?:else|try|finally|default|do)[ \t]*:)"
    r"(?:(?:export|ENV|ARG)[ \t]+)?[\"']?[\w./@$-]+[\"']?[ \t]*(?:=|:(?:[ \t]|$))"
)
_SECTION = re.compile(r"\[[^\[\]\n]+\]$")
_CODE_ENDS = (",", ";", "(", "{", "=>", "->")
# Delimiters of Markdown and of parts of a prompt: a line behind one belongs to another text.
_FENCES = ("```", "~~~", "<")
_LOOKED_AT = 300


def is_placeholder(value: str) -> bool:
    """Return whether a value only names, describes or points to a secret."""
    return bool(_NO_SECRET.fullmatch(value))


def plain_secrets(text: str) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of plain words that are secrets of settings, in order; takes time linear in the length."""
    found = [each for each in _SETTING.finditer(text) if not is_placeholder(each["secret"])]
    variables = [each for each in _VARIABLE.finditer(text) if not is_placeholder(each["secret"])]
    settings = _among_settings(text, found) if found else []
    return tuple(sorted(each.span("secret") for each in (*settings, *variables)))


def _among_settings(text: str, found: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the values whose neighbouring lines are settings."""
    lines = text.split("\n")
    sections = _sections(lines) if any(_is_spaced(each) for each in found) else []
    kept = []
    at = start = 0
    for each in found:
        while start + len(lines[at]) < each.start("secret"):
            start += len(lines[at]) + 1
            at += 1
        if sections[at] if _is_spaced(each) else _stands_among_settings(lines, at):
            kept.append(each)
    return kept


def _is_spaced(setting: re.Match[str]) -> bool:
    return setting["by"][0] in " \t"


def _sections(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is in an `.ini` section: elsewhere a line with blanks around `=` may be code."""
    found = []
    within = False
    for line in lines:
        shown = _shown(line)
        if _SECTION.match(shown):
            within = True
        elif shown:
            within = within and (line[0] in " \t" or _is_setting(shown))
        found.append(within)
    return found


def _stands_among_settings(lines: Sequence[str], at: int) -> bool:
    """Return whether the neighbouring lines are settings, too, and at least one exists."""
    beside = [shown for shown in (_beside(lines, at, -1), _beside(lines, at, 1)) if shown]
    return bool(beside) and all(map(_is_setting, beside))


def _beside(lines: Sequence[str], at: int, step: int) -> str:
    """Return the next line in a direction, skipping one empty line; "" at an end of the text or at a delimiter."""
    for other in (at + step, at + 2 * step):
        if 0 <= other < len(lines) and (shown := _shown(lines[other])):
            return "" if shown.startswith(_FENCES) else shown
    return ""


def _shown(line: str) -> str:
    return line[:_LOOKED_AT].strip() if len(line) <= _LOOKED_AT else line[:_LOOKED_AT].strip() + line[-1]


def _is_setting(shown: str) -> bool:
    return bool(_ONE_OF_SETTINGS.match(shown)) and not shown.endswith(_CODE_ENDS)
