"""Supplies the evidence of gaps within the budget: first what each asks for, then the code around that."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome, GapSupply
from retriever.domain.evidence.piece import ContextSource, Draft, Evidence, EvidenceRole
from retriever.domain.packing.packer import OVER_BUDGET, Packed, Packer
from retriever.domain.packing.passages import documentation_of
from retriever.domain.tasks.context import Part
from retriever.usecases.evidence.drafting import lines_draft, source_draft
from retriever.usecases.evidence.widening import narrow_draft, wider_drafts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from common.core.contract.evidence import Gap
    from retriever.domain.evidence.budget import Ledger
    from retriever.domain.packing.lines import ShownLines
    from retriever.domain.packing.packer import Offer
    from retriever.domain.tasks.gaps import Match, Place
    from retriever.ports import Snapshot

_AROUND_TEXT = 400
"""Most tokens for all places of a text; if the gap names a file, for each place."""
_LISTED = 3
"""Most places named of a list that the budget has no room for."""
_SAID = {
    GapSupply.PART: "shown in part, ask for lines of it to see more",
    GapSupply.BEFORE: "every line of it is shown already",
}


@dataclass(frozen=True, slots=True)
class GapResult:
    """
    One gap, how its search ended, and the evidence supplied for it.

    Args:
        supplied_before: Identities of evidence that also answers this gap, but was supplied before.
    """

    gap: Gap
    match: Match
    evidence: tuple[Evidence, ...]
    supplied_before: tuple[str, ...] = ()


@dataclass(slots=True)
class Filling:
    """
    One gap that is being supplied.

    Args:
        own: Budget of this gap.
        ledger: Budget of all gaps together.
        shown: Lines that were supplied for any gap.
        known: Identities of evidence without lines that was supplied for any gap.
        placed: Places of the match that are shown, each with its draft.
    """

    gap: Gap
    match: Match
    packer: Packer
    own: Ledger
    ledger: Ledger
    shown: ShownLines
    known: set[str]
    placed: list[tuple[Place, Draft]] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    spent: int = 0

    def place(self, snapshot: Snapshot, off: frozenset[Part], offer: Callable[[Draft], Offer]) -> None:
        """Supply what the gap asks for, within the budgets of the gap and of the pass."""
        for place in self.match.places if Part.SOURCE not in off else ():
            draft = narrow_draft(snapshot, place, self.match.detail)
            if draft.evidence_id in self.known:
                self.before.append(draft.evidence_id)
            elif self.packer.place_lines(draft, place.lines, most=self._most):
                self.placed.append((place, draft))
            elif draft.text.strip():
                self.packer.place_first(offer(draft), most=self._most)
            self._settle()
        for draft in _drafts(snapshot, self.match, off):
            if draft.evidence_id in self.known:
                self.before.append(draft.evidence_id)
            elif draft.has_lines:
                self.packer.place_first(offer(draft), most=min(self._left, self.match.most or self._left))
            else:
                self.packer.place_text(draft, most=self._left)
            self._settle()

    def widen(self, snapshot: Snapshot, identities: set[str]) -> None:
        """
        Widen the shown places to the code around them, as far as tokens are left.

        Args:
            identities: Identities of all evidence supplied now or before; none of them is supplied twice.
        """
        for place, draft in self.placed:
            for wider in wider_drafts(snapshot, place, self.match.detail):
                if wider.evidence_id in identities or not self.packer.widen(draft, wider, most=self._most):
                    continue
                identities.add(wider.evidence_id)
                self._settle()
                break

    def result(self) -> GapResult:
        """Return the result of the gap."""
        packed = self.packer.packed
        match = _told(self.match, packed, self.before, self.shown)
        return GapResult(self.gap, match, packed.evidence, tuple(self.before))

    @property
    def _left(self) -> int:
        return min(self.own.remaining(ContextSource.GAPS), self.ledger.remaining(ContextSource.GAPS))

    @property
    def _most(self) -> int:
        """Most tokens for the next place: limited around a text, else all that are left."""
        of_places = sum(piece.tokens for piece in self.packer.packed.evidence if piece.lines)
        of_text = _AROUND_TEXT * (len(self.match.places) if self.gap.path else 1)
        return min(self._left, of_text - of_places) if self.match.step == "text" else self._left

    def _settle(self) -> None:
        """Charge what was placed since the last call to the shared budget, and record it as shown."""
        self.ledger.spend(ContextSource.GAPS, self.own.used - self.spent)
        self.spent = self.own.used
        packed = self.packer.packed
        self.known.update(piece.evidence_id for piece in packed.evidence if not piece.lines)
        for piece in packed.evidence:
            if piece.draft.span:
                self.shown.add(piece.draft.span.path, piece.lines)


def _told(match: Match, packed: Packed, before: Sequence[str], shown: ShownLines) -> Match:
    """Return the match with how much of it is shown; if not all, its detail explains that."""
    if match.outcome != GapOutcome.RESOLVED or not (packed.evidence or packed.left_out or before):
        return match
    roomless = ", ".join(_place_of(draft) for draft, reason in packed.left_out if reason == OVER_BUDGET)
    if packed.evidence:
        is_whole = not roomless and all(_is_whole(each, shown) for each in packed.evidence)
        supply = GapSupply.WHOLE if is_whole else GapSupply.PART
    else:
        supply = GapSupply.NO_ROOM if roomless else GapSupply.BEFORE
    said = [match.detail, _SAID.get(supply, ""), f"the budget has no room for {roomless}" if roomless else ""]
    return replace(match, supply=supply, detail="; ".join(filter(None, said)))


def _place_of(draft: Draft) -> str:
    """Return the place of a draft, so that a caller can ask for its lines; for a list, its first places."""
    if draft.span:
        return f"{draft.span.path}:{draft.span.start_line}-{draft.span.end_line}"
    listed = draft.users.listed[:_LISTED] if draft.users else ()
    return f"the list ({', '.join(str(each.place) for each in listed)})" if listed else "the list"


def _is_whole(piece: Evidence, shown: ShownLines) -> bool:
    """Return whether every line of a draft is shown, except lines of its docstring."""
    draft = piece.draft
    if not (piece.truncated_lines and piece.lines and draft.span):
        return not piece.truncated_lines
    text, first = draft.text.rstrip("\n").split("\n"), draft.span.start_line
    spoken = documentation_of(text, draft.symbol.docstring if draft.symbol else "")
    body = (first + at for at in range(len(text)) if at not in spoken)
    return not shown.missing(draft.span.path, body)


def _drafts(snapshot: Snapshot, match: Match, off: frozenset[Part]) -> list[Draft]:
    if match.outcome != GapOutcome.RESOLVED:
        return []
    drafts: list[Draft] = []
    if Part.SOURCE not in off and not match.places:
        drafts = [
            source_draft(snapshot, each, EvidenceRole.MATCH, match.detail, source=ContextSource.GAPS)
            for each in match.symbols
        ]
        if match.span:
            drafts.append(
                lines_draft(snapshot, match.span, EvidenceRole.MATCH, match.detail, source=ContextSource.GAPS)
            )
    if Part.CALL_GRAPH not in off:
        drafts += match.lists
    return [draft for draft in drafts if draft.text.strip()]
