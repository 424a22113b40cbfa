"""A real Prometheus server for tests: scrapes the given ports and answers queries."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.ports import free_port
from tests.fakes.programs import find_program

SCRAPE_SECONDS = 1
RULES = Path(__file__).parents[2] / "deploy/prometheus/rules.yaml"


class Prometheus:
    """The HTTP API of a running server."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"

    async def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the series that an instant query gives now; raises if Prometheus refuses the expression."""
        answer = await self._get(f"/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
        series: list[dict[str, Any]] = json.loads(answer)["data"]["result"]
        return series

    async def exemplars(self, expression: str) -> list[dict[str, Any]]:
        """Return the series of an expression that have exemplars, with those of the last minute."""
        now = time.time()
        answer = await self._get(
            f"/api/v1/query_exemplars?{urllib.parse.urlencode({'query': expression, 'start': now - 60, 'end': now})}"
        )
        series: list[dict[str, Any]] = json.loads(answer)["data"]
        return series

    async def ready(self) -> bool:
        """Say whether the server answers queries yet."""
        try:
            await self._get("/-/ready")
        except OSError:
            return False
        return True

    async def _get(self, path: str) -> bytes:
        def read() -> bytes:
            with urllib.request.urlopen(self._base + path, timeout=10) as response:
                body: bytes = response.read()
            return body

        return await asyncio.to_thread(read)


@asynccontextmanager
async def prometheus(folder: Path, ports: Iterable[int]) -> AsyncIterator[Prometheus]:
    """Run a server with our rules that scrapes these ports of this machine every second; its data go into `folder`."""
    program = find_program("prometheus")
    assert program is not None
    config = {
        "global": {"scrape_interval": f"{SCRAPE_SECONDS}s", "evaluation_interval": f"{SCRAPE_SECONDS}s"},
        "rule_files": [str(RULES)],
        "scrape_configs": [
            {
                "job_name": "cgrag",
                "static_configs": [
                    {"targets": [f"127.0.0.1:{port}" for port in ports], "labels": {"namespace": "test"}}
                ],
            }
        ],
    }
    path = folder / "prometheus.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    port = free_port()
    with (folder / "prometheus.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            program,
            f"--config.file={path}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--enable-feature=exemplar-storage",
            stdout=log,
            stderr=log,
        )
    try:
        server = Prometheus(port)
        async with asyncio.timeout(30):
            while not await server.ready():  # noqa: ASYNC110 - another process, it sets no event
                await asyncio.sleep(0.1)
        yield server
    finally:
        process.terminate()
        await process.wait()
