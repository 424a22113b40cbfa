"""What fails beside an answer does not take the answer along."""

from __future__ import annotations

from pathlib import Path

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from common.core.errors import AppError, DeadlineExceeded, DependencyUnavailable, Overloaded, ShuttingDown
from common.core.settings import SettingsError, load
from orchestrator.settings import OrchestratorSettings
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import Orchestrating, asking, kinds, orchestrating
from tests.fakes.peers import REPOSITORY, FakeClassifier, FakeRetriever

FAILURES = (
    DependencyUnavailable("away"),
    ShuttingDown("draining"),
    Overloaded("too much", retry_after_seconds=100),  # longer than anybody waits
    DeadlineExceeded("late"),
    AppError("defect"),
)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: type(each).__name__)
async def test_however_the_classifier_fails_the_question_is_searched_for_plainly(failure: AppError) -> None:
    """One that is draining, busy or broken is done without, as one that is away."""
    async with orchestrating(classifier=FakeClassifier(failure=failure)) as suite:
        answer = await suite.answer("Why does checkout fail?")
        explained = await suite.explain("Why does checkout fail?")

    assert list(answer.degraded) == ["classifier"]
    assert answer.classification.mode == explained.classification.mode == question_pb2.MODE_CONCEPTUAL
    assert not answer.classification.understanding.parts


async def test_a_classifier_that_hangs_leaves_the_answer_its_time() -> None:
    """However short the caller's deadline is, it is given up early enough to go on without."""
    async with orchestrating(classifier=FakeClassifier(delay=60)) as suite:
        request = pb.AskRequest(repository=REPOSITORY, question="Why does checkout fail?")
        events = [event async for event in suite.stub.Ask(request, timeout=3)]

    answer = events[-1].completed.answer
    assert list(answer.degraded) == ["classifier"]
    assert answer.citations


@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("method", ["ResolveGaps", "CheckClaims", "ExpandGraph"])
async def test_however_a_later_step_fails_the_answer_stands(method: str, failure: AppError) -> None:
    """An answer that has its first evidence comes to its end."""
    async with orchestrating(FakeRetriever(failing={method: failure})) as suite:
        events = await suite.ask()

    answer = events[-1].completed.answer
    assert kinds(events)[-1] == "completed"
    assert answer.citations
    assert ("gaps" in answer.degraded) == (method == "ResolveGaps")


async def test_a_retriever_that_is_always_busy_leaves_the_answer_its_time() -> None:
    """It is asked again as often as it says, and given up early enough to go on without."""
    busy = FakeRetriever(failing={"ResolveGaps": Overloaded("too much", retry_after_seconds=1)})
    async with orchestrating(busy) as suite:
        request = pb.AskRequest(repository=REPOSITORY, question="How does checkout charge?")
        events = [event async for event in suite.stub.Ask(request, timeout=8)]

    assert "gaps" in events[-1].completed.answer.degraded
    assert len(busy.asked(retriever_pb2.ResolveGapsRequest)) > 1


async def test_a_line_that_no_file_has_is_no_reason_to_lose_the_answer(
    model: AnthropicServer, modelled: Orchestrating
) -> None:
    """A model may write any number behind a path."""
    model.enqueue(Message("It is so [E1].\n\n`shop/payment.py:99999999999999`\n```\nx = 1\n```\n"))
    answer = await modelled.answer()

    assert answer.text.startswith("It is so [1].")
    assert not answer.degraded


@pytest.mark.parametrize("template", ["https://x/{file}", "https://x/{path", "https://x/{}", "{path.__class__}"])
def test_a_template_of_links_that_cannot_be_filled_is_refused_at_the_start(template: str) -> None:
    """Otherwise every answer would fail at its end."""
    file = {"orchestrator": {"citation_url": template}}
    with pytest.raises(SettingsError, match="citation_url"):
        load(OrchestratorSettings, "orchestrator", environ={}, file=file)


async def test_what_the_judge_cannot_say_rules_judge_and_the_model_answers(model: AnthropicServer) -> None:
    """A judge that fails leaves the answering model its answer."""
    model.fallback = lambda request: Message(text="no tool") if "tools" in request.json else Message("It is so [E1].")
    async with asking(model, judge="model", strategy="sufficiency") as suite:
        answer = await suite.answer()

    assert list(answer.degraded) == ["judge"]
    assert "judge" in answer.disclaimer
    assert (answer.engine, answer.text) == ("anthropic", "It is so [1].")


async def test_a_text_that_had_to_end_is_told_to_be_cut(model: AnthropicServer) -> None:
    """The caller learns that the answer lacks its end, and the setting bounds it."""
    model.enqueue(Message("It is so [E1], because", stop_reason="max_tokens"))
    async with asking(model, answer_max_tokens=77) as suite:
        events = await suite.ask()

    answer = events[-1].completed.answer
    assert model.requests[0].json["max_tokens"] == 77
    assert [each.warning.code for each in events if each.HasField("warning")] == ["text_cut"]
    assert "ends before its end" in answer.disclaimer
    assert not answer.degraded


async def test_a_question_that_is_too_long_is_told_to_be_cut(model: AnthropicServer, modelled: Orchestrating) -> None:
    """The model is shown both ends of it."""
    model.enqueue(Message("It is so [E1]."))
    answer = await modelled.answer("Why? " + "what is this " * 7000 + "the end?")

    assert "too long to be shown whole" in answer.disclaimer
    assert model.requests[0].json["messages"][0]["content"][-1]["text"].endswith("the end?")


@pytest.mark.parametrize(
    "reply",
    [
        Message("I can not", stop_reason="refusal"),
        Message('<gaps><gap symbol="vanish">what it does</gap></gaps>'),
    ],
    ids=["refused", "asks and says nothing"],
)
async def test_what_is_no_answer_is_replaced_by_the_evidence(
    model: AnthropicServer, reply: Message, modelled: Orchestrating
) -> None:
    """A refusal is not the answer, and no answer is empty."""
    model.fallback = lambda _: reply
    answer = await modelled.answer()

    assert list(answer.degraded) == ["model"]
    assert answer.engine == "evidence"
    assert answer.citations
    assert "I can not" not in answer.text


async def test_the_kill_switch_stops_an_answer_that_has_begun(model: AnthropicServer, tmp_path: Path) -> None:
    """No further pass asks the model; what it named as missing is fetched, and the evidence answers."""
    switch = tmp_path / "stop"

    def thrown(_: object) -> Message:
        switch.touch()
        return Message('It is so [E1].\n<gaps><gap symbol="charge">how money is taken</gap></gaps>')

    model.fallback = thrown
    async with asking(model, kill_switch_file=switch) as suite:
        events = await suite.ask()

    answer = events[-1].completed.answer
    assert len(model.requests) == 1
    assert (events[0].started.engine, answer.engine, answer.metadata.passes) == ("anthropic", "evidence", 2)
    assert [each.symbol.qualified_name for each in answer.citations]
    assert not answer.degraded
