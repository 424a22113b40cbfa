"""Splits a question into words, names and marks, each with its place. Each CJK character is one token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Shape(Enum):
    """Kind of a token; the value is what the models see in its place, but they see words ("") and marks themselves."""

    WORD = ""
    SYMBOL = "<symbol>"
    PATH = "<path>"
    ROUTE = "<route>"
    QUOTE = "<quote>"
    OPTION = "<option>"
    NUMBER = "<number>"
    MARK = "."


_SENTENCE_ENDS = frozenset(".?!;\n\uff1f\u3002\uff01")
_LEAST_WORDS = 3
"""Words that a sentence has at least; fewer are joined to a neighbouring sentence."""
NAMES = frozenset({Shape.SYMBOL, Shape.PATH, Shape.ROUTE, Shape.QUOTE, Shape.OPTION})


@dataclass(frozen=True, slots=True)
class Token:
    """
    A word, name or mark; offsets are in code points of the text.

    Args:
        text: As written, without quotation marks.
        key: What the models see: a word in lower case, a mark as it is, else the value of the shape.
    """

    text: str
    shape: Shape
    start: int
    end: int
    key: str


OPERATOR = r"(?:[A-Za-z_]\w*::){0,8}operator(?:\[\]|[-+*/%^&|~!=<>]{1,3})"
"""A C++ operator function: `operator==`, `Vec::operator[]`."""
_TOKEN = re.compile(
    r"(?P<route>(?<![\w/.])(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?/[\w\-{}<>:.*/]*[\w}>*])"
    r"|\"(?P<quote>[^\"\n]{1,300})\"|(?<!\w)'(?P<single>[^'\n]{1,300})'(?!\w)|\u201c(?P<curly>[^\u201d\n]{1,300})\u201d"
    r"|`(?P<code>[^`\n]{1,200})`"
    r"|(?P<path>(?<![\w/])\.{0,2}/?(?:[\w.@\-]+/)+(?:[\w@\-][\w.@\-]*[\w]|\w)?"
    r"|(?<![\w/.])[\w\-]+(?:\.[\w\-]+)*\.(?:pyi?|tsx?|mts|m?jsx?|java|kt|go|rs|cc?|cpp|hpp|h|cs|rb|php|scala|swift|y|md|rst|txt"
    r"|toml|ya?ml|json|ini|cfg|sql|html|css|xml|proto|sh|vue|svelte|ipynb|gradle|lock|mod)(?![\w(]))"
    r"|(?P<option>(?<![\w\-])--[a-z][\w\-]*)"
    rf"|(?P<symbol>(?<![\w$])(?a:{OPERATOR}|\$?[A-Za-z_]\w*(?:(?:\.\#?|::|->|\#)[A-Za-z_]\w*)+(?:\(\))?|\#?[A-Za-z_]\w*\(\)|\#[A-Za-z_]\w*"
    r"|_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*|_+[A-Za-z]\w*"
    r"|[A-Z]?[a-z0-9]+(?:[A-Z]\w*)+|[A-Z]{2,}[a-z]+[A-Z]?\w*))"
    r"|(?P<number>\d+(?:\.\d+)*)"
    r"|(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
    r"|(?P<word>[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:['\u2019\-][^\W\d_]+)*)"
    r"|(?P<mark>\n|[?.!,;:()=\u00bf\uff1f\u3002\uff0c\u3001\uff01\u2014\u2013]|->| - )"
)
_SHAPES = {
    "route": Shape.ROUTE,
    "quote": Shape.QUOTE,
    "single": Shape.QUOTE,
    "curly": Shape.QUOTE,
    "code": Shape.SYMBOL,
    "path": Shape.PATH,
    "option": Shape.OPTION,
    "symbol": Shape.SYMBOL,
    "number": Shape.NUMBER,
    "cjk": Shape.WORD,
    "word": Shape.WORD,
    "mark": Shape.MARK,
}
_PATH_IN_CODE = re.compile(
    r"\.{0,2}/?(?:[\w.@\-]+/)+[\w.@\-]*|[\w\-]+\.(?:py|ts|js|go|rs|c|h|java|rb|md|toml|ya?ml|json)"
)
_ROUTE_IN_CODE = re.compile(r"(?:[A-Z]{3,7} )?/\S*")
_MARKS = str.maketrans("\uff1f\u3002\uff0c\u3001\uff01\u201c\u201d\u2019\u00bf\u2014\u2013", '?.,,!""\'?--')
MOST_CHARS = 3000
"""Characters of a text that are read; in a long report, logs and code follow after them."""


@lru_cache(maxsize=16)  # the mode engine needs the tokens that the reader just made
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of the first MOST_CHARS characters of a text, in order."""
    return tuple(_token(match) for match in _TOKEN.finditer(text[:MOST_CHARS]))


def _token(match: re.Match[str]) -> Token:
    kind = str(match.lastgroup)
    start, end = match.span(kind)
    text, shape = match[kind], _SHAPES[kind]
    if kind == "symbol":
        text = text.removesuffix("()")
        end = start + len(text)
    elif kind == "path":
        text, shape = _path(text, shape)
    elif kind == "code":
        text = text.removesuffix("()")
        end = start + len(text)
        shape = _shape_of_code(text)
    elif kind in {"quote", "single", "curly"} and " " not in text:
        shape = _shape_of_code(text)
    key = shape.value or text.lower().translate(_MARKS)
    return Token(text, shape, start, end, text.strip().translate(_MARKS) or "\n" if shape is Shape.MARK else key)


def _path(text: str, shape: Shape) -> tuple[str, Shape]:
    """Return a path and its shape: a WORD if its only slash follows capitals, as in `TCP/IP`, `HTTP/2`, `I/O`."""
    is_pair = text.count("/") == 1 and not text.startswith((".", "/")) and "." not in text
    return text, Shape.WORD if is_pair and text.split("/")[0].isupper() else shape


def _shape_of_code(text: str) -> Shape:
    if _ROUTE_IN_CODE.fullmatch(text):
        return Shape.ROUTE
    if text.startswith("--"):
        return Shape.OPTION
    if _PATH_IN_CODE.fullmatch(text):
        return Shape.PATH
    return Shape.SYMBOL if " " not in text.strip() else Shape.QUOTE


def sentence_bounds(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return start and end of each sentence; one of fewer than 3 words is joined to its neighbour."""
    bounds: list[tuple[int, int]] = []
    start = words = 0
    for at, token in enumerate(tokens):
        words += token.shape is not Shape.MARK
        if token.shape is Shape.MARK and token.key in _SENTENCE_ENDS and words >= _LEAST_WORDS:
            bounds.append((start, at + 1))
            start, words = at + 1, 0
    if start < len(tokens):
        if words >= _LEAST_WORDS or not bounds:
            bounds.append((start, len(tokens)))
        else:
            bounds[-1] = (bounds[-1][0], len(tokens))
    return bounds or [(0, len(tokens))]
