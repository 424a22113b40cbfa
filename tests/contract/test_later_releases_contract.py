"""What a later release has written into stores that this one reads, too: during a rollout, and after one back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum, auto
from pathlib import Path
from typing import Any, cast

import pytest

from common.core.contract.evidence import Gap, GapOutcome, Span
from common.core.ids import RandomIds
from indexer.adapters.jobs.queue import SqliteJobQueue
from indexer.domain.jobs import Job, JobQuery, JobSpec, JobState, LocalSource, Phase, Progress
from orchestrator.adapters.stores.codec import decode, encode
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.adapters.stores.sqlite_sessions import SqliteSessions
from orchestrator.domain.answers.events import Classified, EvidenceSupplied, NumberedEvent, PassStarted, Started
from orchestrator.domain.answers.records import AnswerRecord, Question, Rating
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, GapResult
from orchestrator.domain.questions.question import AskOptions, Classification
from orchestrator.domain.questions.sessions import Shown
from orchestrator.usecases.feed import AnswerFeed
from retriever.adapters.state.decisions_sqlite import SqliteDecisionLog, packed, unpacked
from retriever.adapters.state.plain_values import UnknownMember, from_plain, to_plain
from retriever.adapters.state.tasks_sqlite import SqliteTaskStore
from retriever.domain.evidence.piece import Decision
from retriever.domain.tasks.task import ContextRequest, ContextTier, Gathered, ScopedFile, TaskState
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import needs_postgres, postgres_database

Answers = SqliteAnswers | PostgresAnswers

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_TASK = ContextRequest("shop", "t", "Do it", (), window_tokens=8000, reserved_tokens=1000)


class Later(Enum):
    """Members that a later release added to an enum of this one."""

    REDIRECTED = auto()


@dataclass(frozen=True, slots=True)
class Pondered:
    """A kind of event that a later release added."""

    pass_number: int
    thought: str = "hm"


@dataclass(frozen=True, slots=True)
class MoreOptions(AskOptions):
    """What may be asked for with an option that a later release added."""

    tone: str = ""


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
async def answers(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Answers]:
    """Give a store of answers."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            store: Answers = SqliteAnswers(tmp_path / "answers.db", FakeClock())
        else:
            store = PostgresAnswers.at(stack.enter_context(postgres_database()).url, FakeClock(), RandomIds())
        yield store
        await store.close()


def _job(job_id: str) -> Job:
    return Job(job_id, JobSpec("shop", LocalSource("/src")), MOMENT)


def _absent() -> GapResult:
    return GapResult(Gap("g1", symbol="Vanish"), GapOutcome.ABSENT)


def _decision() -> Decision:
    return Decision("sources", "callers", Span("a.py", 1, 2), "A.b", included=True, reason="calls it", judge_tokens=7)


def _record() -> AnswerRecord:
    question = Question("shop", "How?", "snap", "ses_1")
    return AnswerRecord("ans_1", "ann", question, question.fingerprint(), MOMENT)


def _numbered(*events: object, first: int = 1) -> list[NumberedEvent]:
    return [NumberedEvent(number, MOMENT, cast("Any", event)) for number, event in enumerate(events, first)]


async def test_an_unknown_event_keeps_its_number(answers: Answers) -> None:
    """What is emitted next comes behind it, and is kept: a number is never given twice."""
    await answers.create(_record())
    await answers.append("ans_1", _numbered(Started("ans_1"), Pondered(1)))
    feed = AnswerFeed("ans_1", answers, FakeClock())
    await feed.restore()
    await feed.emit(Classified(Classification()))
    await feed.flush()

    found = await answers.read("ans_1", 0, 10)
    assert [(each.sequence, type(each.event).__name__) for each in found] == [
        (1, "Started"),
        (2, "Unknown"),
        (3, "Classified"),
    ]


async def test_more_unknown_events_than_a_page_hide_nothing(answers: Answers) -> None:
    """Neither the state of the answer nor a reader ends before what comes behind them."""
    await answers.create(_record())
    thoughts = [Pondered(1)] * 600
    await answers.append("ans_1", _numbered(Started("ans_1"), *thoughts, Classified(Classification())))
    feed = AnswerFeed("ans_1", answers, FakeClock())
    await feed.restore()
    feed.close()
    told = [each async for each in feed.read(0, heartbeat_seconds=1)]

    assert [each.sequence for each in told] == list(range(1, 603))
    assert feed.state.phase.name == "CLASSIFIED"


async def test_unknown_members_are_unspecified(answers: Answers) -> None:
    """Of an enum within an event, and of what gaps ended with."""
    await answers.create(_record())
    result = GapResult(Gap("g1", symbol="Vanish"), cast("Any", Later.REDIRECTED))
    supplied = EvidenceSupplied(1, (Evidence("e", kind=cast("Any", Later.REDIRECTED)),))
    await answers.append("ans_1", _numbered(supplied))
    await answers.add_debts("shop", [result])
    [found] = await answers.read("ans_1", 0, 10)
    [debt] = await answers.list_debts("shop", "", 10)

    assert cast("Any", found.event).evidence[0].kind is EvidenceKind.UNSPECIFIED
    assert (debt.outcome, debt.wanted) == (GapOutcome.UNSPECIFIED, "vanish")
    assert decode(encode(result), GapResult).outcome is GapOutcome.UNSPECIFIED


def test_an_option_that_was_added_does_not_change_a_request() -> None:
    """Else a request that comes again, to a replica of the other release, would be refused as another one."""
    here, later, stated = (
        Question("shop", "How?", options=options)
        for options in (AskOptions(max_passes=2), MoreOptions(max_passes=2), MoreOptions(max_passes=2, tone="dry"))
    )

    assert later.fingerprint() == here.fingerprint()
    assert stated.fingerprint() != here.fingerprint() != Question("shop", "How?").fingerprint()


async def test_columns_may_be_added_to_every_table(tmp_path: Path) -> None:
    """By the next release, with a default; this one goes on writing to the files of all services."""
    await _use_stores(tmp_path, "one")
    files = _files(tmp_path)
    for file in files:
        _add_columns(file)
    await _use_stores(tmp_path, "two")

    assert [file.stem for file in files] == ["answers", "decisions", "jobs", "sessions", "tasks"]


async def _use_stores(folder: Path, name: str) -> None:
    """Write into each table of each file, and read back what is there."""
    clock = FakeClock()
    answers = SqliteAnswers(folder / "answers.db", clock)
    await answers.create(replace(_record(), answer_id=name))
    await answers.append(name, _numbered(Started(name), PassStarted(1)))
    await answers.rate(Rating(name, 5))
    await answers.add_debts(name, [_absent()])
    assert (len(await answers.read(name, 0, 10)), len(await answers.list_debts(name, "", 10))) == (2, 1)
    await answers.close()
    sessions = SqliteSessions(folder / "sessions.db", RandomIds())
    session_id = (await sessions.create("ann", "shop")).session_id
    await sessions.remember(session_id, "snap", [Evidence("e")], [_absent()], Shown("key", ("e",)))
    memory = await sessions.load(session_id, "snap")
    assert (len(memory.evidence), len(memory.absences), len(memory.shown)) == (1, 1, 1)
    await sessions.close()
    decisions = SqliteDecisionLog(folder / "decisions.db", clock, days=7, retrievals=10)
    await decisions.append("shop", name, [_decision()])
    assert await decisions.read("shop", name, 0, 10) == ((1, _decision()),)
    decisions.close()
    tasks = SqliteTaskStore(folder / "tasks.db", clock, days=7, tasks=10)
    kept = await tasks.keep(TaskState(replace(_TASK, task_id=name), "snap"))
    assert await tasks.load("shop", name) == kept
    tasks.close()
    jobs = SqliteJobQueue(folder / "jobs.db")
    jobs.begin_removal(name)
    assert jobs.add(_job(name)) == jobs.get(name)
    jobs.close()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.db"))


def _add_columns(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in tables.fetchall():
            connection.execute(f"ALTER TABLE {table} ADD COLUMN later TEXT NOT NULL DEFAULT ''")
    connection.close()


def test_a_decision_may_have_more_fields() -> None:
    """What is behind those that are known is passed over; so it is in its place."""
    stage, step, subject, *rest = json.loads(packed(_decision()))

    assert unpacked(json.dumps([stage, step, [*subject, 7], *rest, "later", 1])) == _decision()


def test_what_a_task_has_gathered_of_unknown_kinds_is_left_out() -> None:
    """The rest of it stays; a request of an unknown kind is none that could be gone on with."""
    files = tuple(ScopedFile(path, ContextTier.SEED, "named") for path in ("a.py", "b.py"))
    state = TaskState(_TASK, "snap", gathered=Gathered(files=files))
    plain = json.dumps(to_plain(state))

    found = from_plain(TaskState, json.loads(plain.replace('"seed"', '"hunch"', 1)))
    assert [each.path for each in found.gathered.files] == ["b.py"]
    with pytest.raises(UnknownMember, match="hunch"):
        from_plain(ScopedFile, ["a.py", "hunch", "named"])


def test_jobs_of_a_later_release_are_listed(tmp_path: Path) -> None:
    """A state that is not known is a failure that says so; phases and reasons that are not known are left out."""
    queue = SqliteJobQueue(tmp_path / "jobs.db")
    queue.add(replace(_job("one"), progress=Progress(Phase.PARSING, 1, 2)))
    queue.add(_job("two"))
    queue.close()
    with sqlite3.connect(tmp_path / "jobs.db") as connection:
        connection.execute("UPDATE jobs SET state = 77 WHERE job_id = 'two'")
        connection.execute("""UPDATE jobs SET rest = json_set(rest, '$.progress.phase', 77,
            '$.counts.skipped', json('{"3": 1, "77": 2}'), '$.counts.cut', json('{"python": [1, 77]}'), '$.later', 1)
            WHERE job_id = 'one'""")
    connection.close()
    queue = SqliteJobQueue(tmp_path / "jobs.db")
    two, one = queue.find(JobQuery(repository="", limit=10))
    queue.close()

    assert (two.state, two.error[:15]) == (JobState.FAILED, "A later release")
    assert one.progress is None
    assert (one.state, dict(one.counts.skipped)) == (JobState.QUEUED, {3: 1})
    assert {name: tuple(tiers) for name, tiers in one.counts.cut.items()} == {"python": (1,)}
