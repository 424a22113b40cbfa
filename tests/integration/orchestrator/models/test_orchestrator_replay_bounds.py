"""What a replay is bound by and what it leaves alone: rights, time, money, metrics, retention and size of the log."""

from __future__ import annotations

import sqlite3
import urllib.request
from pathlib import Path
from typing import Any

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from common.core.errors import DependencyUnavailable
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.domain.answers.events import Event, NumberedEvent, PassFinished, PassStarted, TextDelta
from orchestrator.domain.answers.records import AnswerRecord, Question
from tests.e2e.guarded import access_settings, metadata_of
from tests.e2e.ports import free_port
from tests.fakes.answering import details, refusal
from tests.fakes.anthropic_replies import Failure, Message, Reply
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.clock import FakeClock
from tests.fakes.orchestrating import QUESTION, Orchestrating, asking, orchestrating
from tests.fakes.peers import REPOSITORY, FakeRetriever, source

HALF = '`checkout()` calls `charge()` [E1].\n<gaps>\n<gap symbol="charge">how money is taken</gap>\n</gaps>'
REST = "`checkout()` calls `charge()` [E1], and `charge()` calls `authorise()` [E2]."


def guarded(folder: Path, **callers: tuple[str, str]) -> dict[str, Any]:
    """Return the settings of an orchestrator behind an access file."""
    return access_settings(folder, callers, anna="usd_per_day = 0.001")


async def reason_of(suite: Orchestrating, answer_id: str, caller: str) -> str:
    """Try to replay an answer as somebody, and return why that is refused."""
    caught = await refusal(suite.replay(answer_id, metadata=metadata_of(caller)))
    return str(details(caught)["ErrorInfo"].reason)


async def test_operators_who_ask_replay_answers_of_others(tmp_path: Path) -> None:
    """Of repositories that they see; an asker replays its own, and an operator who may not ask replays none."""
    files = guarded(
        tmp_path,
        anna=("asker", "*"),
        bert=("asker", "*"),
        olga=("asker, operator", "*"),
        otto=("operator", "*"),
        adam=("admin", "*"),
        omar=("asker, operator", "elsewhere"),
    )
    async with orchestrating(**files) as suite:
        answer_id = (await suite.ask(metadata=metadata_of("anna")))[0].answer_id
        replayed = [await suite.replay(answer_id, metadata=metadata_of(name)) for name in ("anna", "olga", "adam")]
        refused = {name: await reason_of(suite, answer_id, name) for name in ("bert", "omar", "otto")}

    assert [list(each.differences) for each in replayed] == [[], [], []]
    assert refused == {
        "bert": "ERROR_REASON_ANSWER_NOT_FOUND",
        "omar": "ERROR_REASON_ANSWER_NOT_FOUND",
        "otto": "ERROR_REASON_PERMISSION_DENIED",
    }


async def test_whoever_has_spent_its_money_may_replay(model: AnthropicServer, tmp_path: Path) -> None:
    """It costs nothing, and so changes nothing of what may be asked."""
    model.fallback = lambda _: Message(REST)
    prices: dict[str, Any] = {"input_usd_per_million": 1000.0, "output_usd_per_million": 1000.0}
    async with asking(model, **guarded(tmp_path, anna=("asker", "*")), **prices) as suite:
        answer_id = (await suite.ask(metadata=metadata_of("anna")))[0].answer_id
        with sqlite3.connect(suite.data / "orchestrator" / "spending.db") as spending:
            before = spending.execute("SELECT * FROM spending").fetchall()
            replayed = await suite.replay(answer_id, metadata=metadata_of("anna"))
            after = spending.execute("SELECT * FROM spending").fetchall()
        broke = await refusal(suite.ask(metadata=metadata_of("anna")))

    assert (list(replayed.differences), replayed.played_passes) == ([], 1)
    assert before == after != []
    assert details(broke)["ErrorInfo"].reason == "ERROR_REASON_QUOTA_EXCEEDED"


async def test_a_slow_replay_is_no_difference() -> None:
    """Time that ends an answer does not end its replay, unless it was what ended the answer."""
    retriever = FakeRetriever()
    async with orchestrating(retriever, answer_seconds=2.0) as suite:
        answer = await suite.answer()
        retriever.delay["Retrieve"] = 2.2
        replayed = await suite.replay(answer.answer_id)

    assert answer.metadata.passes > 1
    assert list(replayed.differences) == []


async def test_the_model_of_the_answer_fails_where_it_failed_after_judgements(model: AnthropicServer) -> None:
    """The pass of the second strategy is the first one, however many searches came before."""
    more = {"sufficient": False, "reasoning": "charge is not shown", "sub_question": "What does charge do?"}
    enough = {"sufficient": True, "reasoning": "all is shown", "sub_question": ""}
    model.enqueue(Message(tool=("judgement", more)), Message(tool=("judgement", enough)), Failure(529))
    options = pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY)
    async with asking(model, judge="model") as suite:
        answer = await suite.answer(options=options)
        replayed = await suite.replay(answer.answer_id)

    assert list(answer.degraded) == ["model"]
    assert list(replayed.differences) == []


async def test_a_judge_that_is_a_model_is_played_beside_an_engine_that_is_none(model: AnthropicServer) -> None:
    """Who judges and who writes are two things."""
    more = {"sufficient": False, "reasoning": "charge is not shown", "sub_question": "What does charge do?"}
    enough = {"sufficient": True, "reasoning": "all is shown", "sub_question": ""}
    model.enqueue(Message(tool=("judgement", more)), Message(tool=("judgement", enough)))
    retriever = FakeRetriever(first=[source("checkout")])
    options = pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY, continue_without_new_evidence=True)
    async with asking(model, retriever=retriever, engine="evidence", judge="model") as suite:
        answer = await suite.answer(options=options)
        replayed = await suite.replay(answer.answer_id)

    assert [each.reasoning for each in answer.sufficiency.judgements] == ["charge is not shown", "all is shown"]
    assert (answer.engine, list(replayed.differences), replayed.played_passes) == ("evidence", [], 0)
    assert len(model.requests) == 2


async def test_passes_that_the_kill_switch_kept_from_the_model_are_so_again(
    model: AnthropicServer, tmp_path: Path
) -> None:
    """Whether the switch is thrown now decides nothing."""
    switch = tmp_path / "stop"

    def throw(_: Any) -> Reply:
        switch.touch()
        return Message(HALF)

    model.fallback = throw
    async with asking(model, kill_switch_file=switch) as suite:
        answer = await suite.answer()
        while_thrown = await suite.replay(answer.answer_id)
        switch.unlink()
        response = await suite.replay(answer.answer_id)

    assert (answer.metadata.passes, answer.engine, list(answer.degraded)) == (2, "evidence", [])
    assert list(while_thrown.differences) == list(response.differences) == []
    assert response.played_passes == 1


async def test_a_switch_that_was_thrown_after_the_start_is_so_again(model: AnthropicServer, tmp_path: Path) -> None:
    """The answer began with the model, and no pass of it asked one."""
    switch, retriever = tmp_path / "stop", FakeRetriever(delay={"Retrieve": 0.2})
    async with asking(model, retriever=retriever, kill_switch_file=switch) as suite:
        events = []
        async for event in suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60):
            events.append(event)
            if event.HasField("started"):
                switch.touch()
        switch.unlink()
        replayed = await suite.replay(events[0].answer_id)

    assert (events[0].started.engine, events[-1].completed.answer.engine) == ("anthropic", "evidence")
    assert list(replayed.differences) == []
    assert not model.requests


async def test_a_retriever_that_is_away_fails_the_replay(model: AnthropicServer, suite: Orchestrating) -> None:
    """That is no difference of the answer."""
    answer = await suite.answer()
    suite.retriever.failing["Retrieve"] = DependencyUnavailable("away")
    caught = await refusal(suite.replay(answer.answer_id))

    assert caught.code() is grpc.StatusCode.UNAVAILABLE
    assert not model.requests


async def test_metrics_of_answers_count_no_replay(model: AnthropicServer) -> None:
    """Neither as an answer, nor its passes, gaps, claims or citations, nor as a call of a model."""
    model.enqueue(Message(HALF), Message(REST))
    port = free_port()
    async with asking(model, metrics_port=port) as suite:
        answer = await suite.answer()
        before = _counted(port)
        await suite.replay(answer.answer_id)
        after = _counted(port)

    assert any("answer_passes_count" in line for line in before)
    assert before == after


def _counted(port: int) -> list[str]:
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
    own = ("answer", "pass_", "gaps", "claims", "citations", "context_tokens", "degraded", "model", "time_to", "orches")
    lines = [line for line in text.splitlines() if line.startswith("cgrag_") and "_created" not in line]
    return [line for line in lines if line.removeprefix("cgrag_").startswith(own)]


async def test_what_was_recorded_goes_by_retention_and_size(tmp_path: Path) -> None:
    """Words of models are part of their events: the log's bounds hold for both, and nothing is left of them."""
    clock = FakeClock()
    path = tmp_path / "answers.db"
    answers = SqliteAnswers(path, clock, retention_days=1, max_bytes=400_000)
    for number in range(64):
        await _answered(answers, clock, f"old_{number}", "x" * 1000)
    clock.advance(2 * 86_400)
    await _answered(answers, clock, "new_0", "y" * 1000)
    left = [await answers.read(each, 0, 10) for each in ("old_0", "old_63")]
    for number in range(1, 64 * 5):
        await _answered(answers, clock, f"new_{number}", "z" * 10_000)
    first, last = await answers.read("new_0", 0, 10), await answers.read("new_319", 0, 10)
    await answers.close()

    assert left == [(), ()]
    assert first == ()
    assert [each.event.heard for each in last if isinstance(each.event, PassFinished)] == ["z" * 10_000]
    with sqlite3.connect(path) as log:
        assert log.execute("SELECT count(*) FROM events WHERE body LIKE '%xxx%'").fetchone() == (0,)


async def _answered(answers: SqliteAnswers, clock: FakeClock, answer_id: str, heard: str) -> None:
    question = Question("shop", QUESTION, "snap-1", f"ses_{answer_id}")
    await answers.create(AnswerRecord(answer_id, "me", question, "f", clock.now()))
    events: tuple[Event, ...] = (PassStarted(1), TextDelta(1, "Text."), PassFinished(1, model="m", heard=heard))
    await answers.append(answer_id, [NumberedEvent(at, clock.now(), each) for at, each in enumerate(events, 1)])
    await answers.end(answer_id)
