"""Where the places that an answer cites are now."""

from __future__ import annotations

import json

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.retriever.v1 import retriever_pb2

from cgrag_client.cli import main
from tests.fakes.answer_events import two_pass_events
from tests.fakes.suite_server import Script, Serve

SNAPSHOTS = [
    indexer_pb2.Snapshot(snapshot_id="aa11" * 16, commit="c0ffee" + "0" * 34),
    indexer_pb2.Snapshot(snapshot_id="bb22" * 16, commit="c0ffed" + "0" * 34),
]


def test_each_citation_is_followed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """One line each; the exit code tells a script that one is not the same."""
    server = serve(Script(events=two_pass_events()))
    code = main(["citations", "ans_1"])
    lines = capsys.readouterr().out.splitlines()

    assert code == 7
    assert len(server.asked_for(retriever_pb2.ResolveCitationRequest)) == len(lines) == 2
    assert lines[0].startswith("[1] same ")
    assert "→" not in lines[0]
    assert lines[1].startswith("[2] moved    shop/stock.py:12-27 → shop/stock.py:14-29  reserve")


def test_one_that_is_the_same(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Only that is asked for; as JSON on request."""
    serve(Script(events=two_pass_events()))

    assert main(["citations", "ans_1", "-n", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "CITATION_STATE_SAME"
    assert main(["citations", "ans_1", "-n", "9"]) == 4


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("c0ffee", SNAPSHOTS[0].commit),
        ("C0FFED", SNAPSHOTS[1].commit),
        ("aa11aa", SNAPSHOTS[0].snapshot_id),
        ("v1.2.3", "v1.2.3"),
        ("", ""),
    ],
)
def test_a_revision_may_be_short(serve: Serve, written: str, asked: str) -> None:
    """The first digits of a commit or snapshot that is published; anything else is the service's to judge."""
    server = serve(Script(events=two_pass_events(), snapshots=SNAPSHOTS))
    main(["citations", "ans_1", "-n", "1", "--at", written])

    assert [each.revision for each in server.asked_for(retriever_pb2.ResolveCitationRequest)] == [asked]


def test_digits_of_several_commits_are_refused(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Both are named."""
    serve(Script(events=two_pass_events(), snapshots=SNAPSHOTS))

    assert main(["citations", "ans_1", "--at", "c0ff"]) == 2
    told = capsys.readouterr().err.replace("\n", "")
    assert all(each.commit in told for each in SNAPSHOTS)


def test_ratings_are_listed_with_their_comments(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """For those who look after the service."""
    serve(Script())

    assert main(["ratings", "--repo", "shop"]) == 0
    assert "tests only" in capsys.readouterr().out
