"""How a question was understood, as it comes out of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.type.v1 import evidence_pb2, understanding_pb2

from common.core.contract.understanding import (
    Intent,
    MentionKind,
    NamedThing,
    QuestionPart,
    Relation,
    Slot,
    SlotKind,
    Understanding,
)
from common.rpc.serving.mirroring import from_message

if TYPE_CHECKING:
    from enum import Enum

    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper


@pytest.mark.parametrize(
    ("contract", "domain"),
    [
        (understanding_pb2.Intent, Intent),
        (understanding_pb2.SlotKind, SlotKind),
        (understanding_pb2.MentionKind, MentionKind),
        (evidence_pb2.Relation, Relation),
    ],
)
def test_every_member_of_the_contract_is_known(contract: EnumTypeWrapper, domain: type[Enum]) -> None:
    """One that is missing here would be read as UNSPECIFIED, and its questions as not understood."""
    first, *others = contract.keys()
    members = [each.removeprefix(first.removesuffix("UNSPECIFIED")) for each in (first, *others)]

    assert members == [each.name for each in domain]


def test_an_understanding_is_read_field_by_field() -> None:
    """Relation, slots with their place, and mentions reach the stages."""
    message = understanding_pb2.Understanding(
        parts=[
            understanding_pb2.QuestionPart(
                intent=understanding_pb2.INTENT_RELATION,
                relation=evidence_pb2.RELATION_CALLS,
                slots=[understanding_pb2.Slot(kind=understanding_pb2.SLOT_KIND_SUBJECT, text="send", start=10, end=14)],
                confidence=0.75,
                end=15,
            )
        ],
        mentions=[understanding_pb2.NamedThing(kind=understanding_pb2.MENTION_KIND_SYMBOL, text="send", end=4)],
    )

    found = from_message(message, Understanding)

    slots = (Slot(SlotKind.SUBJECT, "send", "", 10, 14),)
    assert found.parts == (QuestionPart(Intent.RELATION, Relation.CALLS, slots, 0.75, 0, 15),)
    assert found.mentions == (NamedThing(MentionKind.SYMBOL, "send", 0, 4),)


def test_parts_that_are_hardly_likely_are_not_answered_by_stages_of_their_own() -> None:
    """Of two parts the likely one counts, by one intent or several."""
    likely = QuestionPart(Intent.METHOD, confidence=0.5)
    found = Understanding(parts=(likely, QuestionPart(Intent.PATH, confidence=0.4)))

    assert tuple(found.of(Intent.METHOD, Intent.PATH)) == (likely,)
    assert found.intents == (Intent.METHOD,)


def test_slots_of_several_kinds_come_in_their_order() -> None:
    """Two things of a comparison are subject and object, or two subjects."""
    part = QuestionPart(slots=(Slot(SlotKind.SUBJECT, "a"), Slot(SlotKind.VERB, "do"), Slot(SlotKind.OBJECT, "b")))

    assert part.texts(SlotKind.SUBJECT, SlotKind.OBJECT) == ("a", "b")
    assert part.text(SlotKind.OWNER) == ""
