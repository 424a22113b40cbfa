"""Converts the fields of a model's request into gaps, under any of the field names that models use."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.evidence import Gap, GapAspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "symbol": ("symbol", "symbols", "function", "method", "class", "identifier", "qualified_name", "definition"),
        "name": ("name", "id", "value", "target"),
        "path": ("path", "file", "filename", "file_path", "file_name", "filepath", "paths", "files"),
        "lines": ("lines", "line", "range", "line_range", "line_numbers", "line_number", "span"),
        "start": ("start_line", "start", "from", "first", "first_line", "line_start"),
        "end": ("end_line", "end", "to", "last", "last_line", "line_end"),
        "text": ("text", "message", "literal", "string", "contains", "grep"),
        "users": ("users", "users_of", "user", "callers", "callers_of", "usages", "usages_of", "references", "used_by"),
        "tests": ("tests", "tests_of", "test", "tested_by"),
        "implementers": ("implementers", "implementers_of", "implementations", "implementations_of", "subclasses"),
        "kind": ("kind", "type", "aspect", "form"),
        "description": ("description", "why", "reason", "what", "about", "note", "detail", "details", "question"),
    }
)
_FIELD = {alias: field for field, aliases in _NAMES.items() for alias in aliases}
_ASPECTS: Mapping[str, GapAspect] = MappingProxyType(
    {"users": GapAspect.USERS, "tests": GapAspect.TESTS, "implementers": GapAspect.IMPLEMENTERS}
)
_FLAGS = frozenset({"", "true", "yes", "1", "all"})
_NO_FLAG = frozenset({"false", "no", "0", "none", "null"})
_NUMBERS = re.compile(r"\d{1,7}+")
_RANGES = re.compile(r"[,;]|\band\b")
_PLACE = re.compile(
    r"(?P<path>[^\s:#()]{1,1000}+)(?::|#|\s*+\(?)(?:lines?\s*+)?"
    r"L?(?P<lines>\d{1,7}(?:\s*+[-\u2013:.]{1,2}\s*+L?\d{1,7})?)\)?"
)
"""A path with lines behind it: `a/b.py:10-20`, `a/b.py#L10-L20`, `a/b.py (lines 10-20)`."""
_DECLARED_AS = frozenset(
    ("class", "def", "func", "function", "fn", "method", "interface", "struct", "enum", "trait", "type", "async")
)
_QUOTES = "`\"' \t\n"
_MOST_TEXT = 500
_MOST_DESCRIPTION = 500
_MOST_NAME = 1000
_MOST_OF_ONE = 20


def field_of(name: str) -> str:
    """Return the canonical name of a field, "" for one that is unknown."""
    return _FIELD.get(name.strip().casefold().replace("-", "_").replace(" ", "_"), "")


def aspect_of(word: str) -> str:
    """Return the field for a word that names an aspect, "" if it names none: "users" for "callers"."""
    field = field_of(word)
    return field if field in _ASPECTS else ""


def read_fields(given: Mapping[str, object], content: str = "") -> tuple[Gap, ...]:
    """
    Return the gaps that fields describe: several if they list several symbols, line ranges or aspects.

    Args:
        given: Values by field name or alias; unknown names are ignored, and of a repeated field the first value counts.
        content: Description that accompanies the fields.
    """
    fields: dict[str, str] = {}
    for name, value in given.items():
        field = field_of(name)
        if field and field not in fields:
            fields[field] = html.unescape(_as_text(value)).replace("\0", "").strip()
    _place_name(fields)
    said = " ".join(filter(None, (" ".join(content.split()), " ".join(fields.get("description", "").split()))))
    base = Gap(description=said[:_MOST_DESCRIPTION], text=fields.get("text", "")[:_MOST_TEXT])
    found = [
        replace(each, symbol=symbol, aspect=aspect)
        for each in _in_files(base, fields)
        for symbol, aspect in _symbols(fields, each)
    ]
    return tuple(dict.fromkeys(each for each in found if _names_anything(each)))[:_MOST_OF_ONE]


def read_word(word: str) -> dict[str, str]:
    """Return the fields of one name as it stands in code marks or alone: a place, a path or a symbol."""
    word = word.strip(_QUOTES)
    placed = _PLACE.fullmatch(word)
    if placed and _is_path(placed["path"]):
        return {"path": placed["path"], "lines": placed["lines"]}
    return {"path": word} if _is_path(word) else {"symbol": word}


def _place_name(fields: dict[str, str]) -> None:
    """Move "name" to the field that "kind" or the form of the value implies."""
    kind = field_of(fields.get("kind", ""))
    name = fields.pop("name", "")
    if kind in _ASPECTS:
        fields.setdefault(kind, fields.pop("symbol", "") or name)
    elif name and kind in ("text", "path") and not fields.get(kind):
        fields[kind] = name
    elif name:
        for field, value in read_word(name).items():
            fields.setdefault(field, value)
    symbol = fields.get("symbol", "")
    if symbol and not fields.get("path"):
        path, _, inside = symbol.partition("::")
        word = read_word(symbol)
        if inside and _is_path(path):
            fields["path"], fields["symbol"] = path, inside
        elif "path" in word:
            del fields["symbol"]
            fields.update({**word, **{name: value for name, value in fields.items() if value}})


def _in_files(base: Gap, fields: Mapping[str, str]) -> Iterator[Gap]:
    """Yield one gap for each file and range of lines."""
    ranges = tuple(_ranges(fields))
    for path in _listed(fields.get("path", "")) or [""]:
        placed = _PLACE.fullmatch(path)
        inside, _, symbol = path.partition("::")
        own = tuple(_ranges({"lines": placed["lines"]})) if placed else ()
        path = (placed["path"] if placed else inside).strip(_QUOTES)[:_MOST_NAME]
        here = replace(base, path=path, symbol=symbol)
        if not path and ranges:
            lines = ", ".join(f"{start}-{end}" for start, end in ranges)
            yield replace(here, description=f"{here.description} (lines {lines})".strip())
            continue
        for start, end in ranges or own or ((0, 0),):
            yield replace(here, start_line=start, end_line=end)


def _symbols(fields: Mapping[str, str], gap: Gap) -> Iterator[tuple[str, GapAspect]]:
    """Yield the requested symbols, each with its aspect."""
    of_symbol = _listed(fields.get("symbol", "")) or ([gap.symbol] if gap.symbol else [])
    aspects = [name for name in _ASPECTS if name in fields and fields[name].casefold() not in _NO_FLAG]
    for aspect in aspects:
        is_flag = fields[aspect].casefold() in _FLAGS
        for symbol in of_symbol if is_flag else _listed(fields[aspect]):
            yield _symbol(symbol), _ASPECTS[aspect]
    if not aspects:
        for symbol in of_symbol or [""]:
            yield _symbol(symbol), GapAspect.UNSPECIFIED


def _ranges(fields: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    first, last = _NUMBERS.search(fields.get("start", "")), _NUMBERS.search(fields.get("end", ""))
    if first:
        yield _ordered([int(first[0]), int(last[0])] if last else [int(first[0])])
        return
    lines = fields.get("lines", "")
    parts = _RANGES.split(lines)
    # "10, 20" is one range, "10-20, 30-40" are two.
    if len(parts) == 2 and all(len(_NUMBERS.findall(each)) == 1 for each in parts):
        parts = [lines]
    for part in parts:
        numbers = [int(each) for each in _NUMBERS.findall(part)][:2]
        if numbers and max(numbers) > 0:
            yield _ordered(numbers)


def _ordered(numbers: list[int]) -> tuple[int, int]:
    return max(1, min(numbers)), max(numbers)


def _symbol(written: str) -> str:
    """Return a symbol without quotes, arguments, type arguments and the keyword that declares it."""
    symbol = written.strip(_QUOTES)
    before, _, _ = symbol.partition("(")
    if symbol.endswith(")") and before.strip() and not before.endswith("operator"):
        symbol = before.strip()
    words = symbol.split()
    if len(words) > 1 and all(word in _DECLARED_AS for word in words[:-1]):
        symbol = words[-1]
    return _without_type_arguments(symbol)[:_MOST_NAME]


def _without_type_arguments(symbol: str) -> str:
    """Return `TypeAdapter.read` of `TypeAdapter<T>.read`; `operator<` and other unbalanced ones stay."""
    if "operator" in symbol or symbol.count("<") != symbol.count(">") or not symbol.partition("<")[0]:
        return symbol
    kept, depth = [], 0
    for letter in symbol:
        depth += letter == "<"
        if not depth:
            kept.append(letter)
        depth -= letter == ">"
        if depth < 0:
            return symbol
    return "".join(kept) if depth == 0 else symbol


def _listed(written: str) -> list[str]:
    """Return the names of a list, split at commas outside of brackets."""
    found, depth, begun = [], 0, 0
    for at, letter in enumerate(written):
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter in ",;\n" and depth <= 0:
            found.append(written[begun:at])
            begun = at + 1
    found.append(written[begun:])
    return [each.strip(_QUOTES) for each in found if each.strip(_QUOTES)]


def _is_path(word: str) -> bool:
    return "/" in word and not any(letter.isspace() for letter in word) and "operator" not in word


def _names_anything(gap: Gap) -> bool:
    return any(letter.isalnum() for each in (gap.description, gap.symbol, gap.path, gap.text) for letter in each)


def _as_text(value: object) -> str:
    """Return a value of JSON as it would stand in an attribute."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list():
            if all(isinstance(each, int) for each in value):
                return ", ".join("-".join(map(str, filter(None, pair))) for pair in _pairs(value))
            return ", ".join(map(_as_text, value))
        case dict():
            return ", ".join(f"{name} {_as_text(each)}" for name, each in value.items())
    return str(value)


def _pairs(numbers: Iterable[int]) -> Iterator[tuple[int, ...]]:
    each = iter(numbers)
    return zip_longest(each, each)
