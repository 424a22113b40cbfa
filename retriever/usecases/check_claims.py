"""
Checks statements of an answer against index and source.

A claim is contradicted only where the index shows otherwise: the thing is not there, or its whole body was read and
holds nothing of the kind. Everything in between is uncheckable, and says why.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from retriever.domain.claims import CheckedClaim, Claim, ClaimKind, ClaimVerdict, ends_with, names_in, pieces, quoted_at
from retriever.domain.gaps import Gap, GapOutcome, Match, read_gap
from retriever.domain.names import parse
from retriever.domain.question import Mode
from retriever.domain.values import EdgeKind, FactKind, Resolution, Symbol, SymbolKind, Tier
from retriever.usecases.drafting import read_lines
from retriever.usecases.gaps.protocol import GapTask
from retriever.usecases.naming import bases, closest, constructors, find_files, find_symbols, members, symbols_by_id
from retriever.usecases.occurrences import text_occurrence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Snapshot, SnapshotStore
    from retriever.usecases.gaps.protocol import GapStep

_ALL_TIERS = tuple(Tier)
_NEAR = 2
"""Lines by which the place of a quotation may be off."""
_TASK = GapTask("", Mode.HYBRID)


class CheckClaims:
    """
    Gives each claim a verdict.

    Args:
        name_steps: The steps that look a gap up by name, the last of which says why a name is not there.
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
        if claim.kind == ClaimKind.QUOTES:
            verdict, detail = await asyncio.to_thread(_quoted, snapshot, claim)
            return CheckedClaim(claim, verdict, detail)
        match = await self._find(snapshot, claim.subject)
        if match is None or match.outcome in (GapOutcome.EXTERNAL, GapOutcome.OUT_OF_COVERAGE):
            detail = match.detail if match else f"{claim.subject!r} is no name"
            return CheckedClaim(claim, ClaimVerdict.UNCHECKABLE, detail)
        if match.outcome == GapOutcome.ABSENT:
            return CheckedClaim(claim, ClaimVerdict.CONTRADICTED, match.detail)
        if claim.kind == ClaimKind.EXISTS:
            return CheckedClaim(claim, ClaimVerdict.VERIFIED, match.detail)
        verdict, detail = await asyncio.to_thread(_behaves, snapshot, claim, match)
        return CheckedClaim(claim, verdict, detail)

    async def _find(self, snapshot: Snapshot, subject: str) -> Match | None:
        if parse(subject) is None:
            return await asyncio.to_thread(text_occurrence, snapshot, subject)
        wanted = read_gap(Gap("", "", symbol=subject))
        for step in self._name_steps:
            match = await step.find(snapshot, wanted, _TASK)
            if match:
                return match
        return None


def _behaves(snapshot: Snapshot, claim: Claim, match: Match) -> tuple[ClaimVerdict, str]:
    if not match.symbols or match.occurrence:
        return ClaimVerdict.UNCHECKABLE, f"{match.detail}, so the index does not show what it does"
    bodies = [body for subject in match.symbols for body in _bodies(snapshot, subject)]
    names = names_in(claim.object)
    if not names:
        return ClaimVerdict.UNCHECKABLE, "the claim does not say what is called, raised or changed"
    shown = _CHECKS[claim.kind](snapshot, bodies, claim.object)
    if shown:
        return ClaimVerdict.VERIFIED, shown
    if match.outcome == GapOutcome.AMBIGUOUS:
        return ClaimVerdict.UNCHECKABLE, match.detail
    wanted = names[-1]
    mention = re.compile(rf"\b{re.escape(wanted)}\b")
    if any(mention.search(read_lines(snapshot, body.span)) for body in bodies):
        return (
            ClaimVerdict.UNCHECKABLE,
            f"{claim.subject} names {wanted}, but the index does not show what it does to it",
        )
    if claim.kind != ClaimKind.CALLS and _leads_on(snapshot, bodies):
        return ClaimVerdict.UNCHECKABLE, f"{claim.subject} does not do it itself; what it calls was not followed"
    if claim.kind == ClaimKind.RAISES and not _definitions(snapshot, claim.object):
        return (
            ClaimVerdict.UNCHECKABLE,
            f"{claim.subject} does not name {wanted}, but what it uses of elsewhere may raise it",
        )
    unknown = _unknown_callees(snapshot, bodies)
    if claim.kind == ClaimKind.CALLS and unknown:
        return ClaimVerdict.UNCHECKABLE, f"{claim.subject} makes calls whose target is not known: {unknown}"
    return (
        ClaimVerdict.CONTRADICTED,
        f"nothing in {claim.subject} ({bodies[0].path}:{bodies[0].start_line}) names {wanted}",
    )


def _bodies(snapshot: Snapshot, subject: Symbol) -> list[Symbol]:
    """What a class does, its members do; what a constructor's caller means by the class, too."""
    if subject.kind != SymbolKind.CLASS:
        return [subject]
    return [subject, *members(snapshot, subject)]


def _definitions(snapshot: Snapshot, written: str) -> tuple[Symbol, ...]:
    name = parse(written)
    return closest(find_symbols(snapshot, name), name) if name else ()


def _calls(snapshot: Snapshot, bodies: Sequence[Symbol], written: str) -> str:
    targets = _definitions(snapshot, written)
    wanted = {symbol.id for symbol in targets}
    for target in targets:
        if target.kind == SymbolKind.CLASS:
            made = (target, *bases(snapshot, target))
            wanted |= {each.id for owner in made for each in constructors(snapshot, owner)}
    elsewhere = () if wanted else names_in(written)
    ids = {body.id: body for body in bodies}
    for edge in snapshot.graph.outgoing(list(ids), (EdgeKind.CALL,), _ALL_TIERS):
        if edge.target_id in wanted or ends_with(names_in(edge.target_name), elsewhere):
            return f"{ids[edge.source_id].path}:{edge.line} calls {edge.target_name}"
    return ""


def _states(kind: FactKind, verb: str, snapshot: Snapshot, bodies: Sequence[Symbol], written: str) -> str:
    ids = {body.id: body for body in bodies}
    claimed = names_in(written)
    for fact in snapshot.facts.of(list(ids), (kind,)):
        names = names_in(fact.value)
        if ends_with(names, claimed) or ends_with(claimed, names):
            return f"{ids[fact.symbol_id].path}:{fact.line} {verb} {fact.value}"
    return ""


def _raises(snapshot: Snapshot, bodies: Sequence[Symbol], written: str) -> str:
    return _states(FactKind.RAISES, "raises", snapshot, bodies, written)


def _mutates(snapshot: Snapshot, bodies: Sequence[Symbol], written: str) -> str:
    return _states(FactKind.MUTATES, "changes", snapshot, bodies, written)


_CHECKS = {ClaimKind.CALLS: _calls, ClaimKind.RAISES: _raises, ClaimKind.MUTATES: _mutates}


def _leads_on(snapshot: Snapshot, bodies: Sequence[Symbol]) -> bool:
    """Tell whether the bodies call functions of the repository, are wrapped by some, or call what is not known."""
    if any(_definitions(snapshot, ".".join(names_in(each))) for body in bodies for each in body.decorators):
        return True
    edges = snapshot.graph.outgoing([body.id for body in bodies], (EdgeKind.CALL,), _ALL_TIERS)
    if any(edge.resolution == Resolution.UNRESOLVED for edge in edges):
        return True
    callees = symbols_by_id(snapshot, (edge.target_id for edge in edges))
    return any(callee.kind != SymbolKind.CLASS for callee in callees.values())


def _unknown_callees(snapshot: Snapshot, bodies: Sequence[Symbol]) -> str:
    edges = snapshot.graph.outgoing([body.id for body in bodies], (EdgeKind.CALL,), _ALL_TIERS)
    unknown = dict.fromkeys(edge.target_name for edge in edges if edge.target_id is None)
    return ", ".join(list(unknown)[:3])


def _quoted(snapshot: Snapshot, claim: Claim) -> tuple[ClaimVerdict, str]:
    quoted = pieces(claim.object)
    if not quoted or claim.span is None:
        return ClaimVerdict.UNCHECKABLE, "a quotation needs its text and its place"
    files = find_files(snapshot, claim.span.path)
    if len(files) != 1:
        verdict = ClaimVerdict.UNCHECKABLE if files else ClaimVerdict.CONTRADICTED
        return verdict, f"{len(files)} files of the snapshot are called {claim.span.path}"
    path = files[0].path
    lines = snapshot.files.text(path).split("\n")
    first = max(0, claim.span.start_line - 1 - _NEAR)
    at = quoted_at(lines[first : (claim.span.end_line or len(lines)) + _NEAR], quoted)
    if at >= 0:
        return ClaimVerdict.VERIFIED, f"it stands at {path}:{first + at + 1}"
    elsewhere = quoted_at(lines, quoted)
    if elsewhere >= 0:
        return ClaimVerdict.CONTRADICTED, f"it stands elsewhere in the file: {path}:{elsewhere + 1}"
    return ClaimVerdict.CONTRADICTED, f"{path} does not hold it"
