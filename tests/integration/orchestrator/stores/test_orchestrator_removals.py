"""Answers and sessions go with their repository."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2

from common.core.contract.evidence import Gap, GapOutcome
from common.core.removals import Removal
from common.rpc.access.proofs import Verifier
from common.rpc.access.rights import Role
from common.rpc.callers import PROOF_KEY
from common.rpc.serving.mirroring import to_message
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.domain.answers.events import NumberedEvent, Started
from orchestrator.domain.answers.records import AnswerRecord, Question, Rating
from orchestrator.domain.evidence.piece import GapResult
from tests.e2e.guarded import metadata_of
from tests.fakes.clock import FakeClock
from tests.fakes.orchestrating import orchestrating
from tests.fakes.peers import REPOSITORY, FakeRetriever
from tests.integration.orchestrator.stores.test_orchestrator_quotas import CONTRACT, KEY, guarded

LATER = timedelta(hours=1)


class Removing(FakeRetriever):
    """Tells of removals, one a page, and remembers who asked."""

    def __init__(self) -> None:
        super().__init__()
        self.removals: list[Removal] = []
        self.came: list[dict[str, Any]] = []
        self.told = asyncio.Semaphore(0)

    async def ListRemovals(self, request: Any, context: Any) -> retriever_pb2.ListRemovalsResponse:
        """Tell of the next one."""
        self.came.append(dict(context.invocation_metadata()))
        at = int(request.page_token or 0)
        page = [to_message(each, retriever_pb2.Removal) for each in self.removals[at : at + 1]]
        self.told.release()
        more = str(at + 1) if at + 1 < len(self.removals) else ""
        return retriever_pb2.ListRemovalsResponse(removals=page, next_page_token=more)


async def _soon_refused(call: Any, request: Any, **options: Any) -> grpc.StatusCode:
    """Return what a call is refused with in the end."""
    for _ in range(100):
        try:
            await call(request, **options)
        except grpc.aio.AioRpcError as error:
            return error.code()
        await asyncio.sleep(0.05)
    return grpc.StatusCode.OK


async def test_answers_and_sessions_of_a_removed_repository_are_unknown() -> None:
    """Soon after the retriever tells of it; a repository that another page tells of loses nothing else."""
    retriever = Removing()
    async with orchestrating(retriever, removals_seconds=0.1) as suite:
        events = await suite.ask()
        answer, session = events[0].answer_id, events[0].started.session_id
        retriever.removals = [Removal(name, datetime.now(UTC), indexed_again=False) for name in ("other", REPOSITORY)]
        codes = [
            await _soon_refused(suite.stub.GetAnswer, pb.GetAnswerRequest(answer_id=answer)),
            await _soon_refused(suite.stub.GetSession, pb.GetSessionRequest(session_id=session)),
        ]

    assert codes == [grpc.StatusCode.NOT_FOUND] * 2


async def test_who_was_away_when_it_was_removed_forgets_when_it_is_back(tmp_path: Path) -> None:
    """Nothing is lost with the process that did not hear of it."""
    async with orchestrating(data_dir=tmp_path) as before:
        events = await before.ask()
    retriever = Removing()
    retriever.removals = [Removal(REPOSITORY, datetime.now(UTC), indexed_again=True)]
    async with orchestrating(retriever, data_dir=tmp_path, removals_seconds=0.1) as suite:
        request = pb.GetAnswerRequest(answer_id=events[0].answer_id)
        code = await _soon_refused(suite.stub.GetAnswer, request)

    assert code is grpc.StatusCode.NOT_FOUND


async def test_what_was_asked_after_a_removal_stays() -> None:
    """A repository of the same name is another one."""
    retriever = Removing()
    retriever.removals = [Removal(REPOSITORY, datetime.now(UTC) - LATER, indexed_again=True)]
    async with orchestrating(retriever, removals_seconds=0.1) as suite:
        events = await suite.ask()
        for _ in range(len(retriever.came) + 2):
            await retriever.told.acquire()
        answer = await suite.stub.GetAnswer(pb.GetAnswerRequest(answer_id=events[0].answer_id))

    assert answer.answer_id == events[0].answer_id


async def test_removals_are_asked_for_with_a_proof_that_only_reads(tmp_path: Path) -> None:
    """Where callers have to show who they are the orchestrator does, as nobody's helper; the answers go there too."""
    retriever = Removing()
    async with guarded(tmp_path, retriever=retriever, removals_seconds=0.1) as suite:
        events = await suite.ask(metadata=metadata_of("anna"))
        retriever.removals = [Removal(REPOSITORY, datetime.now(UTC), indexed_again=False)]
        request = pb.GetAnswerRequest(answer_id=events[0].answer_id)
        code = await _soon_refused(suite.stub.GetAnswer, request, metadata=metadata_of("anna"))
    clock = FakeClock()
    clock.jump(-86_400 * 365 * 30)  # long before the proof ends
    proven = Verifier(lambda: (KEY.encode(),), (CONTRACT,), clock).read(retriever.came[0][PROOF_KEY])

    assert code is grpc.StatusCode.NOT_FOUND
    assert (proven.name, proven.rights.roles) == ("orchestrator", frozenset({Role.READER}))
    assert proven.rights.repositories.match("any")


async def test_nothing_is_left_of_an_answer(tmp_path: Path) -> None:
    """Its events, its rating, its request id and why its gaps stayed open go; those of later and of others stay."""
    clock = FakeClock()
    answers = SqliteAnswers(tmp_path / "answers.db", clock)
    gap = GapResult(Gap("g1", symbol="Vanish"), GapOutcome.ABSENT, "no symbol Vanish")
    records = [
        AnswerRecord(f"{name}-{hours}", "me", Question(name, "?", request_id=f"{name}-{hours}"), "", when)
        for name in ("shop", "other")
        for hours, when in ((0, clock.now()), (2, clock.now() + 2 * LATER))
    ]
    for each in records:
        await answers.create(each)
        await answers.append(each.answer_id, [NumberedEvent(1, clock.now(), Started(each.answer_id))])
        await answers.rate(Rating(each.answer_id, 5))
        await answers.add_debts(each.question.repository, [gap])
    for _ in range(2):
        await answers.forget_repository("shop", clock.now() + LATER)
    found = {each.answer_id for each in records if await answers.find(each.answer_id)}
    events = {each.answer_id for each in records if await answers.read(each.answer_id, 0, 9)}
    debts = [len(await answers.list_debts(name, "", 9)) for name in ("shop", "other")]
    known = await answers.find_by_request("me", "shop-0")
    await answers.close()

    assert found == events == {"shop-2", "other-0", "other-2"}
    assert debts == [0, 1]
    assert known is None
