"""Splits an answer in Markdown into blocks, sentences and tokens; every token knows where it stands in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`\n]*)$")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,4}[.)])[ \t]+")
_RULE = re.compile(r"[ \t]{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_ASIDE = re.compile(r"[ \t]*[|>]")
"""Table rows and block quotes, which are no sentences of the answer."""
_TOKEN = re.compile(
    r"(?P<code>(?P<ticks>`{1,3})(?!`)(?P<inside>[^\n]{1,400}?)(?<!`)(?P=ticks)(?!`))"
    r"|(?P<cite>\[\d{1,4}\](?!\())"
    r"|(?P<place>(?<![\w`/.-])(?=[\w.-]++[/:])(?:[\w.-]{1,80}(?:/[\w.-]{1,80}){0,20}\.\w{1,8}:\d{1,9}(?:[-\u2013]\d{1,9})?"
    r"|(?:[\w.-]{1,80}/){1,20}[\w-]{1,80}\.\w{1,8}(?![\w/])))"
    r"|(?P<string>\"[^\"\n]{1,300}\"|\u201c[^\u201d\n]{1,300}\u201d)"
    r"|(?P<poss>['\u2019]s\b)"
    r"|(?P<word>[^\W\d_](?:[^\W_]|['\u2019-](?=\w))*)"
    r"|(?P<number>\d[\d_.,]*\d|\d)"
    r"|(?P<arrow>\u2192|->|=>)"
    r"|(?P<mark>[*_~]+)"
    r"|(?P<punct>\S)"
)
_MOST_TOKENS = 200
_ENDS = frozenset(".!?")


class BlockKind(Enum):
    """What a block is."""

    PARAGRAPH = auto()
    HEADING = auto()
    ITEM = auto()
    CODE = auto()
    RULE = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """
    Consecutive lines of an answer.

    Args:
        start: Offset of its text in the answer, after the mark of an item or heading.
        end: Offset just after it; for code, just after its last line.
        depth: Blanks before the mark of an item.
    """

    kind: BlockKind
    start: int
    end: int
    depth: int = 0


class Token(NamedTuple):
    """
    A word, a sign, a span of code, a citation or a place.

    Attributes:
        kind: One of "code", "cite", "place", "string", "poss", "word", "number", "arrow" and "punct".
        text: As written; for code the text between its marks, for a citation its number.
    """

    kind: str
    text: str
    start: int
    end: int


def blocks(text: str) -> tuple[Block, ...]:
    """Return paragraphs, headings, items and blocks of code in order; a fence that is never closed starts no block."""
    found: list[Block] = []
    is_open, fence, code_start = False, "", 0
    lines = text.splitlines(keepends=True)
    closings = _longest_closings(lines)
    position = 0
    for number, line in enumerate(lines):
        start, position = position, position + len(line)
        plain = line.rstrip("\n")
        mark = _FENCE.match(plain)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                found.append(Block(BlockKind.CODE, code_start, start))
                fence = ""
        elif mark and len(mark[1]) <= closings[number + 1].get(mark[1][0], 0):
            fence, code_start, is_open = mark[1], position, False
        elif not plain.strip() or _ASIDE.match(plain):
            is_open = False
        elif _RULE.fullmatch(plain):
            found.append(Block(BlockKind.RULE, start, start))
            is_open = False
        elif is_open and not _HEADING.match(plain) and not _ITEM.match(plain):
            found[-1] = Block(found[-1].kind, found[-1].start, start + len(plain), found[-1].depth)
        else:
            found.append(_begun(plain, start))
            is_open = found[-1].kind is not BlockKind.HEADING
    return tuple(found)


def _begun(line: str, start: int) -> Block:
    end = start + len(line)
    if heading := _HEADING.match(line):
        return Block(BlockKind.HEADING, start + heading.end(), end)
    if item := _ITEM.match(line):
        return Block(BlockKind.ITEM, start + item.end(), end, len(item[1]))
    return Block(BlockKind.PARAGRAPH, start, end)


def _longest_closings(lines: Sequence[str]) -> list[dict[str, int]]:
    """Return, for each line and the end of the text, the longest closing fence of each fence sign from there on."""
    found: list[dict[str, int]] = [{}]
    for line in reversed(lines):
        mark = _FENCE.match(line.rstrip("\n"))
        longest = found[-1]
        if mark and not mark[2].strip() and len(mark[1]) > longest.get(mark[1][0], 0):
            longest = {**longest, mark[1][0]: len(mark[1])}
        found.append(longest)
    return found[::-1]


def sentences(text: str, block: Block) -> Iterator[tuple[Token, ...]]:
    """Split a block at the ends of sentences and at semicolons; one of 200 tokens ends there."""
    current: list[Token] = []
    is_said = False
    tokens = tuple(tokenize(text, block.start, block.end))
    for number, token in enumerate(tokens):
        current.append(token)
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        is_said = _is_end(token, following) or (is_said and token.kind == "cite")
        is_left = following is None or following.kind not in {"cite", "punct"}
        if (is_said and is_left) or len(current) >= _MOST_TOKENS:
            yield tuple(current)
            current, is_said = [], False
    if current:
        yield tuple(current)


def _is_end(token: Token, following: Token | None) -> bool:
    if token.kind != "punct" or following is None:
        return False
    if token.text == ";":
        return True
    begins = following.kind != "word" or following.text[:1].isupper()
    return token.text in _ENDS and following.start > token.end and begins


def tokenize(text: str, start: int, end: int) -> Iterator[Token]:
    """Read the tokens between two offsets, without emphasis marks."""
    for match in _TOKEN.finditer(text, start, end):
        # Of nested groups, the outer one is the last to match.
        kind = match.lastgroup or ""
        if kind == "mark":
            continue
        inside = match["inside"].strip() if kind == "code" else match[0]
        yield Token(kind, inside[1:-1] if kind == "cite" else inside, match.start(), match.end())
