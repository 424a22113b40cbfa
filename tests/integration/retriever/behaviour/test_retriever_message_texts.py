"""Messages that code hands to a function of its own: no error string of the index has them, the code itself does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from common.core.contract.question import Anchors, StackFrame
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context, Task
from retriever.usecases.locating.messages import LOOKED_UP, matching_literals
from retriever.usecases.stages.behaviour.error_sites import ErrorSites
from retriever.usecases.tasks.judging import OrderJudge
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.adapters.snapshots.opening import OpenSnapshot
    from retriever.domain.values import Fact
    from retriever.ports import Facts

_REPORT = """\
class Report:
    def failed(self, path, why):
        err(f"problem: could not open {path}: {why}")

    def done(self):
        out("all doors are open")


def read(door):
    why = f"bent key{door}"
    return why


def warned(lock):
    out(f"Warning: lock may be {lock} soon")
"""
FILES = {
    "shop/report.py": _REPORT,
    "shop/gate.go": 'package shop\n\nfunc Gate() {\n\tsay("gate stays shut until %d", 4)\n}\n',
    "tests/test_report.py": (
        'def test_failed():\n    say("problem: could not open x: bent key")\n'
        '    assert said() == "all doors are open"\n'
    ),
}


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("problem: could not open a.txt: Bent key: 1:4", [("Report.failed", 3), ("read", 10)]),
        ("lock may be bent soon", [("warned", 15)]),
        ("All doors are open!", [("Report.done", 6)]),
        ("gate stays shut until 7", [("Gate", 4)]),
        ("open it", []),
        ("no such words anywhere", []),
    ],
)
def test_a_message_leads_to_the_texts_that_it_was_made_of(
    opened: OpenSnapshot, message: str, found: list[tuple[str, int]]
) -> None:
    """
    Each part counts by itself; what stands there as a whole comes first, then the most alike.

    Values do not count, nor does a level before a text; and tests that expect it made nothing.
    """
    sites = matching_literals(opened.snapshot, message)

    assert [(symbol.qualified_name, line) for symbol, line, *_ in sites] == found


async def test_it_is_a_site_of_the_error(opened: OpenSnapshot) -> None:
    """It comes with the line that must be seen, before what only ranks well; a test that expects it is none."""
    anchors = Anchors(error_messages=("All doors are open",))
    task = Task("Why does it say so?", Mode.DIAGNOSTIC, anchors)

    context = await ErrorSites().run(Context(), opened.snapshot, task, OrderJudge())

    (site,) = context.candidates
    assert (site.symbol.qualified_name, site.reason) == ("Report.done", "holds the text 'all doors are open'")
    assert site.focus == (6,)


class _Asked:
    """Facts that hold no message, and remember how often they were asked for one."""

    def __init__(self) -> None:
        self.times = 0

    def messages(self, words: Sequence[str], limit: int) -> tuple[tuple[Fact, float], ...]:
        self.times += 1
        return ()

    def with_value(self, *_: object) -> tuple[Fact, ...]:
        return ()

    def of(self, *_: object) -> tuple[Fact, ...]:
        return ()


async def test_of_a_log_the_first_messages_are_looked_up(opened: OpenSnapshot) -> None:
    """A request may name ten thousand, and each takes long enough to be noticed by other callers."""
    asked = _Asked()
    snapshot = replace(opened.snapshot, facts=cast("Facts", asked))
    messages = ("nothing says that", *(f"no such words as {'x' * number}" for number in range(10_000)))
    task = Task("Why does it fail?", Mode.DIAGNOSTIC, Anchors(error_messages=messages))

    await ErrorSites().run(Context(), snapshot, task, OrderJudge())

    assert asked.times == LOOKED_UP


async def test_no_message_is_looked_up_where_frames_show_enough() -> None:
    """The sites that are kept are the first, and frames go before messages."""
    source = "".join(f"def f{number}():\n    pass\n" for number in range(8))
    asked = _Asked()
    snapshot = replace(opened_tree({"a.py": source}).snapshot, facts=cast("Facts", asked))
    frames = tuple(StackFrame("a.py", 2 * number + 2, f"f{number}") for number in range(8))
    task = Task("Why?", Mode.DIAGNOSTIC, Anchors(frames=frames, error_messages=("no such words",)))

    context = await ErrorSites().run(Context(), snapshot, task, OrderJudge())

    assert [each.symbol.name for each in context.candidates] == ["f7", "f6", "f5", "f4", "f3"]
    assert asked.times == 0
