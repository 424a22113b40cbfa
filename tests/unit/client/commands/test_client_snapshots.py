"""`cgrag snapshots` and `cgrag debt`: what an operator looks at when answers got worse, and the way back."""

from __future__ import annotations

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import evidence_pb2

from cgrag_client.cli import main
from tests.fakes.suite_server import Script, Serve, SuiteServer

NEW, OLD, OLDER = "a1" + 62 * "0", "b2" + 62 * "0", "b3" + 62 * "0"
SNAPSHOTS = [
    pb.Snapshot(snapshot_id=NEW, commit="c" * 40, current=True, counts=pb.IndexCounts(files=9, symbols=70)),
    pb.Snapshot(snapshot_id=OLD, commit="d" * 40, dirty=True, counts=pb.IndexCounts(files=20, symbols=114)),
    pb.Snapshot(snapshot_id=OLDER, counts=pb.IndexCounts(files=19, symbols=110)),
]
DEBTS = [
    orchestrator_pb2.IndexDebt(outcome=evidence_pb2.GAP_OUTCOME_OUT_OF_COVERAGE, wanted="Ledger.close", count=3),
    orchestrator_pb2.IndexDebt(outcome=evidence_pb2.GAP_OUTCOME_EXTERNAL, wanted="json.dumps", count=1),
]


@pytest.fixture
def server(serve: Serve) -> SuiteServer:
    """Serve a repository with three snapshots, and two debts."""
    return serve(Script(repositories=[pb.Repository(repository="shop")], snapshots=SNAPSHOTS, debts=DEBTS))


def test_snapshots_are_listed(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Which is current, and what tells a worse one: files and symbols."""
    code = main(["snapshots", "list"])

    _, new, old, older = capsys.readouterr().out.splitlines()
    assert new.split() == ["a10000000000", "cccccccc", "9", "70", "-", "current"]
    assert old.split() == ["b20000000000", "dddddddd", "+changes", "20", "114", "-"]
    assert older.split() == ["b30000000000", "-", "19", "110", "-"]
    assert code == 0


def test_the_beginning_of_an_id_is_enough_to_go_back(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """The service is asked for the whole id, once."""
    code = main(["snapshots", "rollback", "b2"])

    [request] = server.asked_for(pb.RollbackSnapshotRequest)
    assert (request.repository, request.snapshot_id) == ("shop", OLD)
    assert capsys.readouterr().out == f"shop is at snapshot {OLD} again\n"
    assert code == 0


@pytest.mark.parametrize(
    ("named", "told", "exit_code"),
    [("ff", "shop has no snapshot ff; `cgrag snapshots list`", 4), ("b", "the beginning of 2 snapshots", 2)],
)
def test_nothing_is_moved_for_who_names_none(
    server: SuiteServer, capsys: pytest.CaptureFixture[str], named: str, told: str, exit_code: int
) -> None:
    """What is not there, or could be one of several, is told."""
    code = main(["snapshots", "rollback", named])

    assert told in capsys.readouterr().err
    assert server.asked_for(pb.RollbackSnapshotRequest) == []
    assert code == exit_code


@pytest.mark.parametrize("command", [["debt"], ["jobs", "list"]])
def test_nothing_of_an_unknown_repository_is_no_good_news(
    serve: Serve, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """A name that was mistyped has no debt and no jobs; that is an error, with the name that was meant."""
    serve(Script(repositories=[pb.Repository(repository="shop")]))

    codes = [main([*command, "--repo", "shop"]), main([*command, "--repo", "shpo"])]

    assert codes == [0, 4]
    assert "no repository is named shpo; did you mean shop?" in capsys.readouterr().err


def test_debts_are_listed(server: SuiteServer, capsys: pytest.CaptureFixture[str]) -> None:
    """What was wanted, why it was not found, and how often."""
    code = main(["debt", "--limit", "7"])

    lines = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "Wanted Why Times Last",
        "Ledger.close out of coverage 3 -",
        "json.dumps external 1 -",
    ]
    assert server.asked_for(orchestrator_pb2.ListIndexDebtRequest)[0].page_size == 7
    assert code == 0
