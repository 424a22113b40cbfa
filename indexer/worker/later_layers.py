"""Creates the objects that make the further layers of a snapshot, once the core layer of the job is published."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import structlog

from common.core.clock import SystemClock
from common.model.embedders import open_embedder
from common.model.metrics import Unmetered
from indexer.adapters.findings.archive import SqliteFindingsArchive
from indexer.adapters.findings.complexity import ComplexityAnalyzer, LizardAnalyzer
from indexer.adapters.findings.core_code import SqliteCoreCode
from indexer.adapters.findings.layer import JsonFindingsLayer
from indexer.adapters.findings.ruff import RuffAnalyzer
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.adapters.vectors.edge_shard import EdgeVectorBuilder
from indexer.adapters.vectors.embedding import EmbeddingLimits, UnitEmbedder
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from indexer.domain.findings.grades import Thresholds
from indexer.usecases.add_vectors import AddVectors
from indexer.usecases.findings.add import AddFindings
from indexer.usecases.findings.apply_import import ApplyFindingsImport
from indexer.usecases.findings.publish import FindingsPublisher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indexer.ports import Analyzer, VectorBuilder
    from indexer.settings import IndexerSettings

_log = structlog.get_logger(__name__)


@contextmanager
def add_findings(settings: IndexerSettings) -> Iterator[AddFindings]:
    """Yield the use case that makes findings layers."""
    store, clock = open_store(settings), SystemClock()
    with closing(SqliteFindingsArchive(settings.findings_file)) as archive:
        publisher = FindingsPublisher(store, JsonFindingsLayer(), SqliteCoreCode(), archive, clock)
        scratch = FolderScratch(settings.scratch_dir)
        yield AddFindings(_analyzers(settings), publisher, store, scratch, clock, on_failure=_log_failure)


@contextmanager
def apply_findings(settings: IndexerSettings) -> Iterator[ApplyFindingsImport]:
    """Yield the use case that imports reports of scanners."""
    store, code = open_store(settings), SqliteCoreCode()
    with closing(SqliteFindingsArchive(settings.findings_file)) as archive:
        publisher = FindingsPublisher(store, JsonFindingsLayer(), code, archive, SystemClock())
        yield ApplyFindingsImport(store, code, archive, archive, publisher)


def _analyzers(settings: IndexerSettings) -> tuple[Analyzer, ...]:
    most = Thresholds(settings.max_complexity, settings.max_function_lines)
    known: tuple[Analyzer, ...] = (
        RuffAnalyzer(settings.ruff_rules, settings.analyzer_seconds),
        ComplexityAnalyzer(most),
        LizardAnalyzer(most, settings.analyzer_seconds),
    )
    return tuple(each for each in known if each.name in settings.analyzers)


def _log_failure(analyzer: str, problem: str) -> None:
    _log.warning("analyzer.failed", analyzer=analyzer, problem=problem)


@contextmanager
def add_vectors(settings: IndexerSettings, on_redacted: Callable[[str], None]) -> Iterator[AddVectors | None]:
    """
    Yield the use case that makes vectors layers, None where the settings switch vectors off.

    Args:
        on_redacted: Called with the class of each secret that was redacted from the texts for an embedding endpoint.
    """
    if settings.provider == "none":
        yield None
        return
    with ExitStack() as stack:
        embedder = stack.enter_context(closing(open_embedder(settings.embedding, meter=Unmetered(on_redacted))))
        cache = EmbeddingCache(settings.own_dir / "embeddings.db", settings.embedding_cache_rows)
        stack.callback(cache.close)
        limits = EmbeddingLimits(settings.vectors_max_points, settings.vectors_max_seconds)
        units = UnitEmbedder(embedder, cache, limits, SystemClock())
        scratch = FolderScratch(settings.scratch_dir)
        yield AddVectors(_vector_builder(settings, units, stack), open_store(settings), scratch, SystemClock())


def _vector_builder(settings: IndexerSettings, units: UnitEmbedder, stack: ExitStack) -> VectorBuilder:
    if not settings.qdrant_host:
        return EdgeVectorBuilder(units)
    # Imported only with a vector server: importing its client takes half a second.
    from indexer.adapters.vectors.qdrant_server import QdrantVectorBuilder, open_target

    return QdrantVectorBuilder(units, stack.enter_context(open_target(settings)))
