"""An indexer whose bucket hangs."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

from tests.fakes.faulty_proxy import Fault, FaultyProxy
from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.indexer.service import running


async def test_a_bucket_that_hangs_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """What is owed stays noted and is brought by the next process; this one need not wait for an answer."""
    SnapshotBuilder().python("one.py", "def one():\n    return 1\n").publish(tmp_path, "shop")
    with FaultyProxy("http://127.0.0.1:9") as proxy:
        proxy.fault = lambda method, path: Fault.HANG
        environ = {
            "CGRAG_OBJECT_STORE_URL": "s3://bucket/x",
            "CGRAG_OBJECT_STORE_ENDPOINT": proxy.url,
            "CGRAG_OBJECT_STORE_ACCESS_KEY": "key",
            "CGRAG_OBJECT_STORE_SECRET_KEY": "secret",
        }
        async with running(tmp_path, **environ) as indexer:
            async with asyncio.timeout(30):
                while not proxy.asked:  # noqa: ASYNC110 - another process asks
                    await asyncio.sleep(0.02)
            begun = time.monotonic()
            indexer.process.send_signal(signal.SIGTERM)
            code = await indexer.process.wait()
            took = time.monotonic() - begun

    assert code == 0
    assert took < 8
    notes = tmp_path / "indexer/uploads"
    assert {each.name for name in ("owed", "begun") for each in (notes / name).iterdir()} == {"shop"}
