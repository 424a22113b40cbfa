"""Indexing jobs as callers see them."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2

from cgrag_client import ServiceUnreachable
from cgrag_client.cli.answers.session import source_of_an_indexer
from cgrag_client.errors import UsageError
from cgrag_client.indexes import is_final, is_served, source_of
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script
from tests.unit.client.connecting.test_client_answers import connected

STATES = [
    indexer_pb2.IndexJob(job_id="j1", repository="shop", state=state)
    for state in (
        indexer_pb2.INDEX_JOB_STATE_QUEUED,
        indexer_pb2.INDEX_JOB_STATE_RUNNING,
        indexer_pb2.INDEX_JOB_STATE_ENRICHING,
        indexer_pb2.INDEX_JOB_STATE_SUCCEEDED,
    )
]


async def test_watches_a_job_to_its_end() -> None:
    """The stream of states ends after the final one."""
    async with connected(Script(states=list(STATES))) as (_, client):
        states = [job.state async for job in client.indexes.watch("j1")]

    assert states == [each.state for each in STATES]


async def test_watches_on_after_a_cut() -> None:
    """A cut stream is opened again; a watch repeats the whole job, so that nothing is lost."""
    async with connected(Script(states=list(STATES), cuts=[2])) as (server, client):
        states = [job.state async for job in client.indexes.watch("j1")]

    assert states == [each.state for each in STATES[:2] + STATES]
    assert len(server.asked_for(indexer_pb2.WatchIndexJobRequest)) == 2


async def test_watches_a_job_that_takes_longer_than_a_stream_may() -> None:
    """A stream that has come to its deadline says nothing about the job: it is watched on, as often as it takes."""
    ends = Failure(grpc.StatusCode.DEADLINE_EXCEEDED)
    async with connected(Script(states=list(STATES), cuts=[2] * 10, cut_with=ends)) as (server, client):
        states = [job.state async for job in client.indexes.watch("j1")]

    assert states[-4:] == [each.state for each in STATES]
    assert len(server.asked_for(indexer_pb2.WatchIndexJobRequest)) == 11


async def test_gives_up_when_it_never_saw_the_job() -> None:
    """A stream that is cut before its first state is not opened again."""
    async with connected(Script(states=list(STATES), cuts=[0])) as (_, client):
        with pytest.raises(ServiceUnreachable):
            await anext(client.indexes.watch("j1"))


@pytest.mark.parametrize(
    ("number", "served", "final"), [(0, False, False), (1, False, False), (2, True, False), (3, True, True)]
)
def test_knows_when_questions_can_be_asked(number: int, served: bool, final: bool) -> None:
    """Core serves from the enriching state on; the job itself ends later."""
    job = STATES[number]

    assert (is_served(job), is_final(job)) == (served, final)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a/b",
        "ssh://git@example.org/a/b",
        "git@example.org:a/b.git",
        "deploy@example.org:a/b.git",
        "file:///srv/a.git",
    ],
)
def test_tells_urls_from_paths(url: str) -> None:
    """A git URL becomes a git source with its revision; all else is a path on the indexer's machine."""
    assert source_of(url, "v1").git == indexer_pb2.GitSource(url=url, revision="v1")
    assert source_of("/srv/code").local_path == "/srv/code"


def test_a_folder_with_a_revision_is_a_repository() -> None:
    """Without one it is indexed as it stands."""
    assert source_of("/srv/code", "v1").git == indexer_pb2.GitSource(url="file:///srv/code", revision="v1")


def test_refuses_what_an_indexer_could_not_do() -> None:
    """A relative path is another one on its machine."""
    with pytest.raises(UsageError, match=r"\.\./code: .*absolute path"):
        source_of("../code")


def test_a_revision_needs_a_repository_of_its_own(tmp_path: Path) -> None:
    """A folder within a repository, and one without git, are refused with what to do instead."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "src").mkdir()
    (tmp_path / "bare.git" / "objects").mkdir(parents=True)
    (tmp_path / "bare.git" / "HEAD").touch()

    for name in ("shop", "bare.git"):
        assert source_of_an_indexer(str(tmp_path / name), "v1") == str(tmp_path / name)
    with pytest.raises(UsageError, match="no git repository and has no revision v1; leave --revision out"):
        source_of_an_indexer(str(tmp_path / "plain"), "v1")
    with pytest.raises(UsageError, match=f"within the repository {tmp_path}/shop: .*give {tmp_path}/shop"):
        source_of_an_indexer(str(tmp_path / "shop" / "src"), "v1")
