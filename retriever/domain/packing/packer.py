"""Packs evidence into a token budget: first what answers the question by itself, then source by worth for its size."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import Draft, Evidence, EvidenceKind
from retriever.domain.packing.lines import ShownLines, render, runs_of
from retriever.domain.packing.passages import WHOLE, Passage, documentation_of
from retriever.domain.packing.texts import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from common.core.words.tokens import TokenCounter
    from retriever.domain.evidence.budget import Ledger

OVER_BUDGET = "over budget"
"""The reason of a draft for which no tokens were left."""
SUPPLIED = "supplied already"
"""The reason of a draft of which every line was supplied before."""
SHOWN = "shown by other evidence"
"""The reason of a draft that other evidence of the same response shows."""

_SHARE = 3
"""A piece that is placed first takes at most one third of the remaining tokens, so that others have room."""
_ENOUGH = 400
"""Tokens that a piece placed first may take even if they are more than that third."""
_DAMPING = 0.5
"""Source is ordered by worth / size^0.5; exponents 0.3 and 0.7 were within a point of it at 4,000 to 12,000 tokens."""
_AROUND = 100
"""Characters of the tags around a piece, added to its size: a piece of a line or two costs mostly its tags."""
_HEAD = 4
"""Lines of the declaration that are shown with any passage."""
_TELLING = 40
"""Fewest tokens of a cut text: a shorter one says too little to be shown."""
_LEAST_CUT = 4
"""Fewest lines of documentation that are left out: for fewer, the line in their place costs nearly as much."""
_MERMAID_COMMENT = "%% "


@dataclass(frozen=True, slots=True)
class TextLimits:
    """Bounds of a piece of source: lines of a long function, characters of its documentation string."""

    source_lines: int = 100
    docstring_chars: int = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """
    Source that may be shown.

    Args:
        draft: Its text is that of all lines of its span.
        worth: How likely a good answer cites it, 0 to 1.
        passages: What may be shown of it where it is not shown whole, in order of line; never empty.
        worths: Likewise for each of the passages.
    """

    draft: Draft
    worth: float
    passages: tuple[Passage, ...]
    worths: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """Evidence in the order in which it is shown, and drafts that are left out, each with the reason."""

    evidence: tuple[Evidence, ...]
    left_out: tuple[tuple[Draft, str], ...]


@dataclass(slots=True)
class _Piece:
    """A draft of source of which some lines are shown."""

    offer: Offer
    text: Sequence[str]
    first: int
    path: str
    lines: set[int] = field(default_factory=set)
    tokens: int = 0

    @classmethod
    def of(cls, offer: Offer) -> _Piece:
        span = offer.draft.span
        if span is None:
            raise ValueError(f"source without a place: {offer.draft.title}")
        return cls(offer, offer.draft.text.rstrip("\n").split("\n"), span.start_line, span.path)

    @property
    def all_lines(self) -> range:
        return range(self.first, self.first + len(self.text))

    @property
    def evidence(self) -> Evidence:
        text = render(self.text, self.first, self.lines)
        return Evidence(
            self.offer.draft, text, self.tokens, len(self.text) - len(self.lines), runs_of(sorted(self.lines))
        )

    def whole(self, limits: TextLimits) -> Sequence[int]:
        """Return its line numbers, without most of a long docstring; () if they are more than `WHOLE`."""
        symbol = self.offer.draft.symbol
        chars, dropped = 0, set[int]()
        for at in documentation_of(self.text, symbol.docstring if symbol else ""):
            chars += len(self.text[at].strip())
            if chars > limits.docstring_chars:
                dropped.add(self.first + at)
        if len(dropped) < _LEAST_CUT:
            dropped.clear()
        kept = [line for line in self.all_lines if line not in dropped]
        return kept if len(kept) <= WHOLE else ()


class Packer:
    """
    Packs evidence into a token budget.

    Args:
        ledger: What may be spent.
        counter: Counts the tokens of a text; source is counted with the number before each line.
        limits: Bounds of one piece of source.
        supplied: Lines that earlier evidence has supplied.
        least: Fewest tokens of a whole definition that is chosen by worth: the label of a smaller one costs as much.
    """

    def __init__(
        self,
        ledger: Ledger,
        counter: TokenCounter,
        limits: TextLimits,
        supplied: ShownLines | None = None,
        *,
        least: int = 0,
    ) -> None:
        self._ledger = ledger
        self._counter = counter
        self._limits = limits
        self._supplied = supplied or ShownLines()
        self._least = least
        self._shown = ShownLines()
        self._placed: list[_Piece | Evidence] = []
        self._identities: set[str] = set()
        self._left_out: list[tuple[Draft, str]] = []

    @property
    def packed(self) -> Packed:
        """Return what was placed and left out so far."""
        pieces = (each if isinstance(each, Evidence) else each.evidence for each in self._placed)
        return Packed(tuple(pieces), tuple(self._left_out))

    def place_text(self, draft: Draft, *, most: int | None = None) -> None:
        """
        Place a text that is not source: as many of its first lines as fit.

        Args:
            most: Tokens that it may take; None means a third of what remains.
        """
        comment = _MERMAID_COMMENT if draft.kind == EvidenceKind.DIAGRAM else ""
        text = cut(draft.text, self._allowed(draft, most), self._counter, comment=comment)
        if draft.evidence_id in self._identities:
            self._left_out.append((draft, SHOWN))
        elif text is None or (text.truncated_lines and text.tokens < _TELLING):
            self._left_out.append((draft, OVER_BUDGET))
        else:
            self._identities.add(draft.evidence_id)
            self._ledger.spend(draft.source, text.tokens)
            self._placed.append(Evidence(draft, text.text, text.tokens, text.truncated_lines))

    def place_first(self, offer: Offer, *, most: int | None = None) -> None:
        """
        Place source that answers the question by itself: whole if it fits, else the passages that are worth most.

        Args:
            most: Tokens that it may take; None means a third of what remains.
        """
        piece = _Piece.of(offer)
        allowed = self._allowed(offer.draft, most)
        if not self._show(piece, piece.whole(self._limits), allowed):
            ordered = sorted(
                zip(offer.worths, offer.passages, strict=True), key=lambda each: (-each[0], each[1].start_line)
            )
            for _, passage in ordered:
                self._show(piece, passage.lines, allowed - piece.tokens)
        if not piece.lines:
            self._leave(piece)

    def place_lines(self, draft: Draft, lines: Iterable[int], *, most: int) -> bool:
        """Place these lines of a draft if all of them that are not shown yet fit; return whether they were placed."""
        return self._show(_Piece.of(Offer(draft, 1.0, (), ())), lines, self._allowed(draft, most))

    def widen(self, placed: Draft, wider: Draft, *, most: int) -> bool:
        """Replace a placed draft by a wider one, without lines that are shown elsewhere, if it fits; return whether."""
        for at, old in enumerate(self._placed):
            if isinstance(old, _Piece) and old.offer.draft is placed:
                piece = _Piece.of(replace(old.offer, draft=wider))
                lines = piece.whole(self._limits) if wider.symbol else piece.all_lines
                piece.lines, piece.tokens = old.lines, old.tokens
                if self._show(piece, lines, self._allowed(wider, most)):
                    self._placed[at] = piece
                    return True
        return False

    def place_best(self, offers: Sequence[Offer]) -> None:
        """
        Pack source by its worth for its size: short definitions whole, of long ones the best passages.

        What is packed is then ordered by worth, regardless of its size.
        """
        before = len(self._placed)
        pieces = [_Piece.of(offer) for offer in offers]
        wholes = [piece.whole(self._limits) for piece in pieces]
        for at, passage in _by_density(offers, wholes):
            piece = pieces[at]
            allowed = self._ledger.remaining(offers[at].draft.source)
            if allowed < _TELLING:
                break
            if passage is None:
                self._show(piece, wholes[at], allowed, least=self._least)
            elif len(piece.lines) < self._limits.source_lines:
                head = () if piece.lines else offers[at].passages[0].lines[:_HEAD]
                self._show(piece, dict.fromkeys((*head, *passage.lines)), allowed)
        for piece in pieces:
            if not piece.lines:
                self._leave(piece)
        shown = sorted((piece for piece in pieces if piece.lines), key=lambda piece: -piece.offer.worth)
        self._placed[before:] = shown

    def _allowed(self, draft: Draft, most: int | None) -> int:
        remaining = self._ledger.remaining(draft.source)
        return min(remaining, max(_ENOUGH, remaining // _SHARE) if most is None else most)

    def _missing(self, piece: _Piece, lines: Iterable[int]) -> tuple[int, ...]:
        return self._shown.missing(piece.path, self._supplied.missing(piece.path, lines))

    def _show(self, piece: _Piece, lines: Iterable[int], allowed: int, *, least: int = 0) -> bool:
        """Show the lines not shown yet, if they cost `least` to `allowed` tokens; return whether they were shown."""
        new = self._missing(piece, (line for line in lines if line in piece.all_lines))
        if not any(piece.text[line - piece.first].strip() for line in new):
            return False
        shown = piece.lines.union(new)
        tokens = self._counter.count(render(piece.text, piece.first, shown, numbered=True))
        more = max(0, tokens - piece.tokens)
        if not least <= more <= allowed:
            return False
        self._ledger.spend(piece.offer.draft.source, more)
        if not piece.lines:
            self._placed.append(piece)
        piece.lines, piece.tokens = shown, piece.tokens + more
        self._shown.add(piece.path, runs_of(sorted(new)))
        return True

    def _leave(self, piece: _Piece) -> None:
        """Record why nothing of a piece is shown."""
        if self._missing(piece, piece.all_lines):
            reason = OVER_BUDGET
        else:
            reason = SHOWN if self._supplied.missing(piece.path, piece.all_lines) else SUPPLIED
        self._left_out.append((piece.offer.draft, reason))


def _by_density(offers: Sequence[Offer], wholes: Sequence[Sequence[int]]) -> Iterator[tuple[int, Passage | None]]:
    """Yield positions of offers, the best for its size first, each with the passage to show, or None for the whole."""
    items: list[tuple[float, int, int, Passage | None]] = []
    for at, (offer, whole) in enumerate(zip(offers, wholes, strict=True)):
        if whole:
            items.append((-offer.worth / (_AROUND + len(offer.draft.text)) ** _DAMPING, at, 0, None))
            continue
        per_line = len(offer.draft.text) / max(1, sum(len(each.lines) for each in offer.passages))
        for number, (part, worth) in enumerate(zip(offer.passages, offer.worths, strict=True)):
            size = _AROUND + per_line * len(part.lines)
            items.append((-worth / size**_DAMPING, at, number, part))
    for _, at, _, passage in sorted(items, key=lambda each: each[:3]):
        yield at, passage
