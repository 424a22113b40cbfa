"""An answer belongs to who asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.errors import AnswerNotFound

if TYPE_CHECKING:
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.ports import AnswerRecords


async def owned(records: AnswerRecords, answer_id: str, owner: str | None) -> AnswerRecord:
    """Return the owner's answer, None is everybody. Raises AnswerNotFound for an unknown one, and another's alike."""
    record = await records.find(answer_id)
    if record is None or owner not in (None, record.owner):
        raise AnswerNotFound.of(answer_id)
    return record
