"""Puts together what one job needs: a process of its own, that serves nobody and loads no more than it uses."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import structlog

from common.core.clock import SystemClock
from common.model.embeddings import open_embedder
from indexer.adapters.code_version import code_version
from indexer.adapters.findings.archive import SqliteFindingsArchive
from indexer.adapters.findings.complexity import ComplexityAnalyzer, LizardAnalyzer
from indexer.adapters.findings.core_code import SqliteCoreCode
from indexer.adapters.findings.layer import JsonFindingsLayer
from indexer.adapters.findings.ruff import RuffAnalyzer
from indexer.adapters.languages.registry import languages, linkers
from indexer.adapters.parsing.child import Limits
from indexer.adapters.parsing.facts_cache import SqliteFactsCache
from indexer.adapters.parsing.pool import ParserPool
from indexer.adapters.sources.opener import open_sources
from indexer.adapters.sources.scan_memory import FolderScanMemory
from indexer.adapters.store.code_db import CodeDbWriter
from indexer.adapters.store.published_core import SqlitePublishedCores
from indexer.adapters.store.scratch import FolderScratch
from indexer.adapters.store.snapshots import open_store
from indexer.adapters.vectors.edge_shard import EdgeVectorBuilder
from indexer.adapters.vectors.embedding import EmbeddingLimits, UnitEmbedder
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from indexer.domain.version import INDEX_VERSION
from indexer.usecases.add_findings import AddFindings
from indexer.usecases.add_vectors import AddVectors
from indexer.usecases.index_repository import IndexRepository
from indexer.usecases.publish_findings import FindingsPublisher
from indexer.usecases.read_facts import FactsReader
from indexer.usecases.scan_tree import TreeScanner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.ports import Analyzer, VectorBuilder
    from indexer.settings import IndexerSettings

_log = structlog.get_logger(__name__)

_CHILD_CPU_SECONDS = 3600
_FACTS_CODE = (
    "indexer.adapters.languages",
    "indexer:queries/languages",
    "indexer.domain.linking.by_name:program.py",
    "indexer.domain:lexical.py",
    "common.core:terms.py",
)
_LINKING_CODE = ("indexer.domain.linking",)
_SCREENING_CODE = ("indexer.domain:screening.py",)


@contextmanager
def index_repository(settings: IndexerSettings) -> Iterator[IndexRepository]:
    """Yield the use case that makes snapshots, with its parsing processes and its cache."""
    known = languages()
    with ExitStack() as stack:
        cache = SqliteFactsCache(settings.data_dir / "indexer" / "facts.db", settings.facts_cache_mb << 20)
        stack.callback(cache.close)
        limits = Limits(settings.parse_memory_bytes, _CHILD_CPU_SECONDS)
        pool = stack.enter_context(
            ParserPool(
                known, processes=settings.parse_processes, file_seconds=settings.parse_file_seconds, limits=limits
            )
        )
        version = code_version(_FACTS_CODE)
        yield IndexRepository(
            sources=open_sources(settings),
            scanner=TreeScanner(_scan_memory(settings), settings.max_file_bytes),
            facts=FactsReader(known, cache, pool, version=version, left_out=settings.left_out),
            linkers=linkers(),
            writer=CodeDbWriter(INDEX_VERSION),
            store=open_store(settings),
            cores=SqlitePublishedCores(),
            clock=SystemClock(),
            history_commits=settings.history_commits,
            identity={
                **settings.identity,
                "index": INDEX_VERSION,
                "facts": version,
                "linking": code_version(_LINKING_CODE),
            },
        )
        cache.prune()


def _scan_memory(settings: IndexerSettings) -> FolderScanMemory:
    version = f"{code_version(_SCREENING_CODE)}:{settings.max_file_bytes}"
    return FolderScanMemory(settings.data_dir / "repositories", version)


@contextmanager
def add_findings(settings: IndexerSettings) -> Iterator[AddFindings]:
    """Yield the use case that makes findings layers."""
    store, clock = open_store(settings), SystemClock()
    with closing(SqliteFindingsArchive(settings.data_dir / "indexer" / "findings.db")) as archive:
        publisher = FindingsPublisher(store, JsonFindingsLayer(), SqliteCoreCode(), archive, clock)
        scratch = FolderScratch(settings.data_dir / "indexer" / "scratch")
        yield AddFindings(_analyzers(settings), publisher, store, scratch, clock, on_failure=_log_failure)


def _analyzers(settings: IndexerSettings) -> tuple[Analyzer, ...]:
    thresholds = (settings.max_complexity, settings.max_function_lines)
    known: tuple[Analyzer, ...] = (
        RuffAnalyzer(settings.ruff_rules, settings.analyzer_seconds),
        ComplexityAnalyzer(*thresholds),
        LizardAnalyzer(*thresholds, settings.analyzer_seconds),
    )
    return tuple(each for each in known if each.name in settings.analyzers)


def _log_failure(analyzer: str, problem: str) -> None:
    _log.warning("analyzer.failed", analyzer=analyzer, problem=problem)


@contextmanager
def add_vectors(settings: IndexerSettings) -> Iterator[AddVectors | None]:
    """Yield the use case that makes vectors layers, None where an operator wants none."""
    if settings.embedding_provider == "none":
        yield None
        return
    with ExitStack() as stack:
        embedder = stack.enter_context(closing(open_embedder(settings.embedding)))
        cache = EmbeddingCache(settings.data_dir / "indexer" / "embeddings.db", settings.embedding_cache_rows)
        stack.callback(cache.close)
        limits = EmbeddingLimits(settings.vectors_max_points, settings.vectors_max_seconds)
        units = UnitEmbedder(embedder, cache, limits, SystemClock())
        scratch = FolderScratch(settings.data_dir / "indexer" / "scratch")
        yield AddVectors(_vector_builder(settings, units, stack), open_store(settings), scratch, SystemClock())


def _vector_builder(settings: IndexerSettings, units: UnitEmbedder, stack: ExitStack) -> VectorBuilder:
    if not settings.qdrant_host:
        return EdgeVectorBuilder(units)
    # Its client takes half a second to load, which every job would pay.
    from qdrant_client import QdrantClient

    from indexer.adapters.vectors.qdrant_server import QdrantTarget, QdrantVectorBuilder

    client = QdrantClient(
        host=settings.qdrant_host,
        grpc_port=settings.qdrant_grpc_port,
        https=settings.qdrant_tls,
        api_key=settings.qdrant_api_key or None,
        prefer_grpc=True,
        check_compatibility=False,
    )
    stack.callback(client.close)
    return QdrantVectorBuilder(units, QdrantTarget(client, quantization=settings.qdrant_quantization))
