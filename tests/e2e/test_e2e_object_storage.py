"""Indexer and retriever as processes with folders of their own, and a bucket between them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2 as ipb
from cgrag.indexer.v1 import indexer_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2 as rpb
from cgrag.retriever.v1 import retriever_pb2_grpc

from tests.e2e.four_services import ROOT, SHOP, refusal_of
from tests.e2e.ports import free_port
from tests.fakes.object_store import s3_server

BUCKET = "snapshots"
SECONDS = 60.0
FAILPOINT_EXIT = 86


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """Run a server that speaks S3 and yield the variables that lead to it."""
    with s3_server(BUCKET) as endpoint:
        yield {
            "CGRAG_OBJECT_STORE_URL": f"s3://{BUCKET}/cgrag",
            "CGRAG_OBJECT_STORE_ENDPOINT": endpoint,
            "CGRAG_OBJECT_STORE_ACCESS_KEY": "key",
            "CGRAG_OBJECT_STORE_SECRET_KEY": "secret",
        }


@contextmanager
def service(name: str, data: Path, settings: dict[str, str], *, code: int = 0) -> Iterator[grpc.Channel]:
    """Run one service, which ends with a code, and yield a channel to it."""
    port = free_port()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CGRAG_", "ANTHROPIC_", "AWS_"))}
    environ = (
        kept
        | {
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "protos" / "gen"))),
            "CGRAG_DATA_DIR": str(data),
            "CGRAG_EMBEDDING_PROVIDER": "none",
            f"CGRAG_{name}_PORT".upper(): str(port),
            f"CGRAG_{name}_METRICS_PORT".upper(): "0",
            "CGRAG_INDEXER_ALLOWED_ROOTS": str(SHOP),
            "CGRAG_INDEXER_PARSE_PROCESSES": "1",
        }
        | settings
    )
    with subprocess.Popen([sys.executable, "-m", name], cwd=ROOT, env=environ, stderr=subprocess.DEVNULL) as process:
        try:
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                grpc.channel_ready_future(channel).result(timeout=SECONDS)
                yield channel
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == code


def indexed(channel: grpc.Channel) -> ipb.IndexJob:
    """Index the shop and return its job in the end."""
    stub = indexer_pb2_grpc.IndexerServiceStub(channel)
    request = ipb.StartIndexingRequest(source=ipb.Source(local_path=str(SHOP)), repository="shop")
    job = stub.StartIndexing(request, timeout=SECONDS)
    *_, last = stub.WatchIndexJob(ipb.WatchIndexJobRequest(job_id=job.job_id), timeout=SECONDS)
    return last


def searched(channel: grpc.Channel, snapshot_id: str = "") -> rpb.SearchResponse:
    """Search the shop."""
    request = rpb.SearchRequest(repository="shop", snapshot_id=snapshot_id, query="price of an order")
    return retriever_pb2_grpc.RetrieverServiceStub(channel).Search(request, timeout=SECONDS)


def wait_until_closed(channel: grpc.Channel) -> None:
    """Wait for the end of the service behind a channel."""
    closed = threading.Event()
    channel.subscribe(lambda state: closed.set() if state != grpc.ChannelConnectivity.READY else None)
    assert closed.wait(SECONDS)


def outcome(channel: grpc.Channel) -> str:
    """Search the shop and return the reason of the refusal, "" for an answer."""
    try:
        searched(channel)
    except grpc.RpcError as error:
        return refusal_of(error).reason
    return ""


def wait_for(channel: grpc.Channel, wanted: str) -> None:
    """Search until there is this outcome."""
    until = time.monotonic() + 20
    while (last := outcome(channel)) != wanted:
        if time.monotonic() > until:
            pytest.fail(f"the outcome is still {last!r}")
        time.sleep(0.2)


def test_two_retrievers_serve_what_an_indexer_elsewhere_published(bucket: dict[str, str], tmp_path: Path) -> None:
    """They share no folder; deletion reaches them within seconds."""
    with (
        service("indexer", tmp_path / "indexer", bucket) as indexer,
        service("retriever", tmp_path / "one", bucket) as one,
        service("retriever", tmp_path / "two", bucket) as two,
    ):
        job = indexed(indexer)
        first = searched(one)
        assert job.state == ipb.INDEX_JOB_STATE_SUCCEEDED
        assert first.files
        assert searched(two, first.snapshot_id).files == first.files

        delete = ipb.DeleteRepositoryRequest(repository="shop")
        indexer_pb2_grpc.IndexerServiceStub(indexer).DeleteRepository(delete, timeout=SECONDS)
        wait_for(one, "ERROR_REASON_REPOSITORY_NOT_FOUND")


def test_a_process_that_dies_before_the_pointer_leaves_nothing_to_see(bucket: dict[str, str], tmp_path: Path) -> None:
    """Worker and service die at that step; the next start brings what they left, without a new job."""
    place = bucket | {"CGRAG_OBJECT_STORE_URL": f"s3://{BUCKET}/dying"}
    with service("retriever", tmp_path / "retriever", place) as retriever:
        dying = place | {"FAILPOINT": "before_current_object"}
        with service("indexer", tmp_path / "indexer", dying, code=FAILPOINT_EXIT) as indexer:
            with suppress(grpc.RpcError):  # the service may die before it has told how its worker did
                assert indexed(indexer).state == ipb.INDEX_JOB_STATE_FAILED
            wait_until_closed(indexer)
        assert outcome(retriever) in ("ERROR_REASON_REPOSITORY_NOT_FOUND", "ERROR_REASON_INDEX_NOT_READY")

        with service("indexer", tmp_path / "indexer", place) as indexer:
            wait_for(retriever, "")


def test_a_bucket_that_is_away_is_told_by_its_setting(bucket: dict[str, str], tmp_path: Path) -> None:
    """The job fails and says what to look at; the retriever does too, and both go on running."""
    place = bucket | {"CGRAG_OBJECT_STORE_ENDPOINT": f"http://127.0.0.1:{free_port()}"}
    with (
        service("indexer", tmp_path / "indexer", place) as indexer,
        service("retriever", tmp_path / "retriever", place) as retriever,
    ):
        assert outcome(retriever) == "ERROR_REASON_DEPENDENCY_UNAVAILABLE"
        job = indexed(indexer)

    assert job.state == ipb.INDEX_JOB_STATE_FAILED
    assert "object_store_url" in job.error
    assert "follows by itself" in job.error
