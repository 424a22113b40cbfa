"""Parses symbols in the grammar of SCIP (https://github.com/sourcegraph/scip, scip.proto, `Symbol`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_MAX_CHARACTERS = 4000
_HEAD_FIELDS = 4
_NAME = r"(?:`((?:[^`]|``)*+)`|([\w+\-$]++))"
_DESCRIPTOR = re.compile(rf"{_NAME}([/#.:!]|\([\w+\-$]*+\)\.)|\[{_NAME}\]|\({_NAME}\)")
_SOURCE_FILE = re.compile(r"\.[cm]?[jt]sx?$")


class Suffix(Enum):
    """Kind of a part of a symbol's name."""

    NAMESPACE = "/"
    TYPE = "#"
    TERM = "."
    META = ":"
    MACRO = "!"
    METHOD = "()."
    TYPE_PARAMETER = "[]"
    PARAMETER = "()"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One part of a symbol's name."""

    name: str
    suffix: Suffix


@dataclass(frozen=True, slots=True)
class ScipSymbol:
    """
    A global SCIP symbol, which other files can refer to.

    Args:
        package: Name of its package, without version; "." for none.
        descriptors: Parts of its name, outermost first; at least one.
    """

    package: str
    descriptors: tuple[Descriptor, ...]

    @property
    def name(self) -> str:
        """Return its own name, as definitions write it."""
        return self.descriptors[-1].name

    @property
    def suffix(self) -> Suffix:
        """Return the kind of the symbol."""
        return self.descriptors[-1].suffix

    @property
    def dotted_name(self) -> str:
        """Return its dotted name as other code of its language would write it, as far as the symbol gives the parts."""
        spaces: list[str] = []
        for each in self.descriptors:
            if each.suffix is Suffix.NAMESPACE:
                spaces = [] if _SOURCE_FILE.search(each.name) else [*spaces, each.name.strip('"')]
        return ".".join([*(spaces or [self.package]), *self._members()])

    def _members(self) -> list[str]:
        """Return the names below the namespace, without repeated terms, META descriptors and names such as `<init>`."""
        members: list[Descriptor] = []
        for each in self.descriptors:
            if each.suffix in (Suffix.NAMESPACE, Suffix.META) or each.name.startswith("<"):
                continue
            if not (members and each.suffix is Suffix.TERM and members[-1] == each):
                members.append(each)
        return [each.name for each in members]


def parse_symbol(text: str) -> ScipSymbol | None:
    """Parse a global symbol; None for one that is local to its file, and for a text that is not a symbol."""
    if text.startswith("local ") or len(text) > _MAX_CHARACTERS:
        return None
    fields = _fields(text)
    descriptors = _descriptors(fields[-1]) if len(fields) > _HEAD_FIELDS else ()
    return ScipSymbol(fields[2], descriptors) if descriptors else None


def _fields(text: str) -> list[str]:
    """Split scheme, manager, package and version from the descriptors; a space within a field is written twice."""
    fields: list[str] = []
    start = 0
    while len(fields) < _HEAD_FIELDS:
        end = text.find(" ", start)
        while end >= 0 and text[end : end + 2] == "  ":
            end = text.find(" ", end + 2)
        if end < 0:
            return fields
        fields.append(text[start:end].replace("  ", " "))
        start = end + 1
    return [*fields, text[start:]]


def _descriptors(text: str) -> tuple[Descriptor, ...]:
    found: list[Descriptor] = []
    position = 0
    while position < len(text):
        match = _DESCRIPTOR.match(text, position)
        if match is None:
            return ()
        found.append(_descriptor(match))
        position = match.end()
    return tuple(found)


def _descriptor(match: re.Match[str]) -> Descriptor:
    quoted, plain, suffix, *others = match.groups()
    if suffix is not None:
        return Descriptor(_unquoted(quoted, plain), Suffix(suffix[0] if suffix[0] != "(" else Suffix.METHOD.value))
    type_quoted, type_plain, quoted, plain = others
    if type_quoted is not None or type_plain is not None:
        return Descriptor(_unquoted(type_quoted, type_plain), Suffix.TYPE_PARAMETER)
    return Descriptor(_unquoted(quoted, plain), Suffix.PARAMETER)


def _unquoted(quoted: str | None, plain: str | None) -> str:
    return plain if quoted is None else quoted.replace("``", "`")  # type: ignore[return-value]  # one of them matched
