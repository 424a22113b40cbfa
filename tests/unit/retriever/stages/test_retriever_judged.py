"""The judge has the last word on what a stage offers, within the bounds of the stage."""

from __future__ import annotations

import pytest

from retriever.domain.tasks.task import TaskContext
from retriever.domain.values import File
from retriever.ports import JudgeRequest, Verdict
from retriever.usecases.tasks.judged import file_candidate, judged


class _Judge:
    """Says what it was told to say, and remembers what it was asked."""

    def __init__(self, *kept: int) -> None:
        self._verdict = Verdict(kept, text="because", latency_ms=7.5, tokens=11)
        self.asked: list[JudgeRequest] = []

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Choose."""
        self.asked.append(request)
        return self._verdict


_CANDIDATES = [
    file_candidate(File(n, f"{name}.py", "python", name, 9, False), "dependency", f"imported by {name}", 1.0)
    for n, name in enumerate("abc", start=1)
]


@pytest.mark.parametrize(("said", "kept"), [((2, 0), (2, 0)), ((1, 1, 0, 2), (1, 0)), ((9, 3, -1, 1), (1,)), ((), ())])
async def test_the_judge_decides_within_bounds(said: tuple[int, ...], kept: tuple[int, ...]) -> None:
    """Positions that do not exist, repetitions and too many are dropped."""
    found = await judged(_Judge(*said), "scope", TaskContext("do it"), _CANDIDATES, 2)

    assert found.kept == kept
    assert [each.included for each in found.decisions] == [position in kept for position in range(3)]


async def test_each_decision_has_the_judges_input_and_output() -> None:
    """With latency and tokens, so that a decision can be understood later."""
    judge = _Judge(0)

    found = await judged(judge, "scope", TaskContext("do it"), _CANDIDATES, 2)

    last = found.decisions[2]
    assert (judge.asked[0].task, len(judge.asked[0].candidates)) == ("do it", 3)
    assert (last.judge_output, last.judge_latency_ms, last.judge_tokens) == ("because", 7.5, 11)
    assert last.judge_input == "candidate 3 of 3, at most 2 kept"
    assert last.reason == "the judge kept others; imported by c"


async def test_nobody_is_asked_about_nothing() -> None:
    """A stage without candidates costs no call."""
    judge = _Judge()

    await judged(judge, "scope", TaskContext("do it"), [], 2)

    assert judge.asked == []


@pytest.mark.parametrize(("lines", "last"), [(0, 1), (1, 1), (9, 9)])
def test_a_file_stands_as_all_of_its_lines(lines: int, last: int) -> None:
    """An empty one as the first line, so that it has a place."""
    span = file_candidate(File(1, "a.py", "python", "a", lines, False), "dependency", "imported", 1.0).symbol.span

    assert (span.start_line, span.end_line) == (1, last)
