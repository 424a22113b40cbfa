"""What several calls do to one answer: retried, followed, forgotten, taken up after a crash."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from common.core.errors import DependencyUnavailable, PermissionDenied
from tests.fakes.answering import eventually, refusal
from tests.fakes.orchestrating import QUESTION, Orchestrating, orchestrating, text_of
from tests.fakes.peers import REPOSITORY

_ALL = 10**6


def crash(data: Path, answer_id: str, *, keep: int = _ALL) -> None:
    """Leave the store as a process leaves it that is killed while it makes the answer."""
    with closing(sqlite3.connect(data / "orchestrator" / "answers.db")) as store, store:
        store.execute("DELETE FROM events WHERE answer_id = ? AND sequence > ?", (answer_id, keep))
        store.execute("INSERT OR IGNORE INTO unsettled VALUES (?)", (answer_id,))


def count(data: Path, table: str) -> int:
    """Count the rows of a table of answers."""
    with closing(sqlite3.connect(data / "orchestrator" / "answers.db")) as store:
        return int(store.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


async def test_a_retried_request_needs_nobody_and_opens_nothing(suite: Orchestrating) -> None:
    """The same id streams the same answer while the retriever is away, and no session is opened for it."""
    first = await suite.ask(request_id="r1")
    sessions = await suite.stub.ListSessions(pb.ListSessionsRequest())
    suite.retriever.failing["LookupSymbols"] = DependencyUnavailable("away")
    again = await suite.ask(request_id="r1")
    after = await suite.stub.ListSessions(pb.ListSessionsRequest())

    assert again == first
    assert len(after.sessions) == len(sessions.sessions) == 1


async def test_a_question_that_is_refused_opens_no_session(suite: Orchestrating) -> None:
    """Nothing is left of it in the list of the caller's sessions."""
    suite.retriever.failing["LookupSymbols"] = PermissionDenied("not yours")
    await refusal(suite.ask())
    sessions = await suite.stub.ListSessions(pb.ListSessionsRequest())

    assert not sessions.sessions


async def test_a_reader_is_not_held_to_the_deadline_of_another(suite: Orchestrating) -> None:
    """Who follows an answer longer than the one who asked for it gets it whole."""
    suite.retriever.delay = {"Retrieve": 0.7, "ResolveGaps": 0.7}
    call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=1.0)
    answer_id = (await call.read()).answer_id
    following = asyncio.create_task(suite.watch(answer_id))
    await refusal(_rest(call))
    events = await following

    assert events[-1].completed.answer.metadata.passes == 2
    assert not events[-1].completed.answer.degraded


async def test_a_forgotten_session_takes_the_answer_along_that_is_being_made(tmp_path: Path) -> None:
    """Nothing of it is kept afterwards, and nobody goes on making it."""
    async with orchestrating(data_dir=tmp_path) as suite:
        suite.retriever.delay = {"ResolveGaps": 30.0}
        call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
        started = (await call.read()).started
        await eventually(lambda: bool(suite.retriever.asked(retriever_pb2.ResolveGapsRequest)))
        await suite.stub.DeleteSession(pb.DeleteSessionRequest(session_id=started.session_id))
        ended = await refusal(_rest(call))
        await eventually(lambda: suite.retriever.cancelled == ["ResolveGaps"])

    assert ended.code() is grpc.StatusCode.CANCELLED
    assert [count(tmp_path, table) for table in ("answers", "events", "unsettled")] == [0, 0, 0]


async def test_cancelling_wins_over_taking_up(suite: Orchestrating) -> None:
    """An answer that is cancelled while somebody takes it up is not made."""
    suite.retriever.delay = {"Retrieve": 30.0}
    for _ in range(20):
        call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
        answer_id = (await call.read()).answer_id
        call.cancel()
        watching = asyncio.create_task(suite.watch(answer_id))
        await suite.stub.CancelAnswer(pb.CancelAnswerRequest(answer_id=answer_id), timeout=60)
        ended = await refusal(asyncio.wait_for(watching, 30))

        assert ended.code() is grpc.StatusCode.CANCELLED


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["behind first", "ahead first"])
async def test_after_a_crash_each_client_gets_all_that_is_new(tmp_path: Path, order: tuple[int, int]) -> None:
    """Clients that had seen different amounts, beyond what was kept, miss nothing, and no number comes twice."""
    async with orchestrating(data_dir=tmp_path) as first:
        whole = await first.ask()
    answer_id = whole[0].answer_id
    crash(tmp_path, answer_id, keep=5)
    seen = (whole[:6], whole[:9])
    async with orchestrating(data_dir=tmp_path) as second:
        second.retriever.delay = {"Retrieve": 0.3, "ResolveGaps": 0.3}
        rests = await _watched(second, answer_id, [len(seen[at]) for at in order])

    for at, rest in zip(order, rests, strict=True):
        numbers = [event.sequence for event in (*seen[at], *rest)]
        assert numbers == sorted(set(numbers))
        assert rest[-1].completed.answer.text == text_of(rest, 2)
    assert rests[0] == rests[1]


async def test_numbers_of_two_crashes_do_not_meet(tmp_path: Path) -> None:
    """What was shown after the first crash is not numbered like what comes after the second."""
    async with orchestrating(data_dir=tmp_path) as suite:
        whole = await suite.ask()
    answer_id = whole[0].answer_id
    crash(tmp_path, answer_id, keep=5)
    async with orchestrating(data_dir=tmp_path) as suite:
        between = await suite.watch(answer_id, 5)
    crash(tmp_path, answer_id, keep=between[0].sequence)
    async with orchestrating(data_dir=tmp_path) as suite:
        rest = await suite.watch(answer_id, between[-1].sequence)

    assert rest[0].sequence > between[-1].sequence
    assert rest[-1].HasField("completed")


@pytest.mark.parametrize(
    "budget",
    [
        question_pb2.Budget(system_tokens=8000),
        question_pb2.Budget(system_tokens=50_000),
        question_pb2.Budget(total_tokens=400),
        question_pb2.Budget(total_tokens=1000, system_tokens=1000),
    ],
)
async def test_a_budget_that_leaves_nothing_for_evidence_is_refused(
    budget: question_pb2.Budget, suite: Orchestrating
) -> None:
    """Whichever of total and system text is the service's own."""
    for asked in (suite.ask, suite.explain):
        refused = await refusal(asked(options=pb.AskOptions(budget=budget)))

        assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_explain_reads_under_the_budget_of_an_answer() -> None:
    """What is explained is what would be asked for."""
    async with orchestrating(initial_tokens=1234) as suite:
        await suite.explain()
        await suite.ask()

    explained, asked = suite.retriever.asked(retriever_pb2.RetrieveRequest)
    assert explained.budget == asked.budget
    assert asked.budget.initial_tokens == 1234


async def _rest(call: Any) -> list[pb.AnswerEvent]:
    return [event async for event in call]


async def _watched(suite: Orchestrating, answer_id: str, places: list[int]) -> list[list[pb.AnswerEvent]]:
    """Watch from several places, the later ones when the earlier have begun."""
    watching = []
    for after in places:
        watching.append(asyncio.create_task(suite.watch(answer_id, after)))
        await asyncio.sleep(0.05)
    return [await each for each in watching]
