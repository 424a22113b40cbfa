"""
Imports an index in a process of its own: `python -m indexer.worker precise`.

The index is written to a file first. The process reads one line of JSON with repository and file, and writes one line.
Its input pipe stays open: it closes when the service dies, and the process then ends itself.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from indexer.adapters.precise.plain import decode_outcome, decode_withdrawal
from indexer.adapters.store.disk import storage_errors
from indexer.adapters.worker_process import end_worker, started_worker
from indexer.domain.errors import ImportFailed

if TYPE_CHECKING:
    import subprocess
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from indexer.domain.precise.sites import PreciseOutcome, Withdrawal
    from indexer.ports import Scratch

_INDEX = "index.scip"


class ProcessPreciseImporter:
    """
    Implements `PreciseImporter`; one import at a time, as each needs many times its size of memory.

    Args:
        environ: Environment of the processes; settings are read from it again.
        scratch: Where the chunks of an index are written.
        seconds: An import that takes longer fails.
    """

    def __init__(self, environ: Mapping[str, str], scratch: Scratch, *, seconds: float) -> None:
        self._environ = dict(environ)
        self._scratch = scratch
        self._seconds = seconds
        self._turn = asyncio.Lock()

    async def run(self, repository: str, chunks: AsyncIterator[bytes]) -> PreciseOutcome:
        """Import an index; cancelling kills the process."""
        async with _room(self._scratch) as room:
            await _receive(room / _INDEX, chunks)
            async with self._turn:
                return decode_outcome(await self._answer({"repository": repository, "index": str(room / _INDEX)}))

    async def withdraw(self, repository: str, import_ids: Sequence[str]) -> Withdrawal:
        """Withdraw imports; cancelling kills the process."""
        async with self._turn:
            return decode_withdrawal(await self._answer({"repository": repository, "withdraw": list(import_ids)}))

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        process = await started_worker("precise", self._environ, unwanted=end_worker)
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.to_thread(_converse, process, request)
        except TimeoutError as error:
            raise ImportFailed(
                f"The import took longer than {self._seconds:g} s and was ended; import a smaller index, or raise "
                "precise_seconds of the indexer."
            ) from error
        finally:
            end_worker(process)


@asynccontextmanager
async def _room(scratch: Scratch) -> AsyncGenerator[Path]:
    """Enter and leave a scratch folder in a thread: both wait for other processes and delete files."""
    folder = scratch.folder()
    entering = asyncio.create_task(asyncio.to_thread(folder.__enter__))
    try:
        yield await asyncio.shield(entering)
    finally:
        await asyncio.wait([entering])  # a caller that is cancelled meanwhile releases it, too
        if entering.exception() is None:
            await asyncio.to_thread(folder.__exit__, None, None, None)


async def _receive(file: Path, chunks: AsyncIterator[bytes]) -> None:
    with storage_errors(), file.open("wb") as opened:
        async for chunk in chunks:
            await asyncio.to_thread(opened.write, chunk)


def _converse(process: subprocess.Popen[bytes], request: dict[str, Any]) -> dict[str, Any]:
    """Send a request and wait for the answer; both pipes are closed at the end."""
    if process.stdin is None or process.stdout is None:
        raise ImportFailed("The importing process has no pipes.")
    with process.stdin as questions, process.stdout as answers:
        with suppress(BrokenPipeError):
            questions.write(json.dumps(request).encode() + b"\n")
            questions.flush()
        line = answers.readline()
    if not line:
        raise ImportFailed(
            "The import ended unexpectedly, for example for lack of memory; the log of the indexer has more. Import a "
            "smaller index, or raise precise_memory_mb of the indexer."
        )
    answer: dict[str, Any] = json.loads(line)
    return answer
