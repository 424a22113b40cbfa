"""Answers, in every store alike: who asked, what happened, who may make them, what was thought of them, what goes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from common.core.contract.evidence import Gap, GapOutcome
from common.core.errors import PageTokenInvalid
from common.core.ids import RandomIds
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.domain.answers.events import Event, NumberedEvent, PassStarted, Started, TextDelta
from orchestrator.domain.answers.records import AnswerRecord, Hold, Question, Rating
from orchestrator.domain.evidence.piece import GapResult
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import needs_postgres, postgres_database

Store = SqliteAnswers | PostgresAnswers

QUESTION = Question("shop", "How?", "snap", "ses_1", "req_1")


@pytest.fixture
def clock() -> FakeClock:
    """Give the time of the test."""
    return FakeClock()


class Opening:
    """Opens and closes the store as processes do that start and end."""

    def __init__(self, make: Callable[..., Store]) -> None:
        self._make = make
        self._open: list[Store] = []

    def __call__(self, **limits: float) -> Store:
        """Open it once more."""
        self._open.append(self._make(**limits))
        return self._open[-1]

    async def close(self, store: Store) -> None:
        """Close what was opened, after what it has begun."""
        self._open.remove(store)
        await store.close()

    async def close_all(self) -> None:
        """Close what is open."""
        for each in tuple(self._open):
            await self.close(each)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
async def opened(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> AsyncIterator[Opening]:
    """Give what opens the store; what is open at the end is closed."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            opening = Opening(partial(SqliteAnswers, tmp_path / "answers.db", clock))
        else:
            url = stack.enter_context(postgres_database()).url
            opening = Opening(partial(PostgresAnswers.at, url, clock, RandomIds()))
        yield opening
        await opening.close_all()


@pytest.fixture
def store(opened: Opening) -> Store:
    """Give a store."""
    return opened()


def record_of(clock: FakeClock, answer_id: str = "ans_1", **fields: Any) -> AnswerRecord:
    """Return what is kept of a question that is asked now."""
    wanted: dict[str, Any] = {"request_id": ""} | fields
    question = replace(QUESTION, **wanted)
    return AnswerRecord(answer_id, "ann", question, question.fingerprint(), clock.now())


def numbered(clock: FakeClock, *events: Event, first: int = 1) -> list[NumberedEvent]:
    """Return events as they come."""
    return [NumberedEvent(number, clock.now(), event) for number, event in enumerate(events, first)]


async def kept(store: Store, clock: FakeClock, answer_id: str, text: str = "x", **fields: str) -> None:
    """Keep an answer with some text, and let it go."""
    await store.create(record_of(clock, answer_id, **fields))
    await store.append(answer_id, numbered(clock, Started(answer_id), PassStarted(1), TextDelta(1, text)))
    await store.end(answer_id)


async def test_a_record_is_found_as_it_was_kept(store: Store, clock: FakeClock) -> None:
    """By its identity and by its request; another's request, and none, find nothing."""
    record = await store.create(replace(record_of(clock, request_id="req_1"), session_expired=True))

    assert await store.find("ans_1") == record
    assert await store.find_by_request("ann", "req_1") == record
    assert await store.find_by_request("bob", "req_1") is None
    assert await store.find("ans_2") is None


async def test_a_request_id_stands_for_the_first_answer(store: Store, clock: FakeClock) -> None:
    """Whoever asks again gets that one; without a request id nothing is the same, nor is it for another caller."""
    first = await store.create(record_of(clock, request_id="req_1"))
    again = await store.create(record_of(clock, "ans_2", request_id="req_1"))
    others = [
        await store.create(replace(record_of(clock, "ans_3", request_id="req_1"), owner="bob")),
        await store.create(record_of(clock, "ans_4")),
        await store.create(record_of(clock, "ans_5")),
    ]

    assert again == first
    assert await store.find("ans_2") is None
    assert [each.answer_id for each in others] == ["ans_3", "ans_4", "ans_5"]
    assert await store.find_by_request("ann", "") is None


async def test_events_come_back_in_order_and_in_pages(store: Store, clock: FakeClock) -> None:
    """With their numbers, which may have a hole, and their dates; texts of any kind stay as they are."""
    texts = ["a\0b", "\u2028 'quoted' \"{,}\" \\n", "日本語 %s"]
    await store.create(record_of(clock))
    events = [
        *numbered(clock, Started("ans_1"), PassStarted(1)),
        *numbered(clock, *(TextDelta(1, text) for text in texts), first=67),
    ]
    await store.append("ans_1", events[:3])
    clock.advance(0.123456)
    await store.append("ans_1", events[3:])

    assert await store.read("ans_1", 0, 100) == tuple(events)
    assert await store.read("ans_1", 1, 2) == tuple(events[1:3])
    assert await store.read("ans_1", 2, 100) == tuple(events[2:])
    assert await store.read("ans_1", 69, 100) == ()
    assert await store.read("ans_2", 0, 100) == ()


async def test_what_is_kept_twice_is_there_once(store: Store, clock: FakeClock) -> None:
    """A batch whose acknowledgement was lost comes again, with more behind it."""
    await store.create(record_of(clock))
    events = numbered(clock, Started("ans_1"), PassStarted(1), TextDelta(1, "x"))
    await store.append("ans_1", events[:2])
    await store.append("ans_1", events)

    assert await store.read("ans_1", 0, 100) == tuple(events)


async def test_events_that_refer_to_nothing_are_not_kept(store: Store, clock: FakeClock) -> None:
    """An answer may be forgotten while it is made: nothing of it comes back."""
    await store.create(record_of(clock))
    await store.forget_session("ses_1")
    await store.append("ans_1", numbered(clock, Started("ans_1")))

    assert await store.read("ans_1", 0, 100) == ()
    assert await store.begin("ans_1") is Hold.REFUSED


async def test_an_answer_that_was_let_go_is_taken_up_clean(store: Store, clock: FakeClock) -> None:
    """One that was not may have shown more than is kept, whoever takes it up: that is told."""
    await kept(store, clock, "ans_1")
    first = await store.begin("ans_1")
    again = await store.begin("ans_1")
    await store.end("ans_1")

    assert (first, again) == (Hold.CLEAN, Hold.BROKEN)
    assert await store.begin("ans_1") is Hold.CLEAN


async def test_a_cancelled_answer_is_made_by_nobody(store: Store, clock: FakeClock) -> None:
    """It is known as cancelled, and cannot be held any more."""
    await kept(store, clock, "ans_1")
    is_elsewhere = await store.cancel("ans_1")
    found = await store.find("ans_1")

    assert not is_elsewhere
    assert found is not None
    assert found.is_cancelled
    assert await store.begin("ans_1") is Hold.REFUSED
    assert await store.begin("ans_2") is Hold.REFUSED


async def test_a_session_takes_its_answers_along(store: Store, clock: FakeClock) -> None:
    """With events and ratings; the answers of another session stay."""
    await kept(store, clock, "ans_1")
    await kept(store, clock, "ans_2", session_id="ses_2")
    await store.rate(Rating("ans_1", 5, "good"))
    await store.forget_session("ses_1")
    await store.rate(Rating("ans_1", 1))

    assert await store.find("ans_1") is None
    assert await store.read("ans_1", 0, 100) == ()
    assert len(await store.read("ans_2", 0, 100)) == 3


@pytest.mark.parametrize("is_forgotten", [False, True])
async def test_an_answer_is_kept_beside_one_that_is_there(store: Store, clock: FakeClock, is_forgotten: bool) -> None:
    """It is held, and goes with that; beside one that was forgotten nothing is kept."""
    await kept(store, clock, "ans_1")
    if is_forgotten:
        await store.forget_session("ses_1")
    beside = record_of(clock, "ans_1-shadow")
    is_kept = await store.create_beside(beside, "ans_1")
    found, hold = await store.find("ans_1-shadow"), await store.begin("ans_1-shadow")
    await store.forget_session("ses_1")
    left = await store.find("ans_1-shadow")

    assert is_kept is not is_forgotten
    assert (found, hold) == ((None, Hold.REFUSED) if is_forgotten else (beside, Hold.BROKEN))
    assert left is None


async def test_what_is_thought_of_an_answer_goes_with_it(store: Store, clock: FakeClock) -> None:
    """Also what is said of it once it is forgotten: its text would stay for ever."""
    counts = []
    await kept(store, clock, "ans_1")
    firsts = []
    for rating in (Rating("ans_1", 5, "good"), Rating("ans_1", 1, "bad")):
        firsts.append(await store.rate(rating))
        counts.append(await _ratings(store))
    (listed,) = await store.list_ratings("shop", "", 10)
    behind = await store.list_ratings("shop", listed.place, 10)
    await store.forget_session("ses_1")
    counts.append(await _ratings(store))
    firsts.append(await store.rate(Rating("ans_1", 3, "late")))
    counts.append(await _ratings(store))

    assert counts == [1, 1, 0, 0]
    assert (listed.answer_id, listed.rating, listed.comment, listed.create_time) == ("ans_1", 1, "bad", clock.now())
    assert behind == await store.list_ratings("shop", "", 10) == await store.list_ratings("other", "", 10) == ()
    assert firsts == [True, False, False]


async def _ratings(store: Store) -> int:
    if isinstance(store, PostgresAnswers):
        return len(await store._database.rows("SELECT 1 FROM cgrag_answer_ratings"))
    return await store._database.run(lambda each: len(each.execute("SELECT 1 FROM ratings").fetchall()))


async def test_a_removed_repository_takes_along_what_was_before(store: Store, clock: FakeClock) -> None:
    """Answers and debts; what came later, and what is about another one, stays."""
    gap = GapResult(Gap("g1", symbol="Vanish"), GapOutcome.ABSENT)
    await kept(store, clock, "ans_1")
    await kept(store, clock, "ans_2", repository="till")
    for repository in ("shop", "till"):
        await store.add_debts(repository, [gap])
    clock.advance(10)
    moment = clock.now() - timedelta(seconds=5)
    await kept(store, clock, "ans_3")
    await store.forget_repository("shop", moment)

    assert [await store.find(f"ans_{number}") is None for number in (1, 2, 3)] == [True, False, False]
    assert await store.list_debts("shop", "", 10) == ()
    assert len(await store.list_debts("till", "", 10)) == 1


async def test_debts_are_counted_and_listed_by_how_often_they_were_met(store: Store, clock: FakeClock) -> None:
    """What wants the same without regard to case is one; ties go by name, in one order everywhere."""
    absent = [GapResult(Gap("g", symbol=name), GapOutcome.ABSENT) for name in ("_b", "Alpha", "ALPHA", "beta\0", "a")]
    await store.add_debts("shop", absent)
    clock.advance(60)
    await store.add_debts("shop", [GapResult(Gap("g", symbol="Alpha"), GapOutcome.ABSENT), *absent[:1]])
    await store.add_debts("shop", [])
    listed = await store.list_debts("shop", "", 10)

    assert [(each.wanted, each.count) for each in listed] == [("alpha", 3), ("_b", 2), ("a", 1), ("beta", 1)]
    assert listed[0].outcome is GapOutcome.ABSENT
    assert listed[0].last_time == clock.now()
    assert listed[2].last_time == clock.now() - timedelta(seconds=60)
    assert await store.list_debts("shop", listed[0].place, 2) == listed[1:3]


async def test_debts_that_are_met_again_move_no_other_to_another_page(store: Store) -> None:
    """Who reads page after page meanwhile sees each of the others once."""
    debts = [GapResult(Gap("g", symbol=name), GapOutcome.ABSENT) for name in "abcd"]
    await store.add_debts("shop", debts)
    first = await store.list_debts("shop", "", 2)
    await store.add_debts("shop", debts[3:])
    second = await store.list_debts("shop", first[-1].place, 2)

    assert [[each.wanted for each in page] for page in (first, second)] == [["a", "b"], ["c"]]
    with pytest.raises(PageTokenInvalid, match="start again"):
        await store.list_debts("shop", "2", 2)


async def test_old_answers_go_when_others_come(opened: Opening, clock: FakeClock) -> None:
    """By their age; debts, too, if they were not met since."""
    store = opened(retention_days=1)
    await kept(store, clock, "ans_1")
    await store.add_debts("shop", [GapResult(Gap("g", symbol="Vanish"), GapOutcome.ABSENT)])
    clock.advance(86_401)
    later = opened(retention_days=1)
    await kept(later, clock, "ans_2")
    await opened.close(later)

    assert await store.find("ans_1") is None
    assert await store.read("ans_1", 0, 100) == ()
    assert await store.list_debts("shop", "", 10) == ()
    assert await store.find("ans_2") is not None


async def test_a_log_that_is_too_large_loses_its_oldest(opened: Opening, clock: FakeClock) -> None:
    """A tenth of the answers at a time, and none that fits."""
    store = opened()
    for number in range(20):
        clock.advance(1)
        await kept(store, clock, f"ans_{number:02}", text=_incompressible(8000))

    async def known(max_bytes: int) -> list[str]:
        other = opened(max_bytes=max_bytes)
        await kept(other, clock, f"ans_{max_bytes}")
        await opened.close(other)
        return [f"ans_{number:02}" for number in range(20) if await store.find(f"ans_{number:02}")]

    assert len(await known(10_000_000)) == 20
    assert await known(150_000) == [f"ans_{number:02}" for number in range(3, 20)]


def _incompressible(length: int) -> str:
    return "".join(chr(0x4E00 + (number * number * 7919 + number * 104729) % 20000) for number in range(length // 3))


async def test_the_room_of_what_went_is_given_back(tmp_path: Path, clock: FakeClock) -> None:
    """In the sweep that removes it: a file at its limit stays there, also if nobody asks any more."""
    file = tmp_path / "answers.db"
    full = SqliteAnswers(file, clock)
    for number in range(20):
        clock.advance(1)
        await kept(full, clock, f"ans_{number:02}", text=_incompressible(40_000))
    await full.close()
    before = file.stat().st_size
    swept = SqliteAnswers(file, clock, max_bytes=before // 2)
    await kept(swept, clock, "ans_20")
    await swept.close()

    assert file.stat().st_size < before * 0.95


async def test_the_room_of_what_was_forgotten_is_given_back(tmp_path: Path, clock: FakeClock) -> None:
    """By age, or with a repository, and piece by piece as others come: the file is not as large as it ever was."""
    file = tmp_path / "answers.db"
    store = SqliteAnswers(file, clock, retention_days=1)
    for number in range(60):
        await kept(store, clock, f"ans_{number:02}", text=_incompressible(100_000))
    await store.close()
    before = file.stat().st_size
    clock.advance(86_401)
    store = SqliteAnswers(file, clock, retention_days=1)
    await store.create(record_of(clock, "ans_60"))
    first = await store._database.run(lambda each: each.execute("PRAGMA page_count").fetchone()[0] * 4096)
    for number in range(61, 64):
        await kept(store, clock, f"ans_{number:02}")
    await store.close()

    assert before > first > file.stat().st_size
    assert file.stat().st_size < before * 0.1


async def test_answers_outlive_the_process(opened: Opening, clock: FakeClock) -> None:
    """What one has kept, the next one finds, with the same events."""
    first = opened()
    await kept(first, clock, "ans_1", request_id="req_1")
    await first.rate(Rating("ans_1", 3))
    events = await first.read("ans_1", 0, 100)
    await opened.close(first)
    second = opened()

    assert await second.find_by_request("ann", "req_1") is not None
    assert await second.read("ans_1", 0, 100) == events
