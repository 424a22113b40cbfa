"""The decision log: append-only, apart by repository, and forgotten in time."""

from __future__ import annotations

from pathlib import Path

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb

from retriever.adapters.decision_log import SqliteDecisionLog
from retriever.domain.evidence import Decision
from retriever.domain.values import Span
from tests.fakes.clock import FakeClock
from tests.integration.retriever.conftest import Retriever

_DAY = 86400


def _decision(number: int) -> Decision:
    return Decision(
        stage="sources",
        step="callers hop 2",
        subject=Span("a.py", number, number + 1),
        qualified_name="A.b",
        included=number % 2 == 0,
        reason="calls it",
        score=0.5,
        judge_input="which?",
        judge_output="this",
        judge_latency_ms=1.5,
        judge_tokens=7,
    )


def _log(path: Path, clock: FakeClock, *, retrievals: int = 100) -> SqliteDecisionLog:
    return SqliteDecisionLog(path / "retriever/decisions.db", clock, days=7, retrievals=retrievals)


async def test_decisions_come_back_whole_and_in_order(tmp_path: Path) -> None:
    """A second addition goes on where the first ended, also in another process."""
    clock = FakeClock()
    first = _log(tmp_path, clock)
    await first.append("shop", "ret_1", [_decision(1), _decision(2)])
    first.close()
    second = _log(tmp_path, clock)
    await second.append("shop", "ret_1", [_decision(3)])

    found = await second.read("shop", "ret_1", 1, 10)

    assert found == ((2, _decision(2)), (3, _decision(3)))
    second.close()


async def test_equal_ids_of_two_repositories_are_apart(tmp_path: Path) -> None:
    """Nobody reads the log of a repository that he did not name."""
    log = _log(tmp_path, FakeClock())
    await log.append("shop", "ret_1", [_decision(1)])

    assert await log.read("other", "ret_1", 0, 10) == ()
    log.close()


@pytest.mark.parametrize(("days", "retrievals", "left"), [(8, 1000, 0), (6, 1000, 1), (0, 1, 0)])
async def test_old_and_surplus_retrievals_are_forgotten(tmp_path: Path, days: int, retrievals: int, left: int) -> None:
    """By age, and the oldest first when there are too many."""
    clock = FakeClock()
    log = _log(tmp_path, clock, retrievals=retrievals)
    await log.append("shop", "old", [_decision(1)])
    clock.advance(days * _DAY + 1)
    for number in range(200):
        await log.append("shop", f"new_{number}", [_decision(number)])

    assert len(await log.read("shop", "old", 0, 10)) == left
    assert len(await log.read("shop", "new_199", 0, 10)) == 1
    log.close()


async def test_what_matched_nothing_is_logged_as_an_attempt(retriever: Retriever) -> None:
    """A task and a question without a word of the index leave one decision each, so that they are not unknown."""
    task = pb.BuildContextRequest(
        repository="shop", task="的 zzzz ????", task_id="none", stages=["scope", "precision"], context_window_tokens=900
    )
    package = await retriever.stub.BuildContext(task)
    answer = await retriever.stub.Retrieve(pb.RetrieveRequest(repository="shop", question="的 zzzz ????"))

    of_task = await retriever.stub.ListDecisions(pb.ListDecisionsRequest(repository="shop", retrieval_id="none"))
    listed = pb.ListDecisionsRequest(repository="shop", retrieval_id=answer.retrieval_id)
    of_question = await retriever.stub.ListDecisions(listed)

    assert not package.entries
    assert not answer.evidence
    for found, stage in ((of_task.decisions, "seeds"), (of_question.decisions, "search")):
        assert [(each.stage, each.step, each.included) for each in found] == [(stage, "attempt", False)]
        assert "nothing in the index" in found[0].reason


async def test_decisions_of_a_removed_repository_go(tmp_path: Path) -> None:
    """What was kept before a moment; later ones, and those of other repositories, stay."""
    clock = FakeClock()
    log = _log(tmp_path, clock)
    for name in ("shop", "other"):
        await log.append(name, "before", [_decision(1)])
    clock.advance(1)
    removed = clock.now()
    await log.append("shop", "after", [_decision(1)])
    await log.forget_repository("shop", removed)

    assert await log.read("shop", "before", 0, 10) == ()
    assert len(await log.read("shop", "after", 0, 10)) == 1
    assert len(await log.read("other", "before", 0, 10)) == 1
    log.close()
