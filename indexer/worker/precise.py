"""Creates the objects that import, withdraw and publish precise edges, in the process of a job or of an import."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from common.core.clock import SystemClock
from indexer.adapters.code_version import code_version
from indexer.adapters.findings.core_code import SqliteCoreCode
from indexer.adapters.precise.archive import SqlitePreciseArchive
from indexer.adapters.precise.core_texts import SqliteCoreTexts
from indexer.adapters.precise.layer import SqlitePreciseLayer
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.usecases.precise.apply_import import ApplyPreciseImport
from indexer.usecases.precise.apply_withdrawal import ApplyPreciseWithdrawal
from indexer.usecases.precise.publish import PrecisePublisher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.settings import IndexerSettings

_MERGING_CODE = ("indexer.domain.precise",)


@contextmanager
def precise_publisher(settings: IndexerSettings) -> Iterator[PrecisePublisher]:
    """Yield the use case that makes precise layers."""
    with closing(SqlitePreciseArchive(settings.precise_file)) as archive:
        yield _publisher(settings, archive)


@contextmanager
def apply_import(settings: IndexerSettings) -> Iterator[ApplyPreciseImport]:
    """Yield the use case that imports SCIP indexes."""
    with closing(SqlitePreciseArchive(settings.precise_file)) as archive:
        yield ApplyPreciseImport(
            open_store(settings), SqliteCoreTexts, archive, _publisher(settings, archive), SystemClock()
        )


@contextmanager
def apply_withdrawal(settings: IndexerSettings) -> Iterator[ApplyPreciseWithdrawal]:
    """Yield the use case that withdraws imported SCIP indexes."""
    with closing(SqlitePreciseArchive(settings.precise_file)) as archive:
        yield ApplyPreciseWithdrawal(open_store(settings), archive, _publisher(settings, archive))


def _publisher(settings: IndexerSettings, archive: SqlitePreciseArchive) -> PrecisePublisher:
    return PrecisePublisher(
        open_store(settings),
        SqlitePreciseLayer(),
        SqliteCoreCode(),
        archive,
        FolderScratch(settings.scratch_dir),
        SystemClock(),
        version=code_version(_MERGING_CODE),
    )
