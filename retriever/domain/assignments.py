"""Lines that give a name a value: settings in files of configuration, constants and defaults in code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retriever.domain.declared_options import declared_options, set_by_call
from retriever.domain.parameters import first_value
from retriever.domain.written_values import GOES_ON, LONGEST_LINE, LONGEST_VALUE, argument, ended, over_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAME = r"[A-Za-z_$][\w$-]*(?:\.[\w$-]+)*"
_KEYED = re.compile(rf"(?:-\s+)?(?:\"([^\"\s]{{1,80}})\"|'([^'\s]{{1,80}})'|({_NAME}(?:/[\w.-]+)?))\s*:(?![:=])\s*(.*)")
"""`server: …` of YAML, JSON, and of literals in code."""
_MODIFIERS = (
    r"(?:(?:export|default|const|let|var|val|static|final|public|private|protected|internal|readonly|pub|ENV|ARG"
    r"|#define)\s+)*"
)
_SET = re.compile(
    rf"{_MODIFIERS}(?:[\w.<>\[\],?*]+\s+)??(?:self\.|this\.)?(?:\"([^\"\s]{{1,80}})\"|({_NAME}))\s*+"
    r"(?::\s*+[^=\n]{0,60}?)?\s*+(?:[:?|]{0,2}=)(?![=>~])\s*(.*)"
)
"""`PORT = 80`, `port: int = 80`, `static final int PORT = 80;`, `export PORT=80`."""
_TYPED = re.compile(
    rf"(?:(?:const|var)\s+)?({_NAME})\s+(?:u?int\d*|float\d+|string|bool|byte|rune|error|time\.\w+|\[\]\S+|map\[\S+)"
    r"\s*=(?!=)\s*(.*)"
)
"""`port int = 80` of Go."""
_ELEMENT = re.compile(
    r"<\w+\s+(?:key|name)\s*=\s*[\"']([\w.-]{1,80})[\"'](?:[^>]*\svalue\s*=\s*[\"']([^\"']*)[\"'])?[^>]*>(?:([^<]+)</)?"
    r"|<([\w.-]{1,80})>([^<]+)</\4>"
)
"""`<entry key="port">80</entry>`, `<add key="port" value="80"/>`, `<port>80</port>`."""
_SECTION = re.compile(r"\[++\s*+[\"']?((?: *+[\w.\-\"'/:])+?)[\"']?\s*+\]++\s*$")
_BLOCK = re.compile(
    r"(?:[\w@]+\s+)*(?:class|interface|struct|enum|object|type|namespace|module)\s+(\w+)|type\s+(\w+)\s+struct"
)
_FILLED = re.compile(
    r"(?!(?:async|class|def|fn|for|func|function|if|interface|private|protected|public|pub|static|struct|switch|type|while)\b)"
    r".*?\b(\w*(?:Config|Configuration|Defaults?|Limits|Options?|Opts|Param(?:eter)?s|Policy|Preferences|Properties"
    r"|Settings?))\s*[({]$"
)
"""`return &Config{` fills in a whole configuration."""
_COMMENT = re.compile(r"(?:#+(?!define|!)|//+|;+|--)\s?(?=\S)")
_COMMENT_BLOCK = re.compile(r"^[ \t]*/\*.*?\*/", re.DOTALL | re.MULTILINE)
_COMMENTED = re.compile(rf"({_NAME})\s*[=:]\s*(\S+(?:\s\S+){{0,3}})$")
"""What stands in a comment of a file of configuration, for whoever wants to set it."""
_READ = re.compile(
    r"(?:env|environ|config|default|settings?|options?|opts?|conf|flags?|param|argument|value|get|lookup|field|prop)"
    r"[\w.]*+\s*[\(\[]\s*(?:[&\w.]+,\s*)?[\"'`](?:-{1,2}|\$\{)?([A-Za-z][\w.-]{1,80})(?::([^\"'`}]*)\})?"
    r"[^\"'`\n]*[\"'`]\s*(?:,\s*+(?!\w+\s*[:=])(.+))?",
    re.IGNORECASE,
)
"""`getenv("PORT", 80)`, `flag.Int("port", 80, …)`, `@Value("${server.port:80}")`."""
_PLACEHOLDER = re.compile(r"\$\{([A-Za-z][\w.]{1,80}):-?([^${}]*)\}")
"""`${PORT:80}` of Spring, `${PORT:-80}` of shells and Compose."""
_TYPE = r"(?:any|bigint|bool|boolean|bytes|dict|float|int|list|never|number|object|set|str|string|tuple|unknown|void)"
_IS_TYPE = re.compile(rf"(?:Optional\[)?{_TYPE}(?:\[[^=]*)?(?:\s*\|\s*(?:{_TYPE}|None|null|undefined))*\]?")
_DECLARES = re.compile(r";\s*(?://.*)?$")
"""`port: Port;` of an interface gives no value, nor does `port: int` of a class."""
_LOCAL = re.compile(r"^[\w, ]+:=")
"""A variable of a function of Go, whose name says nothing of what it holds."""
_QUOTED = re.compile(r"[\(\[][^\(\[]{0,40}?[\"'`][\w.${-]")
_CALL_LINES = 6
_DEEPEST = 30
"""Sections around a line; what stands deeper is data."""
_OPENS = ("{", "[", "(", "|", ">", "|-", ">-", "\\")
_ABOVE = 10
"""Lines of comments above a setting that are shown with it."""
_ABOVE_LINE = re.compile(r"\s*(?:#|//|;|/?\*|\"\"\"|--)")


@dataclass(frozen=True, slots=True)
class Assignment:
    """
    One line that gives a value.

    Args:
        keys: Names from the outermost section, the last one being its own.
        value: As written; "" where it takes more lines.
        line: From 1.
        end_line: Of the value, inclusive.
        is_commented: It stands in a comment, as an example or a default.
        is_read: The name is a text by which the value is looked up.
        is_given: A call declares it with its default, or hands the value to what it builds.
    """

    keys: tuple[str, ...]
    value: str
    line: int
    end_line: int
    is_commented: bool = False
    is_read: bool = False
    is_given: bool = False


def comments_above(lines: Sequence[str], line: int) -> Sequence[str]:
    """Return the comments right above a line, ten at most."""
    first = line
    while first > max(1, line - _ABOVE) and _ABOVE_LINE.match(lines[first - 2]):
        first -= 1
    return lines[first - 1 : line - 1]


def assignments(text: str, about: Sequence[str], *, is_code: bool) -> Iterator[Assignment]:
    """
    Read lines of a file, sections by their margin, in order.

    Args:
        about: Lower case; read are lines that hold one of these, and of others only what may be around them.
        is_code: Comments are not read, and sections in brackets are none.
    """
    wanted = _lines_with(text, about)
    if not wanted:
        return
    around: list[tuple[int, str]] = []
    lines = text.split("\n")
    wanted -= _commented(text, wanted) if is_code else set()
    for number in _with_margins(lines, wanted) if is_code else range(1, len(lines) + 1):
        line = lines[number - 1]
        plain = line.strip()
        if not plain or len(line) > LONGEST_LINE:
            continue
        indent = len(line) - len(line.lstrip())
        comment = _COMMENT.match(plain)
        section = _SECTION.match(plain) if not is_code else None
        if section:
            around = [(-1, section[1])]
        elif not comment:
            around = [each for each in around if each[0] < indent]
            found = list(_given(lines, number, around, is_code=is_code))
            yield from found if number in wanted else ()
        elif number in wanted:
            told = _COMMENTED.match(plain[comment.end() :])
            if told:
                yield Assignment((*_outer(around, indent), told[1]), told[2], number, number, is_commented=True)


def _lines_with(text: str, about: Sequence[str]) -> set[int]:
    """Return the numbers of the lines that hold one of some texts, and of calls that go on over lines to them."""
    found: set[int] = set()
    plain = text.casefold()
    for each in about:
        line, counted, at = 1, 0, plain.find(each)
        while at >= 0:
            line, counted = line + plain.count("\n", counted, at), at
            found.add(line)
            end = plain.find("\n", at)
            at = plain.find(each, end + 1) if end >= 0 else -1
    if not found:
        return found
    lines = plain.split("\n")
    above = {number - step for number in found for step in range(1, _CALL_LINES + 1) if number > step}
    return found | {number for number in above if lines[number - 1].rstrip().endswith(GOES_ON)}


def _commented(text: str, wanted: set[int]) -> set[int]:
    """Return the lines that stand in a block of comment, which may show how something is set."""
    found: set[int] = set()
    end = text.rfind("*/") + 2  # what is never closed is not looked for to the end again and again
    for block in _COMMENT_BLOCK.finditer(text, 0, end) if wanted and end > 1 else ():
        first = text.count("\n", 0, block.start()) + 1
        found.update(range(first + 1, first + block[0].count("\n") + 1))
    return found


def _with_margins(lines: Sequence[str], wanted: set[int]) -> list[int]:
    """
    Return some lines and what they stand in, in order: the last line above each that has less of a margin, and so on.

    What was found for a line above has all that is further up.
    """
    found: set[int] = set()
    for number in sorted(wanted):
        margin = _margin(lines[number - 1])
        if margin is None:
            continue
        found.add(number)
        above = number - 1
        while above > 0 and margin > 0 and above not in found:
            outer = _margin(lines[above - 1])
            if outer is not None and outer < margin:
                margin = outer
                found.add(above)
            above -= 1
    return sorted(found)


def _margin(line: str) -> int | None:
    """Return how far a line of code stands in; None if it says nothing: a comment, data, or blank."""
    plain = line.lstrip()
    if not plain or len(line) > LONGEST_LINE or _COMMENT.match(plain):
        return None
    return len(line) - len(plain)


def _given(lines: Sequence[str], number: int, around: list[tuple[int, str]], *, is_code: bool) -> Iterator[Assignment]:
    """Read one line, and add the section that it opens, if it opens one."""
    line = lines[number - 1]
    plain, indent = line.strip(), len(line) - len(line.lstrip())
    element = _ELEMENT.match(plain) if not is_code else None
    if element:
        value = next(filter(None, (element[2], element[3], element[5])), "").strip()[:LONGEST_VALUE]
        yield Assignment((element[1] or element[4],), value, number, number)
        return
    named = _own(plain, is_code=is_code) if "=" in plain or ":" in plain else None
    if named:
        key, value = _value_of_item(lines, number, *named) or named
        outer = _outer(around, indent)
        if not value:
            filled = _FILLED.match(plain) if is_code else None
            of_local = filled[1] if filled else ""
            around.append((indent, of_local if _LOCAL.search(plain) else key))
        whole, last = (value, number) if value else over_lines(lines, number)
        yield Assignment((*outer, key), whole, number, last)
    elif is_code and (block := _BLOCK.match(plain) or _FILLED.match(plain)):
        around.append((indent, block[1]))
    if is_code and (given := set_by_call(plain)):
        yield Assignment((given[0],), given[1][:LONGEST_VALUE], number, number, is_given=True)
    if is_code and ("'" in plain or '"' in plain):
        for name, value, last in declared_options(lines, number):
            yield Assignment((name,), value[:LONGEST_VALUE], number, last, is_read=True, is_given=True)
    if is_code and _QUOTED.search(plain):
        yield from _looked_up(plain, number)
    elif not is_code and "${" in plain:
        yield from _placeholders(plain, number)


def _outer(around: Sequence[tuple[int, str]], indent: int) -> tuple[str, ...]:
    return tuple(key for at, key in around[-_DEEPEST:] if key and at < indent)


def _own(plain: str, *, is_code: bool) -> tuple[str, str] | None:
    """Return the name and value that a line gives; the value is "" where it opens a block."""
    found = (_TYPED.match(plain) if is_code else None) or _SET.match(plain) or _KEYED.match(plain)
    if not found:
        return None
    *names, written = found.groups()
    name = next(filter(None, names), "")
    value = ended(written)
    if not name or (is_code and name in {"case", "default", "return", "else", "if", "http", "https", "try", "finally"}):
        return None
    if is_code and (_IS_TYPE.fullmatch(value) or (_DECLARES.search(written) and not _SET.match(plain))):
        return None
    value = first_value(value) if is_code else value
    opens = value.endswith(_OPENS) or not value
    return name, "" if opens else value[:LONGEST_VALUE]


def _value_of_item(lines: Sequence[str], number: int, key: str, value: str) -> tuple[str, str] | None:
    """Return what a list of names and values gives: `- name: PORT` above `value: 80`."""
    if key != "name" or number >= len(lines) or len(lines[number]) > LONGEST_LINE:
        return None
    below = _KEYED.match(lines[number].strip())
    if not below or below[3] != "value":
        return None
    return value.strip("\"'"), ended(below[4])[:LONGEST_VALUE]


def _looked_up(plain: str, number: int) -> Iterator[Assignment]:
    for found in _READ.finditer(plain):
        given = found[2] if found[2] is not None else found[3]
        if given is not None:
            yield Assignment((found[1],), argument(given)[:LONGEST_VALUE], number, number, is_read=True)


def _placeholders(plain: str, number: int) -> Iterator[Assignment]:
    for found in _PLACEHOLDER.finditer(plain):
        yield Assignment((found[1],), found[2].strip(), number, number, is_read=True)
