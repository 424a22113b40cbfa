"""
Measures the indexer on a repository: a full index, a run without changes, and one after an edit of one file.

`make bench-index REPO=path` works on a copy. Prints a table, or one JSON object with `--json`:

- lines, files, seconds, lines_per_second: of the full index, from the start of its process to its end.
- peak_mb: most resident memory at once of all processes of the indexer together, shared pages counted for each.
- noop_seconds: a run over the same files, start of the process included.
- edit_seconds: from the call of StartIndexing, to a running service that has indexed before, until a reader that
  follows CURRENT finds the function that an edit appended to one file; the median of `--edits` edits, each made when
  the one before was done. Null without a Python file.
- exact_seconds: likewise, until the snapshot that serves is exact, that is, all files are linked again.
- edit_cpu_seconds: processor time of the service and its processes until the edit is seen.
- snapshot_mb: size of code.db. stages: seconds of the phases of the full index.
- load: running processes in the last minute, when the measurement began; beyond the number of cores, wall times say
  more about the machine than about the indexer.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc

from cgrag_client.evaluation.output import print_json, print_table
from tests.bench.local_service import LocalService, copy_sources
from tests.bench.measuring import flattened

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)
_SAMPLE_SECONDS = 0.1
_LOOK_SECONDS = 0.005
_JOB_SECONDS = 600
_SETTLED_SECONDS = 2.5
"""Files younger than two seconds are read again whatever their times say: an edit comes later than that."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the indexer: wall time, greatest memory of all its processes, and what it printed."""

    seconds: float
    peak_mb: float
    printed: dict[str, Any]


def run_indexer(folder: Path, data: Path) -> Run:
    """Index a folder in a process of its own."""
    begun = time.monotonic()
    process = start_indexer(folder, data)
    peak = 0.0
    ended = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not ended.wait(_SAMPLE_SECONDS):
            peak = max(peak, session_mb(process.pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    printed, told = process.communicate()
    seconds = time.monotonic() - begun
    ended.set()
    sampler.join()
    if process.returncode:
        last = told.decode(errors="replace").strip().rpartition("\n")[2]
        raise SystemExit(f"the indexer ended with exit code {process.returncode}: {last}")
    return Run(seconds, peak, json.loads(printed))


def session_mb(session: int) -> float:
    """Return the resident memory of all processes of a session, in MiB; shared pages count for each."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            total += int(fields[21])
    return total * _PAGE_MB


@dataclass(frozen=True, slots=True)
class Edit:
    """When an edit was seen, when it was linked with everything, and what it cost until it was seen."""

    visible_seconds: float
    exact_seconds: float
    cpu_seconds: float


class Editing:
    """A tree, and the running service that indexes it."""

    def __init__(self, service: LocalService, tree: Path, data: Path) -> None:
        self._service = service
        self._tree = tree
        self._data = data
        self._stub = indexer_pb2_grpc.IndexerServiceStub(grpc.insecure_channel(service.target))

    def index(self) -> str:
        """Start a job."""
        source = indexer_pb2.Source(local_path=str(self._tree))
        request = indexer_pb2.StartIndexingRequest(repository="bench", source=source, without_vectors=True)
        return str(self._stub.StartIndexing(request, timeout=10).job_id)

    def wait(self, job: str) -> None:
        """Wait until a job is done, and until the worker of the next one is loaded."""
        for _ in self._stub.WatchIndexJob(indexer_pb2.WatchIndexJobRequest(job_id=job), timeout=_JOB_SECONDS):
            pass
        time.sleep(_SETTLED_SECONDS)

    def measure(self, file: Path, number: int) -> Edit:
        """Append a function to a file, index, and look at CURRENT until it is there."""
        name = f"cgrag_bench_edit_{number}"
        with file.open("a") as opened:
            opened.write(f"\n\ndef {name}():\n    return 1\n")
        spent, begun = cpu_seconds(self._service.pid), time.monotonic()
        job = self.index()
        seen = exact = cpu = 0.0
        last = ""
        while not exact and time.monotonic() - begun < _JOB_SECONDS:
            current = (self._data / "repositories/bench/CURRENT").read_text().strip()
            if current != last and holds(self._data, current, name):
                seen = seen or time.monotonic() - begun
                cpu = cpu or cpu_seconds(self._service.pid) - spent
                exact = 0.0 if read_set(self._data, current)["provisional"] else time.monotonic() - begun
            last = current
            time.sleep(_LOOK_SECONDS)
        if not exact:
            raise SystemExit(f"the edit was not linked within {_JOB_SECONDS} s")
        self.wait(job)
        return Edit(seen, exact, cpu)


def read_set(data: Path, snapshot_id: str) -> dict[str, Any]:
    """Return a published set."""
    content: dict[str, Any] = json.loads((data / f"repositories/bench/sets/{snapshot_id}.json").read_bytes())
    return content


def holds(data: Path, snapshot_id: str, name: str) -> bool:
    """Tell whether a snapshot has a symbol of this name."""
    (core,) = [each for each in read_set(data, snapshot_id)["layers"] if each["kind"] == "core"]
    file = data / "repositories/bench/layers" / core["folder"] / "code.db"
    database = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)
    try:
        return bool(database.execute("SELECT 1 FROM symbols WHERE name = ? COLLATE NOCASE", (name,)).fetchone())
    finally:
        database.close()


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, of those that it started and they started, living or ended."""
    children: dict[int, list[int]] = {}
    spent: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        child = int(stat.parent.name)
        children.setdefault(int(fields[1]), []).append(child)
        spent[child] = sum(map(int, fields[11:15]))
    total, left = 0, [pid]
    while left:
        each = left.pop()
        total += spent.get(each, 0)
        left += children.get(each, [])
    return total / os.sysconf("SC_CLK_TCK")


def start_indexer(folder: Path, data: Path) -> subprocess.Popen[bytes]:
    """Start the indexer over a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "indexer.worker", "index", str(folder), "--repository", "bench"],
        env={**os.environ, "CGRAG_DATA_DIR": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def edited_file(tree: Path, named: str) -> Path | None:
    """Return the file to edit: the one that is named, or else the largest of Python; None if there is none."""
    if named:
        return tree / named
    files = [file for file in tree.rglob("*.py") if file.is_file() and not file.is_symlink()]
    return max(files, key=lambda file: file.stat().st_size, default=None)


def measure_edits(tree: Path, data: Path, edited: Path | None, count: int) -> list[Edit]:
    """Edit a file of an indexed tree again and again."""
    if edited is None:
        sys.stderr.write("no Python file to edit: edits are not measured; --edit names another file\n")
        return []
    with LocalService("indexer", data, CGRAG_INDEXER_ANALYZERS="", CGRAG_INDEXER_ALLOWED_ROOTS=str(tree)) as service:
        service.wait()
        editing = Editing(service, tree, data)
        editing.wait(editing.index())
        return [editing.measure(edited, number) for number in range(count)]


def median_of(values: Sequence[float]) -> float | None:
    """Return the median to two places; None if nothing was measured."""
    return round(statistics.median(values), 2) if values else None


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description="Measure the indexer on a repository.",
        epilog="edit_seconds ends when an edit can be read from the snapshot that serves, exact_seconds when all "
        "files are linked again. docs/evaluation.md has figures.",
    )
    parser.add_argument("--repo", required=True, type=Path, help="folder with the sources; a copy is indexed")
    parser.add_argument("--edit", default="", help="file to edit, relative to the folder; the largest .py by default")
    parser.add_argument("--edits", default=3, type=int, help="edits to measure, one after the other")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="cgrag-bench-") as temporary:
        tree, data = Path(temporary, "tree"), Path(temporary, "data")
        copy_sources(arguments.repo, tree)
        full = run_indexer(tree, data)
        time.sleep(_SETTLED_SECONDS)
        run_indexer(tree, data)  # what was copied right before the full index is read once more
        noop = run_indexer(tree, data)
        edits = measure_edits(tree, data, edited_file(tree, arguments.edit), arguments.edits)
        layers = (data / "repositories/bench/layers").glob("core-*/code.db")
        snapshot_mb = max(file.stat().st_size for file in layers) / (1 << 20)
    lines = full.printed["lines"]
    result = {
        "lines": lines,
        "files": full.printed["files"],
        "seconds": round(full.seconds, 2),
        "lines_per_second": round(lines / full.seconds),
        "peak_mb": round(full.peak_mb),
        "snapshot_mb": round(snapshot_mb, 1),
        "noop_seconds": round(noop.seconds, 2),
        "edit_seconds": median_of([each.visible_seconds for each in edits]),
        "exact_seconds": median_of([each.exact_seconds for each in edits]),
        "edit_cpu_seconds": median_of([each.cpu_seconds for each in edits]),
        "load": round(load, 1),
        "stages": full.printed["seconds"],
    }
    if arguments.json:
        print_json(result)
    else:
        print_table("indexer", ("figure", "value"), flattened(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
