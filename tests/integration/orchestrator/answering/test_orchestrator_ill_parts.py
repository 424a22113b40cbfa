"""A classifier, or a store of sessions, that is there and does not answer: answers stop waiting for it."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.fakes.orchestrating import QUESTION, orchestrating
from tests.fakes.peers import REPOSITORY, FakeClassifier

HANGING = 3600.0
PATIENCE = 0.3


async def test_a_classifier_that_hangs_is_left_alone() -> None:
    """The first answers wait for it; then a rule chooses the mode at once, and says why."""
    async with orchestrating(None, FakeClassifier(delay=HANGING), classification_seconds=PATIENCE) as suite:
        answers = [await suite.ask() for _ in range(5)]
    warnings = [each.warning.message for events in answers for each in events if each.HasField("warning")]

    assert len(suite.classifier.requests) == 3
    assert all(list(events[-1].completed.answer.degraded) == ["classifier"] for events in answers)
    assert "did not answer in 0.3 s" in warnings[0]
    assert "failed 3 times in a row; it is tried again in" in warnings[3]


@pytest.mark.alone
async def test_callers_in_a_hurry_make_no_classifier_ill() -> None:
    """A classifier that has only part of a second to answer is asked again, however often that is too little."""
    async with orchestrating(None, FakeClassifier(delay=0.7)) as suite:
        for _ in range(4):
            request = pb.AskRequest(repository=REPOSITORY, question=QUESTION)
            assert [event async for event in suite.stub.Ask(request, timeout=0.9)]

    assert len(suite.classifier.requests) == 4


@contextmanager
def silent_server(folder: Path) -> Iterator[str]:
    """Take connections and say nothing; gives its URL."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        server.listen(64)
        taken: list[socket.socket] = []
        threading.Thread(target=_take_all, args=(server, taken), daemon=True).start()
        try:
            yield f"unix://{folder / 's'}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            for each in taken:
                each.close()


def _take_all(server: socket.socket, taken: list[socket.socket]) -> None:
    try:
        while True:
            taken.append(server.accept()[0])
    except OSError:
        return


async def test_a_session_store_that_hangs_is_left_alone(tmp_path: Path) -> None:
    """Answers are stateless then, and the fourth is so at once."""
    with silent_server(tmp_path) as url:
        async with orchestrating(session_store_url=url) as suite:
            first = await asyncio.gather(*(suite.answer() for _ in range(3)))
            began = time.monotonic()
            fourth = await suite.answer()
            seconds = time.monotonic() - began

    assert all(list(each.degraded) == ["sessions"] and each.citations for each in (*first, fourth))
    assert seconds < 1.5
