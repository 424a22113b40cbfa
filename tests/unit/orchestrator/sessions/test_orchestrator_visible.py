"""Sessions, answers and debts of a repository that its owner may see no more are as if they were not there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from common.core.contract.evidence import Gap, GapOutcome
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.adapters.stores.sqlite_sessions import SqliteSessions
from orchestrator.adapters.stores.visible import VisibleFeedback, VisibleRecords, VisibleSessions
from orchestrator.domain.answers.errors import AnswerNotFound, SessionNotFound
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.domain.evidence.piece import GapResult
from orchestrator.usecases.answers import owned
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SequentialIds


class FakeVisibility:
    """Sees what it is told to, and remembers what it was asked for by name."""

    def __init__(self, *seen: str) -> None:
        self.seen = set(seen)
        self.asked: list[str] = []

    def sees(self, repository: str) -> bool:
        return repository in self.seen

    def admits(self, repository: str) -> bool:
        self.asked.append(repository)
        return self.sees(repository)


class Stores:
    """The stores of a caller who sees two repositories, and what it sees of them."""

    def __init__(self) -> None:
        self.visibility = FakeVisibility("alpha", "beta")
        self.answers = SqliteAnswers(None, FakeClock(), retention_days=1, max_bytes=1 << 20)
        self.all_sessions = SqliteSessions(None, SequentialIds(), lifetime_seconds=60)
        self.sessions = VisibleSessions(self.all_sessions, self.visibility)
        self.records = VisibleRecords(self.answers, self.visibility)
        self.feedback = VisibleFeedback(self.answers, self.visibility)


@pytest.fixture
async def stores() -> AsyncIterator[Stores]:
    found = Stores()
    yield found
    await found.all_sessions.close()
    await found.answers.close()


def record(answer_id: str, repository: str, request_id: str = "") -> AnswerRecord:
    question = Question(repository, "Why?", request_id=request_id)
    return AnswerRecord(answer_id, "anna", question, question.fingerprint(), datetime(2026, 1, 1, tzinfo=UTC))


async def test_a_session_that_may_not_be_seen_is_unknown(stores: Stores) -> None:
    """It is neither found nor listed nor deleted, and its error is that of an invented one; later it is there again."""
    session = await stores.sessions.create("anna", "beta")
    stores.visibility.seen = {"alpha"}
    told = []
    for identity in (session.session_id, "ses_invented"):
        for call in (stores.sessions.find, stores.sessions.delete):
            with pytest.raises(SessionNotFound) as raised:
                await call(identity, "anna")
            told.append(raised.value.message.replace(identity, "ID"))
    listed = await stores.sessions.list("anna", "", 10)
    stores.visibility.seen = {"beta"}
    again, _ = await stores.sessions.find(session.session_id, "anna")

    assert len(set(told)) == 1
    assert listed == ()
    assert again.repository == "beta"


async def test_pages_of_sessions_are_full(stores: Stores) -> None:
    """What is left out of a page is made up for by what follows, to the end."""
    for number in range(9):
        await stores.sessions.create("anna", "alpha" if number % 4 == 0 else "beta")
    stores.visibility.seen = {"alpha"}
    first = await stores.sessions.list("anna", "", 2)
    rest = await stores.sessions.list("anna", first[-1].place, 2)
    whole = await stores.sessions.list("anna", "", 10)

    assert [each.repository for each in (*first, *rest)] == ["alpha"] * 3
    assert len(first) == 2
    assert whole == (*first, *rest)


async def test_an_answer_that_may_not_be_seen_is_unknown(stores: Stores) -> None:
    """By its id as any other, and by the request id that it was made for: nothing of it is told again."""
    await stores.records.create(record("ans_1", "beta", "once"))
    stores.visibility.seen = {"alpha"}
    with pytest.raises(AnswerNotFound):
        await owned(stores.records, "ans_1", "anna")
    before = await stores.records.find_by_request("anna", "once")
    again = await stores.records.create(record("ans_2", "beta", "once"))
    stores.visibility.seen = {"beta"}
    seen = await stores.records.create(record("ans_3", "beta", "once"))
    found = await stores.records.find_by_request("anna", "once")

    assert before is None
    assert found is not None
    assert again.answer_id == "ans_2"
    assert seen.answer_id == "ans_1"
    assert stores.visibility.asked == ["beta"] * 6


async def test_debts_of_a_repository_that_may_not_be_seen_are_none(stores: Stores) -> None:
    """What gaps of others wanted does not tell that there is a repository."""
    await stores.feedback.add_debts("beta", [GapResult(Gap("how", symbol="secret_name"), GapOutcome.ABSENT)])
    before = await stores.feedback.list_debts("beta", "", 10)
    stores.visibility.seen = set()

    assert [each.wanted for each in before] == ["secret_name"]
    assert await stores.feedback.list_debts("beta", "", 10) == ()
