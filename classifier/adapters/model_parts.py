"""The parts of a question as a model reads them: the schema of its output, and the validation of that output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.core.contract.understanding import Intent, QuestionPart, Relation, Slot, SlotKind
from common.core.words.terms import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_PARTS, MOST_SLOTS = 4, 20

SCHEMA: Mapping[str, Any] = {
    "type": "array",
    "maxItems": MOST_PARTS,
    "items": {
        "type": "object",
        "properties": {
            "intent": {"type": "string", "enum": [each.name for each in Intent if each is not Intent.UNSPECIFIED]},
            "relation": {"type": "string", "enum": [each.name for each in Relation]},
            "slots": {
                "type": "array",
                "maxItems": MOST_SLOTS,
                "items": {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string", "enum": [each.name for each in SlotKind][1:]},
                        "text": {"type": "string"},
                        "value": {"type": "string"},
                    },
                    "required": ["kind"],
                },
            },
        },
        "required": ["intent"],
    },
}


def parts_of(value: object, question: str, confidence: float) -> tuple[QuestionPart, ...]:
    """
    Return the parts in a model's output, without invalid slots; a slot's text must occur in the question.

    If any part has no known intent, or is a relation without a known name, the result is empty: then the parts that the
    rules read are used.
    """
    if not isinstance(value, list):
        return ()
    parts = [_part(each, question, confidence) for each in value[:MOST_PARTS] if isinstance(each, dict)]
    known = tuple(part for part in parts if part is not None)
    return known if len(known) == len(parts) else ()


def _part(value: Mapping[str, Any], question: str, confidence: float) -> QuestionPart | None:
    intent = Intent.__members__.get(str(value.get("intent")), Intent.UNSPECIFIED)
    relation = Relation.__members__.get(str(value.get("relation", "UNSPECIFIED")), Relation.UNSPECIFIED)
    if intent is Intent.UNSPECIFIED or (intent is Intent.RELATION and relation is Relation.UNSPECIFIED):
        return None
    if intent is Intent.IMPACT:
        relation = Relation.USES
    slots = sorted(_slots(value.get("slots"), question), key=lambda slot: slot.start)
    return QuestionPart(intent, relation, tuple(slots), confidence, 0, len(question))


def _slots(value: object, question: str) -> Iterator[Slot]:
    for each in value[:MOST_SLOTS] if isinstance(value, list) else ():
        if not isinstance(each, dict):
            continue
        kind = SlotKind.__members__.get(str(each.get("kind")), SlotKind.UNSPECIFIED)
        text, said = str(each.get("text", "")).strip("`'\" "), str(each.get("value", "")).strip().lower()
        start = question.find(text) if text else -1
        if kind is SlotKind.UNSPECIFIED or (text and start < 0) or not (text or said):
            continue
        if kind is SlotKind.VERB:
            said = stem(text.lower())
        value = said if kind in {SlotKind.KIND, SlotKind.VERB} else ""
        yield Slot(kind, text, value, max(start, 0), max(start, 0) + len(text))
