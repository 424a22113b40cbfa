"""Imports or withdraws SCIP indexes for the service: reads a request from stdin, writes the outcome as JSON."""

from __future__ import annotations

import gc
import json
import resource
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.core.errors import AppError
from common.observability import logging
from indexer.adapters.plain_errors import encode_error
from indexer.adapters.precise.plain import encode_outcome
from indexer.adapters.precise.scip_file import ScipFile
from indexer.domain.errors import ImportFailed
from indexer.worker.for_service import end_with_service
from indexer.worker.precise import apply_import, apply_withdrawal

if TYPE_CHECKING:
    from indexer.settings import IndexerSettings


def run(settings: IndexerSettings) -> int:
    """Import or withdraw within a memory limit, return the exit code; an AppError is written as the outcome."""
    logging.configure("indexer", level=settings.log_level, muted=settings.log_muted)
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_service, daemon=True).start()
    limit = settings.precise_memory_mb << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.write(f"{json.dumps(_answer(settings, request))}\n")
    return 0


def _answer(settings: IndexerSettings, request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "withdraw" in request:
            with apply_withdrawal(settings) as withdraw:
                return asdict(withdraw.run(request["repository"], request["withdraw"]))
        with apply_import(settings) as take:
            return encode_outcome(take.run(request["repository"], ScipFile(Path(request["index"]))))
    except AppError as error:
        return encode_error(error)
    except MemoryError:
        gc.collect()
        text = f"The import took more than {settings.precise_memory_mb} MiB of memory and was ended"
        return encode_error(ImportFailed(f"{text}; import a smaller index, or raise precise_memory_mb of the indexer."))
