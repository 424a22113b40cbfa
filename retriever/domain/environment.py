"""Variables of the environment: where code reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retriever.domain.written_values import LONGEST_LINE, LONGEST_VALUE, argument

if TYPE_CHECKING:
    from collections.abc import Iterator

READERS = ("environ", "getenv", "env", "LookupEnv", "GetEnvironmentVariable", "envvar", "BindEnv")
"""Words of code that reads some."""
_NAME = (
    r"(?:[\"'`](?P<{0}>[A-Za-z_]\w*)[\"'`]|(?P<{0}_constant>(?:\w+\.)*[A-Za-z_]\w+)(?=\s*[,)\]])"
    r"|(?P<{0}_made>[^\s,)\]][^,)\]\n]*))"
)
_OF_PYTHON = r"(?<![\w.])(?P<{0}_of>(?:_?os\.|posix\.)?)environ"
_READ = re.compile(
    rf"(?:{_OF_PYTHON.format('called')}\.(?:get|pop|setdefault)"
    r"|\b(?:os\.)?[gG]etenv|\b(?:os\.)?LookupEnv|\bSystem\.getenv"
    r"|\benv::var(?:_os)?|\b(?:option_)?env!|\bENV\.fetch|\bGetEnvironmentVariable|\bDeno\.env\.get"
    rf"|\bBindEnv)\s*\(\s*{_NAME.format('called')}"
    r"(?=(?P<given>\s*,[^\n]*|[^\n]*?(?:\|\||\?\?|unwrap_or\w*\()[^\n]*)?)"
    rf"|(?:{_OF_PYTHON.format('indexed')}|\bprocess\.env|\bimport\.meta\.env|\bENV|\$_ENV|\$_SERVER)"
    rf"\[\s*{_NAME.format('indexed')}\s*\]"
    r"(?!\s*=(?!=))(?=(?P<indexed_given>[^\n]*))"
    r"|\b(?:process|import\.meta)\.env\.(?P<dotted>[A-Za-z_]\w*+)(?!\s*=(?!=))(?=(?P<dotted_given>[^\n]*))"
    r"|\benv(?:var)?\s*=\s*[\"'](?P<declared>[A-Z][A-Z0-9_]+)[\"']"
)
"""What follows is not taken, for it may read another one."""
_OF_PROCESS = re.compile(
    r"^[ \t]*from\s+(?:os|posix)\s+import\b(?:[^\n(]*|\s*\([^)]*)\benviron\b"
    r"|(?<![\w.])environ\b[^=\n]{0,40}=(?!=)[^\n]{0,40}?\bos\.environ\b",
    re.MULTILINE,
)
"""Where a bare `environ` is that of the process; else it may be what a web server hands to an application."""
_OTHERWISE = re.compile(
    r"\s*(?:\)|\])?\s*(?:,\s*(?:default\s*=\s*)?|(?:\|\||\?\?)\s*|\bor\s+|\.unwrap_or(?:_else)?\()(?P<value>[^\n]+)"
)
_DECLARES = re.compile(r"\s*(?:\w+ )*(?:def|fn|func|function)\b")
_COMMENT = re.compile(r"\s*(?:#(?!\[)|//|/?\*|--)")


@dataclass(frozen=True, slots=True)
class EnvironmentRead:
    """
    One place that reads a variable.

    Args:
        name: Of the variable, or of the constant that holds it, or what makes the name, as written.
        is_constant: The name has to be looked up yet.
        is_made: The name is put together where it is read.
        value: What holds where nobody sets it, as written; "" if that is not said there.
        line: From 1.
    """

    name: str
    is_constant: bool
    value: str
    line: int
    is_made: bool = False


def environment_reads(text: str) -> Iterator[EnvironmentRead]:
    """Yield where code reads variables of the environment, in order; comments read none."""
    is_bare: bool | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE or _COMMENT.match(line):
            continue
        for found in _READ.finditer(line):
            groups = found.groupdict()
            if "" in (groups["called_of"], groups["indexed_of"]):
                is_bare = _OF_PROCESS.search(text) is not None if is_bare is None else is_bare
                if not is_bare:
                    continue
            name = next(filter(None, (groups[each] for each in ("called", "indexed", "dotted", "declared"))), "")
            constant = groups["called_constant"] or groups["indexed_constant"] or ""
            given = groups["given"] or groups["indexed_given"] or groups["dotted_given"] or ""
            if groups["called_made"] or groups["indexed_made"]:
                start = max(found.start("called_made"), found.start("indexed_made"))
                made = "" if _DECLARES.match(line) else argument(line[start:])
                if made:
                    yield EnvironmentRead(made[:LONGEST_VALUE], False, "", number, is_made=True)
            else:
                yield EnvironmentRead(name or constant.rpartition(".")[2], not name, _otherwise(given), number)


def text_of(constant: str, text: str) -> str:
    """Return the text that a constant holds in a file, one in small letters a text in capitals; "" for none."""
    written = r"[A-Za-z_]\w*" if constant[:1].isupper() else "[A-Z][A-Z0-9_]+"
    given = re.search(rf"(?<![\w.]){re.escape(constant)}\b[^\n=\"']{{0,40}}=\s*[\"']({written})[\"']", text)
    return given[1] if given else ""


def _otherwise(given: str) -> str:
    found = _OTHERWISE.match(given)
    return argument(found["value"])[:LONGEST_VALUE] if found else ""
