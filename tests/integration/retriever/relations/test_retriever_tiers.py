"""Tiers and classes over a snapshot made by hand: each relation is what the test says."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2 as pb

from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder

RATIONALE, ASSERTION = 5, 6
_CLIENT = "class Client:\n    def send(self):\n        # Twice, since proxies drop the first.\n        return 1\n"


@pytest_asyncio.fixture
async def stub(tmp_path: Path) -> AsyncIterator[Stub]:
    """Serve a small repository whose relations are all known."""
    builder = SnapshotBuilder().python("app/client.py", _CLIENT).python("app/pool.py", "def acquire():\n    return 1\n")
    builder.python("app/base.py", "class Base:\n    pass\n").python("app/user.py", "def use():\n    return 1\n")
    builder.python("app/often.py", "def a():\n    pass\n").python("app/seldom.py", "def b():\n    pass\n")
    builder.python("tests/test_client.py", "def test_send():\n    assert True\n", is_test=True)
    builder.calls("app/client.py::Client.send", "app/pool.py::acquire")
    builder.inherits("app/client.py::Client", "app/base.py::Base").imports("app/user.py::", "app/client.py::Client")
    builder.calls("tests/test_client.py::test_send", "app/client.py::Client.send")
    builder.co_changed("app/client.py", "app/often.py", 5).co_changed("app/client.py", "app/seldom.py", 2)
    builder.fact("app/client.py::Client.send", RATIONALE, "Twice, since proxies drop the first.", line=3)
    builder.fact("tests/test_client.py::test_send", ASSERTION, "assert sent == 2", line=2)
    builder.python("app/limits.py", "def c():\n    pass\n").described("app/limits.py", "app", "back off", "retry")
    builder.described("app/seldom.py", "app", "ledger").described("tests/test_client.py", "app", "retry")
    builder.publish(tmp_path, "small")
    note = {"path": "app/seldom.py", "purpose": "Tries again.", "domain": "net", "concepts": ["retry"]}
    builder.publish(tmp_path, "enriched", enrichment=[note])
    builder.prepare(_undescribed).publish(tmp_path, "undescribed")
    async with retriever_over(tmp_path) as served:
        yield served


def _undescribed(database: sqlite3.Connection) -> None:
    database.execute("DROP TABLE file_metadata")


def _request(*stages: str, minimum: int = 0, repository: str = "small") -> pb.BuildContextRequest:
    return pb.BuildContextRequest(
        repository=repository,
        task="Retry in `Client.send`",
        task_id="t",
        stages=stages,
        context_window_tokens=5000,
        min_co_changes=minimum,
    )


@pytest.mark.parametrize(("minimum", "neighbours"), [(0, {"app/often.py"}), (2, {"app/often.py", "app/seldom.py"})])
async def test_tiers_grow_from_the_seeds(stub: Stub, minimum: int, neighbours: set[str]) -> None:
    """The mentioned file, its dependencies both ways, then what changed with it often enough; never a test file."""
    package = await stub.BuildContext(_request("scope", minimum=minimum))

    found = {each.evidence.span.path: (each.tier, each.relation) for each in package.entries}
    assert found["app/client.py"] == ("seed", "defines Client.send, mentioned in the task")
    assert found["app/pool.py"] == ("dependency", "called by app/client.py")
    assert found["app/base.py"] == ("dependency", "inherited by app/client.py")
    assert found["app/user.py"] == ("dependency", "imports app/client.py")
    assert {path for path, (tier, _) in found.items() if tier == "co-change"} == neighbours
    assert "tests/test_client.py" not in found


async def test_symbols_are_sorted_by_what_they_are_for(stub: Stub) -> None:
    """Most important first: the body, which has the reason in it, the test of it, shapes, then callees."""
    package = await stub.BuildContext(_request("scope", "precision"))

    found = [
        (each.evidence.symbol.qualified_name, pb.ContextRole.Name(each.role)[13:], each.tier, each.relation)
        for each in package.entries
    ]
    assert found == [
        ("Client.send", "PRIMARY", "seed", "mentioned in the task"),
        ("test_send", "SUPPORTING", "test", "asserts on Client.send"),
        ("Client", "TYPE", "seed", "holds Client.send"),
        ("Base", "TYPE", "dependency", "inherited by Client"),
        ("acquire", "SUPPORTING", "dependency", "called by Client.send"),
    ]
    assert (package.entries[0].evidence.span.start_line, package.entries[0].demoted) == (2, False)
    assert "assert sent == 2" in package.entries[1].evidence.text


async def test_another_replica_goes_on_with_a_task(stub: Stub, tmp_path: Path) -> None:
    """A second service over the same data folder has the package, and refines it."""
    first = await stub.BuildContext(_request("scope", "precision"))
    async with retriever_over(tmp_path) as other:
        again = await other.BuildContext(_request("scope", "precision"))
        refined = await other.RefineContext(
            pb.RefineContextRequest(repository="small", task_id="t", missing_symbols=["use"])
        )

        repeated = await other.RefineContext(
            pb.RefineContextRequest(repository="small", task_id="t", missing_symbols=["use"])
        )

    assert again == first
    assert refined.revision == 2
    assert repeated == refined
    assert refined.entries[0].evidence.symbol.qualified_name == "use"


async def test_a_task_whose_snapshot_is_gone_starts_again(stub: Stub, tmp_path: Path) -> None:
    """It reads the current snapshot, and what was asked for before is still there."""
    built = await stub.BuildContext(_request("scope", "precision"))
    request = pb.RefineContextRequest(repository="small", task_id="t", missing_symbols=["use"])
    await stub.RefineContext(request)
    builder = SnapshotBuilder().python("app/client.py", "import os\n\n\n" + _CLIENT)
    current = builder.python("app/user.py", "def use():\n    return 2\n\n\ndef more(): ...\n").publish(
        tmp_path, "small"
    )
    (tmp_path / f"repositories/small/sets/{built.snapshot_id}.json").unlink()
    async with retriever_over(tmp_path) as other:
        request.missing_symbols[:] = ["more"]
        package = await other.RefineContext(request)

    names = [each.evidence.symbol.qualified_name for each in package.entries]
    assert (package.snapshot_id, package.revision) == (current, 3)
    assert names == ["more", "use", "Client.send", "Client"]
    assert package.entries[2].evidence.span.start_line == 5


async def test_files_whose_concepts_a_task_names_come_in_last(stub: Stub) -> None:
    """The log says which concept it was; tests stay out; a concept that the task does not name brings nothing."""
    package = await stub.BuildContext(_request("scope"))

    listed = await stub.ListDecisions(pb.ListDecisionsRequest(repository="small", retrieval_id="t", page_size=1000))
    scoped = [
        each for each in listed.decisions if (each.stage, each.step, each.included) == ("scope", "metadata", True)
    ]
    found = {each.subject.path: each.reason for each in scoped}
    assert found == {"app/limits.py": "the task names its concept 'retry'"}
    entry = next(each for each in package.entries if each.evidence.span.path == "app/limits.py")
    assert (entry.tier, entry.relation) == ("metadata", "the task names its concept 'retry'")


async def test_a_snapshot_without_metadata_does_without_that_step(
    stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other tiers stand, the decision log says what was passed over, and operators are told once."""
    packages = [await stub.BuildContext(_request("scope", repository="undescribed")) for _ in range(2)]

    request = pb.ListDecisionsRequest(repository="undescribed", retrieval_id="t", page_size=1000)
    passed_over = [each for each in (await stub.ListDecisions(request)).decisions if each.step == "metadata"]
    tiers = {each.evidence.span.path: each.tier for each in packages[0].entries}
    assert tiers["app/pool.py"] == "dependency"
    assert "metadata" not in tiers.values()
    assert [(each.included, each.reason.partition(":")[0]) for each in passed_over] == [
        (False, "concepts were passed over")
    ]
    assert capsys.readouterr().out.count("snapshot.without_metadata") == 1


async def test_a_models_concepts_bring_files_in_too(stub: Stub) -> None:
    """With what the file is for, so that a reader sees why."""
    package = await stub.BuildContext(_request("scope", repository="enriched"))

    found = {each.evidence.span.path: each.relation for each in package.entries if each.tier == "metadata"}
    assert found == {
        "app/limits.py": "the task names its concept 'retry'",
        "app/seldom.py": "the task names its concept 'retry' (Tries again.)",
    }


async def test_of_files_that_changed_together_the_eight_most_frequent_are_kept(tmp_path: Path) -> None:
    """The others are left out by rule, whatever the judge says."""
    builder = SnapshotBuilder().python("app/client.py", _CLIENT)
    for number in range(10):
        builder.python(f"app/part_{number}.py", f"def part_{number}():\n    pass\n")
        builder.co_changed("app/client.py", f"app/part_{number}.py", 20 - number)
    builder.publish(tmp_path, "small")
    async with retriever_over(tmp_path) as served:
        package = await served.BuildContext(_request("scope", minimum=2))

    found = {each.evidence.span.path for each in package.entries if each.tier == "co-change"}
    assert found == {f"app/part_{number}.py" for number in range(8)}
