"""Results of imports and withdrawals as JSON values, for the pipe between the service and the importing process."""

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
    """Return the outcome that was encoded. Raises the encoded error if there is one."""
    raise_error(plain)
    refused = {Refusal(int(reason)): number for reason, number in plain["refused"].items()}
    return PreciseOutcome(plain["snapshot_id"], plain["documents"], refused, plain["replaced"], plain["precise"])


def decode_withdrawal(plain: dict[str, Any]) -> Withdrawal:
    """Return the withdrawal that `asdict` encoded. Raises the encoded error if there is one."""
    raise_error(plain)
    return Withdrawal(plain["snapshot_id"], plain["files"], plain["precise"])
