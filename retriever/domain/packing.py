"""Fills a budget with drafts, the most important ones first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from retriever.domain.evidence import Draft, Evidence, EvidenceKind, EvidenceRole
from retriever.domain.question import Mode
from retriever.domain.truncation import CutText, cut

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from common.core.tokens import TokenCounter
    from retriever.domain.budget import Ledger

OVER_BUDGET = "over budget"
"""The reason of a draft for which no tokens were left."""
SUPPLIED = "supplied already"
"""The reason of a draft that is known to whoever asks."""

PRIORITY: Mapping[Mode, tuple[EvidenceRole, ...]] = MappingProxyType(
    {
        Mode.HYBRID: (
            EvidenceRole.UNHELD,
            EvidenceRole.ROUTE,
            EvidenceRole.SETTING,
            EvidenceRole.MATCH,
            EvidenceRole.DOCUMENT,
        ),
        Mode.CONCEPTUAL: (
            EvidenceRole.UNHELD,
            EvidenceRole.USERS,
            EvidenceRole.ROUTE,
            EvidenceRole.SETTING,
            EvidenceRole.MATCH,
            EvidenceRole.DOCUMENT,
        ),
        Mode.DIAGNOSTIC: (
            EvidenceRole.USERS,
            EvidenceRole.ERROR_SITE,
            EvidenceRole.MUTATOR,
            EvidenceRole.CALLER,
            EvidenceRole.MATCH,
            EvidenceRole.DOCUMENT,
        ),
        Mode.EXPLORATORY: (
            EvidenceRole.UNHELD,
            EvidenceRole.USERS,
            EvidenceRole.ROUTE,
            EvidenceRole.SETTING,
            EvidenceRole.CALLER,
            EvidenceRole.FLOW,
            EvidenceRole.ENTRY,
            EvidenceRole.TERMINAL,
            EvidenceRole.BRANCH,
            EvidenceRole.STEP,
            EvidenceRole.MATCH,
            EvidenceRole.DOCUMENT,
        ),
        Mode.ANALYTICAL: (
            EvidenceRole.USERS,
            EvidenceRole.STRUCTURE,
            EvidenceRole.FINDINGS,
            EvidenceRole.DIAGRAM,
            EvidenceRole.CALLER,
            EvidenceRole.SAMPLE,
            EvidenceRole.MATCH,
            EvidenceRole.DOCUMENT,
        ),
    }
)
"""Which roles come first when the budget is short."""

_SHARE = 3
"""In the first round a piece takes at most one third of what remains, so that the first one leaves room for others."""
_ENOUGH = 160
"""Tokens that a piece may always take in the first round."""
_MERMAID_COMMENT = "%% "
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
    left over, in the same order; a third one restores documentation strings, which were cut until then, but those of
    outlines, where all else is shown.

    Args:
        known: Identities of evidence that is supplied already; it is neither supplied again nor counted.
    """
    packer = _Packer(ledger, counter, limits)
    for draft in drafts:
        packer.place(draft, known)
    packer.grow()
    packer.grow(docstrings=True)
    return Packed(tuple(packer.placed), tuple(packer.left_out))


class _Counted:
    """Counts each text once: a draft is cut anew in every round."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._tokens: dict[str, int] = {}

    def count(self, text: str) -> int:
        if text not in self._tokens:
            self._tokens[text] = self._counter.count(text)
        return self._tokens[text]


class _Packer:
    def __init__(self, ledger: Ledger, counter: TokenCounter, limits: TextLimits) -> None:
        self._ledger = ledger
        self._counter = _Counted(counter)
        self._limits = limits
        self._shown: set[str] = set()
        self.placed: list[Evidence] = []
        self.left_out: list[tuple[Draft, str]] = []

    def place(self, draft: Draft, known: Collection[str]) -> None:
        identity = draft.evidence_id
        if identity in known:
            self.left_out.append((draft, SUPPLIED))
            return
        if identity in self._shown or self._is_inside(draft):
            self.left_out.append((draft, "shown by other evidence"))
            return
        remaining = self._ledger.remaining(draft.source)
        allowed = min(remaining, max(_ENOUGH, remaining // _SHARE))
        text = self._cut(draft, allowed)
        if text is None or (text.truncated_lines and text.tokens < _TELLING):
            self.left_out.append((draft, OVER_BUDGET))
            return
        self._ledger.spend(draft.source, text.tokens)
        self._shown.add(identity)
        self.placed.append(Evidence(draft, text.text, text.tokens, text.truncated_lines))

    def grow(self, *, docstrings: bool = False) -> None:
        for index, piece in enumerate(self.placed):
            remaining = self._ledger.remaining(piece.source)
            if not piece.truncated_lines or remaining <= 0:
                continue
            text = self._cut(piece.draft, piece.tokens + remaining, docstring=docstrings)
            if text and text.truncated_lines < piece.truncated_lines and text.tokens >= piece.tokens:
                self._ledger.spend(piece.source, text.tokens - piece.tokens)
                self.placed[index] = replace(
                    piece, text=text.text, tokens=text.tokens, truncated_lines=text.truncated_lines
                )

    def _cut(self, draft: Draft, limit: int, *, docstring: bool = False) -> CutText | None:
        return cut(
            draft.text,
            limit,
            self._counter,
            head=0 if draft.kind == EvidenceKind.SOURCE and not draft.is_outline else 1,
            max_lines=self._limits.source_lines if draft.kind == EvidenceKind.SOURCE else 0,
            docstring_chars=self._limits.docstring_chars,
            docstring_last=docstring and not draft.is_outline,
            focus=draft.focus,
            comment=_MERMAID_COMMENT if draft.kind == EvidenceKind.DIAGRAM else "",
        )

    def _is_inside(self, draft: Draft) -> bool:
        part = draft.span
        if part is None or draft.kind != EvidenceKind.SOURCE:
            return False
        for piece in self.placed:
            whole = piece.draft.span
            if whole is None or piece.truncated_lines or piece.draft.kind != EvidenceKind.SOURCE:
                continue
            if piece.draft.is_outline:  # it names what is inside, and shows none of it
                continue
            if whole == part and piece.draft.setting and draft.setting:  # each is told by itself
                continue
            if whole.path == part.path and whole.start_line <= part.start_line and part.end_line <= whole.end_line:
                return True
        return False
