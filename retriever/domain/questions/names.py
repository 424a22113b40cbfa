"""Names of symbols as people and models write them, compared part by part from the right, never by similarity."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import Symbol

_EXTENSION = re.compile(
    r"\.(?:pyi?|tsx?|jsx?|mjs|cjs|java|go|rs|c|h|cc|cpp|hpp|cs|rb|php|md|rst|txt|toml|cfg|json|ya?ml)$"
)
_LINES = r"\d+(?:[-:]\d+)?"
_BEHIND_FILE = re.compile(rf"(?:{_LINES})?")
_MEMBER_OR_FILE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\.(?:json|c|h|go|rs|cs|rb|js|ts|toml|cfg|ya?ml)")
"""`res.json` is a function of Express, `package.json` a file: only a repository can tell which is meant."""
_CALL = re.compile(r"\(.*$", re.DOTALL)
_RECEIVER = re.compile(r"\(\*?(\w+)\)(?=\.)")
"""Receiver of a Go method: `(*Command).Execute`."""
_IMPORTED = re.compile(r"(?:[\w.\-~]+/)+(?=\w+\.[A-Z]\w*[a-z])")
"""The path of a Go package up to its last part, where something that it exports follows."""
_NESTED = re.compile(r"(?<=\w)\$(?=[A-Z])")
"""The `$` between a Java class and a class nested in it, as bytecode and traces write it."""
_PART = re.compile(r"[$#]?[^\W\d]\w*|<\w+>")
_BETWEEN = re.compile(r"::|->|(?<=\w)#")
"""Separators in place of a dot; a `#` after a dot or at the beginning marks a private member of JavaScript."""
_OPERATOR = re.compile(r"(?:(\w[\w.:]*?)(?:::|\.))?operator\s*(\(\)|\[\]|[^\w\s()\[\]`'\".;]{1,3})(?:\(.*)?", re.DOTALL)
"""An operator function of C++: `Vec::operator+`."""
_OUTER = re.compile(r"[^\W\d][\w-]*|<\w+>")
"""A part before the last one; it may be a module whose name has dashes, since nothing imports that script."""
RECEIVERS = frozenset({"self", "cls", "this", "super"})
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_MARKED = re.compile(r"\b((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*)\b|\b(\w*[a-z0-9]_\w+|_\w+)\b|\b(\w+)\(\)")
_LIKELY = re.compile(r"\b[A-Z][^\Wa-z]*+[a-z][^\WA-Z]*+[A-Z]\w*+")
_LONGEST = 1000
_MOST_PARTS = 40
"""Most parts of a name, since each suffix of it is looked up; the longest Java names have half as many."""
_LEAST_LETTERS = 3
"""Dotted words whose parts are all shorter (e.g., i.e.) are no names."""
_PATH_IN_TEXT = re.compile(
    r"(?<![\w/.-])[\w.-]+(?:/[\w.-]+)*\.(?:pyi?|tsx?|jsx?|java|go|rs|cc?|cpp|h|rb|php|cs|md|rst)\b"
)


@dataclass(frozen=True, slots=True)
class Name:
    """
    A name in parts, from the outermost.

    Args:
        path: The file that was written with it; "" if none was.
        file: The file that the whole may be if it is no symbol, as `res.json`; "" if it cannot be one.
    """

    parts: tuple[str, ...]
    path: str = ""
    file: str = ""

    @property
    def last(self) -> str:
        """The simple name; "" if the name is a file alone."""
        return self.parts[-1] if self.parts else ""

    @property
    def private(self) -> Name:
        """The name as that of a private JavaScript member, with the `#` that is often left out."""
        return replace(self, parts=(*self.parts[:-1], f"#{self.last}"))

    @property
    def dotted(self) -> str:
        """The parts joined by dots."""
        return ".".join(self.parts)


def parse(text: str) -> Name | None:
    """
    Read a name as written: `a.b.c`, `a/b.py::C.m`, `a/b.py:C.m`, `C#m`, `C::m`, `self.m`, `m(x)`, quoted or not.

    Also `(*T).M` and `host/path/pkg.T` of Go, `C.prototype.m` and `C.#m` of JavaScript, `C$Inner.m` of Java and
    `C::operator+` of C++. A name that may be a member or a file (`res.json`) gets both parts and a file. Line numbers
    after a file (`a/b.py:3-9`) are ignored.

    Returns:
        None if the text is no name, for example a sentence, or longer than any is.
    """
    name = _read(text) if len(text) <= _LONGEST else None
    return name if name and len(name.parts) <= _MOST_PARTS else None


def _read(text: str) -> Name | None:
    cleaned = _NESTED.sub(".", _RECEIVER.sub(r"\1", text.strip().strip("`'\"")))
    if operator := _OPERATOR.fullmatch(cleaned):
        outer = parse(operator[1]) if operator[1] else Name(())
        return Name((*outer.parts, f"operator{operator[2]}"), outer.path) if outer else None
    if not _EXTENSION.search(cleaned):
        cleaned = _IMPORTED.sub("", cleaned, count=1) if _IMPORTED.match(cleaned) else cleaned
    path, separator, rest = cleaned.rpartition("::")
    if separator and (_EXTENSION.search(path) or "/" in path):
        inner = parse(rest) if rest else Name(())
        return Name(inner.parts, path) if inner else None
    path, separator, rest = cleaned.partition(":")
    if separator and " " not in path and _EXTENSION.search(path):
        inner = Name(()) if _BEHIND_FILE.fullmatch(rest) else parse(rest)
        return Name(inner.parts, path) if inner else None
    if _MEMBER_OR_FILE.fullmatch(cleaned):
        return Name(_parts(cleaned), file=cleaned)
    if _EXTENSION.search(cleaned) or "/" in cleaned:
        return Name((), cleaned) if " " not in cleaned else None
    plain = _BETWEEN.sub(".", _CALL.sub("", cleaned)).strip(".")
    parts = _parts(plain)
    if not parts or not _PART.fullmatch(parts[-1]):
        return None
    return Name(parts) if all(_OUTER.fullmatch(part) for part in parts[:-1]) else None


def file_named(written: str) -> str:
    """Return a file's path without the lines that may be written behind it: `a/b.py:3-9`."""
    return re.sub(rf":{_LINES}$", "", written.strip())


def _parts(dotted: str) -> tuple[str, ...]:
    parts = tuple(part for part in dotted.split(".") if part != "prototype")
    return parts[1:] if len(parts) > 1 and parts[0] in RECEIVERS else parts


def quoted_names(text: str) -> tuple[Name, ...]:
    """Find names in backticks, without file names unless these may be members."""
    found = (parse(written) for written in _QUOTED.findall(text))
    return tuple(dict.fromkeys(name for name in found if name and name.parts))


def marked_names(text: str) -> tuple[Name, ...]:
    """Find words with dots, underscores or parentheses, without file names."""
    found = (parse(next(group for group in match.groups() if group)) for match in _MARKED.finditer(text))
    plain = (name for name in found if name and name.parts and not name.file)
    long = (name for name in plain if max(map(len, name.parts)) >= _LEAST_LETTERS)
    return tuple(dict.fromkeys(long))


def likely_names(text: str) -> tuple[Name, ...]:
    """Find words in camel case: they may be names of classes, or of products."""
    return tuple(dict.fromkeys(Name((word,)) for word in _LIKELY.findall(text)))


def paths_in_text(text: str) -> tuple[str, ...]:
    """Find file names with a known extension in a sentence, in order, without duplicates."""
    return tuple(dict.fromkeys(match.group() for match in _PATH_IN_TEXT.finditer(text)))


def full_parts(symbol: Symbol) -> tuple[str, ...]:
    """Split a symbol's importable name; a module that is a path counts by its folders, without extension."""
    module = symbol.module
    if "/" in module or module == symbol.path:  # "sphinx.domains.rst" only looks as if it had an extension
        module = _EXTENSION.sub("", module).replace("/", ".")
    return tuple(part for part in f"{module}.{symbol.qualified_name}".split(".") if part)


def matches(symbol: Symbol, parts: Sequence[str]) -> bool:
    """Return whether a symbol's importable name ends with these parts; case counts."""
    full = full_parts(symbol)
    return 0 < len(parts) <= len(full) and full[len(full) - len(parts) :] == tuple(parts)


def path_matches(path: str, written: str) -> bool:
    """Return whether a path is the one written, or ends with it at a slash."""
    wanted = written.replace("\\", "/").removeprefix("./").strip("/")
    return bool(wanted) and (path == wanted or path.endswith("/" + wanted))
