"""Sessions, in every store alike: owned, listed, bounded, and remembering what holds for a snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from common.core.contract.evidence import Gap, GapOutcome
from common.core.errors import DependencyUnavailable, PageTokenInvalid, StartupError
from common.stores.valkey import client_at
from orchestrator.adapters.stores.sqlite_sessions import SqliteSessions
from orchestrator.adapters.stores.valkey_sessions import ValkeySessions
from orchestrator.domain.answers.errors import SessionNotFound
from orchestrator.domain.evidence.piece import Evidence, GapResult
from orchestrator.domain.questions.sessions import SessionMemory, Shown
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SequentialIds
from tests.fakes.orchestrating import orchestrating
from tests.fakes.valkey_server import needs_server, valkey_server

ABSENT = GapResult(Gap("g1", symbol="Vanish"), GapOutcome.ABSENT, "no symbol Vanish")


@dataclass
class Store:
    """A session store; lets time pass where time is the test's. To `late` each session is an expired one."""

    sessions: SqliteSessions | ValkeySessions
    late: SqliteSessions | ValkeySessions
    advance: Callable[[float], None]
    evicted: list[int] = field(default_factory=list)


@pytest.fixture(params=["sqlite", pytest.param("valkey", marks=needs_server)])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """Open a store; close it at the end."""
    evicted: list[int] = []
    limits: dict[str, Any] = {"lifetime_seconds": 1800, "max_evidence": 50, "evicted": evicted.append}
    if request.param == "sqlite":
        clock = FakeClock()
        file, time = tmp_path / "sessions.db", clock.monotonic
        embedded = SqliteSessions(file, SequentialIds(), monotonic=time, **limits)
        late = SqliteSessions(file, SequentialIds(), monotonic=time, **{**limits, "lifetime_seconds": 0})
        yield Store(embedded, late, clock.advance, evicted)
        await late.close()
        await embedded.close()
        return
    with valkey_server(tmp_path) as url:
        shared = ValkeySessions.at(url, SequentialIds(), **limits)
        idle = ValkeySessions.at(url, SequentialIds(), **{**limits, "lifetime_seconds": 0})
        yield Store(shared, idle, lambda _: None, evicted)
        await idle.close()
        await shared.close()


async def test_the_fifty_first_piece_evicts_the_least_recently_used(store: Store) -> None:
    """Fifty pieces stay; what was used again is not the one that goes."""
    session = await store.sessions.create("me", "shop")
    pieces = [Evidence(f"e{number}", text="x") for number in range(50)]
    await store.sessions.remember(session.session_id, "s1", pieces, ())
    await store.sessions.remember(session.session_id, "s1", pieces[:1], ())

    await store.sessions.remember(session.session_id, "s1", [Evidence("e50")], ())

    kept = [each.evidence_id for each in (await store.sessions.load(session.session_id, "s1")).evidence]
    assert len(kept) == 50
    assert kept[:2] == ["e50", "e0"]
    assert "e1" not in kept
    assert store.evicted == [1]


async def test_a_memory_holds_for_its_snapshot_only(store: Store) -> None:
    """When code or layers change, neither evidence nor absences of before count; another answer forgets them."""
    session = await store.sessions.create("me", "shop")
    await store.sessions.remember(session.session_id, "s1", [Evidence("e1")], [ABSENT])

    before = await store.sessions.load(session.session_id, "s1")
    other = await store.sessions.load(session.session_id, "s2")
    await store.sessions.remember(session.session_id, "s2", [], [])
    later = await store.sessions.load(session.session_id, "s1")

    assert (len(before.evidence), before.absences) == (1, (ABSENT,))
    assert (other.evidence, other.absences) == ((), ())
    assert later.absences == ()


async def test_what_was_shown_for_a_question_is_remembered_with_its_session(store: Store) -> None:
    """The order of supply comes back for the same snapshot, and is forgotten with the session's memory."""
    session = await store.sessions.create("me", "shop")
    shown = Shown("key", ("e2", "e1"))
    await store.sessions.remember(session.session_id, "s1", [Evidence("e1"), Evidence("e2")], (), shown)

    kept = await store.sessions.load(session.session_id, "s1")
    other = await store.sessions.load(session.session_id, "s2")

    assert kept.shown == {"key": ("e2", "e1")}
    assert other.shown == {}


async def test_a_foreign_session_looks_like_none(store: Store) -> None:
    """Neither reading nor deleting tells another caller that a session exists."""
    session = await store.sessions.create("me", "shop")

    for session_id, owner in ((session.session_id, "eve"), ("ses_guess", "me")):
        with pytest.raises(SessionNotFound):
            await store.sessions.find(session_id, owner)
        with pytest.raises(SessionNotFound):
            await store.sessions.delete(session_id, owner)


async def test_sessions_are_listed_last_used_first(store: Store) -> None:
    """A page goes on behind the last session of the one before."""
    made = []
    for _ in range(3):
        made.append((await store.sessions.create("me", "shop")).session_id)
        store.advance(1)
    await store.sessions.load(made[0], "s1")

    first = await store.sessions.list("me", "", 2)
    second = await store.sessions.list("me", first[-1].place, 2)

    assert [each.session_id for each in first + second] == [made[0], made[2], made[1]]
    assert first[0].create_time < first[0].last_use_time


async def test_pages_go_on_though_the_last_session_is_used_or_gone(store: Store) -> None:
    """Its place is what counts: nothing is read twice, and nothing behind it is left out."""
    made = []
    for _ in range(4):
        made.append((await store.sessions.create("me", "shop")).session_id)
        store.advance(1)
    first = await store.sessions.list("me", "", 2)
    await store.sessions.load(first[-1].session_id, "s1")
    after_use = await store.sessions.list("me", first[-1].place, 2)
    await store.sessions.delete(first[-1].session_id, "me")
    after_removal = await store.sessions.list("me", first[-1].place, 2)

    assert [each.session_id for each in first] == [made[3], made[2]]
    assert [each.session_id for each in after_use] == [made[1], made[0]]
    assert [each.session_id for each in after_removal] == [made[1], made[0]]


async def test_a_place_of_an_earlier_release_is_refused(store: Store) -> None:
    """There it was an id: whoever comes with one is told to begin again."""
    session = await store.sessions.create("me", "shop")

    for place in (session.session_id, "1 ", " ses_1"):
        with pytest.raises(PageTokenInvalid):
            await store.sessions.list("me", place, 2)


async def test_an_expired_session_remembers_nothing_more_and_counts_nothing(store: Store) -> None:
    """Also while what it remembered is still there; neither reading nor writing brings it back to life."""
    session = await store.sessions.create("me", "shop")
    await store.sessions.remember(session.session_id, "s1", [Evidence("e1")], [ABSENT])
    before, _ = await store.sessions.find(session.session_id, "me")
    store.advance(1)
    found, is_expired = await store.late.find(session.session_id, "me")
    loaded = await store.late.load(session.session_id, "s1")
    await store.late.remember(session.session_id, "s1", [Evidence("e2")], [])
    listed = await store.late.list("me", "", 10)
    after, _ = await store.sessions.find(session.session_id, "me")
    kept = await store.sessions.load(session.session_id, "s1")

    assert (is_expired, found.cached_evidence, found.remembered_absences) == (True, 0, 0)
    assert (loaded, listed) == (SessionMemory(), ())
    assert (after.last_use_time, after.cached_evidence) == (before.last_use_time, 1)
    assert [each.evidence_id for each in kept.evidence] == ["e1"]
    assert store.evicted == []


async def test_an_unknown_session_remembers_nothing(store: Store) -> None:
    """Whatever its name is made of, and even if somebody wants to keep something under it."""
    session = await store.sessions.create("me", "shop")
    for name in ("ses_guess", f"{session.session_id}:nodes", "", "s", "*"):
        await store.sessions.remember(name, "s1", [Evidence("e1")], [ABSENT])

        assert await store.sessions.load(name, "s1") == SessionMemory()
        with pytest.raises(SessionNotFound):
            await store.sessions.find(name, "me")
    assert store.evicted == []


async def test_a_session_tells_its_sizes_and_is_forgotten_whole(store: Store) -> None:
    """What a caller sees of it, and that nothing is left when it is deleted."""
    session = await store.sessions.create("me", "shop")
    shown = Shown("key", ("e1",))
    await store.sessions.remember(session.session_id, "s1", [Evidence("e1"), Evidence("e2")], [ABSENT], shown)
    found, is_expired = await store.sessions.find(session.session_id, "me")
    await store.sessions.delete(session.session_id, "me")

    assert (found.repository, found.cached_evidence, found.remembered_absences, is_expired) == ("shop", 2, 1, False)
    assert found.create_time <= found.last_use_time < found.expire_time
    assert await store.sessions.list("me", "", 10) == ()
    assert await store.sessions.load(session.session_id, "s1") == SessionMemory()


@needs_server
async def test_idle_sessions_expire_by_the_servers_time(tmp_path: Path) -> None:
    """An expired session is known as one for a day, counts no more, and remembers nothing; no key stays for ever."""
    counted: list[int] = []
    ids = SequentialIds()
    with valkey_server(tmp_path) as url:
        store = ValkeySessions.at(url, ids, lifetime_seconds=0.2, counted=counted.append)
        session = await store.create("me", "shop")
        await store.remember(session.session_id, "s1", [Evidence("e1")], [ABSENT])
        ends = {key: await store._client.ttl(key) async for key in store._client.scan_iter("*")}  # one sees it so
        async with asyncio.timeout(30):
            found, is_expired = await store.find(session.session_id, "me")
            while not is_expired or found.cached_evidence:  # what it remembers was kept later, and goes later
                await asyncio.sleep(0.02)
                found, is_expired = await store.find(session.session_id, "me")
        listed = await store.list("me", "", 10)
        memory = await store.load(session.session_id, "s1")
        idle = ValkeySessions.at(url, ids, lifetime_seconds=0.0, counted=counted.append)
        await idle.create("me", "shop")
        await idle.close()
        await store.close()

    assert ends[f"cgrag:session:{session.session_id}"] == pytest.approx(86_400, abs=60)
    assert -1 not in ends.values()
    assert counted == [1, 1]
    assert is_expired
    assert (found.cached_evidence, found.remembered_absences) == (0, 0)
    assert listed == ()
    assert memory == SessionMemory()


@needs_server
async def test_use_prolongs_all_that_the_server_keeps_of_a_session(tmp_path: Path) -> None:
    """Itself and the lists that it is in by a day more than what it remembers."""
    with valkey_server(tmp_path) as url:
        store = ValkeySessions.at(url, SequentialIds(), lifetime_seconds=1800)
        session = await store.create("me", "shop")
        await store.remember(session.session_id, "s1", [Evidence("e1")], [ABSENT], Shown("key", ("e1",)))
        keys = [key async for key in store._client.scan_iter("*")]
        for key in keys:
            await store._client.expire(key, 60)
        await store.load(session.session_id, "s1")
        ends = {key: await store._client.ttl(key) for key in keys}
        await store.close()

    assert len(ends) == 9
    for key, seconds in ends.items():
        assert seconds == pytest.approx(1800 if "session-" in key else 88_200, abs=60), key


@needs_server
async def test_a_session_goes_on_at_another_replica(tmp_path: Path) -> None:
    """What one orchestrator has shown, the next one knows, though the first is gone; without the server it goes on."""
    with valkey_server(tmp_path) as url:
        async with orchestrating(session_store_url=url) as first:
            before = await first.answer()
        async with orchestrating(session_store_url=url) as second:
            after = await second.answer(session_id=before.session_id)
            sessions = await second.stub.ListSessions(pb.ListSessionsRequest())

    async with orchestrating(session_store_url=url) as alone:
        lonely = await alone.answer()

    assert after.session_id == before.session_id
    assert after.metadata.cache_used
    assert [each.session_id for each in sessions.sessions] == [before.session_id]
    assert (lonely.session_id, list(lonely.degraded)) == ("", ["sessions"])
    assert lonely.citations


async def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The setting is named."""
    store = ValkeySessions.at(f"unix://{tmp_path}/none", SequentialIds())
    with pytest.raises(DependencyUnavailable, match="session_store_url"):
        await store.create("me", "shop")
    with pytest.raises(DependencyUnavailable, match="session_store_url"):
        await store.list("me", "", 1)
    await store.close()


def test_an_address_of_sessions_that_is_none_is_refused_without_repeating_it() -> None:
    """It may hold a password."""
    with pytest.raises(StartupError, match="session_store_url") as refused:
        ValkeySessions.at("secret@nowhere", SequentialIds())

    assert "secret" not in str(refused.value)


async def test_sessions_of_a_removed_repository_go_with_their_memory(store: Store) -> None:
    """What was opened before a moment; later ones and those of other repositories stay."""
    assert isinstance(store.sessions, SqliteSessions | ValkeySessions)
    mine, other = await store.sessions.create("me", "shop"), await store.sessions.create("me", "till")
    await store.sessions.remember(mine.session_id, "s1", [Evidence("e1")], [ABSENT])
    # Stores keep moments as fractions of seconds, which are no whole microseconds.
    await store.sessions.forget_repository("shop", mine.create_time - timedelta(milliseconds=1))
    early = await store.sessions.load(mine.session_id, "s1")
    await store.sessions.forget_repository("shop", mine.create_time + timedelta(seconds=1))

    assert early.evidence
    assert await store.sessions.load(mine.session_id, "s1") == SessionMemory()
    assert [each.session_id for each in await store.sessions.list("me", "", 10)] == [other.session_id]
    with pytest.raises(SessionNotFound):
        await store.sessions.find(mine.session_id, "me")


@needs_server
@pytest.mark.parametrize("removed", ["session", "repository"])
async def test_a_server_keeps_nothing_of_a_removed_session(tmp_path: Path, removed: str) -> None:
    """No text of evidence stays behind under another key."""
    with valkey_server(tmp_path) as url:
        sessions = ValkeySessions.at(url, SequentialIds())
        session = await sessions.create("me", "shop")
        shown = Shown("how?", ("e1",))
        await sessions.remember(session.session_id, "s1", [Evidence("e1", text="x")], [ABSENT], shown)
        client = client_at(url, "session_store_url")
        before = await client.keys(f"*{session.session_id}*")
        if removed == "session":
            await sessions.delete(session.session_id, "me")
        else:
            await sessions.forget_repository("shop", session.create_time + timedelta(seconds=1))
        after = await client.keys("*")
        await client.aclose()
        await sessions.close()

    assert len(before) > 1
    assert after == []
