"""The service and its workers are killed at random moments; nobody who reads the bucket ever notices."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from common.objects.bucket import open_bucket
from common.objects.settings import ObjectStoreSettings
from tests.fakes.clock import FakeClock
from tests.fakes.git_repositories import commit_all
from tests.fakes.object_store import s3_server
from tests.integration.indexer.indexing import SHOP, Indexing, write_tree
from tests.integration.indexer.jobs.test_indexer_kills import FINAL, kill_something
from tests.integration.indexer.service import running
from tests.integration.object_store.world import Replica

KILLS = 25
NAME = "kills"


@pytest.mark.long
async def test_kills_never_show_in_the_bucket(tmp_path: Path) -> None:
    """A retriever that is new after each kill serves a whole snapshot; in the end both sides have the same."""
    chance = random.Random(2)
    shop, data = write_tree(tmp_path / "shop", SHOP), tmp_path / "data"
    commit_all(shop)
    with s3_server(NAME) as endpoint:
        place = ObjectStoreSettings(
            object_store_url=f"s3://{NAME}/x",
            object_store_endpoint=endpoint,
            object_store_access_key="key",
            object_store_secret_key="secret",
        )
        environ = {f"CGRAG_{name}".upper(): value for name, value in vars(place).items() if value}
        bucket = open_bucket(place)
        async with running(data, **environ) as indexer:
            assert (await indexer.index(shop)).state == pb.INDEX_JOB_STATE_SUCCEEDED
        kills = 0
        while kills < KILLS:
            async with running(data, **environ) as indexer:
                alive = True
                while alive and kills < KILLS:
                    kills += 1
                    write_tree(shop, {"shop/new.py": f"def f{kills}():\n    return {kills}\n"})
                    source = pb.Source(local_path=str(shop))
                    job = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=source))
                    await asyncio.sleep(chance.uniform(0.0, 2.5))
                    alive = not await kill_something(indexer, chance, job.job_id)
                    replica = Replica(tmp_path / f"replica{kills}", bucket, FakeClock(), 1 << 30)
                    assert "shop/cart.py" in await replica.paths()
                    assert await replica.notes() == ()
                    assert set(replica.meter.layers) == {"completed"}
                    replica.close()
        # Who is gone renews nothing, but would keep what it read for as long as a lease is, and once more.
        bucket.remove(list(bucket.sizes("repositories/shop/leases")))
        async with running(data, **environ) as indexer:
            done = await indexer.index(shop, repository="shop")
            jobs = (await indexer.stub.ListIndexJobs(pb.ListIndexJobsRequest(page_size=200))).jobs

        current = Indexing(data).current()
        assert done.state == pb.INDEX_JOB_STATE_SUCCEEDED
        assert [job.job_id for job in jobs if job.state not in FINAL] == []
        assert bucket.read("repositories/shop/CURRENT") == f"{current.snapshot_id}\n".encode()
        layers = {path.name for path in (data / "repositories/shop/layers").iterdir()}
        assert {key.split("/")[3] for key in bucket.sizes("repositories/shop/layers")} <= layers
        assert [*(data / "indexer/uploads/owed").iterdir(), *(data / "indexer/uploads/begun").iterdir()] == []
