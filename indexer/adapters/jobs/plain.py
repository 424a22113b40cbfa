"""Jobs and events of workers as JSON values, for the pipe to the process and for the queue."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from indexer.adapters.store.manifests import decode_counts, encode_counts
from indexer.domain.jobs import GitSource, JobSpec, LocalSource, Phase, Progress, Progressed, Published, WorkEvent


def decode_spec(plain: dict[str, Any]) -> JobSpec:
    """Return the specification of a job that `asdict` encoded."""
    place = plain["source"]
    source = LocalSource(place["path"]) if "path" in place else GitSource(place["url"], place["revision"])
    return JobSpec(plain["repository"], source, tuple(plain["exclude"]), plain["without_vectors"])


def encode_event(event: WorkEvent) -> dict[str, Any]:
    """Return an event as plain values."""
    if isinstance(event, Progressed):
        return {"progress": asdict(event.progress), "counts": encode_counts(event.counts)}
    return {
        "snapshot_id": event.snapshot_id,
        "unchanged": event.unchanged,
        "counts": encode_counts(event.counts),
        "provisional": event.provisional,
    }


def decode_event(plain: dict[str, Any]) -> WorkEvent:
    """Return the event that `encode_event` encoded."""
    counts = decode_counts(plain["counts"])
    if "progress" in plain:
        return Progressed(decode_progress(plain["progress"]), counts)
    return Published(plain["snapshot_id"], plain["unchanged"], counts, plain["provisional"])


def decode_progress(plain: dict[str, Any]) -> Progress:
    """Return the progress that `asdict` encoded."""
    share = plain.get("share", 0.0)  # earlier versions kept none
    return Progress(Phase(plain["phase"]), plain["done"], plain["total"], plain["rate"], share)
