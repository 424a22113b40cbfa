"""
Finds secrets by a word such as *password* in their line: in a sentence, docstring, comment, SQL statement or command.

A value is a secret where a word such as *password* stands beside it, and the value is not written like a word, a name
or a version. Directly behind the word a digit or a sign among letters is enough. With other words between, as in *the
password of the database is*, or before the word, the value has to look like a password by itself: digits in the place
of letters, several groups of digits, or a sign beside a digit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.secrets.plain import is_placeholder

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(
    r"(?i:pass(?:word|wd|phrase|code|wort)|mot de passe|contraseñ?n?a|secret|credential|api[_ -]?key|access[_ -]?key"
    r"|(?<![a-z])(?:pass|pwd|pw|auth|login|token|bearer)(?![a-z])|store_?pass|key_?pass|[_-]pass(?![a-z])"
    r"|(?<=[a-z_-])token(?![a-z])|identified by)"
    r"(?!(?i:s?[_-]?(?:name|id|file|path|ref|hash|type|url|count)))\w{0,20}"
)
_HINTS = (
    "pas",
    "pw",
    "psw",
    "contrase",
    "secret",
    "credential",
    "key",
    "auth",
    "login",
    "token",
    "bearer",
    "identified",
)
"""Substrings for a quick check: in a text without any of them, the pattern `_NAME` finds nothing."""
_REACH = 90
_FEW_GROUPS = 2
_MANY_GROUPS = 3
_LONGEST = 128
_LEAST_SPREAD = 8
_MOST_SPREAD = 50
"""Number of found values that are searched for in the whole text; each takes one pass over it."""
_VALUE = re.compile(r"(?<!\w)[^\s\"'`<>(){}\[\],;|«»“”„]{6,128}")
# Text between a word such as "password" and the secret directly after it.
_ADJACENT = re.compile(
    r"[\"'`*)\]]{0,3}(?:\s*(?::=|={1,3}|:|=>|->)\s*|\s+(?:is|ist|was|of)\s+|[ \t]*\(?[ \t]*)>?"
    r"(?:@?[\"'`*]{1,3})?"
)
_QUOTES = "\"'`"
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w.$]*")
_LEET = re.compile(r"[A-Za-z][013457][a-z]|(?<![A-Za-z\d])[013457](?=[a-z]{3})")
_SIGN = re.compile(r"[A-Za-z\d][!@#$%^&*~]+[A-Za-z\d]")
_DIGITS = re.compile(r"\d+")
_NUMBERED_NAME = re.compile(r"[a-z_]+(?:[A-Z][a-z]+)*\d{0,2}|(?:[A-Z]+[a-z]*)+\d{0,2}|[A-Z_]+\d{0,2}")
_TECHNICAL = re.compile(
    r"[-/.\\$%@#&*~+:?!^=].*|.*(?:://|\\[nrtux]|\$\{|%[sd(]|=|\.\w{1,5}$|:$).*"  # paths, options, templates, files
    r"|\w+(?:/[\w$]+)+|[\w-]+(?::[\w-]*){2,}|[\w.+-]+@\w[\w-]*[.:/].*"  # paths, names of resources, addresses
    r"|v?\d+(?:[.:_x/-]\w+)*|0x[\da-fA-F]+|\d+[a-z]{1,4}"  # numbers, versions, sizes, dates
    r"|(?:[a-z]+-)+\d{1,3}|[A-Z]+\d{0,3}(?:-[A-Z]+\d{0,3})+"  # zones, algorithms
)
# Options of commands whose letter alone does not mean a password.
_OPTION = re.compile(
    r"(?:\b(?:mysql\w{0,8}|mariadb\S{0,8})\b[^\n|;]{0,200}?[ ]-p"
    r"|\b(?:sshpass|(?:docker|podman|registry|oc|az) login)\b[^\n|;]{0,200}?[ ]-p[ ]{0,2}"
    r"|\bredis-cli\b[^\n|;]{0,200}?[ ]-a[ ]"
    r"|\b(?:curl|wget|http|https)\b[^\n|;]{0,200}?[ ](?:-u|--user|--proxy-user|-a)[ =]{0,2}[\"']?[\w.@-]{1,64}:)"
    r"(?P<quote>[\"']?)(?P<secret>[^\s\"'$<>{}-][^\s\"'<>{}]{2,127})"
)


def named_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of values that the words around them mark as secrets, and of their copies, in order."""
    lowered = text.lower()
    found = {*_behind_names(text)} if any(each in lowered for each in _HINTS) else set()
    if " -" in text:
        found |= {each.span("secret") for each in _OPTION.finditer(text) if not is_placeholder(each["secret"])}
    values = sorted({text[start:stop] for start, stop in found if stop - start >= _LEAST_SPREAD})
    for value in values[:_MOST_SPREAD]:
        found |= {each.span() for each in re.finditer(re.escape(value), text)}
    end = 0
    for start, stop in sorted(found, key=lambda span: (span[0], -span[1])):
        if start >= end:
            yield start, stop
            end = stop


def _behind_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of secrets near words such as "password"; each part of a line is searched only once."""
    scanned = 0
    for name in _NAME.finditer(text):
        line = text.rfind("\n", max(0, name.start() - _REACH), name.start()) + 1
        ends = text.find("\n", name.end(), name.end() + _REACH)
        ends = min(len(text), name.end() + _REACH) if ends < 0 else ends
        adjacent = _ADJACENT.match(text, name.end(), ends)
        directly = name.end() if adjacent is None else adjacent.end()
        value = _VALUE.match(text, directly)
        if value and directly < ends and _is_secret_here(text, name, directly, shown := _shown(text, value)):
            yield directly, _end(text, directly, directly + len(shown))
        for value in _VALUE.finditer(text, max(line, name.start() - _REACH, scanned), ends + _LONGEST):
            if value.start() >= ends:
                break
            scanned = value.end()
            is_name = value.start() < name.end() and name.start() < value.end()
            if not is_name and _is_secret(shown := _shown(text, value)):
                yield value.start(), value.start() + len(shown)
        scanned = max(scanned, ends)


def _shown(text: str, value: re.Match[str]) -> str:
    """Return a value without trailing punctuation; empty for a call or a subscript, which is code and no secret."""
    shown = value[0].rstrip(".:?&")
    return "" if text.startswith(("(", "["), value.start() + len(shown)) else shown


def _end(text: str, begin: int, end: int) -> int:
    """Return where a value ends: at its closing quote, if it stands in quotes."""
    quote = text[begin - 1]
    closing = text.find(quote, end, end + _REACH) if quote in _QUOTES else -1
    return end if closing < 0 or "\n" in text[end:closing] else closing


def _is_secret_here(text: str, name: re.Match[str], begin: int, value: str) -> bool:
    """Return whether a value directly after a word such as "password" is a secret, and not an identifier of code."""
    if _TECHNICAL.fullmatch(value) or is_placeholder(value):
        return False
    between = text[name.end() : begin]
    behind = text[begin + len(value) : begin + len(value) + 1]
    is_literal = between[-1:] in (*_QUOTES, ">")
    is_option = text.endswith("-", 0, name.start()) and between in ("=", " ")
    is_of_shell = not behind.strip() and (is_option or between == ":" or (between == "=" and name[0].isupper()))
    if is_literal or is_of_shell:
        return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if _IDENTIFIER.fullmatch(value) and between.strip():
        return not behind.strip() and len(_DIGITS.findall(value)) >= _FEW_GROUPS
    return _is_secret(value) or (
        bool(_SIGN.search(value) or _DIGITS.search(value)) and not _NUMBERED_NAME.fullmatch(value)
    )


def _is_secret(value: str) -> bool:
    """Return whether a value looks like a password by itself."""
    digits = _DIGITS.findall(value)
    if not digits or not any(map(str.isalpha, value)):
        return False
    looks_so = _LEET.search(value) or _SIGN.search(value) or len(digits) >= _MANY_GROUPS
    return (
        bool(looks_so)
        and not any(each.fullmatch(value) for each in (_TECHNICAL, _NUMBERED_NAME))
        and not is_placeholder(value)
    )
