"""Files without symbols in a package, packages without entries, and reasons that stand in a shown body."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import question_pb2

from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_RATIONALE = 5
_NOTE = "a lock would deadlock with the janitor"
_LONG = "".join(f"option {number} is for what nobody remembers any more\n" for number in range(2000))


def _snapshot(data: Path) -> None:
    body = f"def reserve():\n    # because {_NOTE}\n    return 1\n\n\n# above it\ndef release():\n    return 2\n"
    built = SnapshotBuilder().python("stock.py", body).fact("stock.py::reserve", _RATIONALE, _NOTE, line=2)
    built.fact("stock.py::release", _RATIONALE, "above it", line=6)
    built.text("settings.toml", "[stock]\nlimit = 3\n").text("long.txt", _LONG)
    for number in range(9):
        built.text(f"part{number}/notes.txt", "notes\n")
    built.publish(data, "texts")


@pytest_asyncio.fixture
async def stub(tmp_path: Path) -> AsyncIterator[Stub]:
    """Serve the snapshot."""
    _snapshot(tmp_path)
    async with retriever_over(tmp_path) as served:
        yield served


async def _built(stub: Stub, **changes: Any) -> pb.ContextPackage:
    fields: dict[str, Any] = {
        "repository": "texts",
        "task": "Raise the limit",
        "task_id": uuid.uuid4().hex,
        "stages": ["scope", "precision"],
        "context_window_tokens": 4000,
        "anchors": question_pb2.Anchors(),
    }
    return await stub.BuildContext(pb.BuildContextRequest(**(fields | changes)))


def _shown(package: pb.ContextPackage) -> list[tuple[str, str]]:
    return [(each.evidence.span.path, each.relation) for each in package.entries]


async def test_a_refinement_brings_a_file_without_symbols(stub: Stub) -> None:
    """A text comes with its place and hash, and stands for no symbol."""
    task_id = (await _built(stub)).task_id
    request = pb.RefineContextRequest(
        repository="texts", task_id=task_id, missing_files=["settings.toml"], reason="it has the limit"
    )

    package = await stub.RefineContext(request)

    assert _shown(package) == [("settings.toml", "asked for: it has the limit")]
    (entry,) = package.entries
    assert entry.evidence.text == "[stock]\nlimit = 3\n"
    assert (entry.evidence.span.start_line, entry.evidence.span.end_line) == (1, 2)
    assert not entry.evidence.HasField("symbol")
    assert not package.not_found


async def test_of_a_long_text_the_beginning_is_shown(stub: Stub) -> None:
    """It says how much is missing, and shrinks like a body where there is less room."""
    for window in (4000, 500):
        task_id = (await _built(stub, context_window_tokens=window, format="CONTEXT_FORMAT_PROMPT")).task_id
        request = pb.RefineContextRequest(repository="texts", task_id=task_id, missing_files=["long.txt"])

        package = await stub.RefineContext(request)

        (entry,) = package.entries
        assert entry.evidence.text.startswith("option 0 is")
        assert "lines cut)" in entry.evidence.text
        assert entry.demoted is (window == 500)
        assert (' shown="beginning"' in package.rendered) is entry.demoted
        assert package.used_tokens <= window


async def test_a_file_name_that_means_too_many_brings_none(stub: Stub) -> None:
    """Nine files are called so: the package says that the name is not clear enough."""
    task_id = (await _built(stub)).task_id
    request = pb.RefineContextRequest(repository="texts", task_id=task_id, missing_files=["notes.txt"])

    package = await stub.RefineContext(request)

    assert (list(package.not_found), _shown(package)) == (["notes.txt"], [])


async def test_a_text_that_the_task_mentions_is_in_its_package(stub: Stub) -> None:
    """Who says "in settings.toml" wants to see it, whether symbols are sorted or not."""
    anchors = question_pb2.Anchors(paths=["settings.toml"])

    for stages in (["scope", "precision"], ["scope"]):
        package = await _built(stub, anchors=anchors, stages=stages)

        assert _shown(package) == [("settings.toml", "mentioned in the task")]


async def test_a_program_gets_json_even_of_nothing(stub: Stub) -> None:
    """An empty package is an object with no entries; what it takes is counted."""
    package = await _built(stub, format="CONTEXT_FORMAT_JSON")

    assert json.loads(package.rendered)["entries"] == []
    assert 0 < package.used_tokens <= package.limit_tokens


async def test_a_reason_that_stands_in_a_shown_body_is_not_shown_twice(stub: Stub) -> None:
    """The comment is part of the body; the log says so."""
    package = await _built(stub, anchors=question_pb2.Anchors(symbols=["reserve"]))

    assert [each.tier for each in package.entries] == ["seed"]
    assert _NOTE in package.entries[0].evidence.text
    listed = await stub.ListDecisions(pb.ListDecisionsRequest(repository="texts", retrieval_id=package.task_id))
    assert ("rationale", "stands in the body, which is shown") in {
        (each.step, each.reason) for each in listed.decisions if each.stage == "budget"
    }


async def test_a_reason_above_a_body_is_shown_beside_it(stub: Stub) -> None:
    """The lines of the symbol do not hold it."""
    package = await _built(stub, anchors=question_pb2.Anchors(symbols=["release"]))

    assert [(each.tier, each.evidence.span.start_line) for each in package.entries] == [("seed", 7), ("rationale", 6)]


async def test_a_reason_is_shown_where_its_body_is_not(stub: Stub) -> None:
    """A body that shrank to its signature lost the comment."""
    package = await _built(stub, anchors=question_pb2.Anchors(symbols=["reserve"]), context_window_tokens=22)

    assert [(each.tier, each.demoted) for each in package.entries] == [("seed", True), ("rationale", False)]
    assert package.entries[1].evidence.span.start_line == 2
