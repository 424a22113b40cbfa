"""Packs the gathered symbols: reads their source, fits it into the budget, and renders it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceKind, EvidenceRole, hash_lines
from retriever.domain.packing.texts import cut
from retriever.domain.tasks.assembling import Assembled, Measure, Offer, assemble
from retriever.domain.tasks.context import decide
from retriever.domain.tasks.rendering import render, render_entry
from retriever.domain.tasks.task import ContextEntry, ContextFormat, ContextRole, ContextTier, FileDependency, Pick
from retriever.domain.values import SymbolKind
from retriever.domain.views.prose import summary
from retriever.usecases.evidence.drafting import outline, read_lines, shown_text, title_of
from retriever.usecases.locating.naming import symbols_by_id
from retriever.usecases.tasks.companions import note_span
from retriever.usecases.tasks.judged import file_symbol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from common.core.words.tokens import TokenCounter
    from retriever.domain.evidence.piece import Decision
    from retriever.domain.tasks.task import ContextRequest
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_STAGE = "budget"
_SHAPE_TOKENS = 200
"""Most tokens of the shape of a class: one with 200 methods would displace the code to be changed."""
_TEXT_TOKENS = 2000
"""Most tokens of a file without symbols, of which the beginning is shown."""
_ASSERTIONS = 8
"""Most assertions of one test that are shown."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """A package's content, without revision and creation time."""

    entries: tuple[ContextEntry, ...]
    dependencies: tuple[FileDependency, ...]
    used_tokens: int
    rendered: str
    decisions: tuple[Decision, ...]


def package(snapshot: Snapshot, request: ContextRequest, picks: Iterable[Pick], counter: TokenCounter) -> Packaged:
    """Fill the budget of a request with picks; picks without room are logged."""
    offers = _offers(snapshot, picks, request.format, counter)
    edges = _dependencies(snapshot, {offer.entry.span.path for offer in offers})

    def rendering(entries: Sequence[ContextEntry]) -> str:
        return render(request.task, entries, _among(edges, entries), request.format)

    def measure(entries: Sequence[ContextEntry]) -> int:
        if request.format == ContextFormat.NONE:
            return sum(entry.tokens for entry in entries)
        return counter.count(rendering(entries))

    assembled, spoken_for = _assembled(offers, request.limit_tokens, measure)
    entries = assembled.entries
    decisions = (*_decisions(assembled), *spoken_for)
    text, tokens = rendering(entries), assembled.tokens
    if not entries:  # JSON has some text even then, which must fit the budget too
        tokens = counter.count(text)
        text, tokens = (text, tokens) if tokens <= request.limit_tokens else ("", 0)
    return Packaged(entries, _among(edges, entries), tokens, text, decisions)


def _assembled(offers: Sequence[Offer], limit: int, measure: Measure) -> tuple[Assembled, list[Decision]]:
    """Drop reason comments inside of shown bodies, until none is left: the freed tokens may show another body."""
    left = list(offers)
    while True:
        assembled = assemble(left, limit, measure)
        bodies = {
            each.symbol.id
            for each in assembled.entries
            if each.role == ContextRole.PRIMARY and not each.demoted and each.content_hash == hash_lines(each.text)
        }
        kept = [each for each in left if not (each.entry.symbol.id in bodies and _is_inner_reason(each.entry))]
        if len(kept) == len(left):
            break
        left = kept
    out = [each.entry for each in offers if each not in left]
    why = "stands in the body, which is shown"
    return assembled, [
        decide(_STAGE, each.tier.value, each.span, why, name=each.symbol.qualified_name, included=False) for each in out
    ]


def _is_inner_reason(entry: ContextEntry) -> bool:
    """Return whether an entry is a comment inside of its symbol; one above it is not part of the body."""
    inside = entry.symbol.start_line <= entry.span.start_line <= entry.symbol.end_line
    return entry.tier == ContextTier.RATIONALE and inside


def _importance(pick: Pick) -> tuple[bool, int]:
    places = {ContextTier.RATIONALE: 1, ContextTier.TEST: 2}
    roles = {ContextRole.PRIMARY: 0, ContextRole.TYPE: 3, ContextRole.SUPPORTING: 4}
    return not pick.requested, places.get(pick.tier, roles[pick.role])


def _offers(snapshot: Snapshot, picks: Iterable[Pick], form: ContextFormat, counter: TokenCounter) -> tuple[Offer, ...]:
    ordered = sorted(picks, key=_importance)
    symbols = _symbols(snapshot, dict.fromkeys(pick.symbol_id for pick in ordered))
    offers: dict[str, Offer] = {}
    for pick in ordered:
        entry = _entry(snapshot, symbols[pick.symbol_id], pick, counter)
        offer = Offer(entry, counter.count(render_entry(entry, form)))
        if pick.role == ContextRole.PRIMARY:
            offer = _shrinkable(snapshot, offer, form, counter)
        offers.setdefault(entry.evidence_id, offer)
    return tuple(offers.values())


def _symbols(snapshot: Snapshot, wanted: Collection[int]) -> dict[int, Symbol]:
    """Return symbols by id; whole files have negative ids."""
    found = symbols_by_id(snapshot, (key for key in wanted if key > 0))
    files = snapshot.files.all() if len(found) < len(wanted) else ()
    return found | {each.id: each for each in map(file_symbol, files) if each.id in wanted}


def _shrinkable(snapshot: Snapshot, offer: Offer, form: ContextFormat, counter: TokenCounter) -> Offer:
    text = _shape(snapshot, offer.entry.symbol, counter)
    brief = replace(offer.entry, text=text, tokens=counter.count(text), demoted=True)
    cost = counter.count(render_entry(brief, form))
    return replace(offer, brief=brief, brief_cost=cost) if cost < offer.cost else offer


def _entry(snapshot: Snapshot, symbol: Symbol, pick: Pick, counter: TokenCounter) -> ContextEntry:
    text, span = _text(snapshot, symbol, pick, counter), symbol.span
    if pick.tier == ContextTier.RATIONALE:
        span = note_span(symbol, pick)
    title = title_of(symbol)
    content_hash = hash_lines(read_lines(snapshot, span))
    kind, source = EvidenceKind.SOURCE, ContextSource.CODE
    draft = Draft(kind, source, EvidenceRole.MATCH, title, text, pick.relation, span=span, content_hash=content_hash)
    return ContextEntry(
        evidence_id=draft.evidence_id,
        kind=kind,
        source=source,
        title=title,
        span=span,
        symbol=symbol,
        text=text,
        tokens=counter.count(text),
        content_hash=content_hash,
        role=pick.role,
        tier=pick.tier,
        relation=pick.relation,
        score=pick.score,
    )


def _text(snapshot: Snapshot, symbol: Symbol, pick: Pick, counter: TokenCounter) -> str:
    if pick.tier == ContextTier.RATIONALE:
        return pick.notes[0].text + "\n"
    if pick.tier == ContextTier.TEST and pick.notes:
        shown = [f"    {note.text}  # line {note.line}" for note in pick.notes[:_ASSERTIONS]]
        more = len(pick.notes) - len(shown)
        rest = [f"    ... ({more} more)"] if more else []
        return "\n".join([_declaration(symbol).rstrip(), *shown, *rest]) + "\n"
    if symbol.id < 0 and pick.role == ContextRole.PRIMARY:
        return _beginning(snapshot, symbol, _TEXT_TOKENS, counter)
    if pick.role == ContextRole.PRIMARY or pick.tier == ContextTier.TEST:
        return shown_text(snapshot, symbol)
    return _shape(snapshot, symbol, counter)


def _shape(snapshot: Snapshot, symbol: Symbol, counter: TokenCounter) -> str:
    """Return the declaration; of a class or module, as much of its members' as the bound allows; a text's beginning."""
    if symbol.id < 0:
        return _beginning(snapshot, symbol, _SHAPE_TOKENS, counter)
    if symbol.kind in (SymbolKind.CLASS, SymbolKind.MODULE):
        shape = cut(outline(snapshot, symbol), _SHAPE_TOKENS, counter)
        if shape:
            return shape.text
    return _declaration(symbol)


def _beginning(snapshot: Snapshot, symbol: Symbol, tokens: int, counter: TokenCounter) -> str:
    shown = cut(read_lines(snapshot, symbol.span), tokens, counter)
    return shown.text if shown else _declaration(symbol)


def _declaration(symbol: Symbol) -> str:
    """Return the signature and the first sentence of the documentation."""
    doc = summary(symbol.docstring)
    return (symbol.signature or f"# {symbol.dotted}") + "\n" + (f'    """{doc}"""\n' if doc else "")


def _dependencies(snapshot: Snapshot, paths: set[str]) -> tuple[FileDependency, ...]:
    return tuple(
        FileDependency(each.path, each.depends_on)
        for each in snapshot.structure.dependencies()
        if each.path in paths and each.depends_on in paths and each.path != each.depends_on
    )


def _among(edges: Iterable[FileDependency], entries: Iterable[ContextEntry]) -> tuple[FileDependency, ...]:
    paths = {entry.span.path for entry in entries}
    return tuple(each for each in edges if each.path in paths and each.depends_on in paths)


def _decisions(assembled: Assembled) -> tuple[Decision, ...]:
    shown = [
        decide(
            _STAGE,
            each.tier.value,
            each.span,
            f"{each.tokens} tokens" + (", demoted to its signature" if each.demoted else ""),
            name=each.symbol.qualified_name,
        )
        for each in assembled.entries
    ]
    return tuple(shown) + tuple(
        decide(_STAGE, each.tier.value, each.span, "over budget", name=each.symbol.qualified_name, included=False)
        for each in assembled.left_out
    )
