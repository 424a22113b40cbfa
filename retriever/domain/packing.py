"""Fills a budget with drafts, the most important ones first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from retriever.domain.evidence import Draft, Evidence, EvidenceKind, Role
from retriever.domain.question import Mode
from retriever.domain.truncation import CutText, cut

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from common.core.tokens import TokenCounter
    from retriever.domain.budget import Ledger

PRIORITY: Mapping[Mode, tuple[Role, ...]] = MappingProxyType(
    {
        Mode.HYBRID: (Role.MATCH, Role.DOCUMENT),
        Mode.CONCEPTUAL: (Role.MATCH, Role.DOCUMENT),
        Mode.DIAGNOSTIC: (Role.ERROR_SITE, Role.MUTATOR, Role.CALLER, Role.MATCH, Role.DOCUMENT),
        Mode.EXPLORATORY: (
            Role.FLOW,
            Role.ENTRY,
            Role.TERMINAL,
            Role.BRANCH,
            Role.STEP,
            Role.MATCH,
            Role.DOCUMENT,
        ),
        Mode.ANALYTICAL: (Role.STRUCTURE, Role.FINDINGS, Role.DIAGRAM, Role.SAMPLE, Role.MATCH, Role.DOCUMENT),
    }
)
"""Which roles come first when the budget is short."""

_SHARE = 3
"""In the first round a piece takes at most one third of what remains, so that the first one leaves room for others."""
_ENOUGH = 160
"""Tokens that a piece may always take in the first round."""
_TELLING = 40
"""A piece that was cut to fewer tokens than this says too little to be worth its place."""


@dataclass(frozen=True, slots=True)
class TextLimits:
    """Bounds of a piece of source text: lines of a function, characters of a documentation string that was cut."""

    source_lines: int = 100
    docstring_chars: int = 200


@dataclass(frozen=True, slots=True)
class Packed:
    """What went in, in order of importance, and what did not, each with the reason."""

    evidence: tuple[Evidence, ...]
    left_out: tuple[tuple[Draft, str], ...]


def by_priority(drafts: Iterable[Draft], mode: Mode) -> tuple[Draft, ...]:
    """Order drafts by the mode's roles; within a role the given order holds. Roles that it does not name come last."""
    rank = {role: position for position, role in enumerate(PRIORITY[mode])}
    return tuple(sorted(drafts, key=lambda draft: rank.get(draft.role, len(rank))))


def pack(
    drafts: Sequence[Draft],
    ledger: Ledger,
    counter: TokenCounter,
    limits: TextLimits,
    *,
    known: Collection[str] = (),
) -> Packed:
    """
    Spend the ledger on drafts in the given order.

    A first round gives each draft a share of what remains; a second one lets those that were cut grow into what is
    left over, in the same order; a third one restores documentation strings, which were cut until then.

    Args:
        known: Identities of evidence that is supplied already; it is neither supplied again nor counted.
    """
    packer = _Packer(ledger, counter, limits)
    for draft in drafts:
        packer.place(draft, known)
    packer.grow(limits.docstring_chars)
    packer.grow(docstring_chars=0)
    return Packed(tuple(packer.placed), tuple(packer.left_out))


class _Packer:
    def __init__(self, ledger: Ledger, counter: TokenCounter, limits: TextLimits) -> None:
        self._ledger = ledger
        self._counter = counter
        self._limits = limits
        self.placed: list[Evidence] = []
        self.left_out: list[tuple[Draft, str]] = []

    def place(self, draft: Draft, known: Collection[str]) -> None:
        if draft.evidence_id in known:
            self.left_out.append((draft, "supplied already"))
            return
        if self._is_shown(draft):
            self.left_out.append((draft, "shown by other evidence"))
            return
        remaining = self._ledger.remaining(draft.source)
        allowed = min(remaining, max(_ENOUGH, remaining // _SHARE))
        text = self._cut(draft, allowed, self._limits.docstring_chars)
        if text is None or (text.truncated_lines and text.tokens < _TELLING):
            self.left_out.append((draft, "over budget"))
            return
        self._ledger.spend(draft.source, text.tokens)
        self.placed.append(Evidence(draft, text.text, text.tokens, text.truncated_lines, draft.source))

    def grow(self, docstring_chars: int) -> None:
        for index, piece in enumerate(self.placed):
            remaining = self._ledger.remaining(piece.source)
            if not piece.truncated_lines or remaining <= 0:
                continue
            text = self._cut(piece.draft, piece.tokens + remaining, docstring_chars)
            if text and text.truncated_lines < piece.truncated_lines and text.tokens >= piece.tokens:
                self._ledger.spend(piece.source, text.tokens - piece.tokens)
                self.placed[index] = replace(
                    piece, text=text.text, tokens=text.tokens, truncated_lines=text.truncated_lines
                )

    def _cut(self, draft: Draft, limit: int, docstring_chars: int) -> CutText | None:
        return cut(
            draft.text,
            limit,
            self._counter,
            max_lines=self._limits.source_lines if draft.kind == EvidenceKind.SOURCE else 0,
            docstring_chars=docstring_chars,
            focus=draft.focus,
        )

    def _is_shown(self, draft: Draft) -> bool:
        for piece in self.placed:
            if piece.evidence_id == draft.evidence_id:
                return True
            whole, part = piece.draft.span, draft.span
            if piece.truncated_lines or piece.draft.kind != EvidenceKind.SOURCE or draft.kind != EvidenceKind.SOURCE:
                continue
            if whole and part and whole.path == part.path:
                inside = whole.start_line <= part.start_line and part.end_line <= whole.end_line
                if inside:
                    return True
        return False
