"""What a question may cost that names parts of the code without end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

import pytest

from retriever.domain.context import Context, Task
from retriever.domain.question import Mode
from retriever.usecases.stages.scope import Scope

if TYPE_CHECKING:
    from retriever.ports import Judge, Snapshot


class _NothingThere:
    """A snapshot in which nothing that is named exists."""

    def __init__(self) -> None:
        self.files = self
        self.asked = 0

    def folders(self) -> dict[str, bool]:
        self.asked += 1
        return {}

    def at(self, _path: str) -> None:
        return None

    def with_stem(self, _name: str) -> tuple[()]:
        return ()


async def _scope(snapshot: _NothingThere, question: str) -> str:
    task = Task(question, Mode.ANALYTICAL)
    return (await Scope().run(Context(), cast("Snapshot", snapshot), task, cast("Judge", None))).scope


@pytest.mark.parametrize("unit", ["a.", "a", "-", "a/"])
async def test_a_question_of_names_is_read_once(unit: str) -> None:
    """As long as one may be: a retriever that read it answered nobody any more."""
    began = time.process_time()

    assert not await _scope(_NothingThere(), unit * (100_000 // len(unit)))
    assert time.process_time() - began < 2


async def test_of_very_many_folders_some_are_looked_up() -> None:
    """Each is sought among all folders and files."""
    snapshot = _NothingThere()

    assert not await _scope(snapshot, " ".join(f"lib/a{number}" for number in range(10_000)))
    assert snapshot.asked <= 200
