"""The sections that answers are put together from. Each gives markdown lines, or none where it has nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind, Relation, SymbolKind
from orchestrator.domain.messages import holds_message, holds_nearly
from orchestrator.domain.question import Mode
from orchestrator.domain.question_terms import describes_one_thing
from orchestrator.domain.references import way_referred
from orchestrator.domain.using import relation_listed
from orchestrator.domain.writing import prose, source_text
from orchestrator.domain.writing.comparing import sides
from orchestrator.domain.writing.gap_names import names_told
from orchestrator.domain.writing.markdown import bullets, code, fenced, head, quote
from orchestrator.domain.writing.points import point, reason_of
from orchestrator.domain.writing.raising import RAISES_TOLD
from orchestrator.domain.writing.statements import asks_for_place, compared, contrasts
from orchestrator.domain.writing.trace import trace_end, way
from orchestrator.domain.writing.verdicts import asks_for_being

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece
    from orchestrator.domain.writing.raise_sites import RaiseSite
    from orchestrator.domain.writing.statements import Statement

_BODY = 12
"""Lines of a body that is quoted as a whole."""
_RAISING = frozenset({Relation.RAISES, Relation.FAILS})
_PAGES_TOLD = 3
_SIDE = 320
"""Characters of a section that are told of one of two things."""


def definition(material: Material) -> list[str]:
    """Say what answers most directly, then what the subject of the question is and how it is declared."""
    is_known = bool(material.users or material.described)
    piece, lead = material.subject, None if is_known else material.lead
    is_place = asks_for_place(material.question) and not is_known
    if is_place and material.places and lead and lead.piece in material.definitions:
        lead = None  # another definition says nothing of the place of this one
    lines = [_told_by(lead)] if lead and lead.piece is not piece else []
    if is_place:
        lines = [_places(material), *lines]
    if both := _both_sides(material):
        leads_with_page = lead is not None and bool(lines) and contrasts(lead.text, compared(material.question))
        says_more = all(each.summary for each in material.compared)
        return [*lines, both] if material.compared and (leads_with_page or not says_more) else [both, *lines]
    return _of_subject(material, piece, lines) if piece else lines


def _of_subject(material: Material, piece: Piece, lines: list[str]) -> list[str]:
    """Add what the subject is to what was said; that it is there comes first, where that was asked."""
    symbol = piece.evidence.symbol
    if symbol and asks_for_being(material.question, symbol.qualified_name):
        lines = [f"Yes: {piece.name} is defined at {piece.place}. {piece.cite}", *lines]
    if symbol and (asked := material.inherited.get(symbol)):
        lines = [f"`{asked}` is {piece.name}, which is inherited. {piece.cite}", *lines]
    if piece.summary:
        declared = f"It is declared at {piece.place} as {code(piece.signature)}." if piece.is_declared else ""
        return [*lines, f"{piece.name} — {piece.summary} {piece.cite}", declared]
    is_said = any(f"{piece.name} is defined at" in each for each in lines)
    return lines if is_said else [*lines, f"{piece.name} is defined at {piece.place}. {piece.cite}"]


def _both_sides(material: Material) -> str:
    """Say what each of two things is that are compared; "" where only one is known."""
    if material.compared:
        return bullets([_of_compared(each) for each in material.compared])
    pages = [each for each in material.of(EvidenceKind.DOC) if not each.is_card]
    told = [_of_side(each) for each in sides(compared(material.question), material.definitions, pages)]
    return bullets(told) if all(told) else ""


def _of_compared(piece: Piece) -> str:
    if piece.summary:
        return f"{piece.name} — {piece.summary} {piece.cite}"
    return f"{piece.name} is declared at {piece.place} as {code(piece.signature)}. {piece.cite}"


def _of_side(piece: Piece) -> str:
    """Say what one of two things is, by its definition or by the section that is headed so; "" for nothing."""
    if piece.evidence.kind is not EvidenceKind.DOC or piece.is_card:
        return _of_compared(piece)
    said = prose.opening_sentences(prose.plain(piece.evidence.text), 2, _SIDE)
    return f"{piece.name} — {prose.unlabelled(said)} ({piece.place} {piece.cite})" if said else ""


def _places(material: Material) -> str:
    """Say in which files the definitions stand that the question seems to mean."""
    files: dict[str, list[Piece]] = {}
    for piece in material.places:
        if piece.evidence.symbol:
            files.setdefault(piece.evidence.symbol.path, []).append(piece)
    told = [
        f"`{path}` ({', '.join(f'{each.name} {each.cite}' for each in found[:3])})" for path, found in files.items()
    ][:3]
    return f"In {' and '.join([', '.join(told[:-1]), told[-1]] if told[1:] else told)}." if told else ""


def core_lines(material: Material) -> list[str]:
    """Quote the lines of the subject that say most about the question."""
    if len(material.compared) > 1 and not any(each.is_card for each in material.compared):
        return _compared_lines(material)
    piece = material.subject
    if piece is None or piece.is_card or (material.compared and piece not in material.compared):
        return []
    excerpt = source_text.best_excerpt(piece.evidence, material.wanted)
    return [f"The lines that matter: {piece.cite}", quote(excerpt)] if excerpt else []


def _compared_lines(material: Material) -> list[str]:
    """Quote the lines of both things that are compared: short ones as a whole."""
    lines: list[str] = []
    for piece in material.compared:
        excerpt = source_text.body(piece.evidence, _BODY) or source_text.best_excerpt(piece.evidence, material.wanted)
        lines += [f"The lines of {piece.name} that matter: {piece.cite}", quote(excerpt)] if excerpt else []
    return lines


def raising(material: Material) -> list[str]:
    """Say where the error is raised and under which condition, and quote the place."""
    if material.users and all(relation_listed(each.evidence) not in _RAISING for each in material.users):
        return definition(material)
    listed = {mention for each in material.users for mention in each.evidence.mentions}
    found = [each for each in material.failure.raises if not listed or each[0].evidence.symbol in listed]
    if material.failure.frames and not found:
        holder = material.failure.holder
        return [*trace_end(material), *(_holding(material) if holder and holds_message(holder.evidence) else [])]
    lines = [] if material.failure.frames else _holding(material)
    if lines:
        # Who makes the message is likelier to be the cause than who shares some words of it.
        found = [(piece, site) for piece, site in found if holds_message(piece.evidence)]
    if not found:
        return lines or [*definition(material), *core_lines(material)]
    for piece, site in found[:RAISES_TOLD]:
        under = f" under {code(site.guard)}" if site.guard else ""
        lines += [f"{_raiser(piece, site)} {site.deed}{under}: {piece.cite}", quote(site.excerpt)]
    piece = found[0][0]
    return [*lines, *way(material), f"What {piece.name} is for: {piece.summary}" if piece.summary else ""]


def _raiser(piece: Piece, site: RaiseSite) -> str:
    """Name what fails: the method, where a whole class is shown."""
    symbol = piece.evidence.symbol
    is_class = symbol is not None and symbol.kind is SymbolKind.CLASS
    return f"`{symbol.qualified_name}.{site.method}`" if symbol and is_class and site.method else piece.name


def _holding(material: Material) -> list[str]:
    """Quote the message where it is made by something else than raising, as by a log."""
    piece = material.failure.holder
    if piece is None:
        return []
    message = material.failure.made_in(piece)
    excerpt = source_text.quoting_excerpt(piece.evidence, message)
    excerpt = excerpt or source_text.best_excerpt(piece.evidence, message, max_lines=3)
    # Where a trace ends elsewhere, it may be the text of another message.
    said = "The text of the message stands in" if material.failure.frames else "The message is made in"
    said = "A message like it is made in" if holds_nearly(piece.evidence) else said
    return [f"{said} {piece.name}: {piece.cite}", quote(excerpt)] if excerpt else []


def flow(material: Material) -> list[str]:
    """Name the entry point and the steps after it, then show the tree of calls."""
    trees = material.flows
    if not trees and material.users:
        return definition(material)
    if not trees:
        return [*definition(material), *core_lines(material)]
    lines: list[str] = []
    for tree in trees[:2]:
        steps = [f"`{step.qualified_name}` {tree.mention_cite(step)}" for step in tree.evidence.mentions[:7]]
        if steps:
            rest = f" and goes on, in this order, to {', '.join(steps[1:])}" if steps[1:] else ""
            lines.append(
                f"{'It' if lines else 'The flow'} {'may also start' if lines else 'starts'} at {steps[0]}{rest}."
            )
            lines.append(_entry_told(material, tree))
        if tree is trees[0]:
            lines.append(fenced(head(tree.evidence.text, 30), "text"))
    return lines


def _entry_told(material: Material, tree: Piece) -> str:
    """Say what the first step of a flow is for, as far as it says so itself; "" if it does not."""
    entry = next((each for each in material.definitions if each.evidence.symbol == tree.evidence.mentions[0]), None)
    return f"{entry.name} — {entry.summary} {entry.cite}" if entry and entry.summary else ""


def connections(material: Material) -> list[str]:
    """Tell what the other pieces of source contribute, one line each, with how they are connected."""
    told = (*_leading(material), *material.fetched)
    others = [piece for piece in material.definitions if piece not in told and material.weighing.is_relevant(piece)]
    lines = [point(material, piece, reason_of(piece)) for piece in _told_once(others, _leading(material))[:5]]
    return ["What else takes part:", bullets(lines)] if lines else []


def steps(material: Material) -> list[str]:
    """Go through the shown source in the order of the flow; without one, say what else takes part."""
    if not material.flows:
        return connections(material)
    shown = [piece for piece in material.of(EvidenceKind.SOURCE) if piece not in material.fetched]
    lines = [f"{number}. {point(material, piece, reason_of(piece))}" for number, piece in enumerate(shown[:7], 1)]
    return ["Step by step:", "\n".join(lines)] if lines else []


def fetched(material: Material) -> list[str]:
    """Tell what was looked up because the first evidence referred to it."""
    ways = {name: way_referred(result.gap) for result in material.results for name in result.evidence_ids}
    told = {*_leading(material), *names_told(material)}
    new = _told_once([each for each in material.fetched if each not in told], _leading(material))
    lines = [point(material, each, ways.get(each.evidence.evidence_id, "")) for each in new[:6]]
    return ["Looked up because the evidence above refers to it:", bullets(lines)] if lines else []


def documents(material: Material) -> list[str]:
    """Give the sentences of the documentation that speak to the question, but for those that lead."""
    pages = [each for each in material.statements if each.piece not in material.definitions]
    is_told = not material.users and _is_defined_first(material)
    given = [each for each in pages if each is not material.lead or not is_told]
    texts = {material.lead.text} if material.lead and len(given) < len(pages) else set()
    lines = []
    for each in given:
        if each.text not in texts:
            lines.append(_told_by(each))
        texts.add(each.text)
    return ["From the documentation:", bullets(lines[:_PAGES_TOLD])] if lines else []


def _told_by(page: Statement) -> str:
    piece = page.piece
    return f"{page.text} ({piece.name}, {piece.place} {piece.cite})"


def nothing_found(_: Material) -> list[str]:
    """Say that there is no evidence, and what to try."""
    return [
        "Nothing in the indexed code or its documentation speaks to this question.",
        "Name a symbol, a file or an error message as it is written in the code, or index the part that is missing.",
    ]


def imprint(material: Material) -> list[str]:
    """Say what wrote this."""
    count = len(material.pieces)
    noun = "piece" if count == 1 else "pieces"
    return [f"_Written from evidence only ({count} {noun} of it); no model was asked. Quoted lines are verbatim._"]


def _told_once(pieces: Sequence[Piece], told: Sequence[Piece]) -> list[Piece]:
    """Leave out what says of itself the same as one of its name before it in its file: overloads."""
    said = {_said(each) for each in told}
    kept = []
    for piece in pieces:
        if not piece.summary or _said(piece) not in said:
            kept.append(piece)
        said.add(_said(piece))
    return kept


def _said(piece: Piece) -> tuple[str, str, str]:
    return piece.evidence.span.path if piece.evidence.span else "", piece.name, piece.summary


def _leading(material: Material) -> list[Piece]:
    """Return the definitions that the first section of the mode tells of already."""
    subject = [*material.compared] or ([material.subject] if material.subject else [])
    if material.classification.mode is Mode.ANALYTICAL and _tells_measures(material) and not material.users:
        return []
    if material.classification.mode is not Mode.DIAGNOSTIC:
        return subject
    told = [piece for piece, _ in material.failure.raises[:RAISES_TOLD]] or material.failure.frames[:1]
    return [*filter(None, [material.failure.holder]), *told] or subject


def _tells_measures(material: Material) -> bool:
    measured = material.of(EvidenceKind.METRICS, EvidenceKind.FINDING)
    return bool(measured) and not describes_one_thing(material.question)


def _is_defined_first(material: Material) -> bool:
    """Tell whether the first section of the mode has nothing of its own and is a definition."""
    mode = material.classification.mode
    if mode is Mode.ANALYTICAL:
        return not _tells_measures(material)
    if mode is Mode.DIAGNOSTIC:
        return not material.failure.raises and not material.failure.frames and material.failure.holder is None
    return mode is not Mode.EXPLORATORY or not material.flows
