"""Resolves the references of a follow-up question to the subjects of earlier questions of the session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, ReferenceKind, Relation, Slot, SlotKind
from common.core.words.terms import count_terms
from orchestrator.domain.evidence.piece import ContextSource, EvidenceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.question import Anchors
    from common.core.contract.understanding import EarlierReference
    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.questions.question import Classification

_OF_NO_THING = frozenset(
    {Relation.NAMES, Relation.REGISTERS, Relation.HOLDS, Relation.BEGINS, Relation.COMMANDS, Relation.CHANGES}
)
_OF_THINGS = frozenset({Intent.RELATION, Intent.IMPACT, Intent.MEANING, Intent.LOCATION})
"""Intents that need a named thing."""
_STEP = "\n  "
"""Start of every line of a call tree but the first."""


def resolve(question: str, found: Classification, cached: Sequence[Evidence]) -> Classification:
    """
    Return the classification with the referent of the question among its anchors.

    The referent is the subject of the previous answer. A question has one if it refers to that answer by a pronoun,
    continues from it, or has no terms of its own ("why?"), and names nothing itself.

    Args:
        cached: Evidence of the session, last used first: the subject of the previous answer stands first.
    """
    anchors = found.anchors
    named = anchors.symbols or anchors.paths or anchors.exceptions or anchors.error_messages or anchors.frames
    is_referring = found.understanding.reference.kind is not ReferenceKind.UNSPECIFIED or not count_terms(question)
    if not cached or not is_referring or named:
        return found
    if found.understanding.reference.kind is ReferenceKind.FILE:
        return _of_file(found, cached)
    about = _meant_of(found.understanding.reference, cached)
    return replace(found, anchors=replace(anchors, symbols=(about,))) if about else found


def _meant_of(reference: EarlierReference, cached: Sequence[Evidence]) -> str:
    """Return the referenced entry of the previous answer's list or evidence: by its position, or by a word."""
    users = cached[0].users
    listed = [each.name for each in users.listed] if users and users.listed else []
    names = listed or list(dict.fromkeys(filter(None, map(spoken_of_by, cached))))
    at = reference.position - (reference.position > 0)
    if reference.position and -len(names) <= at < len(names):
        return names[at]
    told = count_terms(reference.text).keys()
    return next((each for each in names if told & count_terms(each).keys()), spoken_of_by(cached[0]))


def _of_file(found: Classification, cached: Sequence[Evidence]) -> Classification:
    """Return the classification with the file shown last among its paths, and as the subject of parts without one."""
    path = next((each.span.path for each in cached if each.span), "")
    if not path:
        return found
    subject = Slot(SlotKind.SUBJECT, path)
    parts = tuple(
        each if each.texts(SlotKind.SUBJECT) else replace(each, slots=(subject, *each.slots))
        for each in found.understanding.parts
    )
    understanding = replace(found.understanding, parts=parts)
    return replace(found, anchors=replace(found.anchors, paths=(path,)), understanding=understanding)


def meant(question: str, anchors: Anchors) -> tuple[str, ...]:
    """Return the symbols among the anchors of a question that are not written in it: its referents."""
    return tuple(each for each in anchors.symbols if each not in question)


def names_nothing(question: str, found: Classification) -> str:
    """
    Return why nothing can be searched for, as a sentence; "" if something can.

    Nothing can be for a courtesy ("thanks"), and for a pronoun without an earlier question that it may refer to.
    """
    understanding, anchors = found.understanding, found.anchors
    is_anchored = anchors.paths or anchors.symbols or anchors.frames or anchors.exceptions or anchors.error_messages
    if is_anchored or understanding.mentions or any(part.slots for part in understanding.parts):
        return ""
    intents = {part.intent for part in understanding.likely}
    if intents == {Intent.OTHER}:
        return "That asks nothing about the code."
    if understanding.reference.kind is not ReferenceKind.PRONOUN or not intents <= _OF_THINGS:
        return ""
    said = understanding.reference.text or question
    return f"It is not known what “{said.lower()}” is: the question names nothing, and this session spoke of nothing."


def spoken_of_by(evidence: Evidence) -> str:
    """Return the name of a piece's subject; "" for prose, and for lists without one, such as of all routes."""
    symbol = evidence.symbol
    if symbol and symbol.qualified_name:
        return symbol.owner or symbol.qualified_name
    users = evidence.users
    if users and users.relation in _OF_NO_THING and not (users.definition and users.definition.qualified_name):
        return ""
    if named := thing_used(evidence) or (evidence.setting.dotted if evidence.setting else ""):
        return named
    if evidence.kind is EvidenceKind.FLOW and evidence.mentions:
        return evidence.mentions[0].qualified_name
    heading = heading_of(evidence)
    return heading if heading.replace(".", "").replace("-", "").isidentifier() else ""


def heading_of(evidence: Evidence) -> str:
    """Return the last heading of a title, without code marks."""
    return evidence.title.rpartition(" > ")[2].strip().strip("`")


def thing_used(evidence: Evidence) -> str:
    """Return the name of the thing whose users a piece lists; "" for any other piece."""
    return evidence.users.name if evidence.users else ""


def lists_as_text(evidence: Evidence) -> bool:
    """Return whether a piece is a list as text alone, without data, which a session kept from an earlier release."""
    is_drawn = evidence.kind is EvidenceKind.FLOW and evidence.source is not ContextSource.GAPS
    return is_drawn and evidence.users is None and _STEP not in evidence.text
