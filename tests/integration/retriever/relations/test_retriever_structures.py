"""What the numbers of a codebase count, and for which part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.reading import read_message
from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_ROOT = "src/main/app"
_MANY = 25


def _function(name: str) -> str:
    return f"def {name}():\n    pass\n"


def _snapshot(data: Path) -> None:
    """Three modules deep down that use each other, and tests that use one of them a lot."""
    built = SnapshotBuilder()
    for module in ("web", "core", "store"):
        built.python(f"{_ROOT}/{module}/a.py", _function(module))
    for number in range(_MANY):
        built.python(f"{_ROOT}/core/tests/test_{number}.py", _function(f"test_{number}"), is_test=True)
        built.calls(f"{_ROOT}/core/tests/test_{number}.py::test_{number}", f"{_ROOT}/core/a.py::core")
    for source, target in (("web", "core"), ("core", "store"), ("web", "store")):
        built.imports(f"{_ROOT}/{source}/a.py::{source}", f"{_ROOT}/{target}/a.py::{target}")
    built.python(f"{_ROOT}/store/ledger.py", _function("book"))
    built.publish(data, "deep")


@pytest_asyncio.fixture
async def stub(tmp_path: Path) -> AsyncIterator[Stub]:
    """Serve the snapshot."""
    _snapshot(tmp_path)
    async with retriever_over(tmp_path) as served:
        yield served


async def _analysed(stub: Stub, question: str) -> pb.RetrieveResponse:
    classification = question_pb2.Classification(
        mode=question_pb2.MODE_ANALYTICAL, understanding=read_message(question)
    )
    return await stub.Retrieve(pb.RetrieveRequest(repository="deep", question=question, classification=classification))


def _text(response: pb.RetrieveResponse, kind: evidence_pb2.EvidenceKind.ValueType) -> str:
    return next(each.text for each in response.evidence if each.kind == kind)


async def test_modules_are_told_apart_however_deep_they_lie(stub: Stub) -> None:
    """Folders that hold nothing but one folder are no modules."""
    response = await _analysed(stub, "Which modules are coupled?")

    assert f"- {_ROOT}/web: 2, 0\n" in _text(response, evidence_pb2.EVIDENCE_KIND_METRICS)
    assert f'm0["{_ROOT}/core"] -->|1| m1["{_ROOT}/store"]' in _text(response, evidence_pb2.EVIDENCE_KIND_DIAGRAM)


async def test_tests_are_no_callers_and_no_modules(stub: Stub) -> None:
    """Twenty-five tests of one function make it no hotspot, inside of a scope as little as in the whole."""
    for question in ("Which modules are coupled?", f"How is {_ROOT}/core structured?"):
        numbers = _text(await _analysed(stub, question), evidence_pb2.EVIDENCE_KIND_METRICS)

        assert "Hotspots (more than 20 callers): 0\n" in numbers
        assert "tests" not in numbers


async def test_of_two_parts_that_are_named_the_first_is_the_scope(stub: Stub) -> None:
    """How it is coupled to the second stands in its numbers; source of both is shown, that of its user first."""
    response = await _analysed(stub, "How coupled is app/core to app/web?")

    assert response.scope == f"{_ROOT}/core/"
    shown = [each for each in response.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_SOURCE]
    assert [(each.symbol.qualified_name, each.reason) for each in shown] == [
        ("web", f"{_ROOT}/web uses {_ROOT}/core/ once"),
        ("core", f"{_ROOT}/core/a.py uses other modules once"),
    ]
    assert f"- {_ROOT}/web: 1, 0\n" in _text(response, evidence_pb2.EVIDENCE_KIND_METRICS)


async def test_a_module_that_is_spoken_of_is_the_scope(stub: Stub) -> None:
    """A folder or a file, by its name alone, where there is one of that name."""
    folder = await _analysed(stub, "Is the core module too complex?")
    file = await _analysed(stub, "Is the ledger module too complex?")

    assert (folder.scope, file.scope) == (f"{_ROOT}/core/", f"{_ROOT}/store/ledger.py")


async def test_a_module_that_is_spoken_of_is_no_test(tmp_path: Path) -> None:
    """Of two files of one name, the one that is no test is meant; of two that are none, nothing is."""
    built = SnapshotBuilder()
    for path in ("store/ledger.py", "tests/ledger.py", "one/till.py", "two/till.py"):
        name = path.replace("/", "_").removesuffix(".py")
        built.python(path, _function(name), is_test=path.startswith("tests/"))
    built.publish(tmp_path, "deep")
    async with retriever_over(tmp_path) as served:
        scopes = [(await _analysed(served, f"Is the {name} module too complex?")).scope for name in ("ledger", "till")]

    assert scopes == ["store/ledger.py", ""]


async def test_there_is_source_to_look_at_where_nothing_is_flagged(stub: Stub) -> None:
    """What uses others most stands for a codebase without god functions and hotspots."""
    response = await _analysed(stub, "Are there circular dependencies?")

    shown = [each for each in response.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_SOURCE]
    assert [each.symbol.qualified_name for each in shown] == ["web", "core"]
    assert shown[0].reason == f"{_ROOT}/web/a.py uses other modules 2 times"


async def test_all_circles_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    """Twelve pairs of modules use each other: twelve are told, three by name."""
    built = SnapshotBuilder()
    for number in range(12):
        one, other = f"one{number}", f"other{number}"
        for name in (one, other):
            built.python(f"{name}/a.py", _function(name))
        built.imports(f"{one}/a.py::{one}", f"{other}/a.py::{other}")
        built.imports(f"{other}/a.py::{other}", f"{one}/a.py::{one}")
    built.publish(tmp_path, "deep")
    async with retriever_over(tmp_path) as served:
        numbers = _text(await _analysed(served, "Which modules are coupled most?"), evidence_pb2.EVIDENCE_KIND_METRICS)

    assert "Circular dependencies between modules: 12\n" in numbers
    assert numbers.count(" <-> ") == 3


async def test_what_a_decorator_calls_back_is_no_dependency(tmp_path: Path) -> None:
    """The module of a decorator calls what it decorates without knowing it; a call of what is imported counts."""
    built = SnapshotBuilder()
    built.python("decos/auth.py", _function("wrapper") + _function("check"))
    built.python("views/home.py", _function("home"))
    built.imports("views/home.py::home", "decos/auth.py::check")
    built.calls("views/home.py::home", "decos/auth.py::wrapper")
    built.calls("decos/auth.py::wrapper", "views/home.py::home")
    built.calls("decos/auth.py::wrapper", "views/home.py::home", kind=4)
    built.publish(tmp_path, "deep")
    async with retriever_over(tmp_path) as served:
        numbers = _text(await _analysed(served, "Which modules are coupled most?"), evidence_pb2.EVIDENCE_KIND_METRICS)

    assert "Circular dependencies between modules: 0\n" in numbers
    assert "- views: 2, 0\n" in numbers
