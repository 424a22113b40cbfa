"""Reads values of configuration files in any format: keys with their sections, line by line."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.adapters.languages.value_calls import MAX_VALUE, comments_above, placeholders
from indexer.domain.model import Fact, FactKind, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAME = r"[A-Za-z_$][\w$-]*(?:\.[\w$-]+)*"
_GIVEN = re.compile(
    rf"(?:-\s+)?(?:export\s+|ENV\s+|ARG\s+|set\s+)?(?:\"([^\"\s]{{1,80}})\"|'([^'\s]{{1,80}})'|({_NAME}(?:/[\w.-]+)?))"
    r"\s*+(?::(?![:=])|[:?]?=(?![=>~]))\s*(.*)"
)
"""`port: 80` of YAML and JSON, `port = 80` of TOML, INI, properties and environments."""
_ELEMENT = re.compile(
    r"<\w+\s+(?:key|name)\s*=\s*[\"']([\w.-]{1,80})[\"'](?:[^>]*\svalue\s*=\s*[\"']([^\"']*)[\"'])?[^>]*>(?:([^<]+)</)?"
    r"|<([\w.-]{1,80})>([^<]+)</\4>"
)
_SECTION = re.compile(r"\[++\s*+[\"']?((?: *+[\w.\-\"'/:])+?)[\"']?\s*+\]++\s*$")
_COMMENT = re.compile(r"(?:#+(?!!)|//|;+|--)\s?(?=\S)")
_COMMENTED = re.compile(rf"({_NAME})\s*[=:]\s*(\S+(?:\s\S+){{0,3}})$")
_BEHIND = re.compile(r"\s+(?:#|//)\s.*$")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_DEFAULT = re.compile(r"\bdefaults?\b", re.IGNORECASE)
_PROSE = (".rst", ".txt", ".adoc", ".html", ".htm", ".xhtml", ".svg", ".lock", ".sum", ".csv", ".map", ".po", ".ipynb")
_LOCKS = frozenset(("package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json"))
_TRANSLATED = frozenset(("i18n", "intl", "lang", "langs", "language", "languages", "locale", "locales", "translations"))
_OPENS = ("{", "[", "(", "|", ">", "|-", ">-", "\\")
_LONGEST_LINE = 400
_MAX_TEXT = 200_000
_MOST = 2_000
"""A file with more values is taken for data, and none is returned."""
_DEEPEST = 30


def configured(path: str, text: str) -> tuple[Fact, ...]:
    """Return the values of a file that has no language adapter; () for prose, data and translations."""
    *folders, name = path.lower().split("/")
    if len(text) > _MAX_TEXT or name in _LOCKS or not _TRANSLATED.isdisjoint(folders):
        return ()
    if name.endswith((".md", ".mdx")):
        return tuple(_on_page(text.split("\n")))
    if name.endswith(_PROSE):
        return ()
    found = []
    lines = text.split("\n")
    for fact in _values(lines):
        found.append(replace(fact, above=comments_above(lines, fact.line)))
        if len(found) > _MOST:
            return ()
    return tuple(found)


def _values(lines: Sequence[str]) -> Iterator[Fact]:
    around: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        plain = line.strip()
        if not plain or len(line) > _LONGEST_LINE:
            continue
        indent = len(line) - len(line.lstrip())
        comment = _COMMENT.match(plain)
        if comment:
            if told := _COMMENTED.match(plain[comment.end() :]):
                yield _fact((*_outer(around, indent), told[1]), told[2], number, origin=Origin.COMMENTED)
        elif section := _SECTION.match(plain):
            around = [(-1, section[1])]
        else:
            around = [each for each in around if each[0] < indent]
            yield from _given(lines, number, plain, indent, around)


def _given(lines: Sequence[str], number: int, plain: str, indent: int, around: list[tuple[int, str]]) -> Iterator[Fact]:
    if "${" in plain:
        for name, value in placeholders(plain):
            yield _fact((name,), value, number, origin=Origin.LOOKED_UP)
    if plain.startswith("<"):
        if element := _ELEMENT.match(plain):
            value = next(filter(None, (element[2], element[3], element[5])), "").strip()
            yield _fact((element[1] or element[4],), value, number)
        return
    found = _GIVEN.match(plain)
    if not found:
        return
    key, value, last = found[1] or found[2] or found[3], _ended(found[4]), number
    if key == "name" and number < len(lines) and (below := _GIVEN.match(lines[number].strip())) and below[3] == "value":
        key, value, last = value.strip("\"'"), _ended(below[4]), number + 1
    outer = _outer(around, indent)
    if not value or value.endswith(_OPENS):
        value, last = _listed(lines, number, value)
        around.append((indent, key))
    yield _fact((*outer, key), value, number, last)


def _listed(lines: Sequence[str], number: int, opened: str) -> tuple[str, int]:
    """Return a list of plain values over several lines as one line, with its last line; else ("", number)."""
    items: list[str] = []
    for last in range(number + 1, min(len(lines), number + 40) + 1) if opened.endswith("[") else ():
        line = lines[last - 1].strip()
        if items and line.rstrip(",;") == "]":
            value = f"[{', '.join(items)}]"
            return (value, last) if len(value) <= MAX_VALUE else ("", number)
        if not line or line[0] in "{[" or ":" in line.strip("\"',") or len(line) > MAX_VALUE:
            break
        items.append(_ended(line))
    return "", number


def _on_page(lines: Sequence[str]) -> Iterator[Fact]:
    """Yield values in code blocks of a Markdown page whose line or comment above contains "default"."""
    fence = ""
    for number, line in enumerate(lines, 1):
        edge = _FENCE.match(line)
        if edge and (not fence or edge[1].startswith(fence)):
            fence = "" if fence else edge[1]
        elif fence and len(line) <= _LONGEST_LINE and (found := _GIVEN.match(line.strip())):
            above = lines[number - 2].strip()
            said = f"{above} {line}" if _COMMENT.match(above) else line
            value = _ended(found[4])
            if value and not value.endswith(_OPENS) and _DEFAULT.search(said):
                yield _fact((found[1] or found[2] or found[3],), value, number, origin=Origin.PAGE)


def _ended(written: str) -> str:
    """Return a value without a trailing separator or comment."""
    if written[:1] in ("'", '"') and (end := written.find(written[0], 1)) > 0:
        return written[: end + 1]
    return _BEHIND.sub("", written).rstrip(" ,;")


def _outer(around: Sequence[tuple[int, str]], indent: int) -> tuple[str, ...]:
    return tuple(key for at, key in around[-_DEEPEST:] if at < indent)


def _fact(keys: tuple[str, ...], value: str, line: int, last: int = 0, *, origin: Origin = Origin.ASSIGNED) -> Fact:
    end = last if last > line else 0
    told = value if len(value) <= MAX_VALUE else ""
    return Fact(-1, FactKind.VALUE, ".".join(keys), line, end, told, origin, is_plain=told != "")
