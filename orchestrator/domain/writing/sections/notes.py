"""The sections about missing things: words without a match, names without a definition, and open gaps."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.evidence import MENTIONED_AS, Absence, GapOutcome
from common.core.contract.understanding import SlotKind
from orchestrator.domain.answers.confidence import low, medium
from orchestrator.domain.evidence.gaps import is_given_a_value, name_of
from orchestrator.domain.loop.messages import unseen_messages
from orchestrator.domain.questions.following import names_nothing
from orchestrator.domain.writing import excerpts, prose
from orchestrator.domain.writing.markdown import bullets, code, quote
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.evidence.piece import GapResult
    from orchestrator.domain.writing.material import Material

_OUTCOMES = MappingProxyType(
    {
        GapOutcome.ABSENT: "is not defined in the indexed code",
        GapOutcome.AMBIGUOUS: "has several definitions and nothing tells which is meant",
        GapOutcome.EXTERNAL: "lives outside this repository",
        GapOutcome.OUT_OF_COVERAGE: "may be in files that are not indexed",
        GapOutcome.BELOW_FLOOR: "has no match that could be trusted",
    }
)
_NOWHERE = (GapOutcome.ABSENT, GapOutcome.OUT_OF_COVERAGE)
_GLUE = MappingProxyType({Absence.EACH: " or ", Absence.TOGETHER: " together with "})
_ABOUT = (SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.OWNER)
_CANDIDATES = 3
_LINES = 6
ADVICE = "Name a symbol, a file or an error message as it is written in the code"


def not_spoken_of(material: Material) -> Section | None:
    """Say that nothing has the requested words or names, so that the rest of the answer is only nearest."""
    told = [
        _GLUE[each.absence].join(f"“{word}”" for word in each.words)
        for piece in material.pieces
        if (each := piece.evidence.unheld) and each.absence in _GLUE and material.says(each.words)
    ]
    if told:
        said = (
            f"Nothing in the indexed code or its documentation speaks of {told[0]}; what follows is what comes nearest."
        )
        return Section([said], low(f"nothing in the index speaks of {told[0]}"))
    absent = [f"{code(name_of(each.gap))} {_outcome(each)}." for each in _absent(material)]
    absent += [f"“{prose.unlabelled(each)}” is in no line that was found." for each in _unseen(material)]
    if not absent:
        return None
    return Section(
        [f"{' '.join(absent)} What follows is what comes nearest."], low("what the question names is not there")
    )


def _absent(material: Material) -> list[GapResult]:
    """Return the gaps for names and paths of the question that nothing in the index has, also no line with a value."""
    listed = {piece.evidence.users.name for piece in material.lists if piece.evidence.users}
    asked = {text for part in material.understanding.likely for text in part.texts(*_ABOUT)} - listed
    absent = (each for each in material.open_gaps() if each.outcome in _NOWHERE)
    folders = {part for piece in material.pieces if piece.evidence.span for part in piece.evidence.span.path.split("/")}
    asked -= folders
    return [each for each in absent if name_of(each.gap) in asked and not _is_set(material, each)]


def _is_set(material: Material, result: GapResult) -> bool:
    return is_given_a_value(result.gap, (each.evidence for each in material.settings))


def _unseen(material: Material) -> tuple[str, ...]:
    anchors = material.classification.anchors
    return () if anchors.frames else unseen_messages(anchors, [each.evidence for each in material.pieces])


def nothing_asked(material: Material) -> Section | None:
    """Say why nothing was searched for, and what to ask."""
    reason = names_nothing(material.question, material.classification)
    return Section([f"{reason} {ADVICE}."], low("the question asks nothing that can be looked up")) if reason else None


def occurrences(material: Material, _: QuestionPart) -> Section | None:
    """Say what names of the question without a definition are: parameters, attributes, keys."""
    pieces = {piece.evidence.evidence_id: piece for piece in material.pieces}
    lines, quoted = [], ""
    for result in material.results:
        found = result.occurrence
        piece = next((pieces[each] for each in result.evidence_ids if each in pieces), None)
        if not found or found.mention not in MENTIONED_AS or not found.place or not piece:
            continue
        within = f"`{found.within}` (`{found.place}`)" if found.within else f"`{found.place}`"
        lines.append(f"{code(found.name)} is {MENTIONED_AS[found.mention]} {within}. {piece.cite}")
        excerpt = excerpts.around(piece.evidence, found.place.start_line) or excerpts.whole(piece.evidence, _LINES)
        quoted = quoted or (quote(excerpt) if excerpt else "")
    if not lines:
        return None
    support = medium("no definition bears the name; the lines that have it are shown")
    return Section([lines[0], quoted, bullets(lines[1:]) if lines[1:] else ""], support)


def still_open(material: Material) -> Section | None:
    """Say what was looked for and not found."""
    told = _absent(material)
    lines = [
        f"{code(name_of(each.gap))} {_outcome(each)}."
        for each in material.open_gaps()
        if each not in told and not _is_set(material, each)
    ]
    return Section(["Looked for and not found:", bullets(lines)], low("")) if lines else None


def _outcome(result: GapResult) -> str:
    told = _OUTCOMES[result.outcome]
    places = [f"`{each.span}`" for each in result.candidates]
    if result.outcome is GapOutcome.AMBIGUOUS and places:
        more = f" and {len(places) - _CANDIDATES} more" if len(places) > _CANDIDATES else ""
        return f"{told}: {', '.join(places[:_CANDIDATES])}{more}"
    return f"{told}; there is {', '.join(map(code, result.alike))}" if result.alike else told


def nothing_found() -> Section:
    """Say that there is no evidence, and what to try."""
    said = "Nothing in the indexed code or its documentation speaks to this question."
    return Section(
        [said, f"{ADVICE}, or index the part that is missing."], low("no place in the source supports the answer")
    )


def imprint(material: Material) -> Section:
    """Say that the answer was written without a model."""
    count = len(material.pieces)
    noun = "piece" if count == 1 else "pieces"
    said = f"_Written from evidence only ({count} {noun} of it); no model was asked. Quoted lines are verbatim._"
    return Section([said], low(""))
