"""Where in the shown code a failure comes from: frames of a trace, what raises it, and what holds its message."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.basis import BasisKind
from orchestrator.domain.messages import held_text, holds_message
from orchestrator.domain.quoted_texts import quoted_share
from orchestrator.domain.writing.raise_sites import raise_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.domain.evidence import Evidence
    from orchestrator.domain.question import Anchors
    from orchestrator.domain.writing.pieces import Piece
    from orchestrator.domain.writing.raise_sites import RaiseSite

RAISES_TOLD = 2
_LIKELY = 0.5
"""Share of the words of a message, or of the question, that a place must have where nothing else speaks for it."""


def is_framed(evidence: Evidence) -> bool:
    """Tell a piece that a frame led to."""
    return evidence.based_on(BasisKind.FRAME) is not None


def framed_line(evidence: Evidence) -> int:
    """Return the line that the frame names, 0 if none did, or if it is another one in this version of the file."""
    frame = evidence.based_on(BasisKind.FRAME)
    return frame.line if frame else 0


@dataclass(frozen=True)
class Failure:
    """
    What a question says of a failure, and the code that may be to blame.

    Args:
        sources: The source that is shown, the most telling first.
        frames: The pieces that frames of a trace led to, the innermost first.
    """

    question: str
    anchors: Anchors
    sources: tuple[Piece, ...]
    frames: tuple[Piece, ...]

    @cached_property
    def raises(self) -> tuple[tuple[Piece, RaiseSite], ...]:
        """Return the places that raise it, the likeliest first; ties by path and line."""
        found = [each for place, piece in enumerate(self.sources) for each in self._scored(place, piece)]
        found.sort(key=lambda each: (-each[0], each[2].excerpt.path, each[2].excerpt.start_line))
        best = found[0][0] if found else 0.0
        return tuple((piece, site) for score, piece, site in found if score >= max(1.0, 0.75 * best))

    @cached_property
    def holder(self) -> Piece | None:
        """Return the first piece that holds the message, unless it is told of as one that raises."""
        raising_ones = [piece for piece, _ in self.raises[:RAISES_TOLD]]
        holders = [piece for piece in self.sources if holds_message(piece.evidence)]
        if not holders:
            return self._likely_holder()
        return holders[0] if holders[0] not in raising_ones else None

    def made_in(self, piece: Piece) -> frozenset[str]:
        """Return the terms of the message that a piece makes, as far as the code says it itself."""
        return frozenset(count_terms(held_text(piece.evidence) or " ".join(self.anchors.error_messages)))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(each.rpartition(".")[2] for each in self.anchors.exceptions)

    @cached_property
    def _told(self) -> frozenset[str]:
        return frozenset(count_terms(" ".join(self.anchors.error_messages) or self.question))

    def _scored(self, place: int, piece: Piece) -> Iterator[tuple[float, Piece, RaiseSite]]:
        """Yield the places of a piece that may raise it, each with how much speaks for it."""
        names, made = self._names, self.made_in(piece)
        is_named = bool(names or self.anchors.error_messages)
        quoted = quoted_share(piece.evidence, made) if made else 0.0
        for site in raise_sites(piece.evidence):
            message = set(count_terms(" ".join(site.excerpt.lines)))
            share = len(self._told & message) / max(1, len(self._told))
            # Another line may be the one that makes the message, and hand it to something else than this.
            is_elsewhere = quoted > max(len(made & message) / max(1, len(made)), _LIKELY)
            if is_elsewhere and site.exception not in names:
                continue
            is_at_frame = site.excerpt.start_line <= framed_line(piece.evidence) <= site.excerpt.end_line
            # A trace says by itself where it failed; a variable that is raised does not say what.
            is_variable = site.exception.lstrip("_")[:1].islower()
            is_framed_one = self.frames and piece is self.frames[0] and (is_at_frame or site.exception in names)
            if self.frames and (is_variable or not is_framed_one):
                continue
            is_meant = is_at_frame or site.exception in names or holds_message(piece.evidence)
            # Words that a question happens to share are no sign, and who asserts something names no failure.
            if not is_meant and share < (_LIKELY if site.is_assertion or not is_named else 0.0):
                continue
            score = 3.0 * (site.exception in names) + 3.0 * share + 1.0 / (2 + place) - 1.0 * site.exception.islower()
            yield score + 3.5 * holds_message(piece.evidence) + 4.0 * is_at_frame, piece, site

    def _likely_holder(self) -> Piece | None:
        """Return the piece with the line whose text has most of the message, if that is more than half of it."""
        message = frozenset(count_terms(" ".join(self.anchors.error_messages)))
        if not message or self.anchors.exceptions:
            return None
        share, piece = max(
            ((quoted_share(each.evidence, message), each) for each in self.sources),
            key=lambda found: found[0],
            default=(0.0, None),
        )
        return piece if share > _LIKELY else None
