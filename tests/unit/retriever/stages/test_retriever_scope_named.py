"""What a question may cost that names parts of the code without end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

import pytest

from retriever.domain.questions.question import Mode, RankedFile, Ranking
from retriever.domain.tasks.context import Context
from retriever.domain.values import File
from retriever.usecases.stages.structure.scope import Scope
from tests.fakes.reading import task_of

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


async def _scope(snapshot: _NothingThere, question: str, *paths: str) -> str:
    files = tuple(RankedFile(File(at, path, "python", path, 1, is_test=False), 1.0) for at, path in enumerate(paths, 1))
    context, task = Context(ranking=Ranking(files=files)), task_of(question, Mode.ANALYTICAL)
    return (await Scope().run(context, cast("Snapshot", snapshot), task, cast("Judge", None))).scope


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("How complex is the parser?", "src/shop/parser/"),
        ("Review the till handlers", "src/till_handlers/"),
        ("Review the till", "src/till/"),
        ("How complex is the code?", ""),
        ("Which findings are there in the benchmarks?", "utils/"),
    ],
)
async def test_a_folder_that_is_called_like_what_is_asked_about_is_meant(question: str, scope: str) -> None:
    """Not the one that most matches lie in, which hold the word too; the longer name says more."""
    matches = ("utils/parse.py", "utils/parser.py", "utils/bench.py")
    called = ("src/shop/parser/a.py", "src/till_handlers/a.py", "src/till/b.py", "src/till/c.py")

    assert await _scope(_NothingThere(), question, *matches, *called) == scope


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
