"""Answers made again from their log, end to end: what is the same, what is not, and who is not asked."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from common.core.errors import AppError, DependencyUnavailable, Kind
from tests.fakes.answering import details, refusal
from tests.fakes.anthropic_replies import Failure, Message, Reply, error_event, stalled_after
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import QUESTION, Orchestrating, asking, orchestrating
from tests.fakes.peers import REPOSITORY, FakeClassifier, FakeRetriever, source

HALF = '`checkout()` calls `charge()` [E1][E7].\n<gaps>\n<gap symbol="charge">how money is taken</gap>\n</gaps>'
MORE = '`charge()` calls `authorise()` [E2].\n<gaps>\n<gap symbol="authorise"/>\n<gap symbol="Vanish"/>\n</gaps>'
REST = "`checkout()` calls `charge()` [E1], and `charge()` calls `authorise()` [E2], which raises `PaymentError` [E3]."


async def refused(suite: Orchestrating, answer_id: str, metadata: Any = None) -> tuple[str, str]:
    """Try to, and return reason and message."""
    caught = await refusal(suite.replay(answer_id, metadata=metadata))
    return details(caught)["ErrorInfo"].reason, caught.details() or ""


def changed(suite: Orchestrating, answer_id: str, kind: str, change: Any) -> None:
    """Change the body of the first event of a kind in the log of answers."""
    with sqlite3.connect(suite.data / "orchestrator" / "answers.db") as log:
        rows = log.execute("SELECT sequence, body FROM events WHERE answer_id = ? ORDER BY sequence", (answer_id,))
        sequence, body = next((number, json.loads(body)) for number, body in rows if json.loads(body)[0] == kind)
        change(body[1])
        row = (json.dumps(body), answer_id, sequence)
        log.execute("UPDATE events SET body = ? WHERE answer_id = ? AND sequence = ?", row)


def told(response: pb.ReplayAnswerResponse) -> list[tuple[str, str, str, str]]:
    """Return what is different."""
    return [(each.event, each.field, each.then, each.now) for each in response.differences]


@pytest.mark.parametrize("strategy", [pb.STRATEGY_GAPS, pb.STRATEGY_SUFFICIENCY])
async def test_an_answer_from_evidence_alone_is_the_same(strategy: pb.Strategy.ValueType, suite: Orchestrating) -> None:
    """Everything runs anew and comes to the same."""
    answer = await suite.answer(options=pb.AskOptions(strategy=strategy))
    asked = len(suite.retriever.requests)
    response = await suite.replay(answer.answer_id)

    assert told(response) == []
    assert response.stopped == ""
    assert (response.answer_id, response.repository, response.snapshot_id, response.played_passes) == (
        answer.answer_id,
        REPOSITORY,
        "snap-1",
        0,
    )
    # One more call: whether the snapshot is there.
    assert len(suite.retriever.requests) == 2 * asked


async def test_three_passes_of_a_model_are_the_same_and_it_is_not_asked(
    model: AnthropicServer, modelled: Orchestrating
) -> None:
    """What it wrote goes through prompt, parser, loop and checks again."""
    model.enqueue(Message(pieces=(HALF[:30], HALF[30:])), Message(MORE, stop_reason="max_tokens"), Message(REST))
    answer = await modelled.answer()
    asked = len(model.requests)
    response = await modelled.replay(answer.answer_id)

    assert answer.metadata.passes == 3
    assert told(response) == []
    assert response.played_passes == 3
    assert len(model.requests) == asked == 3


@pytest.mark.parametrize(
    "replies",
    [
        [Failure(529)],
        [error_event("Half a ")],
        [Message(HALF), error_event("Half a sentence that is long enough to be streamed at once, " * 5)],
        [Message(HALF), Message("")],
    ],
    ids=["at once", "in the first pass", "in the second pass", "empty second pass"],
)
async def test_a_model_that_failed_fails_again(
    model: AnthropicServer, replies: list[Reply], modelled: Orchestrating
) -> None:
    """The answer is degraded in the same place, with the same words."""
    model.enqueue(*replies)
    answer = await modelled.answer()
    asked = len(model.requests)
    response = await modelled.replay(answer.answer_id)

    assert list(answer.degraded) == ["model"]
    assert told(response) == []
    assert response.played_passes == len(replies) - 1
    assert len(model.requests) == asked


async def test_judgements_of_a_model_are_played(model: AnthropicServer) -> None:
    """The second strategy: its sub-question searches anew; where the model failed, rules judge again."""
    more = {"sufficient": False, "reasoning": "charge is not shown", "sub_question": "What does charge do?"}
    model.enqueue(Message(tool=("judgement", more)), Failure(529), Message(REST))
    options = pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY, continue_without_new_evidence=True)
    async with asking(model, judge="model", max_retrievals=2) as suite:
        answer = await suite.answer(options=options)
        asked = len(model.requests)
        response = await suite.replay(answer.answer_id)

    searched = suite.retriever.asked(retriever_pb2.RetrieveRequest)
    assert list(answer.degraded) == ["judge"]
    assert told(response) == []
    assert [each.question for each in searched][2:] == [QUESTION, "What does charge do?"]
    assert len(model.requests) == asked == 3


async def test_what_failed_elsewhere_fails_again(model: AnthropicServer, modelled: Orchestrating) -> None:
    """A classifier that was away and gaps that could not be fetched are so again, though both are well now."""
    model.enqueue(Message(HALF))
    modelled.classifier.failure = DependencyUnavailable("no rules today")
    modelled.retriever.failing["ResolveGaps"] = DependencyUnavailable("no gaps today")
    answer = await modelled.answer()
    modelled.classifier.failure = None
    del modelled.retriever.failing["ResolveGaps"]
    response = await modelled.replay(answer.answer_id)

    assert set(answer.degraded) == {"classifier", "gaps"}
    assert told(response) == []


async def test_a_session_is_as_it_was_and_learns_nothing(suite: Orchestrating) -> None:
    """What an answer took from its session then it takes again, whatever the session has learnt or lost since."""
    suite.classifier.symbols = ("vanish",)
    first = await suite.answer("How does checkout use vanish?")
    again = await suite.answer("How does checkout use vanish?", session_id=first.session_id)
    other = await suite.answer("How does checkout charge by vanish?", session_id=first.session_id)
    suite.retriever.first = [source("authorise"), *suite.retriever.first]
    last = await suite.answer("What does authorise do?", session_id=first.session_id)
    suite.retriever.first = suite.retriever.first[1:]
    before = await _sessions(suite)
    responses = [await suite.replay(each.answer_id) for each in (first, again, other)]
    after = await _sessions(suite)

    assert again.metadata.cache_used
    assert other.metadata.cache_used
    assert any("known from this session" in gap.detail for gap in again.gaps)
    assert last.citations
    assert [told(each) for each in responses] == [[], [], []]
    assert before == after


async def _sessions(suite: Orchestrating) -> list[Any]:
    def read() -> list[Any]:
        with sqlite3.connect(suite.data / "orchestrator" / "sessions.db") as store:
            tables = ("sessions", "nodes", "absences", "shown")
            kept = [store.execute(f"SELECT * FROM {each}").fetchall() for each in tables]
        with sqlite3.connect(suite.data / "orchestrator" / "answers.db") as log:
            counted = [log.execute(f"SELECT * FROM {each}").fetchall() for each in ("answers", "events", "debts")]
        return [*kept, *counted]

    return await asyncio.to_thread(read)


async def test_an_answer_that_was_cut_and_taken_up_is_the_same(model: AnthropicServer, modelled: Orchestrating) -> None:
    """The text of a pass that was begun anew is that of its last try."""
    model.enqueue(Message(HALF), stalled_after("Half a sentence that is long enough to be streamed at once, " * 5))
    call = modelled.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
    seen = []
    async for event in call:
        seen.append(event)
        if event.text_delta.pass_number == 2:
            break
    call.cancel()
    await asyncio.to_thread(model.wait_for_disconnect)
    unfinished = await refused(modelled, seen[0].answer_id)
    model.enqueue(Message(REST))
    await modelled.watch(seen[0].answer_id, len(seen))
    response = await modelled.replay(seen[0].answer_id)

    assert unfinished[0] == "ERROR_REASON_FAILED_PRECONDITION"
    assert "WatchAnswer" in unfinished[1]
    assert told(response) == []


@pytest.mark.parametrize("strategy", [pb.STRATEGY_GAPS, pb.STRATEGY_SUFFICIENCY])
async def test_an_answer_that_ran_out_of_time_does_so_again(strategy: pb.Strategy.ValueType) -> None:
    """However fast it is this time."""
    slow = FakeRetriever(delay={"Retrieve": 0.4})
    async with orchestrating(slow, answer_seconds=0.2) as suite:
        answer = await suite.answer(options=pb.AskOptions(strategy=strategy))
        slow.delay.clear()
        response = await suite.replay(answer.answer_id)

    assert answer.metadata.stop_reason == pb.STOP_REASON_TIME_SPENT
    assert told(response) == []


async def test_other_evidence_is_named_first() -> None:
    """Where the ranking gives other evidence now, that is where it began; what follows from it is told, too."""
    retriever = FakeRetriever(first=[source("checkout"), source("charge")])
    async with orchestrating(retriever) as suite:
        answer = await suite.answer()
        retriever.first = [source("checkout"), source("authorise")]
        response = await suite.replay(answer.answer_id)

    first = response.differences[0]
    assert (first.event, first.pass_number, first.field) == ("evidence", 1, "evidence 2")
    assert (first.then, first.now) == ("shop/payment.py:6-9 charge", "shop/payment.py:11-14 authorise")
    assert first.sequence == 4
    assert "text_delta" in [each.event for each in response.differences]
    assert len({each.event for each in response.differences}) == len(response.differences)


async def test_times_costs_and_scores_are_no_difference(model: AnthropicServer, modelled: Orchestrating) -> None:
    """They differ from run to run."""
    model.enqueue(Message(REST))
    answer = await modelled.answer()
    modelled.retriever.delay["Retrieve"] = 0.05
    modelled.retriever.first[0].score = 0.25
    response = await modelled.replay(answer.answer_id)

    assert told(response) == []


async def test_another_mode_is_named(model: AnthropicServer) -> None:
    """Rules classify anew, and no model instead of them; what a model said of the question is played."""
    classifier = FakeClassifier(mode=question_pb2.MODE_CONCEPTUAL)
    async with orchestrating(classifier=classifier) as suite:
        answer = await suite.answer()
        classifier.mode = question_pb2.MODE_DIAGNOSTIC
        response = await suite.replay(answer.answer_id)
        asked = classifier.requests[-1].engine
        changed(
            suite,
            answer.answer_id,
            "Classified",
            lambda body: body["classification"].update(engine="MODEL", reasoning="a model said so"),
        )
        by_model = await suite.replay(answer.answer_id)

    assert told(response)[0] == ("classified", "mode", "conceptual", "diagnostic")
    assert asked == question_pb2.CLASSIFIER_ENGINE_RULES
    assert [each.event for each in by_model.differences] == []


async def test_a_recording_that_was_tampered_with_is_named(model: AnthropicServer, modelled: Orchestrating) -> None:
    """Other words of the model are another text; another text in the log is one as well."""
    model.enqueue(Message(HALF), Message(REST))
    answer = await modelled.answer()
    changed(modelled, answer.answer_id, "PassFinished", lambda body: body.update(heard=HALF.replace("calls", "eats")))
    heard = await modelled.replay(answer.answer_id)
    changed(modelled, answer.answer_id, "PassFinished", lambda body: body.update(heard=HALF))
    changed(modelled, answer.answer_id, "TextDelta", lambda body: body.update(text=body["text"].replace("c", "k")))
    text = await modelled.replay(answer.answer_id)

    assert told(heard) == [
        ("text_delta", "text", "`checkout()` calls `charge()` [1].", "`checkout()` eats `charge()` [1].")
    ]
    assert [(each.event, each.pass_number) for each in text.differences] == [("text_delta", 1)]


async def test_a_model_that_would_be_asked_more_ends_the_replay(
    model: AnthropicServer, modelled: Orchestrating
) -> None:
    """The loop goes on where it had stopped: what would be asked is told, and nobody is asked."""
    model.enqueue(Message(HALF), Message(MORE.replace("authorise", "Gone")))
    answer = await modelled.answer()
    asked = len(model.requests)
    changed(modelled, answer.answer_id, "PassFinished", lambda body: body.update(heard=HALF))
    with sqlite3.connect(modelled.data / "orchestrator" / "answers.db") as log:
        log.execute("UPDATE events SET body = replace(body, 'symbol=\\\"Gone\\\"', 'symbol=\\\"authorise\\\"')")
    response = await modelled.replay(answer.answer_id)

    assert answer.metadata.passes == 2
    assert "pass 3" in response.stopped
    assert ("pass_started", "", "", "pass number 3") in told(response)
    assert ("completed", "", "the answer was whole", "") in told(response)
    assert len(model.requests) == asked


async def test_an_answer_of_before_recordings_is_refused(model: AnthropicServer, modelled: Orchestrating) -> None:
    """The log of a model's answer has to hold what it wrote."""
    model.enqueue(Message(REST))
    answer = await modelled.answer()
    changed(modelled, answer.answer_id, "PassFinished", lambda body: body.pop("heard"))
    reason, message = await refused(modelled, answer.answer_id)

    assert reason == "ERROR_REASON_FAILED_PRECONDITION"
    assert "before the log kept" in message


async def test_a_snapshot_that_is_gone_is_told(suite: Orchestrating) -> None:
    """What it read is needed, and nothing else does instead; a retriever that is away does not make it one."""
    gone = type("Gone", (AppError,), {"kind": Kind.NOT_FOUND, "reason": "ERROR_REASON_SNAPSHOT_NOT_FOUND"})
    answer = await suite.answer()
    suite.retriever.failing["LookupSymbols"] = gone("no such snapshot; leave it empty")
    reason, message = await refused(suite, answer.answer_id)
    suite.retriever.failing["LookupSymbols"] = DependencyUnavailable("down")
    away, _ = await refused(suite, answer.answer_id)

    assert away == DependencyUnavailable.reason
    assert reason == "ERROR_REASON_SNAPSHOT_NOT_FOUND"
    assert message == (
        f"answer {answer.answer_id} read snapshot snap-1 of shop, which is not kept any more;"
        " ask again and replay that one"
    )


async def test_answers_are_replayed_by_their_owner_and_go_with_their_session(suite: Orchestrating) -> None:
    """Nobody else's are there; those of a deleted session are not there either, with all that was recorded."""
    answer = await suite.answer()
    foreign = await refused(suite, answer.answer_id, (("x-cgrag-caller", "eve"),))
    unknown = await refused(suite, "ans_unknown")
    await suite.stub.DeleteSession(pb.DeleteSessionRequest(session_id=answer.session_id))
    deleted = await refused(suite, answer.answer_id)
    with sqlite3.connect(suite.data / "orchestrator" / "answers.db") as log:
        left = log.execute("SELECT count(*) FROM events").fetchone()

    assert {foreign[0], unknown[0], deleted[0]} == {"ERROR_REASON_ANSWER_NOT_FOUND"}
    assert left == (0,)


async def test_a_snapshot_that_was_named_late_is_the_one_that_is_read(suite: Orchestrating) -> None:
    """The answer began before the retriever had named its snapshot; meanwhile another one is current."""
    suite.retriever.delay["LookupSymbols"] = 0.2
    events = await suite.ask()
    suite.retriever.delay.clear()
    suite.retriever.snapshot_id = "snap-2"
    suite.retriever.requests.clear()
    response = await suite.replay(events[0].answer_id)

    read = {each.snapshot_id for each in suite.retriever.requests}
    assert events[0].started.snapshot_id == ""
    assert response.snapshot_id == "snap-1"
    assert read == {"snap-1"}
