"""Turns symbols and documents of a snapshot into drafts of evidence."""

from __future__ import annotations

from dataclasses import replace
from textwrap import indent
from typing import TYPE_CHECKING

from common.core.contract.evidence import Setting, Span
from retriever.domain.declared.given_values import PARAMETERS
from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceKind, EvidenceRole, hash_lines
from retriever.domain.packing.packer import OVER_BUDGET
from retriever.domain.values import FactKind, Symbol, SymbolKind
from retriever.domain.views.prose import summary
from retriever.usecases.locating.naming import members

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.packing.units import Unit
    from retriever.domain.values import Document
    from retriever.domain.views.listing import User, UserList
    from retriever.ports import Snapshot

MATCHES = "matches the question"
"""Reason of evidence that lexical search found."""
_OUTLINE_FROM = 60
"""Classes and modules of more lines than this are shown as an outline of their members."""
_DOCUMENTED = 320
"""Most characters of a symbol's documentation that are shown above its lines."""
_TOLD = {FactKind.RAISES: "Raises", FactKind.MUTATES: "Changes"}
_MAX_FACTS = 5
_LINE_CHARS = 140
"""Most characters of a source line that is shown beside a place in a list."""
_BLOCK = 8
"""Most lines that are shown of a value that spans several."""


def read_lines(snapshot: Snapshot, span: Span) -> str:
    """Return the lines of a span, each with its line feed."""
    return snapshot.files.lines(span.path, span.start_line, span.end_line)


def source_draft(
    snapshot: Snapshot,
    symbol: Symbol,
    role: EvidenceRole,
    reason: str,
    *,
    score: float = 0.0,
    source: ContextSource = ContextSource.CODE,
) -> Draft:
    """Draft the source of a symbol, all its lines."""
    return replace(_lines_of(snapshot, symbol.span, symbol), source=source, role=role, reason=reason, score=score)


def unit_draft(snapshot: Snapshot, unit: Unit, *, score: float) -> Draft:
    """Draft a unit of a file that matches the question; lines outside of all definitions belong to the module."""
    owner = unit.owner
    if owner is None:
        symbols = snapshot.symbols.in_file(unit.span.path)
        owner = symbols[0] if symbols and symbols[0].kind == SymbolKind.MODULE else None
    return replace(_lines_of(snapshot, unit.span, owner), score=score)


def _lines_of(snapshot: Snapshot, span: Span, symbol: Symbol | None) -> Draft:
    text = read_lines(snapshot, span)
    return Draft(
        kind=EvidenceKind.SOURCE,
        source=ContextSource.CODE,
        role=EvidenceRole.MATCH,
        title=title_of(symbol) if symbol else span.path,
        text=text,
        reason=MATCHES,
        span=span,
        symbol=symbol,
        content_hash=hash_lines(text),
        documentation=_beginning(symbol.docstring.strip()) if symbol else "",
    )


def _beginning(documentation: str) -> str:
    """Return the beginning of a symbol's documentation."""
    if len(documentation) <= _DOCUMENTED:
        return documentation
    return documentation[: _DOCUMENTED - 2].rpartition(" ")[0] + " …"


def shown_text(snapshot: Snapshot, symbol: Symbol) -> str:
    """Return the source of a symbol; of a long class or module, an outline of its members."""
    return outline(snapshot, symbol) if _is_long(symbol) else read_lines(snapshot, symbol.span)


def lines_draft(
    snapshot: Snapshot,
    span: Span,
    role: EvidenceRole,
    reason: str,
    *,
    symbol: Symbol | None = None,
    source: ContextSource = ContextSource.CODE,
) -> Draft:
    """
    Draft lines of a file.

    Args:
        symbol: The definition of which they are a part; None for none.
    """
    return replace(_lines_of(snapshot, span, symbol), source=source, role=role, reason=reason)


def card_draft(snapshot: Snapshot, symbol: Symbol, reason: str, *, score: float, brief: bool = False) -> Draft:
    """
    Draft what a symbol says about itself: declaration, documentation, what it raises and changes.

    Args:
        brief: Only the declaration and the first paragraph of the documentation.
    """
    lines = [symbol.signature or title_of(symbol)]
    if symbol.docstring:
        documentation = symbol.docstring.strip()
        lines += ["", documentation.split("\n\n", 1)[0] if brief else documentation]
    facts = () if brief else snapshot.facts.of((symbol.id,), tuple(_TOLD))
    for kind, verb in _TOLD.items():
        values = dict.fromkeys(fact.value for fact in facts if fact.kind == kind)
        if values:
            lines += ["", f"{verb}: {', '.join(list(values)[:_MAX_FACTS])}"]
    return Draft(
        kind=EvidenceKind.DOC,
        source=ContextSource.DOCS,
        role=EvidenceRole.DOCUMENT,
        title=title_of(symbol),
        text="\n".join(lines) + "\n",
        reason=reason,
        score=score,
        span=symbol.span,
        symbol=symbol,
        content_hash=hash_lines(read_lines(snapshot, symbol.span)),
    )


def document_draft(snapshot: Snapshot, document: Document, reason: str, *, score: float = 0.0) -> Draft:
    """Draft a documentation page; one about a symbol carries that symbol's path and lines, so that it can be cited."""
    symbols = snapshot.symbols.get((document.symbol_id,)) if document.symbol_id is not None else ()
    symbol = symbols[0] if symbols else None
    span = symbol.span if symbol else None
    if document.start_line:
        span = Span(document.path, document.start_line, document.end_line)
    return Draft(
        kind=EvidenceKind.DOC,
        source=ContextSource.DOCS,
        role=EvidenceRole.DOCUMENT,
        title=document.title,
        text=document.body.strip() + "\n",
        reason=reason,
        score=score,
        span=span,
        symbol=symbol,
        content_hash=hash_lines(read_lines(snapshot, span)) if span else "",
    )


def structure_draft(title: str, lines: Sequence[str], reason: str, mentions: Iterable[Symbol] = ()) -> Draft:
    """Draft lines of measures of structure."""
    return Draft(
        kind=EvidenceKind.METRICS,
        source=ContextSource.ISSUES,
        role=EvidenceRole.STRUCTURE,
        title=title,
        text="\n".join(lines) + "\n",
        reason=reason,
        mentions=tuple(mentions),
    )


def outline_draft(left_out: Iterable[tuple[Draft, str]]) -> Draft | None:
    """Draft the names and first lines of definitions for which there was no room, file by file; None without any."""
    by_file: dict[str, dict[str, None]] = {}
    for draft, reason in left_out:
        symbol = draft.symbol
        if reason == OVER_BUDGET and symbol and symbol.kind != SymbolKind.MODULE:
            by_file.setdefault(symbol.path, {})[f"{symbol.qualified_name} {symbol.start_line}"] = None
    if not by_file:
        return None
    return Draft(
        kind=EvidenceKind.OUTLINE,
        source=ContextSource.CODE,
        role=EvidenceRole.OUTLINE,
        title="Further definitions, not shown, with their first lines",
        text="".join(f"{path}: {', '.join(names)}\n" for path, names in by_file.items()),
        reason="there is no room for their source",
    )


def list_draft(users: UserList, mentions: Iterable[Symbol], *, title: str = "") -> Draft:
    """Draft a list of users; text and reason say the same as the structured data."""
    said = f"{users.name} {users.relation.value}"
    return Draft(
        kind=EvidenceKind.FLOW,
        source=ContextSource.CODE,
        role=EvidenceRole.USERS,
        title=title or f"What {said}",
        text=users.text(),
        reason=said,
        mentions=tuple(mentions),
        users=users,
    )


def with_lines(snapshot: Snapshot, users: Iterable[User]) -> tuple[User, ...]:
    """Return users, each with the line of its place."""
    return tuple(replace(each, code=_line(snapshot, each.place)) for each in users)


def _line(snapshot: Snapshot, place: Span) -> str:
    text = snapshot.files.lines(place.path, place.start_line, place.start_line).strip() if place.start_line else ""
    return text if len(text) <= _LINE_CHARS else text[: _LINE_CHARS - 1] + "…"


def title_of(symbol: Symbol) -> str:
    """Return the heading under which a symbol is shown."""
    return symbol.dotted if symbol.kind == SymbolKind.MODULE else f"{symbol.qualified_name} ({symbol.path})"


def outline(snapshot: Snapshot, owner: Symbol) -> str:
    """Show the head of a class or module, then each member by its declaration and what its docstring says first."""
    shown = [owner.signature] if owner.signature else [f"# {owner.dotted}"]
    if owner.docstring:
        shown.append(indent(f'"""{owner.docstring.strip()}"""', "    "))
    for member in members(snapshot, owner):
        lines = (
            f"line {member.start_line}"
            if member.start_line == member.end_line
            else f"lines {member.start_line}-{member.end_line}"
        )
        shown.append(f"    {member.signature}  # {lines}")
        if member.docstring:
            shown.append(f"        {summary(member.docstring)}")
    return "\n".join(shown) + "\n"


def _is_long(symbol: Symbol) -> bool:
    holds_others = symbol.kind in (SymbolKind.CLASS, SymbolKind.MODULE)
    return holds_others and symbol.end_line - symbol.start_line >= _OUTLINE_FROM


def setting_draft(snapshot: Snapshot, given: GivenValue, said: tuple[str, ...]) -> Draft:
    """Draft the line that gives a value, with the comment above it, for the words of the question that mean it."""
    name = given.name
    if given.origin in PARAMETERS and given.symbol_id is not None:
        [function] = snapshot.symbols.get((given.symbol_id,))
        name = f"{function.qualified_name}({name})"
    last = max(given.line, min(given.end_line, given.line + _BLOCK)) if not given.value else given.end_line
    span = Span(given.path, given.line - given.above, last)
    draft = lines_draft(snapshot, span, EvidenceRole.SETTING, f"sets {name}")
    return replace(draft, setting=Setting(said, name, given.value, given.line))
