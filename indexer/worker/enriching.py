"""Creates the objects that ask a model to describe files, in the process of a job."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import structlog

from common.core.clock import SystemClock
from common.model.client import open_model_client
from common.model.config import RoleModel, Timeouts
from common.model.metrics import Unmetered
from common.model.values import ModelRole
from common.observability.metrics import Metrics
from indexer.adapters.enrichment.archive import SqliteNoteArchive
from indexer.adapters.enrichment.core_pages import SqliteCorePages
from indexer.adapters.enrichment.layer import JsonEnrichmentLayer
from indexer.adapters.enrichment.model import ModelFileDescriber
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.domain.text.enrichment import EnrichmentLimits
from indexer.usecases.add_enrichment import AddEnrichment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indexer.settings import IndexerSettings

_log = structlog.get_logger(__name__)

_REQUEST_SECONDS = 60.0


@contextmanager
def add_enrichment(settings: IndexerSettings, on_redacted: Callable[[str], None]) -> Iterator[AddEnrichment]:
    """
    Yield the use case that makes enrichment layers.

    Args:
        on_redacted: Called with the class of each secret that was redacted from the texts for the model.
    """
    config = settings.model_config(
        {ModelRole.ENRICH: RoleModel(settings.enrichment_model, max_tokens=300)},
        Timeouts(total_seconds=min(_REQUEST_SECONDS, settings.enrichment_seconds)),
    )
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        client = open_model_client(config, Metrics("indexer"), SystemClock(), endpoints=Unmetered(on_redacted))
        stack.callback(lambda: runner.run(client.close()))
        notes = stack.enter_context(closing(SqliteNoteArchive(settings.own_dir / "enrichment.db")))
        yield AddEnrichment(
            ModelFileDescriber(client, settings.enrichment_model, runner),
            notes,
            SqliteCorePages(),
            JsonEnrichmentLayer(),
            open_store(settings),
            FolderScratch(settings.scratch_dir),
            SystemClock(),
            EnrichmentLimits(
                settings.enrichment_max_files, settings.enrichment_max_tokens, settings.enrichment_seconds
            ),
            on_fault=_log_fault,
        )


def _log_fault(problem: str) -> None:
    _log.warning("enrichment.model_left", problem=problem)
