"""Replaces labels of evidence by citation numbers in a streaming text, and drops labels without evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from orchestrator.domain.answers.events import CitedLabel
from orchestrator.domain.evidence.mentions import find_mention, mention_name
from orchestrator.domain.evidence.piece import EvidenceKind
from orchestrator.domain.model_text.labels import Reference, read_label
from orchestrator.domain.model_text.markdown_code import Kind, MarkdownLexer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.evidence.piece import Evidence, SymbolRef

_OPENING = re.compile(r"[\[(\u3010]|(?<![\w.`/#-])E(?=\d|\Z)")
_MARK = re.compile(r"[\[(E\u3010]|\s\Z")
_CLOSING = {"[": "]", "(": ")", "\u3010": "\u3011"}
_BARE = re.compile(r"E\d{1,3}+(?:\s?[-\u2013]\s?E\d{1,3}+|:L?\d{1,7}(?:[-\u2013]L?\d{1,7})?)?(?![\w`(]|[-\u2013.:]\w)")
_BARE_OPEN = re.compile(r"E\d{0,3}+(?:\s?[-\u2013]?\s?E?\d{0,3}+|:L?\d{0,7}[-\u2013]?L?\d{0,7})?[-\u2013.:]?\Z")
# An unfinished label: with its letter, anything may follow; without it, it is a list of numbers or a path.
_BEGUN = re.compile(
    r"[\[\u3010]\s*+\^?(?:E(?:\d.*)?|\d{1,3}(?:\s*+[,;]\s*+\d{0,3})*+\s*+(?::\S*)?"
    r"|(?:[^\s\[\](),;\u3010]{1,160}+[,;]\s?)*+[^\s\[\](),;\u3010]{0,160}+)?\Z"
    r"|\([ \t]*+(?:E(?:\d[^\n]*+)?)?\Z",
    re.DOTALL | re.IGNORECASE,
)
_TARGET = re.compile(r"\([^()\s]{1,200}+\)")
_TARGET_OPEN = re.compile(r"(?:\([^()\s]{0,200}+)?\Z")
_BLANK = " \t\n|,;"
_LONGEST_LABEL = 260
_MOST_USES = 8
"""Most citations that replace one label of a list."""


class CitationNumberer:
    """
    Rewrites labels as numbers, in order of first mention, while the text streams.

    Code is left unchanged, unless it is nothing but a label: brackets in code are indexes. A label without supplied
    evidence, or of evidence without a place in the source, is dropped with the blank before it. Outside of square
    brackets, "E3" is a label only if no supplied piece contains the word "E3". Numbers alone ("[3]") are labels
    until a label with its letter occurs; after that they are the author's text, and are set in code marks to tell them
    from citations.

    Args:
        supplied: The evidence behind the labels: "E1" is the first.
        by_use: A label of a list of users becomes citations of the lines of use: of the named user, else of all. If
            False, it becomes a citation of the first mention.
    """

    def __init__(self, supplied: Sequence[Evidence], *, by_use: bool = False) -> None:
        self._supplied = tuple(supplied)
        self._by_use = by_use
        self._lexer = MarkdownLexer()
        self._cited: dict[Span, CitedLabel] = {}
        self._words: dict[int, bool] = {}
        self._held = ""
        self._last = ""
        self._has_letters = False
        self.dropped = 0

    @property
    def cited(self) -> tuple[CitedLabel, ...]:
        """Return the citations in order of their numbers, from 1."""
        return tuple(self._cited.values())

    def feed(self, text: str) -> str:
        """Take more text and return the part that is final."""
        # Most pieces are a word, and blanks at their end wait.
        if not self._held and not _MARK.search(text) and self._lexer.passes(text):
            self._last = text[-1:] or self._last
            return text
        self._lexer.feed(text)
        return self._settle(is_end=False)

    def finish(self) -> str:
        """Return the rest, after the last piece."""
        return self._settle(is_end=True)

    def _settle(self, *, is_end: bool) -> str:
        shown = []
        while segment := self._lexer.read(is_end=is_end):
            if segment.kind is Kind.TEXT:
                self._held += self._lexer.take(segment)
                shown.append(self._release(is_end=False))
                continue
            code = self._lexer.take(segment)
            if segment.kind is Kind.SPAN and self._goes_on_with(code):
                self._held += code
                continue
            shown.append(self._release(is_end=True))
            label = self._label_in_code(code) if segment.kind is Kind.SPAN else None
            shown.append(code if label is None else label)
            self._last = code[-1:]
        if is_end:
            shown.append(self._release(is_end=True))
        return "".join(shown)

    def _goes_on_with(self, code: str) -> bool:
        """Return whether a code span belongs to an unfinished label, as the cited name or place."""
        begun = max(self._held.rfind("["), self._held.rfind("("))
        if begun < 0 or len(self._held) - begun + len(code) > _LONGEST_LABEL:
            return False
        inside = self._held[begun + 1 :].strip()
        return not inside or (inside[-1] in ":,;" and _BEGUN.match(self._held, begun) is not None)

    def _label_in_code(self, code: str) -> str | None:
        """Return the citations for a code span that is nothing but a label; None for other code."""
        content = code.strip("`").strip()
        if content[:1] == "[" and content[-1:] == "]":
            content = content[1:-1]
        read = read_label(content)
        if read is None or read[1] or not all(each.has_letter and self._may_be(each) for each in read[0]):
            return None
        return self._written(self._numbers_of(read[0]))

    def _release(self, *, is_end: bool) -> str:
        """Return the buffered text with numbers for labels; an unfinished label stays, with the blanks before it."""
        text, shown, at = self._held, [], 0
        settled = len(text)
        position = 0
        while opening := _OPENING.search(text, position):
            found = self._label_at(text, opening, is_end=is_end)
            if found is None:
                settled = opening.start()
                break
            end, label = found
            if label is None:
                position = end
                continue
            before = text[at : opening.start()]
            shown.append((before if label else before.rstrip()) + label)
            at = position = end
        rest = text[at:settled]
        kept = rest if is_end else rest.rstrip()
        self._held = rest[len(kept) :] + text[settled:]
        self._last = text[: len(text) - len(self._held)][-1:] or self._last
        return "".join(shown) + kept

    def _label_at(self, text: str, opening: re.Match[str], *, is_end: bool) -> tuple[int, str | None] | None:
        """Return the end of a possible label and its citations (None if it is text); None if it is unfinished."""
        start = opening.start()
        if opening[0] == "E":
            return self._bare_at(text, start, is_end=is_end)
        end = _closed(text, start)
        if end < 0:
            is_begun = not is_end and len(text) - start <= _LONGEST_LABEL and _BEGUN.match(text, start)
            return None if is_begun else (opening.end(), None)
        read = read_label(text[start + 1 : end - 1])
        if read is None or not self._is_label(text, start, read[0]):
            return opening.end(), None
        is_apart = not (text[start - 1] if start else self._last).strip(_BLANK)
        is_bare = all(each == Reference(each.number) for each in read[0])
        if self._has_letters and is_apart and text[start] == "[" and is_bare:
            return end, f"`{text[start:end]}`"
        target = _TARGET.match(text, end)
        if target is None and not is_end and _TARGET_OPEN.match(text, end):
            return None
        if target and opening[0] != "(":
            # A label written as a link becomes a citation; a path written as a link is the author's own link.
            if not read[0][0].has_letter:
                return opening.end(), None
            inner = read_label(target[0][1:-1])
            end = end if inner and inner[0][0].has_letter else target.end()
        further = f" ({read[1]})" if read[1] else ""
        return end, self._written(self._numbers_of(read[0])) + further

    def _is_label(self, text: str, start: int, references: Sequence[Reference]) -> bool:
        last = text[start - 1] if start else self._last
        is_index = last.isalnum() or last in "_`)"
        if text[start] == "(":
            return not is_index and all(each.has_letter and self._may_be(each) for each in references)
        if all(each.has_letter for each in references):
            return True
        # Without its letter, a label may be an index as in `items[0]`, a slice, or the author's own reference.
        return not last.isalnum() and all(
            each.has_letter or self._place(each) or not (each.path or each.start_line) for each in references
        )

    def _bare_at(self, text: str, start: int, *, is_end: bool) -> tuple[int, str | None] | None:
        last = text[start - 1] if start else self._last
        before = text[start - 2] if start > 1 else self._last
        is_call = last == "(" and (before.isalnum() or before == "_")
        if is_call or (last and (last.isalnum() or last in "_.`/#-")):
            return start + 1, None
        if not is_end and _BARE_OPEN.match(text, start):
            return None
        bare = _BARE.match(text, start)
        read = read_label(bare[0]) if bare else None
        if bare is None or read is None or not all(self._may_be(each) for each in read[0]):
            return start + 1, None
        return bare.end(), self._written(self._numbers_of(read[0])) or None

    def _may_be(self, reference: Reference) -> bool:
        """Return whether a word outside of square brackets may be a label: no supplied piece contains the word."""
        number = reference.number
        if not 1 <= number <= len(self._supplied):
            return False
        if number not in self._words:
            word = re.compile(rf"(?<!\w)E{number}(?!\w)")
            texts = (part for each in self._supplied for part in (each.title, each.text, each.documentation))
            self._words[number] = any(map(word.search, texts))
        return not self._words[number]

    @staticmethod
    def _written(numbers: Sequence[int]) -> str:
        return "".join(f"[{number}]" for number in numbers)

    def _numbers_of(self, references: Sequence[Reference]) -> list[int]:
        found = []
        for reference in references:
            self._has_letters |= reference.has_letter
            place = self._place(reference)
            places = self._uses(reference) or ((place,) if place else ())
            self.dropped += not places
            for span, label in places:
                # One place has one number, even if several pieces of evidence show it.
                self._cited.setdefault(span, label)
                found.append(tuple(self._cited).index(span) + 1)
        return list(dict.fromkeys(found))

    def _uses(self, reference: Reference) -> tuple[tuple[Span, CitedLabel], ...]:
        """Return the cited lines of a list of users: those of the named user or place, else all."""
        if not self._by_use or reference.path or not 1 <= reference.number <= len(self._supplied):
            return ()
        evidence = self._supplied[reference.number - 1]
        name = reference.name.strip(" `()")
        named = find_mention(evidence, name)
        found = []
        for user in evidence.users.listed if evidence.users else ():
            place, symbol = user.place, user.symbol
            if place is None or not place.start_line:
                continue
            is_meant = not name or (symbol is not None and symbol == named) or name in (user.name, str(place))
            if reference.start_line:
                is_meant = reference.start_line <= place.start_line <= reference.end_line
            if is_meant:
                mention = mention_name(evidence, symbol) if symbol in evidence.mentions else ""
                label = CitedLabel(evidence.evidence_id, mention, place.start_line, place.end_line, place.path)
                found.append((place, label))
        return tuple(found[:_MOST_USES])

    def _place(self, reference: Reference) -> tuple[Span, CitedLabel] | None:
        if reference.path:
            return self._place_of_path(reference)
        if not 1 <= reference.number <= len(self._supplied):
            return None
        evidence = self._supplied[reference.number - 1]
        if reference.start_line:
            lines = _lines_in(evidence, reference)
            if lines or not reference.has_letter:
                return lines
        name = reference.name
        mention = find_mention(evidence, name.strip(" `")) or find_mention(evidence, name.strip(" `()"))
        if mention is None and evidence.users and not evidence.users.listed:
            return None  # an empty list has no line that shows it
        if mention is None and evidence.kind is EvidenceKind.FLOW and evidence.mentions:
            # The place of a whole flow is its start.
            mention = evidence.mentions[0]
        span = mention.span if mention else evidence.span
        return (span, _cited(evidence, mention)) if span else None

    def _place_of_path(self, reference: Reference) -> tuple[Span, CitedLabel] | None:
        """Return the lines of a place in the piece that shows most of it."""
        best: tuple[int, tuple[Span, CitedLabel]] | None = None
        for evidence in self._supplied:
            path = evidence.span.path if evidence.span else ""
            if path != reference.path and not path.endswith(f"/{reference.path}"):
                continue
            found = _lines_in(evidence, reference)
            shown = found[0].end_line - found[0].start_line + 1 if found else 0
            if found and (best is None or shown > best[0]):
                best = shown, found
        return best[1] if best else None


def _cited(evidence: Evidence, mention: SymbolRef | None) -> CitedLabel:
    return CitedLabel(evidence.evidence_id, mention_name(evidence, mention) if mention else "")


def _lines_in(evidence: Evidence, reference: Reference) -> tuple[Span, CitedLabel] | None:
    """Return the lines of a reference that a piece shows, or the entry that it lists there; None if neither."""
    span = evidence.span
    if span and (
        not span.start_line or (reference.start_line <= span.end_line and reference.end_line >= span.start_line)
    ):
        first, last = reference.start_line, reference.end_line
        if span.start_line:
            first, last = max(first, span.start_line), min(last, span.end_line)
        return Span(span.path, first, last), CitedLabel(evidence.evidence_id, "", first, last)
    for mention in evidence.mentions:
        if mention.start_line <= reference.start_line <= mention.end_line:
            return mention.span, _cited(evidence, mention)
    return None


def _closed(text: str, start: int) -> int:
    """Return the end of the brackets that open at a position; -1 if they do not close within the length of a label."""
    opened, closing, depth, is_code = text[start], _CLOSING[text[start]], 0, False
    for at in range(start, min(len(text), start + _LONGEST_LABEL)):
        letter = text[at]
        if letter == "\n" and opened == "(":
            return -1
        is_code = is_code != (letter == "`")
        if not is_code:
            depth += (letter == opened) - (letter == closing)
            if not depth:
                return at + 1
    return -1
