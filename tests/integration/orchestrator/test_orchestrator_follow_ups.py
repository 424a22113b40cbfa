"""Questions that lean on the one before them."""

from __future__ import annotations

import pytest

from tests.fakes.orchestrating import orchestrating


@pytest.mark.parametrize(("question", "is_leaning"), [("and where is it called?", True), ("What is a bank?", False)])
async def test_what_a_question_does_not_name_is_what_was_spoken_of(question: str, *, is_leaning: bool) -> None:
    """Within a session, what the answer before cited first is meant; another session knows nothing of it."""
    async with orchestrating() as suite:
        first = (await suite.ask())[-1].completed.answer
        second = (await suite.ask(question, session_id=first.session_id))[-1].completed.answer
        alone = (await suite.ask(question))[-1].completed.answer

    meant = first.citations[0].symbol.qualified_name
    assert (meant in second.classification.anchors.symbols) is is_leaning
    assert meant not in alone.classification.anchors.symbols
