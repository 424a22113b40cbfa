"""What the process of an import tells the service, as plain values."""

from __future__ import annotations

import pytest

from common.core.errors import AppError
from indexer.adapters.plain_errors import encode_error
from indexer.adapters.precise.plain import decode_outcome
from indexer.domain.errors import ImportFailed, IndexMalformed, RepositoryNotFound, StateForbids, StorageFull


@pytest.mark.parametrize(
    "error",
    [
        RepositoryNotFound.of("shop"),
        StateForbids.overtaken("shop"),
        StorageFull("no space"),
        IndexMalformed("bad"),
        ImportFailed("ended"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_out_as_it_went_in(error: AppError) -> None:
    """The caller is told what to do next by its kind."""
    with pytest.raises(AppError) as raised:
        decode_outcome(encode_error(error))

    assert type(raised.value) is type(error)
    assert (raised.value.message, raised.value.metadata) == (error.message, error.metadata)
