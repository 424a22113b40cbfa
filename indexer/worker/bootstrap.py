"""
Creates the objects that a job needs until its core layer is published; runs in the process of the job.

An edit is shown only after this process has started, so it imports as little as possible: `later_layers`, which makes
the further layers, is imported when the core is published.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from common.core.clock import SystemClock
from indexer.adapters.code_version import code_version
from indexer.adapters.languages.registry import code_endings, languages, linkers
from indexer.adapters.parsing.child import Limits
from indexer.adapters.parsing.facts_cache import SqliteFactsCache
from indexer.adapters.parsing.pool import ParserPool
from indexer.adapters.sources.opener import open_sources
from indexer.adapters.sources.scan_memory import FolderScanMemory
from indexer.adapters.store.core.code_db import CodeDbWriter
from indexer.adapters.store.core.core_patch import CoreCopier
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.core.published_core import SqlitePublishedCores
from indexer.domain.snapshots.snapshot import INDEX_VERSION, SCHEMA_VERSION
from indexer.usecases.indexing.index_repository import IndexRepository
from indexer.usecases.indexing.publish_edit import EditPublisher
from indexer.usecases.indexing.read_facts import FactsReader
from indexer.usecases.indexing.scan_tree import TreeScanner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.ports import Language, Parser
    from indexer.settings import IndexerSettings

_CHILD_CPU_SECONDS = 3600
_FACTS_CODE = (
    "indexer.adapters.languages",
    "indexer.adapters.manifests",
    "indexer.domain:roles.py",
    "indexer:languages",
    "indexer.domain.source:notebooks.py",
    "indexer.domain.linking.by_name:program.py",
    "indexer.domain.linking.solver:packed.py",
    "indexer.domain.snapshots:lexical.py",
    "common.core.words:terms.py",
)
_LINKING_CODE = ("indexer.domain.linking",)
_SCREENING_CODE = (
    "indexer.domain.source:screening.py",
    "indexer.domain.source:encodings.py",
    "indexer.domain.source:notebooks.py",
    "indexer.usecases.indexing:scan_tree.py",
    "common.core.words:word_sets.py",
)


@contextmanager
def index_repository(settings: IndexerSettings) -> Iterator[IndexRepository]:
    """Yield the use case that makes snapshots, with its parsing processes and its cache."""
    known = languages()
    limits = Limits(settings.parse_memory_bytes, _CHILD_CPU_SECONDS)
    processes, file_seconds = settings.parse_processes, settings.parse_file_seconds
    with (
        ParserPool(known, processes=processes, file_seconds=file_seconds, limits=limits) as pool,
        index_repository_with(settings, known, pool) as indexer,
    ):
        yield indexer


@contextmanager
def index_repository_with(
    settings: IndexerSettings, known: Mapping[str, Language], parser: Parser
) -> Iterator[IndexRepository]:
    """Yield the use case that makes snapshots, with its cache, over languages by name and their parser."""
    with closing(SqliteFactsCache(settings.own_dir / "facts.db", settings.facts_cache_mb << 20)) as cache:
        version = code_version(_FACTS_CODE)
        identity = {
            **settings.identity,
            "index": INDEX_VERSION,
            "schema": str(SCHEMA_VERSION),
            "facts": version,
            "linking": code_version(_LINKING_CODE),
        }
        facts = FactsReader(
            known, cache, parser, version=version, left_out=settings.left_out, code_endings=code_endings()
        )
        store, clock, linked_by = open_store(settings), SystemClock(), linkers()
        yield IndexRepository(
            sources=open_sources(settings),
            scanner=TreeScanner(_scan_memory(settings), settings.max_file_bytes, secret_files=settings.secret_files),
            facts=facts,
            linkers=linked_by,
            writer=CodeDbWriter(INDEX_VERSION),
            store=store,
            cores=SqlitePublishedCores(),
            edits=EditPublisher(
                facts=facts,
                linkers=linked_by,
                patcher=CoreCopier(),
                store=store,
                clock=clock,
                identity=identity,
                max_files=settings.provisional_files,
            ),
            clock=clock,
            history_commits=settings.history_commits,
            identity=identity,
        )
        cache.prune()


def _scan_memory(settings: IndexerSettings) -> FolderScanMemory:
    version = f"{code_version(_SCREENING_CODE)}:{settings.max_file_bytes}"
    return FolderScanMemory(settings.data_dir / "repositories", version)
