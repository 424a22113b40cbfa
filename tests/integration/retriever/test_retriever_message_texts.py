"""Messages that code hands to a function of its own: no error string of the index has them, the code itself does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.domain.context import Context, Task
from retriever.domain.question import Anchors, Mode
from retriever.usecases.judging import OrderJudge
from retriever.usecases.messages import matching_literals
from retriever.usecases.stages.error_sites import ErrorSites
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from pathlib import Path

    from retriever.adapters.snapshots.opening import OpenSnapshot

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
_SOURCE = {
    "shop/report.py": _REPORT,
    "shop/gate.go": 'package shop\n\nfunc Gate() {\n\tsay("gate stays shut until %d", 4)\n}\n',
    "tests/test_report.py": (
        'def test_failed():\n    say("problem: could not open x: bent key")\n'
        '    assert said() == "all doors are open"\n'
    ),
}


@pytest.fixture
def opened(tmp_path: Path) -> OpenSnapshot:
    """Index the source."""
    return opened_tree(tmp_path, _SOURCE)


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
