"""What goes with a session that its owner deletes, also where that is cut short."""

from __future__ import annotations

import pytest

from common.core.errors import DependencyUnavailable
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.adapters.stores.sqlite_sessions import SqliteSessions
from orchestrator.domain.answers.errors import SessionNotFound
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.runs import Runs, RunSettings
from orchestrator.usecases.sessions import ManageSessions
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SequentialIds

CLOCK = FakeClock()


class AwayOnce(SqliteAnswers):
    """A store of answers that does not work the first time that it is to forget some."""

    is_away = True

    async def forget_session(self, session_id: str) -> None:
        """Fail, then forget."""
        if self.is_away:
            self.is_away = False
            raise DependencyUnavailable("the database is away")
        await super().forget_session(session_id)


async def test_a_deletion_that_was_cut_short_can_be_asked_for_again() -> None:
    """A session that is gone before its answers would leave these to nobody; another's is not touched meanwhile."""

    async def drive(record: AnswerRecord, feed: AnswerFeed) -> None:
        raise AssertionError("nothing is asked")

    sessions, answers = SqliteSessions(None, SequentialIds()), AwayOnce(None, CLOCK)
    manage = ManageSessions(sessions, answers, Runs(drive, answers, answers, CLOCK, RunSettings()))
    session_id = (await manage.create("ann", "shop")).session_id
    question = Question("shop", "How?", session_id=session_id)
    await answers.create(AnswerRecord("ans_1", "ann", question, question.fingerprint(), CLOCK.now()))
    with pytest.raises(DependencyUnavailable):
        await manage.delete(session_id, "ann")
    with pytest.raises(SessionNotFound):
        await manage.delete(session_id, "eve")
    untouched = await answers.find("ans_1")
    await manage.delete(session_id, "ann")
    found = await answers.find("ans_1")
    with pytest.raises(SessionNotFound):
        await manage.get(session_id, "ann")
    await answers.close()
    await sessions.close()

    assert untouched is not None
    assert found is None
