"""Gives an evaluation a client: to services that run already, or to ones started for it and stopped after it."""

from __future__ import annotations

import os
import sys
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2

from cgrag_client.client import Client
from cgrag_client.connecting.settings import SERVICES, data_folder, load_settings
from cgrag_client.errors import ClientError, UsageError
from cgrag_client.indexes import is_final, is_served, source_of
from cgrag_client.suite import Suite, SuiteSettings, find_checkout, free_ports

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from cgrag_client.evaluation.mirrors import Checkouts


def evaluation_folder(data: Path | None) -> Path:
    """Return the folder for indexes and results that are kept between runs: `data`, or the default one."""
    return (data or data_folder(os.environ) / "evaluation").expanduser().resolve()


def vector_settings() -> dict[str, str]:
    """Return the setting that makes services use vectors: of the local model, unless the environment names another."""
    return {"CGRAG_EMBEDDING_PROVIDER": os.environ.get("CGRAG_EMBEDDING_PROVIDER", "local")}


@asynccontextmanager
async def evaluation_client(
    services: Sequence[str],
    data: Path | None = None,
    readable: Sequence[Path] = (),
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Client]:
    """
    Open a client to the services named by CGRAG_CLIENT_*; if none of those is set, start services on free ports.

    Args:
        services: Names of the services that the evaluation calls, directly or not.
        data: Folder for the indexes of started services; None takes the default one.
        readable: Folders that the indexer may read besides its default ones.
        environ: Settings of services that are started, beside those of the environment.

    Raises:
        SuiteError: if the services do not start.
    """
    settings = load_settings(os.environ)
    async with AsyncExitStack() as stack:
        if not any(f"CGRAG_CLIENT_{name}".upper() in os.environ for name in SERVICES):
            ports = free_ports()
            suite = SuiteSettings(
                checkout=find_checkout(os.environ, Path.cwd()),
                data=evaluation_folder(data),
                ports=ports,
                environ={**os.environ, **(environ or {})},
                services=services,
                readable=readable,
            )
            sys.stderr.write(f"starting {', '.join(services)} (data in {suite.data}) ...\n")
            await stack.enter_async_context(Suite(suite))
            settings = ports.addresses(settings)
        yield await stack.enter_async_context(Client(settings))


async def index_commit(
    client: Client, mirrors: Checkouts, repository: str, commit: str, *, without_vectors: bool
) -> str:
    """
    Make sure that a commit is indexed; return the name of its index.

    An existing index is used as it is, unless its checkout may have changed. With vectors, waits until they are made,
    too. If the indexer could not read the checkout's history, a note is written to stderr, since ranking is then worse.
    Raises UsageError if the commit cannot be found, ClientError if it cannot be indexed.
    """
    name, is_fixed = mirrors.index_of(repository, commit)
    wanted = indexer_pb2.LAYER_KIND_CORE if without_vectors else indexer_pb2.LAYER_KIND_VECTORS
    if is_fixed and wanted in await _layers(client, name):
        return name
    with mirrors.checkout(repository, commit) as folder:
        await index_folder(client, folder, name, without_vectors=without_vectors)
        if (folder / ".git").exists() and not (await client.indexes.snapshot(name)).commit:
            sys.stderr.write(f"{name}: the indexer may not read its history; name the mirrors in its allowed_roots\n")
    return name


async def index_folder(client: Client, folder: Path, name: str, *, without_vectors: bool) -> indexer_pb2.IndexJob:
    """Index a folder and wait until core is published, or everything if vectors are wanted. Raises UsageError."""
    job = await client.indexes.start(source_of(str(folder)), repository=name, without_vectors=without_vectors)
    async with aclosing(client.indexes.watch(job.job_id)) as jobs:
        async for job in jobs:
            if is_final(job) or (without_vectors and is_served(job)):
                break
    if not is_served(job):
        raise UsageError(f"{name} could not be indexed: {job.error or 'the job was cancelled'}")
    return job


async def _layers(client: Client, name: str) -> frozenset[int]:
    try:
        snapshot = await client.indexes.snapshot(name)
    except ClientError as error:
        if error.reason in {
            "ERROR_REASON_REPOSITORY_NOT_FOUND",
            "ERROR_REASON_INDEX_NOT_READY",
            "ERROR_REASON_SNAPSHOT_NOT_FOUND",
        }:
            return frozenset()
        raise
    return frozenset(layer.kind for layer in snapshot.layers)
