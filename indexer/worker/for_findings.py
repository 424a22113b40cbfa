"""Imports a report of findings for the service: reads request and report from stdin, writes the outcome as JSON."""

from __future__ import annotations

import json
import resource
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from common.core.errors import AppError
from common.observability import logging
from indexer.adapters.plain_errors import encode_error
from indexer.worker.later_layers import apply_findings

if TYPE_CHECKING:
    from indexer.settings import IndexerSettings


def run(settings: IndexerSettings) -> int:
    """Import within a memory limit and return the exit code; an AppError is written as the outcome."""
    logging.configure("indexer", level=settings.log_level, muted=settings.log_muted)
    limit = settings.precise_memory_mb << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    request, report = json.loads(sys.stdin.buffer.readline()), sys.stdin.buffer.read()
    sys.stdout.write(f"{json.dumps(_answer(settings, request, report))}\n")
    return 0


def _answer(settings: IndexerSettings, request: dict[str, str], report: bytes) -> dict[str, Any]:
    try:
        with apply_findings(settings) as take:
            return asdict(take.run(request["repository"], request["request_id"], report))
    except AppError as error:
        return encode_error(error)
