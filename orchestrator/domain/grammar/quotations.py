"""Finds quotations of code with a place: blocks below a place, lines beside one, code beside a citation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.contract.evidence import Claim, ClaimKind, Span
from orchestrator.domain.answers.claims import ClaimSite
from orchestrator.domain.grammar.names import CodeKind, read_code
from orchestrator.domain.grammar.text import BlockKind, blocks, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.grammar.text import Token

_COMMENT = re.compile(
    r"[ \t]*(?:#|//|--|/\*|<!--)[ \t]*(\S+?):(\d{1,9})(?:[-\u2013](\d{1,9}))?[ \t]*(?:\*/|-->)?[ \t]*$"
)
_BESIDE = re.compile(r"(.*\S)[ \t]+(?:#|//)[ \t]*(\S+?\.\w+):(\d{1,9})(?:[-\u2013](\d{1,9}))?[ \t]*$")
"""One line of code followed by a comment with its place."""
_OF_LISTS = frozenset({",", "and", "or", "&"})
_MOST_LINES = 10**9
_LEAST_QUOTE = 2
"""Least characters of a quotation that identify a line."""


def quoted_blocks(text: str) -> Iterator[ClaimSite]:
    """Yield a quotation for each block of code whose place stands in the line above it, or in its first line."""
    position = 0
    for block in blocks(text):
        if block.kind is BlockKind.CODE:
            code = text[block.start : block.end].rstrip("\n")
            place, code = _place_of_block(text, position, block.start, code)
            if place is not None and code.strip():
                claim = Claim(ClaimKind.QUOTES, "", code, _whole(place, code))
                behind_fence = text.find("\n", block.end)
                yield ClaimSite(claim, block.start, behind_fence if behind_fence >= 0 else len(text))
        position = block.end


def _place_of_block(text: str, start: int, end: int, code: str) -> tuple[Span | None, str]:
    first, _, rest = code.partition("\n")
    if beside := _BESIDE.match(code):
        return Span(beside[2], int(beside[3]), int(beside[4] or 0)), beside[1]
    if comment := _COMMENT.match(first):
        return Span(comment[1], int(comment[2]), int(comment[3] or 0)), rest
    above = text[:end].rstrip("\n").rsplit("\n", 1)[0].rstrip()  # without the line of the fence
    line = above.rsplit("\n", 1)[-1]
    places = tuple(places_in(tuple(tokenize(line, 0, len(line)))))
    return (places[0] if len(places) == 1 and len(above) >= start - 1 else None), code


def _whole(place: Span, code: str) -> Span | None:
    last = place.end_line or place.start_line + code.count("\n")
    return Span(place.path, place.start_line, last) if 1 <= place.start_line <= last else None


def quoted_inline(tokens: Sequence[Token], cited: Span | None, *, is_advice: bool) -> Iterator[ClaimSite]:
    """
    Yield the code that a sentence says stands at the one place that it names, else at the place that it cites.

    Args:
        is_advice: The sentence says what to write, which need not exist in the source: cited places are ignored.
    """
    places = tuple(dict.fromkeys(places_in(tokens)))
    start, end = tokens[0].start, tokens[-1].end
    named = sum(token.kind == "code" and read_code(token.text).kind is CodeKind.NAME for token in tokens)
    for number, token in enumerate(tokens):
        code = read_code(token.text) if token.kind == "code" else None
        if code is None or len(code.text) < _LEAST_QUOTE or code.text.isdigit():
            continue  # digits next to a place are a further line of its file
        is_longer = code.kind is CodeKind.NAME and code.name != code.text
        has_arguments = is_longer and code.text[-1] in ")]" and not code.text.endswith("()")
        is_code = code.kind in {CodeKind.OTHER, CodeKind.LITERAL} or has_arguments
        if len(places) == 1 and is_code:
            span = Span(places[0].path, places[0].start_line, places[0].end_line or places[0].start_line)
            yield ClaimSite(Claim(ClaimKind.QUOTES, "", code.text, span), start, end)
        elif len(places) == 1 and code.kind is CodeKind.NAME:
            # Of several names, only the one next to the place must occur there.
            yield ClaimSite(Claim(ClaimKind.LOCATED, code.text, "", places[0]), start, end, is_sure=named == 1)
        elif not places and cited is not None and code.kind is CodeKind.OTHER and not is_advice:
            name, _, value = code.text.partition("=")
            is_argument = name.isidentifier() and value[:1] not in {"", " ", "="}  # it may be the reader's own
            around = [each.text for each in (*tokens[max(0, number - 1) : number], *tokens[number + 1 : number + 2])]
            is_example = around == ["(", ")"]  # "networks of IPv6 (`fd00::/8`)"
            is_option = code.text.startswith("-")  # typed on a command line; the source may write it otherwise
            is_sure = not (is_argument or is_example or is_option)
            yield ClaimSite(Claim(ClaimKind.SHOWS, "", code.text, cited), start, end, is_sure=is_sure)


def places_in(tokens: Sequence[Token]) -> Iterator[Span]:
    """Yield the places that tokens name: `a/b.py:3`, and `a/b.py` with "line 3" before or behind it."""
    files: list[str] = []
    lines: list[tuple[int, int]] = []
    for number, token in enumerate(tokens):
        if token.kind in {"code", "place"}:
            code = read_code(token.text)
            first, last = code.lines
            if code.kind is CodeKind.PLACE and code.path and 0 < first <= (last or first) < _MOST_LINES:
                yield Span(code.path, first, last)
            elif code.kind is CodeKind.FILE:
                files.append(code.path)
        elif token.kind == "word" and token.text.lower() in {"line", "lines"}:
            lines += _lines_behind(tokens, number)
    if len(files) == 1 and len(lines) == 1:
        first, last = lines[0]
        yield Span(files[0], first, last)


def _lines_behind(tokens: Sequence[Token], position: int) -> Iterator[tuple[int, int]]:
    """Yield the line number after "line" as (line, 0), or a range as (first, last); for "3 and 7", each of both."""
    first, joint, second = ([*tokens[position + 1 : position + 4], None, None, None])[:3]
    if first is None or not _is_number(first):
        return
    last = int(second.text) if second is not None and _is_number(second) else 0
    if last and joint is not None and joint.text.lower() in _OF_LISTS:
        yield from ((int(first.text), 0), (last, 0))
    else:
        yield int(first.text), last


def _is_number(token: Token) -> bool:
    return token.kind == "number" and token.text.isdigit()
