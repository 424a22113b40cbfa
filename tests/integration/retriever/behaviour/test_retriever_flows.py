"""Where a flow starts, what its tree tells, and which of its steps are called what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from retriever.domain.questions.question import Mode, RankedSymbol, Ranking
from retriever.domain.tasks.context import Context, Task
from retriever.usecases.stages.behaviour.entry_points import EntryPoints
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.served_snapshots import Served
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_MANY = 12
_APP = """\
def start():
    first()
    last()


def first():
    last()
    deep()


def deep():
    busy()
"""
_BOX = """\
class Box:
    def put(self, x):
        self.put(x, 1)

    def put(self, x, y):
        return x
"""
_SOURCE = {
    "app.py": _APP,
    "ends.py": "class Made:\n    pass\n\n\ndef last():\n    return Made()\n",
    "busy.py": "def busy():\n    pass\n\n\n" + "".join(f"def callee{n}():\n    pass\n\n\n" for n in range(_MANY)),
    "any.py": "def whatever(f):\n    return f()\n\n\ndef chooses(f):\n    return whatever(f)\n",
    "box.py": _BOX,
    "out.py": "def reads(f):\n    return f.read()\n",
    "one.py": "def twice():\n    return 1\n",
    "two.py": "def twice():\n    return 2\n",
}


def _snapshot(data: Path) -> None:
    built = SnapshotBuilder()
    for path, text in _SOURCE.items():
        built.python(path, text)
    built.calls("app.py::start", "app.py::first", line=2).calls("app.py::start", "ends.py::last", line=3)
    built.calls("app.py::first", "ends.py::last", line=7).calls("app.py::first", "app.py::deep", line=8)
    built.calls("ends.py::last", "ends.py::Made")
    for number in range(_MANY):
        built.calls("busy.py::busy", f"busy.py::callee{number}", line=1 + number)
        built.calls("any.py::whatever", f"busy.py::callee{number}", line=2)
    built.calls("any.py::chooses", "any.py::whatever")
    built.calls("box.py::Box.put", "box.py::Box.put#2").calls("app.py::deep", "busy.py::busy")
    for outside in ("gzip.open", "io.BytesIO", "unittest.mock.Mock", "zipfile.open"):
        built.calls("out.py::reads", f"{outside}.read", line=2)
    built.publish(data, "flows")


@pytest_asyncio.fixture
async def stub(tmp_path: Path) -> AsyncIterator[Stub]:
    """Serve a repository of small flows."""
    _snapshot(tmp_path)
    async with retriever_over(tmp_path, max_call_graph_hops=2) as served:
        yield served


async def _trace(stub: Stub, *names: str) -> pb.RetrieveResponse:
    classification = question_pb2.Classification(
        mode=question_pb2.MODE_EXPLORATORY, anchors=question_pb2.Anchors(symbols=names)
    )
    return await stub.Retrieve(
        pb.RetrieveRequest(repository="flows", question="Trace it", classification=classification)
    )


def _trees(response: pb.RetrieveResponse) -> list[str]:
    return [each.text for each in response.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_FLOW]


def _reasons(response: pb.RetrieveResponse) -> dict[str, str]:
    shown = [each for each in response.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_SOURCE]
    return {each.symbol.qualified_name: each.reason for each in shown}


async def test_what_is_not_followed_is_counted(stub: Stub) -> None:
    """Two hops from the start calls go on: the tree says how many."""
    response = await _trace(stub, "start")

    (tree,) = _trees(response)
    assert "    → deep (app.py:11) +1 call\n" in tree


async def test_what_one_call_may_lead_to_is_counted_where_it_is_much(stub: Stub) -> None:
    """Which of twelve functions is handed in depends on what the flow does not show."""
    [tree] = _trees(await _trace(stub, "chooses"))

    assert tree == "chooses (any.py:5)\n  → whatever (any.py:1) +12 calls\n"


async def test_one_call_out_of_the_repository_is_one_line(stub: Stub) -> None:
    """Whatever it may lead to; what only tests put in its place is no step."""
    [tree] = _trees(await _trace(stub, "reads"))

    assert tree == "reads (out.py:1)\n  → ⇢ gzip.open.read or io.BytesIO.read or 1 more (external)\n"


async def test_callees_beyond_the_limit_are_counted(stub: Stub) -> None:
    """Of twelve callees eight are drawn."""
    (tree,) = _trees(await _trace(stub, "busy"))

    assert tree.startswith("busy (busy.py:1) +4 calls\n")
    assert tree.count("→") == 8


async def test_a_symbol_is_unfolded_where_it_is_nearest_to_the_entry(stub: Stub) -> None:
    """No branch is deeper than the hops allow; where a symbol stands before its place, the tree says so."""
    (tree,) = _trees(await _trace(stub, "start"))

    assert tree == (
        "start (app.py:1)\n"
        "  → first (app.py:6)\n"
        "    → last (ends.py:5) (see below)\n"
        "    → deep (app.py:11) +1 call\n"
        "  → last (ends.py:5)\n"
        "    → Made (ends.py:1)\n"
    )


async def test_an_overloaded_name_is_the_overload_that_leads_furthest(stub: Stub) -> None:
    """Overloads are one thing with several bodies: the flow starts at the one that reaches the others."""
    response = await _trace(stub, "Box.put")

    assert _trees(response) == ["Box.put (box.py:2)\n  → Box.put (box.py:5)\n"]


async def test_a_name_of_several_things_that_nothing_speaks_for_is_no_entry(stub: Stub) -> None:
    """Without any match of the question's words there is nothing to choose by."""
    response = await _trace(stub, "twice")

    assert _trees(response) == []
    assert "named in the question" not in _reasons(response).values()


async def test_a_flow_that_stands_in_another_is_not_drawn_again(stub: Stub) -> None:
    """Both are named; the second one's tree would repeat a branch of the first."""
    response = await _trace(stub, "start", "last")

    assert len(_trees(response)) == 1


async def test_what_calls_nobody_is_no_entry_where_something_else_matches(tmp_path: Path) -> None:
    """A flow has to lead somewhere, however well the name of its end matches."""
    _snapshot(tmp_path)
    async with Served(tmp_path).store.open("flows", "") as snapshot:
        ends, begins = snapshot.symbols.named("callee0"), snapshot.symbols.named("start")
        ranking = Ranking(symbols=(RankedSymbol(ends[0], 1.0), RankedSymbol(begins[0], 0.5)))
        task = Task("Trace it", Mode.EXPLORATORY)

        found = await EntryPoints().run(Context(ranking=ranking), snapshot, task, OrderJudge())

        assert [each.symbol.name for each in found.candidates] == ["start", "callee0"]
