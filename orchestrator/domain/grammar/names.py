"""Classifies text in code marks: a name, a literal, a place, a file, a keyword or other code."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

_NAME = r"[$#@]{0,2}[^\W\d][\w$]*"
_JOINED = rf"{_NAME}(?:(?:\??\.|::|#|->){_NAME}|<\w{{1,40}}>){{0,20}}"
_SIGNS = r"(?:(?<=\boperator)(?:\(\)|\[\]|[^\w\s()\[\]`'\".;]{1,3}))?"
"""Signs after `operator` in the name of a function that overloads one."""
_WHOLE = re.compile(rf"(?:new\s+|\*|&)?({_JOINED}{_SIGNS})(\(.{{0,300}}\)|\[.{{0,100}}\])?", re.DOTALL)
_RECEIVER = re.compile(r"\(\*?(\w+)\)\.(?=\w)")
_PLACE = re.compile(r"([\w./@+-]+\.\w{1,8})?:(\d{1,9})(?:[-\u2013](\d{1,9}))?")
_FILE = re.compile(
    r"[\w./@+-]*?[\w-]+\.(?:pyi?|pyx|[cm]?[jt]sx?|java|kt|go|rs|c|cc|cpp|h|hpp|cs|rb|php|vue|md|rst|txt|toml|json|ya?ml|cfg|ini)"
)
_FOLDERS = re.compile(r"[\w.@+-]+(?:/[\w.@+-]*)+")
_LITERAL = re.compile(
    r"-?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|0x[\da-fA-F]+|\"[^\"]*\"|'[^']*'|True|False|None|true|false|null|nil|undefined"
    r"|\[\]|\{\}|\(\)|NaN"
)
_GENERIC = re.compile(r"<[^<>]{1,80}>(?=$|\.|\()")
_SEPARATOR = re.compile(r"\??\.|::|#|->")
_TYPE = re.compile(r"[$_]*[A-Z]\w*[a-z]\w*")
_FAILURE = re.compile(r".*(?:Error|Exception|Warning|Err|Fault|Failure|Interrupt|Panic)")
_KEYWORDS = frozenset(keyword.kwlist) - {"None", "True", "False"} | {
    *("case", "catch", "const", "defer", "func", "goto", "impl", "instanceof", "let", "switch"),
    *("throw", "throws", "trait", "typeof", "var", "void"),
}
"""Reserved words of languages: no definition can have one as its name."""
_RECEIVERS = frozenset({"self", "cls", "this", "super"})


class CodeKind(Enum):
    """What a span of code is."""

    NAME = auto()
    LITERAL = auto()
    PLACE = auto()
    FILE = auto()
    OTHER = auto()
    KEYWORD = auto()


@dataclass(frozen=True, slots=True)
class Code:
    """
    A classified span of code.

    Args:
        name: The name, without arguments; "" if the code is no name.
        is_call: It is written with arguments or empty parentheses.
        path: Of a place or file; "" for `:12`, a further line of a file that is named before.
        lines: First and last line of a place; the last is 0 for a single line, both are 0 for no place.
    """

    kind: CodeKind
    text: str
    name: str = ""
    is_call: bool = False
    path: str = ""
    lines: tuple[int, int] = (0, 0)


@lru_cache(maxsize=1 << 12)
def read_code(text: str) -> Code:
    """Classify a span of code."""
    plain = _RECEIVER.sub(r"\1.", _GENERIC.sub("", text.strip()))
    if place := _PLACE.fullmatch(plain):
        first = int(place[2])
        return Code(CodeKind.PLACE, text, path=place[1] or "", lines=(first, int(place[3] or 0)))
    if plain in _KEYWORDS:
        return Code(CodeKind.KEYWORD, text)
    if _LITERAL.fullmatch(plain):
        return Code(CodeKind.LITERAL, text)
    whole = _WHOLE.fullmatch(plain)
    is_call = bool(whole and whole[2] and whole[2].startswith("("))
    stem, _, ending = plain.rpartition(".")
    is_member = is_of_receiver(plain) or (ending == "json" and _TYPE.fullmatch(stem) is not None)  # `Response.json`
    if not is_call and not is_member and (_FILE.fullmatch(plain) or _FOLDERS.fullmatch(plain)):
        return Code(CodeKind.FILE, text, path=plain)
    if whole and not (is_call and not _is_one(whole[2])):
        return Code(CodeKind.NAME, text, whole[1].replace("?.", "."), is_call)
    return Code(CodeKind.OTHER, text)


def _is_one(arguments: str) -> bool:
    """Return whether a text in parentheses is one list of arguments; "(a) or g(b)" is not."""
    depth = 0
    for position, sign in enumerate(arguments):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return position == len(arguments) - 1
    return False


def parts_of(name: str) -> list[str]:
    """Split a name into its parts, without receivers."""
    parts = [each for each in _SEPARATOR.split(name) if each]
    return parts[1:] if len(parts) > 1 and parts[0] in _RECEIVERS else parts


def is_type(name: str) -> bool:
    """Return whether a name is written as that of a class or type: capitalized, and not in capitals alone."""
    return _TYPE.fullmatch(parts_of(name)[-1]) is not None


def may_own(name: str) -> bool:
    """Return whether a name is written like that of something with members: like a type, or in capitals, as `URL`."""
    last = parts_of(name)[-1].strip("_$")
    return is_type(name) or (len(last) > 1 and last.isupper() and "_" not in last)


def is_failure(name: str) -> bool:
    """Return whether a name is an exception's by convention."""
    return _FAILURE.fullmatch(parts_of(name)[-1]) is not None


def is_of_receiver(name: str) -> bool:
    """Return whether a name begins with a receiver, as in `self.total`."""
    first = _SEPARATOR.split(name)[0]
    return first in _RECEIVERS and first != name


def looks_like_symbol(name: str, *, is_call: bool) -> bool:
    """
    Return whether a name is one that code defines, rather than a word, a literal or a parameter.

    A single name counts if it is called, or written in camel case or snake case.
    """
    if is_call:
        return not is_of_receiver(name)
    parts = parts_of(name)
    last = parts[-1].strip("_$#")
    if len(parts) > 1:
        return not is_of_receiver(name)
    is_camel = re.search(r"[a-z0-9][A-Z]|^[A-Z][a-z]+[A-Z]", last) is not None
    return is_camel or ("_" in last and not last.isupper())
