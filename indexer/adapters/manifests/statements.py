"""Statements of manifests, with their lines."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from indexer.domain.model import Fact, FactKind, Origin

_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*((?:(?!\s--)[^;#])*)")
_DEVELOPMENT = re.compile(
    r"(?<![a-z])(?:dev(?:el\w*|tools?)?|(?:doc|unit)?test(?:s|ing)?|docs?|documentation|lint\w*"
    r"|typ(?:es?|ing|e-?check\w*)|build|ci)(?![a-z])",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w@][\w@/-]*(?:[.:][\w@/-]+)*+")
_DEEP_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){100}")
"""TOML keys with more parts are refused, as they take quadratic time to parse; no real manifest has one."""


@dataclass(frozen=True, slots=True)
class Statement:
    """
    A requirement, property or command in a manifest.

    Args:
        kind: REQUIREMENT, PROJECT or COMMAND.
        name: Of the package, property or command.
        text: Version, value or command line.
        section: Heading below which the name stands; "" for the whole file.
        line: 1-based; 0 if it is to be found by the section and the name.
        origin: DEVELOPMENT: a package that only development needs; CONVENTION: a command that no file declares.
    """

    kind: FactKind
    name: str
    text: str
    section: str = ""
    line: int = 0
    origin: Origin = Origin.ASSIGNED


Reader: TypeAlias = Callable[[str], Iterator[Statement]]


def numbered(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the matches of a pattern, each with the line in which it begins."""
    line, counted = 1, 0
    for found in pattern.finditer(text):
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        yield line, found


def requirement(
    name: str, version: object, section: str = "", line: int = 0, *, is_development: bool = False
) -> Statement:
    """Return the statement that a project requires a package; a version that is no string counts as none."""
    asked = "".join(version.split()) if isinstance(version, str) else ""
    origin = Origin.DEVELOPMENT if is_development else Origin.ASSIGNED
    return Statement(FactKind.REQUIREMENT, name, asked, section, line, origin)


def properties(section: str, values: Mapping[str, object], line: int = 0) -> Iterator[Statement]:
    """Yield statements of the properties of a project whose values are non-empty strings."""
    for name, value in values.items():
        if isinstance(value, str) and value.strip():
            yield Statement(FactKind.PROJECT, name, " ".join(value.split()), section, line)


def optional(group: str, statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield packages as properties `optional.GROUP.PACKAGE`; the group is an extra, a feature or "peer"."""
    for each in statements:
        is_required = each.kind is FactKind.REQUIREMENT and each.origin is not Origin.DEVELOPMENT
        yield replace(each, kind=FactKind.PROJECT, name=f"optional.{group}.{each.name}") if is_required else each


def command(name: str, text: str, section: str = "", line: int = 0) -> Statement:
    """Return the statement that a project declares a command."""
    return Statement(FactKind.COMMAND, name, text, section, line)


def is_development(name: str) -> bool:
    """Return whether a group or file of requirements is for development only, by its name."""
    return _DEVELOPMENT.search(name) is not None


def listed(section: str, texts: list[str], *, is_development: bool = False) -> Iterator[Statement]:
    """Yield the packages of requirement specifiers, as pip writes them."""
    for text in texts:
        found = _REQUIREMENT.match(text.strip().removesuffix("\\"))
        if found and "://" not in text.partition(" @ ")[0]:  # a URL has no package name, except in `name @ URL`
            yield requirement(found[1], found[2], section, is_development=is_development)


def tabled(section: str, table: Mapping[str, object], *, is_development: bool = False) -> Iterator[Statement]:
    """Yield the packages of a table from names to versions, or to tables with a version."""
    for name, value in table.items():
        version = value.get("version") if isinstance(value, dict) else value
        yield requirement(name, version, section, is_development=is_development)


def tables(text: str) -> dict[str, Any]:
    """Parse TOML. Raises ValueError."""
    if _DEEP_KEY.search(text):
        raise ValueError("a key of more parts than any table has")
    return tomllib.loads(text)


class Lines:
    """The lines on which the words of a text occur, without comment lines."""

    def __init__(self, text: str) -> None:
        self._of: dict[str, list[int]] = {}
        for number, line in enumerate(text.split("\n"), 1):
            for token in _TOKEN.findall(line) if not line.lstrip().startswith(("#", "//")) else ():
                for word in {token, *token.split("."), token.rpartition(":")[0]}:
                    self._of.setdefault(word, []).append(number)

    def find(self, section: str, name: str) -> int:
        """Return the first line with a name below the heading of its section; without one, the heading's line."""
        head = (self._of.get(section) or self._of.get(section.rpartition(".")[2]) or [1])[0]
        found = self._of.get(name) or self._of.get(name.rpartition(".")[2]) or [head]
        at = bisect_left(found, head)
        return found[at] if at < len(found) else found[0]


def as_facts(statements: list[Statement], text: str, symbol: int) -> tuple[Fact, ...]:
    """Return statements as facts in order of line; of several with one name only the first, but all commands."""
    lines = Lines(text) if any(not each.line for each in statements) else None
    facts = {
        (each.kind, each.name, each.text if each.kind == FactKind.COMMAND else ""): Fact(
            symbol,
            each.kind,
            each.name,
            each.line or (lines.find(each.section, each.name) if lines else 1),
            detail=each.text,
            origin=each.origin,
            is_plain=True,
        )
        for each in reversed(statements)
    }
    return tuple(sorted(facts.values(), key=lambda fact: (fact.line, fact.kind, fact.value)))
