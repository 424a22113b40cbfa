"""Exact search for a text in files: which terms a file must have to hold it, where it stands, and in what order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.words.terms import terms_of, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retriever.domain.values import File


def required_terms(text: str) -> tuple[str, ...]:
    """
    Return the terms of the lexical index that every file holding this text has; () where none is certain.

    Words of scripts that write without blanks are left out: in a file such a word may be part of a longer one.
    """
    certain = (word for word in words(text) if all(map(_is_cased, word)))
    return tuple(dict.fromkeys(term for word in certain for term in terms_of(word)))


def lines_with(content: str, text: str) -> Iterator[int]:
    """
    Yield the numbers of lines, from 1, on which a text begins as whole words; each line once.

    Case counts. Blanks and line ends are one kind of white space, and any run of it equals any other. A text that
    begins or ends with a letter, digit or underscore does not begin or end within a longer word.
    """
    places = _places(content, text.split())
    return _lines(content, (at for at, end in places if not _is_within_word(content, at, end)))


def lines_containing(content: str, text: str) -> Iterator[int]:
    """Yield the numbers of lines on which a text begins, as `lines_with` does, but within longer words too."""
    return _lines(content, (at for at, _ in _places(content, text.split())))


def _lines(content: str, places: Iterable[int]) -> Iterator[int]:
    line, counted, told = 1, 0, 0
    for at in places:
        line += content.count("\n", counted, at)
        counted = at
        if line != told:
            told = line
            yield line


def _places(content: str, pieces: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions (begin, end) at which the pieces occur one after the other, separated by white space."""
    at = 0
    while pieces and (at := content.find(pieces[0], at)) >= 0:
        end = _end_of(content, at, pieces)
        if end:
            yield at, end
        at += 1


def _is_within_word(content: str, at: int, end: int) -> bool:
    before = content[at - 1 : at] if at else ""
    return _goes_on(content[at], before) or _goes_on(content[end - 1], content[end : end + 1])


def _end_of(content: str, at: int, pieces: list[str]) -> int:
    """Return the end of the pieces that begin at a position; 0 if not all of them follow there."""
    at += len(pieces[0])
    for piece in pieces[1:]:
        start = at
        while content[at : at + 1].isspace():
            at += 1
        if at == start or not content.startswith(piece, at):
            return 0
        at += len(piece)
    return at


def _goes_on(letter: str, beyond: str) -> bool:
    """Return whether a word continues beyond a letter; never for scripts that write without blanks."""
    return _is_of_word(letter) and _is_cased(letter) and _is_of_word(beyond)


def _is_of_word(letter: str) -> bool:
    return letter == "_" or letter.isalnum()


def _is_cased(letter: str) -> bool:
    return letter.isascii() or letter.lower() != letter.upper()


def rank_of(file: File, *, is_prose: bool) -> tuple[int, str]:
    """Return the sort key of a file that holds a text: code, then tests, examples and tools, documentation; by path."""
    return (3 if is_prose else 2 if file.role.is_aside else 1 if file.is_test else 0), file.path
