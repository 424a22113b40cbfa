"""The sections that answers are put together from. Each gives markdown lines, or none where it has nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.evidence import EvidenceKind, GapOutcome
from orchestrator.domain.messages import holds_message, unseen_messages
from orchestrator.domain.question import Mode
from orchestrator.domain.references import NOT_SHOWN
from orchestrator.domain.writing import prose, source_text
from orchestrator.domain.writing.markdown import bullets, code, fenced, head, quote
from orchestrator.domain.writing.points import clause, point, reason_of

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material, Piece
    from orchestrator.domain.writing.source_text import RaiseSite

_RAISES_TOLD = 2
_LEAST_WORDS = 4
"""What a page opens with says nothing if it is shorter."""
_OUTCOMES = {
    GapOutcome.ABSENT: "is not defined in the indexed code",
    GapOutcome.AMBIGUOUS: "has several definitions and nothing tells which is meant",
    GapOutcome.EXTERNAL: "lives outside this repository",
    GapOutcome.OUT_OF_COVERAGE: "may be in files that are not indexed",
    GapOutcome.BELOW_FLOOR: "has no match that could be trusted",
}


def definition(material: Material) -> list[str]:
    """Say what the subject of the question is, in its own words, and how it is declared."""
    piece = _subject(material)
    if piece is None:
        return documents(material)
    if piece.summary:
        declared = f"It is declared at {piece.place} as {code(piece.signature)}." if piece.signature else ""
        return [f"{piece.name} — {piece.summary} {piece.cite}", declared]
    told = _documentation(material, only_to_the_point=True)[:1]
    return [*told, f"{piece.name} is defined at {piece.place}. {piece.cite}"]


def core_lines(material: Material) -> list[str]:
    """Quote the lines of the subject that say most about the question."""
    piece = _subject(material)
    if piece is None or piece.is_card:
        return []
    excerpt = source_text.best_excerpt(piece.evidence, material.wanted)
    return [f"The lines that matter: {piece.cite}", quote(excerpt)] if excerpt else []


def raising(material: Material) -> list[str]:
    """Say where the error is raised and under which condition, and quote the place."""
    found = _ranked_raises(material)
    lines = _holding(material)
    if not found:
        return lines or definition(material)
    for piece, site in found[:_RAISES_TOLD]:
        under = f" under {code(site.guard)}" if site.guard else ""
        lines += [f"{piece.name} {site.deed}{under}: {piece.cite}", quote(site.excerpt)]
    piece = found[0][0]
    return [*lines, f"What {piece.name} is for: {piece.summary}" if piece.summary else ""]


def _holding(material: Material) -> list[str]:
    """Quote the message where it is made by something else than raising, as by a log."""
    piece = _holder(material)
    if piece is None:
        return []
    message = frozenset(count_terms(" ".join(material.classification.anchors.error_messages)))
    excerpt = source_text.best_excerpt(piece.evidence, message, max_lines=3)
    return [f"The message is made in {piece.name}: {piece.cite}", quote(excerpt)] if excerpt else []


def flow(material: Material) -> list[str]:
    """Name the entry point and the steps after it, then show the tree of calls."""
    trees = material.flows
    if not trees:
        return definition(material)
    lines: list[str] = []
    for tree in trees[:2]:
        steps = [f"`{step.qualified_name}` {tree.mention_cite(step)}" for step in tree.evidence.mentions[:7]]
        if steps:
            rest = f" and goes on, in this order, to {', '.join(steps[1:])}" if steps[1:] else ""
            lines.append(
                f"{'It' if lines else 'The flow'} {'may also start' if lines else 'starts'} at {steps[0]}{rest}."
            )
        if tree is trees[0]:
            lines.append(fenced(head(tree.evidence.text, 30), "text"))
    return lines


def connections(material: Material) -> list[str]:
    """Tell what the other pieces of source contribute, one line each, with how they are connected."""
    told = (*_leading(material), *material.fetched)
    others = [piece for piece in material.definitions if piece not in told and material.is_relevant(piece)]
    lines = [point(material, piece, reason_of(piece)) for piece in others[:5]]
    return ["What else takes part:", bullets(lines)] if lines else []


def steps(material: Material) -> list[str]:
    """Go through the shown source in the order of the flow."""
    shown = [piece for piece in material.of(EvidenceKind.SOURCE) if piece not in material.fetched]
    if not material.flows:
        shown = [piece for piece in shown if piece is not _subject(material)]
    lines = [f"{number}. {point(material, piece, reason_of(piece))}" for number, piece in enumerate(shown[:7], 1)]
    return ["Step by step:", "\n".join(lines)] if lines else []


def fetched(material: Material) -> list[str]:
    """Tell what was looked up because the first evidence referred to it."""
    reasons = {name: result.gap.description for result in material.results for name in result.evidence_ids}
    lines = []
    for piece in [each for each in material.fetched if each not in _leading(material)][:6]:
        why = reasons.get(piece.evidence.evidence_id, "")
        lines.append(point(material, piece, clause(why.removesuffix(f", {NOT_SHOWN}"))))
    return ["Looked up because the evidence above refers to it:", bullets(lines)] if lines else []


def documents(material: Material) -> list[str]:
    """Give the sentences of the documentation that speak to the question."""
    lines = _documentation(material)[:3]
    return ["From the documentation:", bullets(lines)] if lines else []


def _documentation(material: Material, *, only_to_the_point: bool = False) -> list[str]:
    lines = []
    for piece in material.of(EvidenceKind.DOC):
        told = "" if piece.is_card else _documented(material, piece, only_to_the_point=only_to_the_point)
        if told and (piece.evidence.span or piece.evidence.mentions):
            lines.append(f"{told} ({piece.name}, {piece.place} {piece.cite})")
    return lines


def _documented(material: Material, piece: Piece, *, only_to_the_point: bool) -> str:
    told = prose.relevant_sentences(piece.evidence.text, material.wanted)
    titled = material.wanted & set(count_terms(piece.evidence.title))
    if not told and not only_to_the_point and titled and 2 * len(titled) >= len(material.wanted):
        told = prose.opening_sentences(prose.plain(piece.evidence.text), 2, 300)
        told = told if len(told.split()) >= _LEAST_WORDS else ""
    return prose.unlabelled(told)


def still_open(material: Material) -> list[str]:
    """Say what was looked for and not found."""
    lines = [
        f"{code(each.gap.symbol or each.gap.path or each.gap.description)} {_OUTCOMES[each.outcome]}."
        for each in material.open_gaps()
    ]
    if material.classification.mode is Mode.DIAGNOSTIC:
        unseen = unseen_messages(material.classification.anchors, [each.evidence for each in material.pieces])
        lines += [f"“{prose.unlabelled(message)}” is in no line that was found." for message in unseen]
    return ["Looked for and not found:", bullets(lines)] if lines else []


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


def _subject(material: Material) -> Piece | None:
    return material.definitions[0] if material.definitions else None


def _leading(material: Material) -> list[Piece]:
    """Return the pieces that the first section of the mode tells of already."""
    if material.classification.mode is Mode.ANALYTICAL and material.of(EvidenceKind.METRICS, EvidenceKind.FINDING):
        return []
    if material.classification.mode is not Mode.DIAGNOSTIC:
        return list(material.definitions[:1])
    told = [piece for piece, _ in _ranked_raises(material)[:_RAISES_TOLD]]
    return [*filter(None, [_holder(material)]), *told] or list(material.definitions[:1])


def _holder(material: Material) -> Piece | None:
    """Return the first piece that holds the message, unless it is told of as one that raises."""
    raising_ones = [piece for piece, _ in _ranked_raises(material)[:_RAISES_TOLD]]
    holders = [piece for piece in material.sources if holds_message(piece.evidence)]
    return holders[0] if holders and not any(piece in raising_ones for piece in holders) else None


def _ranked_raises(material: Material) -> list[tuple[Piece, RaiseSite]]:
    anchors = material.classification.anchors
    names = {each.rpartition(".")[2] for each in anchors.exceptions}
    told = set(count_terms(" ".join(anchors.error_messages) or material.question))
    found = []
    for place, piece in enumerate(material.sources):
        for site in source_text.raise_sites(piece.evidence):
            message = set(count_terms(" ".join(site.excerpt.lines)))
            score = 3.0 * (site.exception in names) + 3.0 * len(told & message) / max(1, len(told)) + 1.0 / (2 + place)
            score += 3.5 * holds_message(piece.evidence)
            found.append((score, piece, site))
    found.sort(key=lambda each: (-each[0], each[2].excerpt.path, each[2].excerpt.start_line))
    best = found[0][0] if found else 0.0
    return [(piece, site) for score, piece, site in found if score >= max(1.0, 0.75 * best)]
