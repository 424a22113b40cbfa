"""
Checks each citation of a model's text against the evidence that it cites, and marks contradicted sentences.

A citation of lines stays as the model wrote it: of 275 such citations that were judged, all that had been moved were
right before. A piece that is cited as a whole beside names of code must show one of the names. If it shows none, the
citation moves to the one supplied definition of such a name, or is dropped if no piece shows any of the names. Of a
cited list, only the entries that the text names beside the citation stay cited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimVerdict, Span
from common.core.words.terms import count_terms
from orchestrator.domain.answers.events import CitedLabel
from orchestrator.domain.evidence.mentions import find_mention
from orchestrator.domain.grammar.names import CodeKind, looks_like_symbol, parts_of, read_code
from orchestrator.domain.grammar.text import BlockKind, blocks, sentences, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from common.core.contract.evidence import CheckedClaim
    from orchestrator.domain.answers.claims import ClaimSite
    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.grammar.text import Token

_MOST_CORRECTIONS = 8
_LONGEST_SENTENCE = 300
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
_WORD = re.compile(r"[\w$]+")


@dataclass(frozen=True, slots=True)
class HeldCitations:
    """
    A text whose citations were checked, with the counts of the check.

    Args:
        cited: The citations by number, in order from 1.
        checked: Number of citations beside names of code.
        moved: Number of citations that now refer to another piece.
        dropped: Number of citations removed because no supplied piece shows the names.
    """

    text: str
    cited: tuple[CitedLabel, ...]
    checked: int = 0
    moved: int = 0
    dropped: int = 0

    @property
    def share(self) -> float:
        """The share of checked citations that were neither moved nor dropped; 1 if none was checked."""
        return 1 - (self.moved + self.dropped) / self.checked if self.checked else 1.0


def hold_citations(text: str, cited: Sequence[CitedLabel], evidence: Sequence[Evidence]) -> HeldCitations:
    """
    Return the text with checked citations, renumbered in order of first mention.

    Args:
        cited: The label behind each number of the text, in order from 1.
        evidence: All that was supplied.
    """
    pieces = {each.evidence_id: _Piece(each) for each in evidence if each.span is not None or each.mentions}
    checked = moved = dropped = 0
    placed: list[tuple[Token, CitedLabel | None]] = []
    of_lists = any(each.path for each in cited)
    unmeant = frozenset(_unmeant(text, cited, {each.evidence_id: each for each in evidence}) if of_lists else ())
    for token, names in _occurrences(text):
        if token.start in unmeant:
            placed.append((token, None))
            continue
        number = int(token.text)
        if not 1 <= number <= len(cited):
            continue
        label = cited[number - 1]
        checked += bool(names.every)
        held = _held(label, names, pieces) if names.every else label
        moved += held is not None and held != label
        dropped += held is None
        placed.append((token, held))
    if not moved and not dropped and not unmeant:
        return HeldCitations(text, tuple(cited), checked)
    numbers: dict[CitedLabel, int] = {}
    parts, position = list[str](), 0
    for token, held in placed:
        before = text[position : token.start]
        parts.append(before if held or token.start in unmeant else before.rstrip(" "))
        if held:
            parts.append(f"[{numbers.setdefault(held, len(numbers) + 1)}]")
        position = token.end
    return HeldCitations("".join((*parts, text[position:])), tuple(numbers), checked, moved, dropped)


class _Piece:
    """A piece of evidence; its identifiers are collected on first use."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier that it shows."""
        evidence = self.evidence
        stem = _stem(evidence.span.path if evidence.span else "").strip("_")
        told = (
            evidence.symbol.qualified_name if evidence.symbol else "",
            *(stem, f"_{stem}"),
            evidence.text,
            evidence.documentation,
            evidence.title,
            *(each.qualified_name for each in evidence.mentions),
        )
        return frozenset(_IDENTIFIER.findall(" ".join(told)))

    def shows(self, names: _Names) -> bool:
        """Return whether the piece has one of the names, in text, symbol, path or mentions, or one of the values."""
        return not names.every.isdisjoint(self.words) or any(each in self.evidence.text for each in names.literals)

    def defines(self, names: frozenset[str]) -> bool:
        """Return whether it is the definition of one of some names."""
        symbol = self.evidence.symbol
        return symbol is not None and symbol.name in names


@dataclass(frozen=True, slots=True)
class _Names:
    """
    The last parts of the names that a citation stands beside.

    Args:
        sure: Names that only a definition in code can have; all names if there is no such name.
        every: All names, and the identifiers in code that is no name.
        literals: Values, such as `0`, as they are written.
        has_names: Some of the code is a name. Without a name, the citation is never dropped.
    """

    sure: frozenset[str] = frozenset()
    every: frozenset[str] = frozenset()
    literals: tuple[str, ...] = ()
    has_names: bool = False


def _held(label: CitedLabel, names: _Names, pieces: Mapping[str, _Piece]) -> CitedLabel | None:
    """
    Return the label if it has lines or its piece shows one of the names, else that of the one definition of a name.

    Without a definition, the label moves to the one piece that shows all names. If several pieces qualify, the label
    stays, as the meant one is unknown. None if no piece shows any of the names.
    """
    own = pieces.get(label.evidence_id)
    if own is None or label.start_line:
        return label
    if own.evidence.span is None and not label.mention:
        label = _by_mention(own.evidence, names.every) or label
    if own.shows(names):
        return label
    defining = [each for each in pieces.values() if each.defines(names.sure)]
    showing = [each for each in pieces.values() if names.sure and names.sure <= each.words]
    meant = defining or showing
    if len(meant) == 1:
        best = meant[0].evidence
        return CitedLabel(best.evidence_id) if best.span is not None else _by_mention(best, names.sure)
    is_shown = any(each.shows(names) for each in pieces.values())
    return label if is_shown or not names.has_names else None


def _unmeant(text: str, cited: Sequence[CitedLabel], evidence: Mapping[str, Evidence]) -> Iterator[int]:
    """
    Yield the offsets of citations of list entries that the text before them does not mean.

    A list that is cited as a whole is cited by all its entries. If the code and numbers before the citations name some
    entries by line, function or file, or if some entries share more words with the text, the others are not meant.
    """
    position = 0
    for line in text.splitlines(keepends=True):
        beside: list[Token] = []
        last: list[Token] = []
        listed: list[tuple[Token, CitedLabel]] = []
        for token in (*tokenize(text, position, position + len(line)), None):
            number = int(token.text) if token and token.kind == "cite" else 0
            label = cited[number - 1] if 1 <= number <= len(cited) else None
            if token and label and listed and _is_next(listed[-1], token, label):
                listed.append((token, label))
                continue
            meant = _meant(listed, beside, evidence)
            yield from (each.start for each, lines in listed if meant and lines not in meant)
            is_begun = bool(token and label and label.path)
            if listed or (token and token.kind == "cite" and not is_begun):
                beside, last, listed = [], beside or last, []
            if token and label and is_begun:
                listed, beside = [(token, label)], beside or last
            elif token and token.kind != "cite":
                beside.append(token)
        position += len(line)


def _is_next(last: tuple[Token, CitedLabel], token: Token, label: CitedLabel) -> bool:
    """Return whether a citation continues a list that is cited as a whole: same evidence, directly behind the last."""
    return bool(label.path) and last[1].evidence_id == label.evidence_id and last[0].end == token.start


def _meant(
    listed: Sequence[tuple[Token, CitedLabel]], beside: Sequence[Token], evidence: Mapping[str, Evidence]
) -> list[CitedLabel]:
    """Return the entries of a cited list that best match the tokens before the citations; [] for under two entries."""
    if len(listed) < 2:
        return []
    if placed := [each for each in (label for _, label in listed) if _is_placed(each, tuple(_places(beside)))]:
        return placed
    said = frozenset(word for token in beside if token.kind in ("code", "place") for word in _WORD.findall(token.text))
    said |= {token.text for token in beside if token.kind == "number"}
    users = evidence[listed[0][1].evidence_id].users
    said -= {parts_of(users.name)[-1]} if users and users.name else frozenset()
    labels = [label for _, label in listed]
    named = [
        each
        for each in labels
        if not said.isdisjoint({*_IDENTIFIER.findall(each.mention), _stem(each.path), str(each.start_line)})
    ]
    if named:
        return named
    listed_by = evidence[labels[0].evidence_id]
    by_code = _with_most(labels, said, listed_by, lambda line: frozenset(_WORD.findall(line)))
    terms = frozenset(count_terms(" ".join(token.text for token in beside)))
    return by_code if len(by_code) < len(labels) else _with_most(labels, terms, listed_by, count_terms)


def _places(tokens: Sequence[Token]) -> Iterator[Span]:
    """Yield the places that tokens name: `a/b.py:3`, and after it `:7`, a line of the same file."""
    path = ""
    for code in (read_code(token.text) for token in tokens if token.kind in ("code", "place")):
        path = code.path or path
        if code.kind is CodeKind.PLACE and path:
            yield Span(path, code.lines[0], code.lines[1] or code.lines[0])


def _is_placed(label: CitedLabel, places: Sequence[Span]) -> bool:
    return any(
        f"/{label.path}".endswith(f"/{each.path}") and each.start_line <= label.start_line <= each.end_line
        for each in places
    )


def _with_most(
    labels: Sequence[CitedLabel], said: frozenset[str], evidence: Evidence, words_of: Callable[[str], Iterable[str]]
) -> list[CitedLabel]:
    """Return the entries of a list that share most words with `said`; an entry's words include its path and name."""
    told = (line for line in evidence.text.splitlines() if line.startswith("- "))
    users = evidence.users.listed if evidence.users else ()
    words = {each.place: words_of(line) for each, line in zip(users, told, strict=False)}
    shares = [len(said.intersection(words.get(Span(each.path, each.start_line, each.end_line), ()))) for each in labels]
    return [each for each, share in zip(labels, shares, strict=True) if share == max(shares)]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _by_mention(evidence: Evidence, names: frozenset[str]) -> CitedLabel | None:
    """Return a label of evidence without a place, by a mention with one of the names; None if no mention has one."""
    found = (find_mention(evidence, each.qualified_name) for each in evidence.mentions if each.name in names)
    mention = next((each for each in found if each is not None), None)
    return CitedLabel(evidence.evidence_id, mention.qualified_name) if mention else None


def _occurrences(text: str) -> Iterator[tuple[Token, _Names]]:
    """Yield each citation with the names that it stands beside, in order."""
    position = 0
    for block in blocks(text):
        yield from _beside_nothing(text, position, block.start)
        position = block.end
        if block.kind is not BlockKind.CODE:
            for tokens in sentences(text, block):
                yield from _of_sentence(tokens)
    yield from _beside_nothing(text, position, len(text))


def _beside_nothing(text: str, start: int, end: int) -> Iterator[tuple[Token, _Names]]:
    for token in tokenize(text, start, end):
        if token.kind == "cite":
            yield token, _Names()


def _of_sentence(tokens: Sequence[Token]) -> Iterator[tuple[Token, _Names]]:
    """Yield each citation with the names since the previous one, or of the whole sentence if there are none."""
    cites = [number for number, token in enumerate(tokens) if token.kind == "cite"]
    whole = _names(tokens) if cites else _Names()
    start = 0
    for number in cites:
        token = tokens[number]
        before = _names(tokens[start:number])  # empty if the previous citation directly precedes
        yield token, before if before.every else whole
        start = number + 1


def _names(tokens: Sequence[Token]) -> _Names:
    codes = [read_code(token.text) for token in tokens if token.kind == "code"]
    named = [code for code in codes if code.kind is CodeKind.NAME]
    sure = {parts_of(code.name)[-1] for code in named if looks_like_symbol(code.name, is_call=code.is_call)}
    other = {parts_of(code.name)[-1] for code in named}
    pieces = {word for code in codes if code.kind is CodeKind.OTHER for word in _IDENTIFIER.findall(code.text)}
    literals = tuple(code.text for code in codes if code.kind is CodeKind.LITERAL)
    return _Names(frozenset(sure or other), frozenset(sure | other | pieces), literals, bool(named))


def corrections(text: str, sites: Sequence[ClaimSite], checked: Sequence[CheckedClaim]) -> str:
    """Return the contradicted sentences as a list, each with the correction; "" for none."""
    found: dict[str, None] = {}
    for site, claim in zip(sites, checked, strict=True):
        if claim.verdict is ClaimVerdict.CONTRADICTED:
            said = " ".join(text[site.start : site.end].split())
            found[f"- {said[:_LONGEST_SENTENCE]} ({claim.detail})"] = None
    return "\n".join(list(found)[:_MOST_CORRECTIONS])


def marked(text: str, sites: Sequence[ClaimSite], checked: Sequence[CheckedClaim]) -> str:
    """Append to each contradicted sentence what the index says instead."""
    found: dict[int, dict[str, None]] = {}
    for site, claim in zip(sites, checked, strict=True):
        if claim.verdict is ClaimVerdict.CONTRADICTED:
            found.setdefault(site.end, {})[claim.detail] = None
    for end in sorted(found, reverse=True):
        text = f"{text[:end]} _(contradicted by the index: {'; '.join(found[end])})_{text[end:]}"
    return text
