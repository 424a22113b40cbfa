"""What an import came to as plain values between the service and its process."""

from __future__ import annotations

from typing import Any

from indexer.adapters.plain_errors import raise_error
from indexer.domain.precise.sites import PreciseOutcome, Refusal, Withdrawal


def encode_outcome(outcome: PreciseOutcome) -> dict[str, Any]:
    """Return an outcome as plain values."""
    return {
        "snapshot_id": outcome.snapshot_id,
        "documents": outcome.documents,
        "refused": {str(int(reason)): number for reason, number in outcome.refused.items()},
        "replaced": outcome.replaced,
        "precise": outcome.precise,
    }


def decode_outcome(plain: dict[str, Any]) -> PreciseOutcome:
    """Return the outcome again. Raises the error if it is one."""
    raise_error(plain)
    refused = {Refusal(int(reason)): number for reason, number in plain["refused"].items()}
    return PreciseOutcome(plain["snapshot_id"], plain["documents"], refused, plain["replaced"], plain["precise"])


def encode_withdrawal(done: Withdrawal) -> dict[str, Any]:
    """Return what withdrawing came to as plain values."""
    return {"snapshot_id": done.snapshot_id, "files": done.files, "precise": done.precise}


def decode_withdrawal(plain: dict[str, Any]) -> Withdrawal:
    """Return it again. Raises the error if it is one."""
    raise_error(plain)
    return Withdrawal(plain["snapshot_id"], plain["files"], plain["precise"])
