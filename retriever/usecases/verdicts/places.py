"""Verdicts on places: quotations, code beside a citation, and names at a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimVerdict
from common.core.secrets.redaction import REDACTED
from retriever.domain.claims import identifiers, names_in, pieces, quoted_at
from retriever.domain.values import SymbolKind
from retriever.usecases.locating.naming import find_files
from retriever.usecases.verdicts.existence import occurs

if TYPE_CHECKING:
    from common.core.contract.evidence import Claim, Span
    from retriever.ports import Snapshot
    from retriever.usecases.verdicts.behaviour import Verdict

_BODIES = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})
_NEAR = 2
"""Most lines by which a cited place may be off."""


def quoted(snapshot: Snapshot, claim: Claim) -> Verdict:
    """Return whether quoted code is at its cited place, word for word."""
    # A redacted secret counts as an omission in the quotation.
    wanted = pieces(claim.object.replace(REDACTED, "\n...\n"))
    if not wanted or claim.span is None:
        return ClaimVerdict.UNCHECKABLE, "a quotation needs its text and its place"
    path, refused = _file(snapshot, claim)
    if refused:
        return refused
    lines = snapshot.files.text(path).split("\n")
    first = max(0, claim.span.start_line - 1 - _NEAR)
    at = quoted_at(lines[first : (claim.span.end_line or len(lines)) + _NEAR], wanted)
    if at >= 0:
        return ClaimVerdict.VERIFIED, f"it stands at {path}:{first + at + 1}"
    elsewhere = quoted_at(lines, wanted)
    if elsewhere >= 0:
        return ClaimVerdict.CONTRADICTED, f"it stands elsewhere in the file: {path}:{elsewhere + 1}"
    return ClaimVerdict.CONTRADICTED, f"{path} does not hold it"


def shown(snapshot: Snapshot, claim: Claim) -> Verdict:
    """
    Return whether code in a sentence is at the place cited with it.

    Such code is often shortened or combined from several lines: it is refuted only if it has an identifier that
    occurs in no file of the repository.
    """
    verdict, detail = quoted(snapshot, claim)
    if verdict != ClaimVerdict.CONTRADICTED or claim.span is None:
        return verdict, detail
    path, refused = _file(snapshot, claim)
    if refused:
        return ClaimVerdict.UNCHECKABLE, detail
    missing = sorted(identifiers(claim.object) - identifiers(snapshot.files.text(path)))
    invented = [name for name in missing if len(name) > _NEAR and not occurs(snapshot, name)]
    if invented:
        return ClaimVerdict.CONTRADICTED, f"{path} does not have {invented[0]}, nor does any other file"
    return ClaimVerdict.UNCHECKABLE, f"{detail}; the words of it may be those of several lines"


def located(snapshot: Snapshot, claim: Claim) -> Verdict:
    """Return whether a name is defined at a place, or occurs in the lines there."""
    names = names_in(claim.subject)
    if not names or claim.span is None:
        return ClaimVerdict.UNCHECKABLE, "the claim does not say what stands where"
    path, refused = _file(snapshot, claim)
    if refused:
        return refused
    span, last = claim.span, _last_line(snapshot, path, claim.span)
    needed = names[-1:] if names[0][:1].isupper() else names
    is_plain = len(needed) == 1
    defined = [each for each in snapshot.symbols.in_file(path) if each.name == names[-1] and is_plain]
    for each in defined:
        if not span.start_line or (each.start_line - _NEAR <= last and span.start_line <= each.end_line):
            return ClaimVerdict.VERIFIED, f"{each.qualified_name} is defined at {path}:{each.start_line}"
    lines = snapshot.files.text(path).split("\n")
    first = max(0, span.start_line - 1 - _NEAR)
    around = lines[first : last + _NEAR] if span.start_line else lines
    if identifiers("\n".join(around)).issuperset(needed):
        return ClaimVerdict.VERIFIED, f"{path} names {names[-1]} there"
    where = f"it is defined at {path}:{defined[0].start_line}" if defined else "nothing there has the name"
    return ClaimVerdict.CONTRADICTED, f"{path}:{span.start_line} does not name {names[-1]}: {where}"


def _last_line(snapshot: Snapshot, path: str, span: Span) -> int:
    """Return the last line of a place; for a single line near the start of definitions, the end of the longest."""
    last = span.end_line or span.start_line
    if last > span.start_line:
        return last
    begun = [each for each in snapshot.symbols.in_file(path) if each.kind in _BODIES]
    return max((each.end_line for each in begun if abs(each.start_line - last) <= _NEAR), default=last)


def _file(snapshot: Snapshot, claim: Claim) -> tuple[str, Verdict | None]:
    """Return the path of the named file; if there is none or several, a verdict instead."""
    assert claim.span is not None, "a claim without a place is not looked for"
    files = find_files(snapshot, claim.span.path)
    if len(files) == 1:
        return files[0].path, None
    verdict = ClaimVerdict.UNCHECKABLE if files else ClaimVerdict.CONTRADICTED
    return "", (verdict, f"{len(files)} files of the snapshot are called {claim.span.path}")
