"""Sessions: memory, lifetime, eviction, ownership; over the stores and over the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from common.core.contract.evidence import Gap, GapOutcome
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.adapters.stores.sqlite_sessions import SqliteSessions
from orchestrator.domain.answers.errors import SessionNotFound
from orchestrator.domain.evidence.piece import Evidence, GapResult
from tests.fakes.answering import details, refusal
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SequentialIds
from tests.fakes.orchestrating import QUESTION, Orchestrating, kinds, orchestrating
from tests.fakes.peers import REPOSITORY, source

ABSENT = GapResult(Gap("g1", symbol="Vanish"), GapOutcome.ABSENT, "no symbol Vanish")
EVE = (("x-cgrag-caller", "eve"),)


@dataclass
class Store:
    """A session store whose time stands still."""

    sessions: SqliteSessions
    clock: FakeClock
    counted: list[int]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """Open a store in a file; close it at the end."""
    clock, counted = FakeClock(), list[int]()
    sessions = SqliteSessions(
        tmp_path / "sessions.db",
        SequentialIds(),
        lifetime_seconds=1800,
        max_evidence=50,
        counted=counted.append,
        wall_clock=lambda: clock.now().timestamp(),
        monotonic=clock.monotonic,
    )
    yield Store(sessions, clock, counted)
    await sessions.close()


async def test_idle_sessions_expire_by_the_stores_time(store: Store) -> None:
    """Half an hour without use ends a session; use begins it anew; a jump of the clock does nothing."""
    session = await store.sessions.create("me", "shop")
    store.clock.advance(1700)
    await store.sessions.load(session.session_id, "s1")
    store.clock.advance(1700)
    store.clock.jump(86_400)
    _, used_in_time = await store.sessions.find(session.session_id, "me")
    store.clock.advance(101)
    _, idle = await store.sessions.find(session.session_id, "me")

    assert (used_in_time, idle) == (False, True)
    assert await store.sessions.list("me", "", 10) == ()


async def test_an_expired_session_forgets_its_memory(store: Store) -> None:
    """What expired is cleared away when the next session opens."""
    session = await store.sessions.create("me", "shop")
    await store.sessions.remember(session.session_id, "s1", [Evidence("e1")], [ABSENT])
    store.clock.advance(1801)
    await store.sessions.create("me", "shop")

    memory = await store.sessions.load(session.session_id, "s1")

    assert (memory.evidence, memory.absences) == ((), ())


async def test_an_expired_session_is_known_for_a_day_and_counts_no_more(store: Store) -> None:
    """Its owner is told that it is expired; after that it is one that never was."""
    session = await store.sessions.create("me", "shop")
    store.clock.advance(900)
    await store.sessions.create("me", "shop")
    store.clock.advance(900)
    await store.sessions.create("me", "shop")
    store.clock.advance(86_399)
    await store.sessions.create("me", "shop")
    _, is_expired = await store.sessions.find(session.session_id, "me")
    store.clock.advance(1)
    await store.sessions.create("me", "shop")

    assert is_expired
    assert store.counted == [1, 2, 2, 1, 2]
    with pytest.raises(SessionNotFound):
        await store.sessions.find(session.session_id, "me")


async def test_an_expired_session_is_cleared_away_once(store: Store) -> None:
    """However many are known as expired, a new one costs the same; and what ends late leaves nothing to clear away."""
    said: list[str] = []
    expired = [(await store.sessions.create("me", "shop")).session_id for _ in range(9)]
    store.clock.advance(1801)
    await store.sessions.create("me", "shop")
    await store.sessions.remember(expired[0], "s1", [Evidence("e1")], [ABSENT])
    await store.sessions._database.run(lambda connection: connection.set_trace_callback(said.append))
    await store.sessions.create("me", "shop")
    late = await store.sessions.load(expired[0], "s1")

    assert [each for each in said if "DELETE FROM nodes" in each] == []
    assert late.evidence == ()


async def test_answers_are_kept_no_longer_than_their_retention(tmp_path: Path, suite: Orchestrating) -> None:
    """An old answer goes with its events when a new one comes; so do the answers of a deleted session."""
    clock = FakeClock()
    answers = SqliteAnswers(tmp_path / "answers.db", clock, retention_days=1)
    events = await suite.ask()
    record = _record("ans_1", "ses_1", clock)
    await answers.create(record)
    clock.advance(2 * 86_400)
    for number in range(2, 67):
        await answers.create(_record(f"ans_{number}", "ses_2", clock))

    gone, kept = await answers.find("ans_1"), await answers.find("ans_66")
    await answers.forget_session("ses_2")
    forgotten = await answers.find("ans_66")
    await answers.close()

    assert events
    assert (gone, forgotten) == (None, None)
    assert kept is not None


async def test_the_next_question_reuses_what_was_shown(suite: Orchestrating) -> None:
    """Relevant evidence re-enters the prompt without being fetched again; fewer new tokens are needed."""
    first = await suite.answer()
    events = await suite.ask("How does checkout charge the customer's invoice?", session_id=first.session_id)

    second = events[-1].completed.answer
    request = suite.retriever.asked(retriever_pb2.RetrieveRequest)[1]
    supplied = next(event.evidence for event in events if event.HasField("evidence"))
    assert second.session_id == first.session_id
    assert set(request.known_evidence_ids) == {"ev-checkout", "ev-charge"}
    assert request.budget.initial_tokens == 2800 - 80
    assert supplied.from_session == 2
    assert second.metadata.cache_used
    assert not first.metadata.cache_used
    assert {each.symbol.qualified_name for each in second.citations} >= {"checkout", "charge"}


async def test_a_repeated_question_is_shown_what_it_was_shown_before(suite: Orchestrating) -> None:
    """Everything comes back in its order, from which the endpoint reads its cache, and nothing new is looked for."""
    first = await suite.ask()
    again = await suite.ask(session_id=first[0].started.session_id)

    request = suite.retriever.asked(retriever_pb2.RetrieveRequest)[1]
    before = [each.evidence_id for event in first if event.HasField("evidence") for each in event.evidence.evidence]
    after = next(event.evidence for event in again if event.HasField("evidence"))
    assert [each.evidence_id for each in after.evidence] == before
    assert after.from_session == len(before)
    assert request.budget.initial_tokens == 1


async def test_what_was_not_found_is_not_searched_for_again(suite: Orchestrating) -> None:
    """The memory of a session answers for a gap that was absent, and the loop stops by itself."""
    suite.classifier.symbols = ("vanish",)
    suite.retriever.first = [source("authorise")]
    first = await suite.answer("What does vanish do?")
    second = await suite.answer("What does vanish do?", session_id=first.session_id)

    assert len(suite.retriever.asked(retriever_pb2.ResolveGapsRequest)) == 1
    assert second.metadata.stop_reason == pb.STOP_REASON_ALL_UNFINDABLE
    assert "known from this session" in second.gaps[0].detail
    assert "`vanish` does not exist" in first.text or "`vanish`" in first.disclaimer


@pytest.mark.parametrize("off", ["without_code_index", "without_vectors"])
async def test_what_was_only_half_searched_for_is_searched_for_again(off: str, suite: Orchestrating) -> None:
    """That a question found nothing because of what it turned off says nothing to the next, nor of the index."""
    suite.classifier.symbols = ("vanish",)
    suite.retriever.first = [source("authorise")]
    narrow = pb.AskOptions(switches=question_pb2.Switches(**{off: True}))
    first = await suite.answer("What does vanish do?", options=narrow)
    debt = await suite.stub.ListIndexDebt(pb.ListIndexDebtRequest(repository=REPOSITORY))
    second = await suite.answer("What does vanish do?", session_id=first.session_id)

    assert len(suite.retriever.asked(retriever_pb2.ResolveGapsRequest)) == 2
    assert second.metadata.stop_reason == pb.STOP_REASON_NO_NEW_EVIDENCE
    assert not debt.debts


async def test_a_new_snapshot_forgets_what_was_not_found(suite: Orchestrating) -> None:
    """After a change of the code the gap is searched for again."""
    suite.classifier.symbols = ("vanish",)
    suite.retriever.first = [source("authorise")]
    first = await suite.answer("What does vanish do?")
    suite.retriever.snapshot_id = "snap-2"
    await suite.answer("What does vanish do?", session_id=first.session_id)

    assert len(suite.retriever.asked(retriever_pb2.ResolveGapsRequest)) == 2


async def test_an_expired_session_is_replaced_with_a_warning() -> None:
    """One's own expired session does not fail the question: a new one is opened, and the caller is told."""
    async with orchestrating(session_minutes=0.0001) as suite:
        session = await suite.stub.CreateSession(pb.CreateSessionRequest(repository=REPOSITORY))
        await suite.stub.ListSessions(pb.ListSessionsRequest())
        events = await _ask_after_expiry(suite, session.session_id)

    warning = next(event.warning for event in events if event.HasField("warning"))
    assert warning.code == "session_expired"
    assert events[0].started.session_id not in ("", session.session_id)
    assert kinds(events)[-1] == "completed"


@pytest.mark.parametrize("session_id", ["ses_guess", "foreign"])
async def test_foreign_and_unknown_sessions_are_not_found(session_id: str, suite: Orchestrating) -> None:
    """Another caller's session and a guessed one are refused alike."""
    if session_id == "foreign":
        created = await suite.stub.CreateSession(pb.CreateSessionRequest(repository=REPOSITORY), metadata=EVE)
        session_id = created.session_id
    refused = await refusal(suite.ask(session_id=session_id))

    assert refused.code() is grpc.StatusCode.NOT_FOUND
    assert details(refused)["ErrorInfo"].reason == "ERROR_REASON_SESSION_NOT_FOUND"


async def test_sessions_over_the_wire(suite: Orchestrating) -> None:
    """Create, get, list by pages, delete: only one's own are seen."""
    made = [await suite.stub.CreateSession(pb.CreateSessionRequest(repository=REPOSITORY)) for _ in range(3)]
    await suite.stub.CreateSession(pb.CreateSessionRequest(repository=REPOSITORY), metadata=EVE)
    await suite.answer(session_id=made[0].session_id)
    used = await suite.stub.GetSession(pb.GetSessionRequest(session_id=made[0].session_id))
    first = await suite.stub.ListSessions(pb.ListSessionsRequest(page_size=2))
    request = pb.ListSessionsRequest(page_size=2, page_token=first.next_page_token)
    second = await suite.stub.ListSessions(request)
    await suite.stub.DeleteSession(pb.DeleteSessionRequest(session_id=made[0].session_id))
    gone = await refusal(suite.stub.GetSession(pb.GetSessionRequest(session_id=made[0].session_id)))
    edited = await refusal(suite.stub.ListSessions(pb.ListSessionsRequest(page_token="edited")))

    listed = [each.session_id for each in (*first.sessions, *second.sessions)]
    assert used.cached_evidence == 2
    assert listed[0] == made[0].session_id
    assert sorted(listed) == sorted(each.session_id for each in made)
    assert not second.next_page_token
    assert gone.code() is grpc.StatusCode.NOT_FOUND
    assert details(edited)["ErrorInfo"].reason == "ERROR_REASON_PAGE_TOKEN_INVALID"


async def test_without_its_store_a_session_is_done_without(tmp_path: Path) -> None:
    """A session store that does not work leaves a stateless answer, and says so."""
    async with orchestrating() as suite:
        (suite.data / "orchestrator").mkdir(parents=True)
        (suite.data / "orchestrator" / "sessions.db").write_bytes(b"not a database " * 100)
        answer = await suite.answer()

    assert list(answer.degraded) == ["sessions"]
    assert answer.session_id == ""
    assert answer.citations


async def test_answers_belong_to_who_asked(suite: Orchestrating) -> None:
    """Another caller can neither read, watch, rate nor cancel an answer."""
    answer = await suite.answer()
    calls: list[Any] = [
        suite.stub.GetAnswer(pb.GetAnswerRequest(answer_id=answer.answer_id), metadata=EVE),
        suite.stub.CancelAnswer(pb.CancelAnswerRequest(answer_id=answer.answer_id), metadata=EVE),
        suite.stub.RateAnswer(pb.RateAnswerRequest(answer_id=answer.answer_id, rating=1), metadata=EVE),
        suite.stub.WatchAnswer(pb.WatchAnswerRequest(answer_id=answer.answer_id), metadata=EVE).read(),
    ]
    for call in calls:
        refused = await refusal(call)
        assert details(refused)["ErrorInfo"].reason == "ERROR_REASON_ANSWER_NOT_FOUND"


async def test_ratings_are_kept_and_bounded(suite: Orchestrating) -> None:
    """One to five is taken; anything else is refused by field."""
    answer = await suite.answer()
    await suite.stub.RateAnswer(pb.RateAnswerRequest(answer_id=answer.answer_id, rating=5, comment="good"))
    refused = await refusal(suite.stub.RateAnswer(pb.RateAnswerRequest(answer_id=answer.answer_id, rating=6)))

    assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_index_debt_counts_why_gaps_stay_open(suite: Orchestrating) -> None:
    """What was not found is counted by outcome and name, most frequent first, and paged."""
    suite.retriever.first = [source("authorise")]
    for names in (("vanish", "fade"), ("vanish",)):
        suite.classifier.symbols = names
        await suite.answer("What do they do?")
    first = await suite.stub.ListIndexDebt(pb.ListIndexDebtRequest(repository=REPOSITORY, page_size=1))
    request = pb.ListIndexDebtRequest(repository=REPOSITORY, page_size=1, page_token=first.next_page_token)
    second = await suite.stub.ListIndexDebt(request)

    assert [(each.wanted, each.count) for each in (*first.debts, *second.debts)] == [("vanish", 2), ("fade", 1)]
    assert not second.next_page_token


async def _ask_after_expiry(suite: Any, session_id: str) -> list[pb.AnswerEvent]:
    """Ask until the session, which lives for some milliseconds, is expired."""
    while True:
        events: list[pb.AnswerEvent] = await suite.ask(QUESTION, session_id=session_id)
        if any(event.HasField("warning") for event in events):
            return events


def _record(answer_id: str, session_id: str, clock: FakeClock) -> Any:
    from orchestrator.domain.answers.records import AnswerRecord, Question

    question = Question("shop", "q", session_id=session_id)
    return AnswerRecord(answer_id, "me", question, question.fingerprint(), clock.now())


async def test_files_are_closed_with_the_service(tmp_path: Path) -> None:
    """All that was written is in them then, and nothing beside: whoever copies the files has it."""
    async with orchestrating(data_dir=tmp_path) as suite:
        await suite.ask()
    left = [each.name for each in (tmp_path / "orchestrator").iterdir()]

    assert sorted(left) == ["answers.db", "sessions.db"]
