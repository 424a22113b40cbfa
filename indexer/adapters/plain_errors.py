"""Converts errors to JSON values and back, so that a worker process can report them to the service."""

from __future__ import annotations

from typing import Any

from common.core.errors import AppError, InvalidArgument, Violation
from indexer.domain.errors import (
    ImportFailed,
    ImportNotFound,
    IndexMalformed,
    RepositoryNotFound,
    RequestIdReused,
    StateForbids,
    StorageFull,
)

_ERRORS: dict[str, type[AppError]] = {
    each.__name__: each
    for each in (
        InvalidArgument,
        IndexMalformed,
        ImportNotFound,
        RepositoryNotFound,
        RequestIdReused,
        StateForbids,
        StorageFull,
        ImportFailed,
    )
}


def encode_error(error: AppError) -> dict[str, Any]:
    """Return an error as plain values."""
    return {
        "error": type(error).__name__,
        "message": error.message,
        "metadata": error.metadata,
        "violations": [[each.field, each.description] for each in error.violations],
    }


def raise_error(plain: dict[str, Any]) -> None:
    """Raise the error that `encode_error` encoded; do nothing if the values are not an encoded error."""
    if "error" in plain:
        known = _ERRORS.get(plain["error"], ImportFailed)
        violations = [Violation(*each) for each in plain["violations"]]
        raise known(plain["message"], metadata=plain["metadata"], violations=violations)
