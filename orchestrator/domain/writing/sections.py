"""The sections that answers are put together from. Each gives markdown lines, or none where it has nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.evidence import EvidenceKind, SymbolKind
from orchestrator.domain.messages import held_text, holds_message
from orchestrator.domain.question import Mode
from orchestrator.domain.references import NOT_SHOWN
from orchestrator.domain.using import relation_told
from orchestrator.domain.writing import source_text
from orchestrator.domain.writing.gap_names import names_told
from orchestrator.domain.writing.markdown import bullets, code, fenced, head, quote
from orchestrator.domain.writing.points import clause, point, reason_of
from orchestrator.domain.writing.statements import asks_for_place, compared, contrasts, is_aside
from orchestrator.domain.writing.trace import framed_line, frames, trace_end, way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece
    from orchestrator.domain.writing.source_text import RaiseSite
    from orchestrator.domain.writing.statements import Statement

_RAISES_TOLD = 2
_BODY = 12
"""Lines of a body that is quoted as a whole."""
_RAISING = frozenset({"is raised by", "can fail in"})
_PAGES_TOLD = 3
_PLACES_LOOKED_AT = 6
_LIKELY = 0.5
"""Share of the words of a message, or of the question, that a place must have where nothing else speaks for it."""


def definition(material: Material) -> list[str]:
    """Say what answers most directly, then what the subject of the question is and how it is declared."""
    is_known = bool(material.users or material.described)
    piece, lead = material.subject, None if is_known else material.lead
    lines = [_told_by(lead)] if lead and lead.piece is not piece else []
    if asks_for_place(material.question) and not is_known:
        lines = [_places(material), *lines]
    if len(material.compared) > 1:
        both = bullets([_of_compared(each) for each in material.compared])
        leads_with_page = contrasts(lead.text, compared(material.question)) if lead and lines else False
        says_more = all(each.summary for each in material.compared)
        return [both, *lines] if says_more and not leads_with_page else [*lines, both]
    if piece is None:
        return lines
    if piece.summary:
        declared = f"It is declared at {piece.place} as {code(piece.signature)}." if piece.is_declared else ""
        return [*lines, f"{piece.name} — {piece.summary} {piece.cite}", declared]
    return [*lines, f"{piece.name} is defined at {piece.place}. {piece.cite}"]


def _of_compared(piece: Piece) -> str:
    if piece.summary:
        return f"{piece.name} — {piece.summary} {piece.cite}"
    return f"{piece.name} is declared at {piece.place} as {code(piece.signature)}. {piece.cite}"


def _places(material: Material) -> str:
    """Say in which files the definitions stand that the question seems to mean."""
    files: dict[str, list[Piece]] = {}
    for piece in material.definitions[:_PLACES_LOOKED_AT]:
        symbol = piece.evidence.symbol
        if symbol and not is_aside(symbol.path) and material.is_about(piece):
            files.setdefault(symbol.path, []).append(piece)
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
    if material.users and all(relation_told(each.evidence) not in _RAISING for each in material.users):
        return definition(material)
    listed = {mention for each in material.users for mention in each.evidence.mentions}
    found = [each for each in _ranked_raises(material) if not listed or each[0].evidence.symbol in listed]
    if frames(material) and not found:
        holder = _holder(material)
        return [*trace_end(material), *(_holding(material) if holder and holds_message(holder.evidence) else [])]
    lines = [] if frames(material) else _holding(material)
    if lines:
        # Who makes the message is likelier to be the cause than who shares some words of it.
        found = [(piece, site) for piece, site in found if holds_message(piece.evidence)]
    if not found:
        return lines or [*definition(material), *core_lines(material)]
    for piece, site in found[:_RAISES_TOLD]:
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
    piece = _holder(material)
    if piece is None:
        return []
    message = _made_there(material, piece)
    excerpt = source_text.quoting_excerpt(piece.evidence, message)
    excerpt = excerpt or source_text.best_excerpt(piece.evidence, message, max_lines=3)
    # Where a trace ends elsewhere, it may be the text of another message.
    said = "The text of the message stands in" if frames(material) else "The message is made in"
    return [f"{said} {piece.name}: {piece.cite}", quote(excerpt)] if excerpt else []


def _made_there(material: Material, piece: Piece) -> frozenset[str]:
    """Return the terms of the message that a piece makes, as far as the code says it itself."""
    held = held_text(piece.evidence)
    return frozenset(count_terms(held or " ".join(material.classification.anchors.error_messages)))


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
    others = [piece for piece in material.definitions if piece not in told and material.is_relevant(piece)]
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
    reasons = {name: result.gap.description for result in material.results for name in result.evidence_ids}
    lines = []
    told = {*_leading(material), *names_told(material)}
    new = [each for each in material.fetched if each not in told]
    for piece in _told_once(new, _leading(material))[:6]:
        why = reasons.get(piece.evidence.evidence_id, "")
        lines.append(point(material, piece, clause(why.removesuffix(f", {NOT_SHOWN}"))))
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
    is_measured = material.of(EvidenceKind.METRICS, EvidenceKind.FINDING) and not material.users
    if material.classification.mode is Mode.ANALYTICAL and is_measured:
        return []
    if material.classification.mode is not Mode.DIAGNOSTIC:
        return subject
    told = [piece for piece, _ in _ranked_raises(material)[:_RAISES_TOLD]] or frames(material)[:1]
    return [*filter(None, [_holder(material)]), *told] or subject


def _is_defined_first(material: Material) -> bool:
    """Tell whether the first section of the mode has nothing of its own and is a definition."""
    mode = material.classification.mode
    if mode is Mode.ANALYTICAL:
        return not material.of(EvidenceKind.METRICS, EvidenceKind.FINDING)
    if mode is Mode.DIAGNOSTIC:
        return not _ranked_raises(material) and not frames(material) and _holder(material) is None
    return mode is not Mode.EXPLORATORY or not material.flows


def _holder(material: Material) -> Piece | None:
    """Return the first piece that holds the message, unless it is told of as one that raises."""
    raising_ones = [piece for piece, _ in _ranked_raises(material)[:_RAISES_TOLD]]
    holders = [piece for piece in material.sources if holds_message(piece.evidence)]
    if not holders:
        return _likely_holder(material)
    return holders[0] if holders[0] not in raising_ones else None


def _likely_holder(material: Material) -> Piece | None:
    """Return the piece with the line whose text has most of the message, if that is more than half of it."""
    anchors = material.classification.anchors
    message = frozenset(count_terms(" ".join(anchors.error_messages)))
    if not message or anchors.exceptions:
        return None
    share, piece = max(
        ((source_text.quoted_share(each.evidence, message), each) for each in material.sources),
        key=lambda found: found[0],
        default=(0.0, None),
    )
    return piece if share > _LIKELY else None


def _ranked_raises(material: Material) -> list[tuple[Piece, RaiseSite]]:
    anchors = material.classification.anchors
    names = {each.rpartition(".")[2] for each in anchors.exceptions}
    told = set(count_terms(" ".join(anchors.error_messages) or material.question))
    is_named, traced = bool(names or anchors.error_messages), frames(material)
    found = []
    for place, piece in enumerate(material.sources):
        made = _made_there(material, piece)
        quoted = source_text.quoted_share(piece.evidence, made) if made else 0.0
        for site in source_text.raise_sites(piece.evidence):
            message = set(count_terms(" ".join(site.excerpt.lines)))
            share = len(told & message) / max(1, len(told))
            # Another line may be the one that makes the message, and hand it to something else than this.
            is_elsewhere = quoted > max(len(made & message) / max(1, len(made)), _LIKELY)
            if is_elsewhere and site.exception not in names:
                continue
            is_at_frame = site.excerpt.start_line <= framed_line(piece.evidence) <= site.excerpt.end_line
            # A trace says by itself where it failed; a variable that is raised does not say what.
            is_variable = site.exception.lstrip("_")[:1].islower()
            if traced and (is_variable or piece is not traced[0] or not (is_at_frame or site.exception in names)):
                continue
            is_meant = is_at_frame or site.exception in names or holds_message(piece.evidence)
            # Words that a question happens to share are no sign, and who asserts something names no failure.
            if not is_meant and share < (_LIKELY if site.is_assertion or not is_named else 0.0):
                continue
            score = 3.0 * (site.exception in names) + 3.0 * share + 1.0 / (2 + place) - 1.0 * site.exception.islower()
            score += 3.5 * holds_message(piece.evidence)
            score += 4.0 * is_at_frame
            found.append((score, piece, site))
    found.sort(key=lambda each: (-each[0], each[2].excerpt.path, each[2].excerpt.start_line))
    best = found[0][0] if found else 0.0
    return [(piece, site) for score, piece, site in found if score >= max(1.0, 0.75 * best)]
