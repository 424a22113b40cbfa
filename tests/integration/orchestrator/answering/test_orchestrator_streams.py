"""Streams of answers over the wire: order, resume, cancel, deadline, slow readers, broken peers."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from common.core.errors import AppError, DependencyUnavailable, Kind
from orchestrator.usecases import ask
from tests.fakes.answering import details, eventually, refusal
from tests.fakes.latency import least
from tests.fakes.orchestrating import QUESTION, Orchestrating, kinds, orchestrating, text_of
from tests.fakes.peers import REPOSITORY, SNAPSHOT


class RepositoryUnknown(AppError):
    """What a retriever says about a repository that it does not know."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_REPOSITORY_NOT_FOUND"


def lose_events(data: Path, answer_id: str, *, behind: int) -> None:
    """Take from the log what a crash would have kept from it."""
    with closing(sqlite3.connect(data / "orchestrator" / "answers.db")) as log, log:
        log.execute("DELETE FROM events WHERE answer_id = ? AND sequence > ?", (answer_id, behind))


async def test_an_answer_needs_two_passes_and_cites_what_the_second_was_given(suite: Orchestrating) -> None:
    """The first evidence refers to a function that it does not show: it is fetched, shown and cited."""
    events = await suite.ask()

    answer = events[-1].completed.answer
    assert kinds(events) == [
        "started",
        "classified",
        "retrieval_progress",
        "evidence",
        "pass_started",
        *["text_delta"] * kinds(events)[:8].count("text_delta"),
        "gaps_found",
        "pass_finished",
        "gap_resolved",
        "retrieval_progress",
        "evidence",
        "pass_started",
        *["text_delta"] * kinds(events)[10:].count("text_delta"),
        "pass_finished",
        "completed",
    ]
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    # What the question names has the line that charges, so it is cited before what was fetched.
    assert [(each.symbol.qualified_name, each.pass_number) for each in answer.citations] == [
        ("checkout", 1),
        ("charge", 2),
    ]
    assert all(each.content_hash and each.commit == "c0ffee" for each in answer.citations)
    assert answer.text == text_of(events, 2)
    assert answer.metadata.passes == 2
    assert answer.metadata.stop_reason == pb.STOP_REASON_NOTHING_ASKED
    assert "no model was asked" in answer.text


async def test_without_gap_resolution_there_is_one_pass(suite: Orchestrating) -> None:
    """The switch leaves one pass, and the answer does not cite what only a second would have seen."""
    options = pb.AskOptions(switches=question_pb2.Switches(without_gap_resolution=True))
    answer = await suite.answer(options=options)

    assert answer.metadata.passes == 1
    assert answer.metadata.stop_reason == pb.STOP_REASON_PASSES_USED
    assert [each.symbol.qualified_name for each in answer.citations] == ["checkout"]
    assert not suite.retriever.asked(retriever_pb2.ResolveGapsRequest)


async def test_one_answer_reads_one_snapshot(monkeypatch: pytest.MonkeyPatch, suite: Orchestrating) -> None:
    """The snapshot is named at the start and travels in every call, though a new one is published meanwhile."""
    # A busy machine may need longer, and then the start goes without its name: another test's matter.
    monkeypatch.setattr(ask, "_PIN_SECONDS", 30.0)
    call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=10)
    started = (await call.read()).started
    suite.retriever.snapshot_id = "snap-2"
    events = [event async for event in call]

    assert started.snapshot_id == SNAPSHOT
    assert {each.snapshot_id for each in suite.retriever.requests[1:]} == {SNAPSHOT}
    assert events[-1].completed.answer.snapshot_id == SNAPSHOT


async def test_the_first_event_waits_for_nobody(suite: Orchestrating) -> None:
    """A retriever and a classifier that take a second do not hold up the start; the answer names the snapshot."""
    suite.retriever.delay = {"LookupSymbols": 0.5}
    suite.classifier.delay = 0.5

    async def first_event() -> float:
        begun = time.monotonic()
        call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
        first = await call.read()
        waited = time.monotonic() - begun
        call.cancel()
        assert first.WhichOneof("event") == "started"
        return waited

    waited = await least(first_event, within=0.4)
    events = await suite.ask()

    assert waited < 0.4
    assert events[-1].completed.answer.snapshot_id == SNAPSHOT


async def test_resumes_after_every_event(suite: Orchestrating) -> None:
    """Cut after any event, the rest comes by WatchAnswer: no gap, no duplicate, the same whole."""
    whole = await suite.ask()
    assert whole[-1].completed.answer.metadata.taken_up_after_ms == 0
    for cut in range(len(whole) + 1):
        assert await suite.watch(whole[0].answer_id, cut) == whole[cut:]


async def test_a_cut_stream_is_taken_up_where_it_ended(suite: Orchestrating) -> None:
    """Whoever reads k events, leaves and watches again gets the rest; finished passes are not asked again."""
    length = len(await suite.ask())
    for cut in range(1, length):
        call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=10)
        seen = [await call.read() for _ in range(cut)]
        call.cancel()
        rest = await suite.watch(seen[0].answer_id, cut)

        union = seen + rest
        assert [event.sequence for event in union] == list(range(1, len(union) + 1))
        assert kinds(union).count("completed") == 1
        assert kinds(union).count("classified") == 1
        assert union[-1].completed.answer.metadata.passes == 2
        assert union[-1].completed.answer.text == text_of(union, 2)


async def test_a_request_id_stands_for_one_answer(suite: Orchestrating) -> None:
    """The same id streams the same answer; with another question it is refused."""
    first = await suite.ask(request_id="r1")
    again = await suite.ask(request_id="r1")
    refused = await refusal(suite.ask("Something else?", request_id="r1"))
    stranger = await suite.ask("Something else?", request_id="r1", metadata=(("x-cgrag-caller", "eve"),))

    assert first == again
    assert len(suite.retriever.asked(retriever_pb2.RetrieveRequest)) == 2
    assert refused.code() is grpc.StatusCode.ALREADY_EXISTS
    assert details(refused)["ErrorInfo"].reason == "ERROR_REASON_REQUEST_ID_REUSED"
    assert stranger[0].answer_id != first[0].answer_id


async def test_cancel_answer_ends_the_stream_for_good(suite: Orchestrating) -> None:
    """Another connection cancels: the stream ends CANCELLED, what was running is stopped, nothing takes it up again."""
    suite.retriever.delay = {"Retrieve": 30.0}
    call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
    answer_id = (await call.read()).answer_id
    await eventually(lambda: bool(suite.retriever.asked(retriever_pb2.RetrieveRequest)))
    cancelled = await suite.stub.CancelAnswer(pb.CancelAnswerRequest(answer_id=answer_id))
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        async for _ in call:
            pass
    gone = await refusal(suite.watch(answer_id))
    unread = await refusal(suite.stub.GetAnswer(pb.GetAnswerRequest(answer_id=answer_id)))
    again = await suite.stub.CancelAnswer(pb.CancelAnswerRequest(answer_id=answer_id))
    await eventually(lambda: suite.retriever.cancelled == ["Retrieve"])

    assert cancelled.was_running
    assert not again.was_running
    assert ended.value.code() is gone.code() is grpc.StatusCode.CANCELLED
    assert details(gone)["ErrorInfo"].reason == "ERROR_REASON_CANCELLED"
    assert unread.details() == f"answer {answer_id} was cancelled; ask again"


async def test_cancelling_a_finished_answer_changes_nothing(suite: Orchestrating) -> None:
    """A whole answer stays whole."""
    events = await suite.ask()
    answer_id = events[0].answer_id
    response = await suite.stub.CancelAnswer(pb.CancelAnswerRequest(answer_id=answer_id))
    answer = await suite.stub.GetAnswer(pb.GetAnswerRequest(answer_id=answer_id))

    assert not response.was_running
    assert answer == events[-1].completed.answer


async def test_a_caller_who_leaves_stops_the_work(suite: Orchestrating) -> None:
    """A cancelled call cancels what is being asked of the retriever at once."""
    suite.retriever.delay = {"Retrieve": 30.0}

    async def told() -> float:
        before = len(suite.retriever.cancelled)
        call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
        await call.read()
        await eventually(lambda: len(suite.retriever.asked(retriever_pb2.RetrieveRequest)) > before)
        left = time.monotonic()
        call.cancel()
        await eventually(lambda: suite.retriever.cancelled[before:] == ["Retrieve"])
        return time.monotonic() - left

    assert await least(told, within=0.5) < 0.5


async def test_two_readers_follow_one_answer(suite: Orchestrating) -> None:
    """A second reader sees all of it, and the first may leave without stopping it."""
    suite.retriever.delay = {"ResolveGaps": 0.3}
    first = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=10)
    answer_id = (await first.read()).answer_id
    second = asyncio.create_task(suite.watch(answer_id))
    await eventually(lambda: bool(suite.retriever.asked(retriever_pb2.ResolveGapsRequest)))
    first.cancel()
    events = await second

    assert kinds(events)[-1] == "completed"
    assert len(suite.retriever.asked(retriever_pb2.ResolveGapsRequest)) == 1


async def test_the_callers_deadline_ends_everything(suite: Orchestrating) -> None:
    """With one second for a retriever that needs thirty, the caller gets DEADLINE_EXCEEDED, the retriever is told."""
    suite.retriever.delay = {"Retrieve": 30.0}
    with pytest.raises(grpc.aio.AioRpcError) as late:
        async for _ in suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=1.0):
            pass
    await eventually(lambda: suite.retriever.cancelled == ["Retrieve"])

    assert late.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_silence_is_filled_with_heartbeats() -> None:
    """A heartbeat repeats the last sequence and is not kept."""
    async with orchestrating(heartbeat_seconds=0.05) as suite:
        suite.retriever.delay = {"Retrieve": 0.3}
        events = await suite.ask()
        kept = await suite.watch(events[0].answer_id)

    beats = [at for at, kind in enumerate(kinds(events)) if kind == "heartbeat"]
    assert beats
    assert all(events[at].sequence == events[at - 1].sequence for at in beats)
    assert "heartbeat" not in kinds(kept)


async def test_a_slow_reader_gets_everything_and_holds_nobody_up(suite: Orchestrating) -> None:
    """Events that a reader has not taken come from the log; another reader is done meanwhile."""
    call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
    first = await call.read()
    whole = await suite.watch(first.answer_id)
    late = [first]
    async for event in call:
        await asyncio.sleep(0.005)
        late.append(event)

    assert late == whole


async def test_failure_is_the_streams_status(suite: Orchestrating) -> None:
    """A repository that the retriever does not know is refused before any event."""
    suite.retriever.failing = {"LookupSymbols": RepositoryUnknown("no repository nowhere")}
    unknown = await refusal(suite.ask(repository="nowhere"))

    assert unknown.code() is grpc.StatusCode.NOT_FOUND
    assert details(unknown)["ErrorInfo"].reason == "ERROR_REASON_REPOSITORY_NOT_FOUND"


async def test_an_error_in_the_middle_ends_the_stream_and_can_be_taken_up(suite: Orchestrating) -> None:
    """A retriever that fails ends the stream with its status; when it is back, watching makes the answer whole."""
    suite.retriever.failing = {"Retrieve": DependencyUnavailable("restarting")}
    call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=10)
    seen = [await call.read(), await call.read()]
    with pytest.raises(grpc.aio.AioRpcError) as broken:
        async for _ in call:
            pass
    suite.retriever.failing = {}
    rest = await suite.watch(seen[0].answer_id, len(seen))

    assert broken.value.code() is grpc.StatusCode.UNAVAILABLE
    assert kinds(seen + rest)[-1] == "completed"
    assert [event.sequence for event in seen + rest] == list(range(1, len(seen + rest) + 1))


async def test_gaps_that_cannot_be_fetched_leave_the_answer_standing(suite: Orchestrating) -> None:
    """A retriever that dies after the first pass costs the second, not the answer."""
    suite.retriever.failing = {"ResolveGaps": DependencyUnavailable("restarting")}
    answer = await suite.answer()

    assert list(answer.degraded) == ["gaps"]
    assert answer.metadata.stop_reason == pb.STOP_REASON_NO_NEW_EVIDENCE
    assert [each.symbol.qualified_name for each in answer.citations] == ["checkout"]
    assert answer.disclaimer


async def test_another_process_takes_an_answer_up(tmp_path: Path) -> None:
    """What one process began and did not end, one that starts later over the same data goes on with."""
    async with orchestrating(data_dir=tmp_path) as first:
        first.retriever.delay = {"ResolveGaps": 30.0}
        call = first.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
        seen = [await call.read()]
        await eventually(lambda: bool(first.retriever.asked(retriever_pb2.ResolveGapsRequest)))
    async with orchestrating(data_dir=tmp_path) as second:
        union = seen + await second.watch(seen[0].answer_id, 1)
    whole = union[-1].completed.answer
    numbers, took = whole.metadata, whole.complete_time.ToMilliseconds() - seen[0].create_time.ToMilliseconds()

    assert [event.sequence for event in union] == list(range(1, len(union) + 1))
    assert numbers.passes == 2
    assert numbers.total_ms >= took - 10
    assert 0 < numbers.taken_up_after_ms < numbers.total_ms
    assert numbers.total_ms >= numbers.classification_ms + numbers.retrieval_ms + numbers.engine_ms
    assert not second.retriever.asked(retriever_pb2.RetrieveRequest)


async def test_an_answer_whose_last_events_a_crash_took_begins_its_pass_anew(tmp_path: Path) -> None:
    """Who saw text that never came to the log is told that the pass begins again, under a number that is new."""
    async with orchestrating(data_dir=tmp_path) as first:
        whole = await first.ask()
    shown = kinds(whole).index("text_delta") + 1
    lose_events(tmp_path, whole[0].answer_id, behind=shown - 2)
    async with orchestrating(data_dir=tmp_path) as second:
        rest = await second.watch(whole[0].answer_id, shown)
        again = await second.watch(whole[0].answer_id)

    assert [event.sequence for event in rest] == list(range(shown + 1, shown + 1 + len(rest)))
    assert kinds(rest)[:2] == ["pass_started", "text_delta"]
    assert rest[-1].completed.answer.text == whole[-1].completed.answer.text
    assert again == whole[: shown - 2] + rest
