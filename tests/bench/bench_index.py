"""
Measures the indexer on a repository: a full index, a run without changes, and one after an edit of one file.

`make bench-index REPO=path` works on a copy. Prints one JSON object on stdout:

- lines, files, seconds, lines_per_second: of the full index, from the start of its process to its end.
- peak_mb: most resident memory at once of all processes of the indexer together, shared pages counted for each.
- noop_seconds: a run over the same files, start of the process included.
- edit_seconds: from the start of the process until a reader that follows CURRENT finds the function that an edit
  appended to one file; the median of `--edits` edits, each made when the one before was done.
- exact_seconds: likewise, until the snapshot that serves is exact, that is, all files are linked again.
- edit_cpu_seconds: processor time of the process and its children until the edit is seen.
- snapshot_mb: size of code.db. stages: seconds of the phases of the full index and of the last edit.
- load: running processes in the last minute, when the measurement began; beyond the number of cores, wall times say
  more about the machine than about the indexer.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)
_SAMPLE_SECONDS = 0.1
_LOOK_SECONDS = 0.005
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
    printed, _ = process.communicate()
    seconds = time.monotonic() - begun
    ended.set()
    sampler.join()
    if process.returncode:
        raise SystemExit(f"the indexer ended with exit code {process.returncode}")
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
    printed: dict[str, Any]


def measure_edit(tree: Path, data: Path, file: Path, number: int) -> Edit:
    """Append a function to a file, index, and look at CURRENT until it is there."""
    name = f"cgrag_bench_edit_{number}"
    time.sleep(_SETTLED_SECONDS)
    with file.open("a") as opened:
        opened.write(f"\n\ndef {name}():\n    return 1\n")
    begun = time.monotonic()
    process = start_indexer(tree, data)
    seen = exact = cpu = 0.0
    last = ""
    while process.poll() is None and not exact:
        current = (data / "repositories/bench/CURRENT").read_text().strip()
        if current != last and holds(data, current, name):
            seen = seen or time.monotonic() - begun
            cpu = cpu or cpu_seconds(process.pid)
            exact = 0.0 if read_set(data, current)["provisional"] else time.monotonic() - begun
        last = current
        time.sleep(_LOOK_SECONDS)
    printed, _ = process.communicate()
    return Edit(seen, exact, cpu, json.loads(printed))


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
    """Return the processor time of a process and of those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def start_indexer(folder: Path, data: Path) -> subprocess.Popen[bytes]:
    """Start the indexer over a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "indexer.worker", "index", str(folder), "--repository", "bench"],
        env={**os.environ, "CGRAG_DATA_DIR": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description="Measure the indexer on a repository.",
        epilog="edit_seconds ends when an edit can be read from the snapshot that serves, exact_seconds when all "
        "files are linked again; both include the start of the process. docs/evaluation.md has figures.",
    )
    parser.add_argument("--repo", required=True, type=Path, help="folder with the sources; a copy is indexed")
    parser.add_argument("--edit", default="", help="file to edit, relative to the folder; the largest .py by default")
    parser.add_argument("--edits", default=3, type=int, help="edits to measure, one after the other")
    parser.add_argument("--json", action="store_true", help="for scripts; the output is JSON anyway")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="cgrag-bench-") as temporary:
        tree, data = Path(temporary, "tree"), Path(temporary, "data")
        shutil.copytree(arguments.repo, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        full = run_indexer(tree, data)
        time.sleep(_SETTLED_SECONDS)
        run_indexer(tree, data)  # what was copied right before the full index is read once more
        noop = run_indexer(tree, data)
        edited = (
            tree / arguments.edit if arguments.edit else max(tree.rglob("*.py"), key=lambda file: file.stat().st_size)
        )
        edits = [measure_edit(tree, data, edited, number) for number in range(arguments.edits)]
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
        "edit_seconds": round(statistics.median(each.visible_seconds for each in edits), 2),
        "exact_seconds": round(statistics.median(each.exact_seconds for each in edits), 2),
        "edit_cpu_seconds": round(statistics.median(each.cpu_seconds for each in edits), 2),
        "load": round(load, 1),
        "stages": {"full": full.printed["seconds"], "edit": edits[-1].printed["seconds"]},
    }
    sys.stdout.write(f"{json.dumps(result)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
