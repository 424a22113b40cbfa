"""What an import came to, or why it failed, as plain values between the service and its process."""

from __future__ import annotations

from typing import Any

from common.core.errors import AppError, InvalidArgument, Violation
from indexer.domain.errors import (
    ImportFailed,
    ImportNotFound,
    IndexMalformed,
    RepositoryNotFound,
    StateForbids,
    StorageFull,
)
from indexer.domain.precise.sites import PreciseOutcome, Refusal, Withdrawal

_ERRORS: dict[str, type[AppError]] = {
    each.__name__: each
    for each in (
        InvalidArgument,
        IndexMalformed,
        ImportNotFound,
        RepositoryNotFound,
        StateForbids,
        StorageFull,
        ImportFailed,
    )
}


def encode_outcome(outcome: PreciseOutcome) -> dict[str, Any]:
    """Return an outcome as plain values."""
    return {
        "snapshot_id": outcome.snapshot_id,
        "documents": outcome.documents,
        "refused": {str(int(reason)): number for reason, number in outcome.refused.items()},
        "replaced": outcome.replaced,
        "precise": outcome.precise,
    }


def encode_error(error: AppError) -> dict[str, Any]:
    """Return an error as plain values."""
    return {
        "error": type(error).__name__,
        "message": error.message,
        "metadata": error.metadata,
        "violations": [[each.field, each.description] for each in error.violations],
    }


def decode_outcome(plain: dict[str, Any]) -> PreciseOutcome:
    """Return the outcome again. Raises the error if it is one."""
    _raise_error(plain)
    refused = {Refusal(int(reason)): number for reason, number in plain["refused"].items()}
    return PreciseOutcome(plain["snapshot_id"], plain["documents"], refused, plain["replaced"], plain["precise"])


def encode_withdrawal(done: Withdrawal) -> dict[str, Any]:
    """Return what withdrawing came to as plain values."""
    return {"snapshot_id": done.snapshot_id, "files": done.files, "precise": done.precise}


def decode_withdrawal(plain: dict[str, Any]) -> Withdrawal:
    """Return it again. Raises the error if it is one."""
    _raise_error(plain)
    return Withdrawal(plain["snapshot_id"], plain["files"], plain["precise"])


def _raise_error(plain: dict[str, Any]) -> None:
    if "error" in plain:
        known = _ERRORS.get(plain["error"], ImportFailed)
        violations = [Violation(*each) for each in plain["violations"]]
        raise known(plain["message"], metadata=plain["metadata"], violations=violations)
