"""Renders the services and the repositories."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Literal

from rich.table import Table
from rich.text import Text

from cgrag_client.connecting.health import Health
from cgrag_client.indexes import is_final
from cgrag_client.render import words
from cgrag_client.render.clean import cleaned
from cgrag_client.render.job import phase_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgrag.indexer.v1 import indexer_pb2
    from cgrag.orchestrator.v1 import orchestrator_pb2
    from cgrag.retriever.v1 import retriever_pb2
    from google.protobuf.timestamp_pb2 import Timestamp

    from cgrag_client.connecting.health import ServiceHealth

_HEALTH_STYLES = {Health.SERVING: "green", Health.NOT_SERVING: "yellow", Health.UNREACHABLE: "red"}
_DIGITS = 12
_COMMIT_DIGITS = 8
_FOLDED = frozenset({"Layers", "Commit", "What", "Made by", "Evidence", "Wanted"})
_NUMBERS = frozenset({"Files", "Lines", "Symbols", "In force", "Times"})


def services_table(services: Sequence[ServiceHealth]) -> Table:
    """Lay out address and health of each service."""
    table = _table("Service", "Address", "Health")
    for each in services:
        table.add_row(each.service, each.address, Text(each.health.value, style=_HEALTH_STYLES[each.health]))
    return table


def repositories_table(repositories: Sequence[indexer_pb2.Repository]) -> Table:
    """Lay out what is indexed: the current snapshot, its layers and sizes."""
    table = _table("Repository", "Snapshot", "Commit", "Layers", "Files", "Lines", "Published")
    for each in map(cleaned, repositories):
        snapshot = each.current
        table.add_row(
            each.repository,
            _published(snapshot),
            _commit(snapshot),
            ", ".join(words.layer(layer.kind) for layer in snapshot.layers),
            words.number(snapshot.counts.files),
            words.number(snapshot.counts.lines),
            when(snapshot.publish_time),
        )
    return table


def _commit(snapshot: indexer_pb2.Snapshot) -> str:
    return snapshot.commit[:_COMMIT_DIGITS] + (" +changes" if snapshot.dirty else "") or "-"


def _published(snapshot: indexer_pb2.Snapshot) -> Text:
    if not snapshot.snapshot_id:
        return Text("not published yet", style="yellow")
    shown = Text(snapshot.snapshot_id[:_DIGITS])
    return shown.append(" provisional", style="yellow") if snapshot.provisional else shown


def snapshots_table(snapshots: Sequence[indexer_pb2.Snapshot]) -> Table:
    """Lay out what is published of a repository, and how much of it has symbols."""
    table = _table("Snapshot", "Commit", "Layers", "Files", "Symbols", "Published", "")
    for each in map(cleaned, snapshots):
        table.add_row(
            _published(each),
            _commit(each),
            ", ".join(words.layer(layer.kind) for layer in each.layers),
            words.number(each.counts.files),
            words.number(each.counts.symbols),
            when(each.publish_time),
            Text("current", style="green") if each.current else "",
        )
    return table


def debts_table(debts: Sequence[orchestrator_pb2.IndexDebt]) -> Table:
    """Lay out what was looked for in vain."""
    table = _table("Wanted", "Why", "Times", "Last")
    for each in map(cleaned, debts):
        table.add_row(each.wanted, words.outcome(each.outcome), words.number(each.count), when(each.last_time))
    return table


def ratings_table(ratings: Sequence[orchestrator_pb2.RatedAnswer]) -> Table:
    """Lay out what callers think of answers."""
    table = _table("Rating", "Comment", "Asked", "Answer")
    for each in map(cleaned, ratings):
        table.add_row(str(each.rating), each.comment, when(each.create_time), each.answer_id)
    return table


def jobs_table(jobs: Sequence[indexer_pb2.IndexJob]) -> Table:
    """Lay out indexing jobs."""
    table = _table("Repository", "State", "What", "Started", "Job")
    for job in map(cleaned, jobs):
        table.add_row(
            job.repository, words.job_state(job.state), _what(job), when(job.create_time), job.job_id[:_DIGITS]
        )
    return table


def sessions_table(sessions: Sequence[orchestrator_pb2.Session]) -> Table:
    """Lay out sessions; their ids are whole, since other commands take them."""
    table = _table("Session", "Repository", "Last used", "Evidence")
    for each in map(cleaned, sessions):
        absent = f", {each.remembered_absences} not found" if each.remembered_absences else ""
        table.add_row(each.session_id, each.repository, when(each.last_use_time), f"{each.cached_evidence}{absent}")
    return table


def removals_table(removals: Sequence[retriever_pb2.Removal]) -> Table:
    """Lay out deleted repositories."""
    table = _table("Repository", "Deleted", "Now")
    for each in map(cleaned, removals):
        table.add_row(each.repository, when(each.remove_time), "indexed again" if each.indexed_again else "-")
    return table


def when(timestamp: Timestamp) -> str:
    """Write a time in the local time zone, to the minute; "" for an unset time."""
    if not timestamp.seconds:
        return "-"
    return timestamp.ToDatetime().replace(tzinfo=UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def imports_table(imports: Sequence[indexer_pb2.PreciseImport]) -> Table:
    """Lay out imported SCIP indexes, each with the number of its files for which its edges are used."""
    table = _table("Import", "Made by", "Files", "In force", "Imported")
    for each in map(cleaned, imports):
        style = "" if each.files_in_force == each.files else "yellow" if each.files_in_force else "dim"
        table.add_row(
            each.import_id,
            each.tool or "-",
            words.number(each.files),
            Text(words.number(each.files_in_force), style=style),
            when(each.import_time),
        )
    return table


def _what(job: indexer_pb2.IndexJob) -> str:
    if job.error:
        return job.error
    if not is_final(job):
        return phase_line(job)
    took = job.end_time.ToMilliseconds() - job.start_time.ToMilliseconds()
    what = "unchanged" if job.unchanged else words.count(job.counts.files, "file")
    return f"{what} in {words.milliseconds(max(took, 0))}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        justify: Literal["left", "right"] = "right" if name in _NUMBERS else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=name not in _FOLDED)
    return table
