"""Labels of evidence in a text become numbered citations; a label that nobody was given becomes nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from orchestrator.domain.events import CitedLabel
from orchestrator.domain.evidence import Citation, EvidenceKind
from orchestrator.domain.mentions import find_mention, mention_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orchestrator.domain.evidence import Evidence, SnapshotInfo, Span

# "[E3]", "[E3, E4]", "[E3:Client.send]", "[E3:`List.[Symbol.iterator]`]"; a model that drops the letter is understood,
# but for names with brackets, which would be slices. What a quantifier followed by "+" took is not given back: a model
# may write lists that seem to go on for ever, and never close one.
_MENTION = r"(?:\[[^\[\]]{0,80}+\]|\([^()]{0,80}+\)|[^\[\],;]){1,160}+"
_ONE = rf"(?:E\d{{1,3}}+\s*+:{_MENTION}|E?\d{{1,3}}+(?:\s*+:[^\[\],;]{{1,160}}+)?+)"
_LABEL = re.compile(rf"\[\s*+({_ONE}(?:\s*+[,;]\s*+{_ONE})*+)\s*+\]")
_PART = re.compile(rf"E?(\d{{1,3}}+)(?:\s*+:({_MENTION}))?+")
_BEGUN = re.compile(rf"\[\s*+(?:{_ONE}\s*+[,;]\s*+)*E?\d{{0,3}}+\s*+(?::.*)?", re.DOTALL)
_BRACKET = re.compile(r"[\[\]]")
_LONGEST_LABEL = 260
_TICKS = re.compile(r"`+")
_TICKS_OR_NAME = re.compile(r"((?:\[\s*+E?|[,;]\s*+E)\d{1,3}+\s*+:\s*+`[^`\n]{0,160}+(?:`|\Z))|`+")
"""Backticks, but for those around the name in a label."""
_FENCE = 3
"""Backticks that open a block of code."""
_BLOCK_END = re.compile(r"\n[ \t]*+(?:\n|[-*+>] |\d{1,3}[.)] |#{1,6} )")
"""Where a paragraph or item ends, and with it what a lone backtick could begin."""
_LONGEST_CODE = 1000


class CitationNumberer:
    """
    Rewrites labels as numbers, in order of first mention, while the text streams.

    Code is left alone: brackets there are indexes. It is read as CommonMark does: a backtick that nothing closes within
    its paragraph is a backtick. A label that stands for nothing supplied, or for something
    without a place in the source, is dropped with the blank before it.

    Args:
        supplied: The evidence behind the labels: "E1" is the first.
    """

    def __init__(self, supplied: Sequence[Evidence]) -> None:
        self._supplied = tuple(supplied)
        self._cited: dict[Span, CitedLabel] = {}
        self._held = ""
        self._fence = ""
        self._waits_from = 0
        self._last = ""
        self.dropped = 0

    @property
    def cited(self) -> tuple[CitedLabel, ...]:
        """Return what the numbers stand for, in order from 1."""
        return tuple(self._cited.values())

    def feed(self, text: str) -> str:
        """Take more text and return what is settled of it."""
        self._held += text
        return self._settle(is_end=False)

    def finish(self) -> str:
        """Return the rest, after the last piece."""
        return self._settle(is_end=True)

    def _settle(self, *, is_end: bool) -> str:
        shown = ""
        while code := self._next_code(is_end=is_end):
            before, verbatim = self._held[: code.start], self._held[code.start : code.stop]
            self._held = self._held[code.stop :]
            shown += self._numbered(before) + verbatim
            self._last = verbatim[-1:]
        cut = len(self._held) if is_end else self._settled_length()
        rest, self._held = self._held[:cut], self._held[cut:]
        shown += rest if self._fence else self._numbered(rest)
        return shown

    def _next_code(self, *, is_end: bool) -> range | None:
        """Return where the next code stands that is all there; None if more text is to come, or none is left."""
        self._waits_from = len(self._held)
        if self._fence:
            closing = re.search(f"`{{{len(self._fence)},}}", self._held)
            if closing is None or closing.end() == len(self._held):
                return None
            self._fence = ""
            return range(closing.end())
        for ticks in _TICKS_OR_NAME.finditer(self._held):
            if ticks[1]:
                continue
            self._waits_from = ticks.start()
            end = None if ticks.end() == len(self._held) and not is_end else self._end_of_code(ticks, is_end=is_end)
            if end is None:
                return None
            if end > ticks.end() or len(ticks[0]) >= _FENCE:
                self._fence = ticks[0] if len(ticks[0]) >= _FENCE else ""
                return range(ticks.start(), end)
        self._waits_from = len(self._held)
        return None

    def _end_of_code(self, ticks: re.Match[str], *, is_end: bool) -> int | None:
        """Return where the code behind these marks ends: right behind them if they open none, None if that is open."""
        if len(ticks[0]) >= _FENCE:
            return ticks.end()
        block = _BLOCK_END.search(self._held, ticks.end())
        last = min(block.start() if block else len(self._held), ticks.end() + _LONGEST_CODE)
        for closing in _TICKS.finditer(self._held, ticks.end(), last):
            if len(closing[0]) == len(ticks[0]):
                return None if closing.end() == len(self._held) and not is_end else closing.end()
        return ticks.end() if is_end or last < len(self._held) else None

    def _settled_length(self) -> int:
        if self._fence:
            return len(self._held.rstrip("`"))
        return len(self._held[: self._label_begun(self._waits_from)].rstrip())

    def _label_begun(self, end: int) -> int:
        """Return where what may be a label begins that goes on at `end`, or that end."""
        begun, closed = end, 0
        for bracket in reversed(tuple(_BRACKET.finditer(self._held, max(0, end - _LONGEST_LABEL), end))):
            if bracket[0] == "[" and not closed and _BEGUN.fullmatch(self._held, bracket.start(), end):
                begun = bracket.start()
            closed = max(0, closed + (1 if bracket[0] == "]" else -1))
        return begun

    def _numbered(self, text: str) -> str:
        shown, position = "", 0
        for label in _LABEL.finditer(text):
            # Part of an expression such as `items[0]` outside code marks.
            last = text[label.start() - 1] if label.start() else self._last
            if last.isalnum() and "E" not in label[0]:
                continue
            before = text[position : label.start()]
            numbers = self._numbers_of(label[1])
            shown += (before if numbers else before.rstrip()) + "".join(f"[{number}]" for number in numbers)
            position = label.end()
        self._last = text[-1:] or self._last
        return shown + text[position:]

    def _numbers_of(self, label: str) -> list[int]:
        found = []
        for part in _PART.finditer(label):
            place = self._place(int(part[1]), part[2] or "")
            if place is None:
                self.dropped += 1
                continue
            span, label_of_place = place
            # One place has one number, whatever evidence shows it.
            self._cited.setdefault(span, label_of_place)
            found.append(tuple(self._cited).index(span) + 1)
        return list(dict.fromkeys(found))

    def _place(self, number: int, name: str) -> tuple[Span, CitedLabel] | None:
        if not 1 <= number <= len(self._supplied):
            return None
        evidence = self._supplied[number - 1]
        mention = find_mention(evidence, name.strip(" `")) or find_mention(evidence, name.strip(" `()"))
        if mention is None and evidence.kind is EvidenceKind.FLOW and evidence.mentions:
            # A flow as a whole stands where it starts.
            mention = evidence.mentions[0]
        span = mention.span if mention else evidence.span
        if span is None:
            return None
        return span, CitedLabel(evidence.evidence_id, mention_name(evidence, mention) if mention else "")


def resolve_citations(
    cited: Sequence[CitedLabel],
    evidence: Sequence[Evidence],
    snapshot: SnapshotInfo,
    *,
    url_template: str = "",
) -> tuple[Citation, ...]:
    """
    Return the places behind the numbers of a text, in order.

    Args:
        cited: What the numbers stand for.
        evidence: Everything supplied; a label that is not in it is a defect and raises KeyError.
        snapshot: Whose source it is.
        url_template: With {path}, {start_line}, {end_line}, {commit}; "" makes no links.
    """
    by_id = {each.evidence_id: each for each in evidence}
    return tuple(
        _citation(number, label, by_id[label.evidence_id], snapshot, url_template)
        for number, label in enumerate(cited, 1)
    )


def with_hashes(citations: Sequence[Citation], hashes: Mapping[Span, str]) -> tuple[Citation, ...]:
    """Fill in content hashes that the evidence did not carry; a citation that nothing is known of keeps ""."""
    return tuple(replace(each, content_hash=each.content_hash or hashes.get(each.span, "")) for each in citations)


def _citation(
    number: int, label: CitedLabel, evidence: Evidence, snapshot: SnapshotInfo, url_template: str
) -> Citation:
    mention = find_mention(evidence, label.mention)
    span = mention.span if mention else evidence.span
    assert span is not None, "labels without a place are dropped before"
    return Citation(
        number=number,
        span=span,
        title=mention.qualified_name if mention else evidence.title,
        symbol=mention or evidence.symbol,
        source_identity=snapshot.source_identity,
        commit=snapshot.commit,
        content_hash="" if mention and mention.span != evidence.span else evidence.content_hash,
        url=_url(url_template, span, snapshot.commit),
        evidence_id=evidence.evidence_id,
        pass_number=evidence.pass_number,
    )


def _url(template: str, span: Span, commit: str) -> str:
    if not template or (not commit and "{commit}" in template):
        return ""
    return template.format(path=quote(span.path), start_line=span.start_line, end_line=span.end_line, commit=commit)
