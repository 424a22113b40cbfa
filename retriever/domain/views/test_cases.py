"""Finds the test cases of a file whose tests are blocks passed to a call: `test("…", () => {…})`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.words.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CLOSING = ")]}"


@dataclass(frozen=True, slots=True)
class Block:
    """
    A line and the lines below it that are indented deeper, with the line that closes it.

    Args:
        first: 1-based.
        last: Inclusive.
        head: First word of the first line.
        within: Positions of the blocks around it, outermost first.
    """

    first: int
    last: int
    head: str
    within: tuple[int, ...]


def blocks_of(text: Sequence[str]) -> tuple[Block, ...]:
    """Return the blocks of a text by its indentation, in the order in which they end."""
    return tuple(_blocks(text))


def _blocks(text: Sequence[str]) -> Iterator[Block]:
    opened: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate((*text, "."), 1):
        bare = line.lstrip()
        if not bare:
            continue
        depth, closes = len(line) - len(bare), bare[0] in _CLOSING
        while opened and (opened[-1][1] > depth or (opened[-1][1] == depth and not closes)):
            first, _ = opened.pop()
            if last > first:
                head = next(iter(words(text[first - 1])), "")
                yield Block(first, last, head, tuple(each for each, _ in opened))
        if not closes:
            opened.append((number, depth))
        last = number


def case_blocks(text: Sequence[str]) -> tuple[Block, ...]:
    """
    Return the blocks that are test cases, in order of line.

    They are the blocks with the best head: the one that many blocks have which together cover most of the text, such as
    `test` among `describe`, `test` and `server.get`. Its score is blocks * (share of lines)^2, where a block within
    another one of the same head does not count.
    """
    by_head: dict[str, list[Block]] = defaultdict(list)
    for block in sorted(blocks_of(text), key=lambda each: each.first):
        alike = by_head[block.head]
        if not alike or block.first > alike[-1].last:
            alike.append(block)

    def score(head: str) -> float:
        found = by_head[head]
        covered = sum(each.last - each.first + 1 for each in found)
        return len(found) * (covered / len(text)) ** 2

    return tuple(by_head[max(by_head, key=score)]) if by_head else ()
