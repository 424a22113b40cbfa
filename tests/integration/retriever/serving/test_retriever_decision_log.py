"""What the decision log says of retrievals that had nothing to decide."""

from __future__ import annotations

from cgrag.retriever.v1 import retriever_pb2 as pb

from tests.integration.retriever.conftest import Retriever


async def test_what_matched_nothing_is_logged_as_an_attempt(retriever: Retriever) -> None:
    """A task and a question without a word of the index leave one decision each, so that they are not unknown."""
    task = pb.BuildContextRequest(
        repository="shop", task="的 zzzz ????", task_id="none", stages=["scope", "precision"], context_window_tokens=900
    )
    package = await retriever.stub.BuildContext(task)
    answer = await retriever.stub.Retrieve(pb.RetrieveRequest(repository="shop", question="的 zzzz ????"))

    of_task = await retriever.stub.ListDecisions(pb.ListDecisionsRequest(repository="shop", retrieval_id="none"))
    listed = pb.ListDecisionsRequest(repository="shop", retrieval_id=answer.retrieval_id)
    of_question = await retriever.stub.ListDecisions(listed)

    assert not package.entries
    assert not answer.evidence
    for found, stage in ((of_task.decisions, "seeds"), (of_question.decisions, "search")):
        assert [(each.stage, each.step, each.included) for each in found] == [(stage, "attempt", False)]
        assert "nothing in the index" in found[0].reason
