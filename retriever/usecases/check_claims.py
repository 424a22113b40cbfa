"""
Checks statements of an answer against index and source.

A claim is contradicted only if the index disproves it: the named thing does not exist, or its whole body was read and
neither does what is claimed nor reaches it by calls. A claim that is neither proved nor disproved is uncheckable, with
the reason.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.evidence import CheckedClaim, Claim, ClaimKind, ClaimVerdict, Gap, GapOutcome
from retriever.domain.questions.names import parse
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.gaps import Match, read_gap
from retriever.usecases.gaps.protocol import GapTask
from retriever.usecases.locating.occurrences import text_occurrence
from retriever.usecases.verdicts.behaviour import behaves
from retriever.usecases.verdicts.bodies import Bodies
from retriever.usecases.verdicts.existence import as_member, at_place
from retriever.usecases.verdicts.places import located, quoted, shown
from retriever.usecases.verdicts.values import has_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Snapshot, SnapshotStore
    from retriever.usecases.gaps.protocol import GapStep

_TASK = GapTask("", Mode.HYBRID)
_OF_PLACES = {ClaimKind.QUOTES: quoted, ClaimKind.SHOWS: shown, ClaimKind.LOCATED: located}
_EXISTENCE = {
    GapOutcome.RESOLVED: ClaimVerdict.VERIFIED,
    GapOutcome.AMBIGUOUS: ClaimVerdict.VERIFIED,
    GapOutcome.ABSENT: ClaimVerdict.CONTRADICTED,
}
_OPPOSITE = {
    ClaimVerdict.VERIFIED: ClaimVerdict.CONTRADICTED,
    ClaimVerdict.CONTRADICTED: ClaimVerdict.VERIFIED,
    ClaimVerdict.UNCHECKABLE: ClaimVerdict.UNCHECKABLE,
}


class CheckClaims:
    """
    Gives each claim a verdict.

    Args:
        name_steps: The gap steps that resolve a name; the last one gives the reason why a name is not found.
    """

    def __init__(self, snapshots: SnapshotStore, name_steps: Sequence[GapStep]) -> None:
        self._snapshots = snapshots
        self._name_steps = name_steps

    async def run(
        self, repository: str, snapshot_id: str, claims: Sequence[Claim]
    ) -> tuple[str, tuple[CheckedClaim, ...]]:
        """Return the snapshot read and one verdict for each claim, in order."""
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            checked = [await self._check(snapshot, claim) for claim in claims]
            return snapshot.info.snapshot_id, tuple(checked)

    async def _check(self, snapshot: Snapshot, claim: Claim) -> CheckedClaim:
        if of_place := _OF_PLACES.get(claim.kind):
            verdict, detail = await asyncio.to_thread(of_place, snapshot, claim)
            return CheckedClaim(claim, verdict, detail)
        match = await self._find(snapshot, claim)
        if match is None:
            return CheckedClaim(claim, ClaimVerdict.UNCHECKABLE, f"{claim.subject!r} is no name")
        existence = _EXISTENCE.get(match.outcome, ClaimVerdict.UNCHECKABLE)
        if claim.kind == ClaimKind.ABSENT and match.occurrence:
            existence = ClaimVerdict.UNCHECKABLE
        if claim.kind in {ClaimKind.EXISTS, ClaimKind.ABSENT} or existence != ClaimVerdict.VERIFIED:
            is_denied = claim.kind == ClaimKind.ABSENT
            return CheckedClaim(claim, _OPPOSITE[existence] if is_denied else existence, match.detail)
        verdict, detail = await asyncio.to_thread(_judged, snapshot, claim, match)
        return CheckedClaim(claim, verdict, detail)

    async def _find(self, snapshot: Snapshot, claim: Claim) -> Match | None:
        written, name = claim.subject, parse(claim.subject)
        if name is None:
            return await asyncio.to_thread(text_occurrence, snapshot, written)
        if name.last.endswith("()") and not await asyncio.to_thread(snapshot.symbols.named, name.last):
            # C++ can name a definition `operator()`; where none has such a name, the "()" only marks a call.
            written = written.removesuffix("()")
        if there := await asyncio.to_thread(at_place, snapshot, written, claim.span):
            return there
        wanted = read_gap(Gap("", "", symbol=written))
        for step in self._name_steps:
            match = await step.find(snapshot, wanted, _TASK)
            if match is None:
                continue
            # A line with the name of a member may refer to the same name of another owner.
            is_doubtful = match.outcome == GapOutcome.ABSENT or (match.occurrence and len(name.parts) > 1)
            member = await asyncio.to_thread(as_member, snapshot, written) if is_doubtful else None
            return member or match
        return None


def _judged(snapshot: Snapshot, claim: Claim, match: Match) -> tuple[ClaimVerdict, str]:
    if not match.symbols or match.occurrence or match.step == "attribute":
        return ClaimVerdict.UNCHECKABLE, f"{match.detail}, so the index does not show what it does"
    if claim.kind == ClaimKind.VALUE:
        return has_value(snapshot, claim, match.symbols)
    verdict, detail = behaves(snapshot, claim, Bodies.of(snapshot, match.symbols))
    if verdict == ClaimVerdict.CONTRADICTED and match.outcome == GapOutcome.AMBIGUOUS:
        return ClaimVerdict.UNCHECKABLE, match.detail
    return verdict, detail
