"""Renders indexing jobs: counts of indexed and skipped files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2
from rich.text import Text

from cgrag_client.render import words
from cgrag_client.render.clean import cleaned

if TYPE_CHECKING:
    from collections.abc import Iterator


def phase_line(job: indexer_pb2.IndexJob) -> str:
    """Say in one line how far a job is."""
    progress = job.progress
    amount = f" {words.number(progress.done)}" if progress.done or progress.total else ""
    amount += f" of {words.number(progress.total)}" if progress.total else ""
    rate = f", {words.number(progress.rate)} a second" if progress.rate else ""
    left = f", about {words.time_to_go(progress.eta)}" if progress.HasField("eta") else ""
    shown = "; the edit can be asked about already" if job.provisional else ""
    return f"{words.phase(progress.phase)}{amount}{rate}{left}{shown}"


def following(job: indexer_pb2.IndexJob | None) -> str:
    """Return `search by meaning follows, 40 %` while a job makes vectors; "" else."""
    if job is None or job.state != indexer_pb2.INDEX_JOB_STATE_ENRICHING:
        return ""
    progress = job.progress
    if progress.phase != indexer_pb2.INDEX_PHASE_EMBEDDING:
        return ""
    share = f", {100 * progress.done // progress.total} %" if progress.total else ""
    return f"search by meaning follows{share}"


def summary(job: indexer_pb2.IndexJob) -> Iterator[Text]:
    """Return a job's summary: sizes, reuse, and skipped files with their reasons."""
    job = cleaned(job)
    counts = job.counts
    if job.state == indexer_pb2.INDEX_JOB_STATE_FAILED:
        yield Text.assemble(("✗ ", "bold red"), f"{job.repository}: {job.error}")
        return
    if job.state == indexer_pb2.INDEX_JOB_STATE_CANCELLED:
        yield Text.assemble(("✗ ", "bold red"), f"{job.repository}: cancelled; what was published before stays")
        return
    done = "unchanged" if job.unchanged else "indexed"
    yield Text.assemble(
        ("✓ ", "bold green"), (job.repository, "bold"), f" {done}", (f" @ {job.snapshot_id[:12]}", "dim")
    )
    yield Text(
        f"  {words.count(counts.files, 'file')}, {words.count(counts.lines, 'line')}, "
        f"{words.count(counts.symbols, 'symbol')}, {words.count(counts.edges, 'edge')}, "
        f"{words.count(counts.docs, 'page')}" + (f", {words.count(counts.vectors, 'vector')}" if counts.vectors else "")
    )
    if not counts.files:
        told = "nothing to ask about: it holds no file that can be indexed; is it the right folder?"
        yield Text(f"  {told}", style="yellow")
    if counts.files_reused:
        yield Text(
            f"  {words.number(counts.files_parsed)} files parsed, {words.number(counts.files_reused)} reused",
            style="dim",
        )
    if counts.skipped:
        reasons = ", ".join(f"{words.number(each.files)} {words.skip_reason(each.reason)}" for each in counts.skipped)
        yield Text(f"  left out: {reasons}", style="dim")
    for cut in counts.cut:
        where = f"in {cut.language}" if cut.language else "between languages"
        yield Text(f"  calls may be missing {where}: linking was cut short", style="yellow")
    if job.superseded_by:
        yield Text(f"  a later job, {job.superseded_by}, makes vectors and findings", style="dim")
    if job.state == indexer_pb2.INDEX_JOB_STATE_ENRICHING and counts.files:
        yield Text("  questions can be asked now; the rest follows in the background", style="dim")
