"""`cgrag jobs` and `cgrag delete`."""

from __future__ import annotations

import json

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from cgrag_client.cli import main
from tests.fakes.suite_server import Script, Serve

RUNNING = pb.IndexJob(job_id="job_aa11", repository="shop", state=pb.INDEX_JOB_STATE_RUNNING)
QUEUED = pb.IndexJob(job_id="job_aa22", repository="shop", state=pb.INDEX_JOB_STATE_QUEUED)
DONE = pb.IndexJob(job_id="job_bb33", repository="till", state=pb.INDEX_JOB_STATE_SUCCEEDED, snapshot_id="5e7")
JOBS = [QUEUED, RUNNING, DONE]


def test_jobs_are_listed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Of all repositories or of one, as a table or a line of JSON each."""
    server = serve(Script(jobs=JOBS))
    codes = [main(["jobs", "list"]), main(["jobs", "list", "--repo", "shop", "--limit", "5", "--json"])]
    out = capsys.readouterr().out.splitlines()

    assert codes == [0, 0]
    assert [line.split()[0] for line in out[:4]] == ["Repository", "shop", "shop", "till"]
    assert [json.loads(line)["jobId"] for line in out[4:]] == ["job_aa22", "job_aa11"]
    assert server.asked_for(pb.ListIndexJobsRequest)[1].page_size == 5


@pytest.mark.parametrize(
    ("named", "cancelled"),
    [
        (["shop"], ["job_aa22", "job_aa11"]),
        (["job_aa1"], ["job_aa11"]),
        (["job_aa11", "shop"], ["job_aa11", "job_aa22"]),
        (["job_bb33"], []),
        (["job_older"], ["job_older"]),
    ],
)
def test_jobs_are_cancelled(
    serve: Serve, capsys: pytest.CaptureFixture[str], named: list[str], cancelled: list[str]
) -> None:
    """Named by repository, by id or by its beginning, each once; one that has ended is left as it is, and told."""
    server = serve(Script(jobs=JOBS))
    code = main(["jobs", "cancel", *named])
    shown = capsys.readouterr()

    assert code == 0
    assert [each.job_id for each in server.asked_for(pb.CancelIndexJobRequest)] == cancelled
    assert shown.out.count("cancelled; what was published before stays") == len(cancelled)
    assert ("job_bb33 of till has ended: succeeded" in shown.err) is (named == ["job_bb33"])


@pytest.mark.parametrize("command", ["cancel", "watch"])
def test_an_empty_name_means_no_job(serve: Serve, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """A variable that a script forgot to set must not end the jobs of everybody."""
    server = serve(Script(jobs=JOBS))

    assert main(["jobs", command, ""]) == 2
    assert "the name is empty" in capsys.readouterr().err
    assert not server.asked_for(pb.CancelIndexJobRequest)


def test_cancelled_jobs_are_printed_for_scripts(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each, in its last state."""
    serve(Script(jobs=JOBS))
    code = main(["jobs", "cancel", "shop", "job_bb", "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert code == 0
    assert [(each["jobId"], each["state"]) for each in lines] == [
        ("job_aa22", "INDEX_JOB_STATE_CANCELLED"),
        ("job_aa11", "INDEX_JOB_STATE_CANCELLED"),
        ("job_bb33", "INDEX_JOB_STATE_SUCCEEDED"),
    ]


@pytest.mark.parametrize(
    ("named", "told", "exit_code"),
    [("till", "no job of till waits or runs", 4), ("job_aa", "the beginning of 2 jobs", 2)],
)
def test_who_names_no_job_is_told(
    serve: Serve, capsys: pytest.CaptureFixture[str], named: str, told: str, exit_code: int
) -> None:
    """Nothing is cancelled; what is not there is told apart from what is not said well."""
    server = serve(Script(jobs=JOBS))
    code = main(["jobs", "cancel", named])

    assert code == exit_code
    assert told in capsys.readouterr().err
    assert server.asked_for(pb.CancelIndexJobRequest) == []


@pytest.mark.parametrize(("last", "code"), [(pb.INDEX_JOB_STATE_SUCCEEDED, 0), (pb.INDEX_JOB_STATE_CANCELLED, 1)])
def test_a_job_is_watched_to_its_end(
    serve: Serve, capsys: pytest.CaptureFixture[str], last: pb.IndexJobState.ValueType, code: int
) -> None:
    """A line of JSON for each change; one that came to nothing fails."""
    snapshot = "5e7" if last == pb.INDEX_JOB_STATE_SUCCEEDED else ""
    end = pb.IndexJob(job_id="job_aa11", repository="shop", state=last, snapshot_id=snapshot)
    server = serve(Script(jobs=JOBS, states=[RUNNING, end]))
    found = main(["jobs", "watch", "job_aa11", "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert found == code
    assert server.asked_for(pb.WatchIndexJobRequest)[0].job_id == "job_aa11"
    assert [each["jobId"] for each in lines] == ["job_aa11"] * 2


def test_a_repository_is_deleted(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Only who says yes deletes anything."""
    server = serve(Script())
    unsure = main(["delete", "shop"])
    asked = len(server.asked_for(pb.DeleteRepositoryRequest))
    sure = main(["delete", "shop", "--yes"])
    scripted = main(["delete", "shop", "-y", "--json"])
    shown = capsys.readouterr()

    assert (unsure, asked) == (2, 0)
    assert "--yes" in shown.err
    assert (sure, scripted) == (0, 0)
    assert [each.repository for each in server.asked_for(pb.DeleteRepositoryRequest)] == ["shop", "shop"]
    first, second = shown.out.splitlines()
    assert first == "deleted shop: 2 snapshots, and what was kept of it"
    assert json.loads(second) == {"repository": "shop", "snapshotsRemoved": 2}


def test_deleted_repositories_are_listed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """With the day, and whether there is one of that name again."""
    serve(Script())
    codes = [main(["repos", "--removed"]), main(["repos", "--removed", "--json"])]
    *table, line = capsys.readouterr().out.splitlines()

    assert codes == [0, 0]
    assert [row.split()[:2] for row in table[1:]] == [["gone", "2026-01-02"], ["gone2", "2026-01-02"]]
    assert "indexed again" in table[2]
    assert [each["repository"] for each in json.loads(line)["removals"]] == ["gone", "gone2"]
