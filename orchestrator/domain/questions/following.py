"""What a question means and does not name: what the session spoke of before it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms
from orchestrator.domain.evidence.piece import EvidenceKind, Relation
from orchestrator.domain.evidence.using import relation_listed, thing_used
from orchestrator.domain.questions.understanding import Intent, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.questions.question import Anchors, Classification

_OF_NO_THING = frozenset({Relation.NAMES, Relation.REGISTERS, Relation.HOLDS, Relation.BEGINS, Relation.COMMANDS})
_OF_THINGS = frozenset({Intent.RELATION, Intent.IMPACT, Intent.MEANING, Intent.LOCATION})
"""Intents that need a thing to be about."""


def resolve(question: str, found: Classification, cached: Sequence[Evidence]) -> Classification:
    """
    Return the classification with what the question refers to and does not name among its anchors.

    That is what the answer before it was about: of a question that refers to it by a pronoun or goes on from it, and of
    one without a term of its own ("why?").

    Args:
        cached: What the session holds, last used first: what the answer before was about stands first.
    """
    anchors = found.anchors
    named = anchors.symbols or anchors.paths or anchors.exceptions or anchors.error_messages or anchors.frames
    is_referring = _refers(found) or not count_terms(question)
    about = spoken_of_by(cached[0]) if cached and is_referring and not named else ""
    return replace(found, anchors=replace(anchors, symbols=(about,))) if about else found


def _refers(found: Classification) -> bool:
    return found.understanding.reference.kind is not ReferenceKind.UNSPECIFIED


def meant(question: str, anchors: Anchors) -> tuple[str, ...]:
    """Return what is among the anchors of a question and not written in it."""
    return tuple(each for each in anchors.symbols if each not in question)


def names_nothing(question: str, found: Classification) -> str:
    """
    Return why nothing can be searched for, as a sentence; "" if something can.

    That is a courtesy, or a question for a thing by a pronoun of which no earlier question spoke.
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
    """Return the name of what a piece is about; "" for prose, and for a list of a kind or of all that is registered."""
    symbol = evidence.symbol
    if symbol and symbol.qualified_name:
        return symbol.owner or symbol.qualified_name
    if relation_listed(evidence) in _OF_NO_THING:
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
