"""Proxies of the environment: what stays in the suite or on this machine goes direct, what goes out uses them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc
from pathspec import GitIgnoreSpec

from cgrag_client.connecting.health import Health, check
from cgrag_client.connecting.tls import open_channel as open_client_channel
from common.core.addresses import is_loopback
from common.model.embedders import open_embedder
from common.model.embeddings import EmbeddingConfig, Purpose
from common.objects.bucket import open_bucket
from common.objects.settings import ObjectStoreSettings
from common.observability.tracing import open_otlp_exporter
from common.rpc.client.channels import open_channel
from deploy.healthcheck import serves
from indexer.adapters.sources.opener import checked_folder
from indexer.adapters.sources.remote import FetchPolicy, GitRepositories
from indexer.domain.errors import SourceRefused, SourceUnavailable
from indexer.domain.jobs import GitSource
from tests.fakes.answering import GET, Answers, refusal, serving
from tests.fakes.embedding_endpoint import DIMENSIONS, EmbeddingEndpoint
from tests.fakes.noted_proxy import VARIABLES, NotedProxy
from tests.fakes.object_store import s3_server


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[NotedProxy]:
    """A proxy that every variable names, as a company's login script may set them."""
    for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    with NotedProxy() as running:
        for name in VARIABLES:
            monkeypatch.setenv(name, running.url)
        yield running


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("bucket.localhost", True),
        ("[::1]", True),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
        ("", False),
        (None, False),
    ],
)
def test_this_machine_is_told_from_others(host: str | None, local: bool) -> None:
    """By name or by address; a name that merely begins alike is another machine's."""
    assert is_loopback(host) is local


async def test_services_and_callers_reach_this_machine_directly(proxy: NotedProxy) -> None:
    """A call between services, one of the client and a health check all arrive."""
    async with (
        serving(Answers()) as (server, stub, _),
        open_client_channel(f"127.0.0.1:{server.port}", None) as channel,
    ):
        await stub.GetAnswer(GET, timeout=5)
        await orchestrator_pb2_grpc.OrchestratorServiceStub(channel).GetAnswer(GET, timeout=5)
        health = await check("orchestrator", f"localhost:{server.port}")

    assert health.health is not Health.UNREACHABLE
    assert proxy.asked == []


async def test_services_never_use_a_proxy_and_callers_use_it_for_other_machines(proxy: NotedProxy) -> None:
    """Names of a cluster lead to the suite's own services, wherever these are; a caller's way out is a proxy's."""
    async with open_channel("retriever.invalid:50053") as between:
        await refusal(orchestrator_pb2_grpc.OrchestratorServiceStub(between).GetAnswer(GET, timeout=2))
    direct = list(proxy.asked)
    async with open_client_channel("cgrag.invalid:50054", None) as outward:
        await refusal(orchestrator_pb2_grpc.OrchestratorServiceStub(outward).GetAnswer(GET, timeout=2))

    assert direct == []
    assert {each.split()[1] for each in proxy.asked} == {"cgrag.invalid:50054"}


async def test_the_health_check_of_an_image_asks_directly(proxy: NotedProxy) -> None:
    """A container of an environment with proxies is not taken for dead."""
    async with serving(Answers()) as (server, _, _):
        serves({"CGRAG_SERVICE": "orchestrator", "CGRAG_ORCHESTRATOR_HEALTH_PORT": str(server.health_port)})

    assert proxy.asked == []


def test_a_bucket_on_this_machine_is_read_directly(proxy: NotedProxy) -> None:
    """An endpoint elsewhere is reached through the proxy."""
    keys = {"object_store_access_key": "a", "object_store_secret_key": "b"}
    with s3_server() as address:
        local = ObjectStoreSettings(object_store_url="s3://nowhere/x", object_store_endpoint=address, **keys)
        bucket = open_bucket(local)
        with pytest.raises(Exception, match="does not exist"):
            bucket.read("CURRENT")
        bucket.close()
    direct = list(proxy.asked)
    away = ObjectStoreSettings(
        object_store_url="s3://nowhere/x", object_store_endpoint="http://minio.invalid:9000", **keys
    )
    bucket = open_bucket(away)
    with pytest.raises(Exception, match="object storage"):
        bucket.read("CURRENT")
    bucket.close()

    assert direct == []
    assert "minio.invalid:9000" in proxy.asked[0]


def test_an_embedding_endpoint_on_this_machine_is_asked_directly(proxy: NotedProxy) -> None:
    """Also by an address of loopback that is seldom used."""
    with EmbeddingEndpoint(held_after=9) as endpoint:
        url = endpoint.environ["CGRAG_EMBEDDING_URL"].replace("127.0.0.1", "localhost")
        embedder = open_embedder(EmbeddingConfig(provider="openai", model="tiny", url=url, dimensions=DIMENSIONS))
        vectors = embedder.embed(["text"], Purpose.QUERY)
        embedder.close()

    assert vectors.shape == (1, DIMENSIONS)
    assert proxy.asked == []


def test_a_collector_of_traces_on_this_machine_is_sent_to_directly(proxy: NotedProxy) -> None:
    """Nothing listens here: what counts is who is asked; a collector elsewhere is behind the proxy."""
    local = open_otlp_exporter("http://127.0.0.1:9")
    away = open_otlp_exporter("http://collector.invalid:4317")
    try:
        for each in (local, away):
            channel = each._channel  # type: ignore[attr-defined]
            channel.subscribe(lambda _: None, try_to_connect=True)
        ends = time.monotonic() + 5
        while not proxy.asked and time.monotonic() < ends:
            time.sleep(0.02)
    finally:
        for each in (local, away):
            each.shutdown()

    assert {each.split()[1] for each in proxy.asked} == {"collector.invalid:4317"}


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    """Repositories by URL, none allowed to be private."""
    policy = FetchPolicy(allowed_hosts=(), file_roots=(), ca_file="", seconds=20.0)
    return GitRepositories(tmp_path / "git", policy, partial(checked_folder, data=tmp_path))


def _fetch(repositories: GitRepositories, url: str) -> None:
    source = GitSource(url, "")
    repositories.check(source)
    with repositories.open(source, GitIgnoreSpec.from_lines(())):
        raise AssertionError("there is no such repository")


def test_git_fetches_through_the_proxy(proxy: NotedProxy, repositories: GitRepositories) -> None:
    """Also from a host whose name this machine cannot resolve: the proxy does."""
    with pytest.raises(SourceUnavailable, match="git fetch failed"):
        _fetch(repositories, "https://git.invalid/team/shop.git")

    assert proxy.asked == ["CONNECT git.invalid:443 HTTP/1.1"]


def test_git_heeds_no_proxy_and_keeps_its_rules(
    proxy: NotedProxy, repositories: GitRepositories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host without a proxy has to resolve, and a private address stays refused behind one."""
    monkeypatch.setenv("no_proxy", "git.invalid,10.1.2.3")
    with pytest.raises(SourceUnavailable, match="cannot be found"):
        _fetch(repositories, "https://git.invalid/team/shop.git")
    with pytest.raises(SourceRefused, match="private or local"):
        _fetch(repositories, "https://10.9.8.7/team/shop.git")

    assert proxy.asked == []
