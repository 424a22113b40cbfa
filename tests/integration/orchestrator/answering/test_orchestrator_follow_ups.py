"""Questions that lean on the one before them."""

from __future__ import annotations

import pytest
from cgrag.retriever.v1 import retriever_pb2

from tests.fakes.orchestrating import Orchestrating
from tests.fakes.peers import source


@pytest.mark.parametrize(("question", "is_leaning"), [("and where is it called?", True), ("What is a bank?", False)])
async def test_what_a_question_does_not_name_is_what_was_spoken_of(
    question: str, *, is_leaning: bool, suite: Orchestrating
) -> None:
    """Within a session, what the answer before cited first is meant; another session knows nothing of it."""
    first = (await suite.ask())[-1].completed.answer
    second = (await suite.ask(question, session_id=first.session_id))[-1].completed.answer
    alone = (await suite.ask(question))[-1].completed.answer

    meant = first.citations[0].symbol.qualified_name
    assert (meant in second.classification.anchors.symbols) is is_leaning
    assert meant not in alone.classification.anchors.symbols


async def test_the_same_words_about_another_thing_are_another_question(suite: Orchestrating) -> None:
    """What was shown for them before is not taken for the answer; about the same thing it is, and nothing new is."""
    session = (await suite.answer("How does checkout work?")).session_id
    await suite.answer("and where is it called?", session_id=session)
    repeated = await suite.answer("and where is it called?", session_id=session)
    suite.retriever.first = [source("charge")]
    await suite.answer("How does charge work?", session_id=session)
    other = await suite.answer("and where is it called?", session_id=session)
    budgets = [each.budget.initial_tokens for each in suite.retriever.asked(retriever_pb2.RetrieveRequest)]

    assert repeated.classification.anchors.symbols == ["checkout"]
    assert other.classification.anchors.symbols == ["charge"]
    assert other.citations[0].symbol.qualified_name == "charge"
    assert budgets[2] == 1
    assert budgets[4] > 1


@pytest.mark.parametrize("question", ["Thanks, that helps!", "and who calls it?"])
async def test_nothing_is_retrieved_where_nothing_is_asked(question: str, suite: Orchestrating) -> None:
    """The answer says so; what was spoken of stays so."""
    answer = await suite.answer(question)
    asked = suite.retriever.asked(retriever_pb2.RetrieveRequest)
    session = (await suite.answer("How does checkout work?")).session_id
    await suite.answer("thanks!", session_id=session)
    after = await suite.answer("and where is it called?", session_id=session)

    assert not answer.citations
    assert not asked
    assert "Name a symbol, a file or an error message" in answer.text
    assert after.classification.anchors.symbols == ["checkout"]
