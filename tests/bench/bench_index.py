"""
Measures the indexer on a repository: a full index, a run without changes, and one after an edit of one file.

`make bench-index REPO=path` works on a copy. Prints one JSON object on stdout: lines, files, seconds,
lines_per_second, peak_mb (all processes of the indexer together), snapshot_mb, noop_seconds, edit_seconds, stages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
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


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the indexer: wall time, greatest memory of all its processes, and what it printed."""

    seconds: float
    peak_mb: float
    printed: dict[str, Any]


def run_indexer(folder: Path, data: Path) -> Run:
    """Index a folder in a process of its own."""
    command = [sys.executable, "-m", "indexer.worker", "index", str(folder), "--repository", "bench"]
    begun = time.monotonic()
    process = subprocess.Popen(
        command,
        env={**os.environ, "CGRAG_DATA_DIR": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
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


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the indexer on a repository.")
    parser.add_argument("--repo", required=True, type=Path, help="folder with the sources; a copy is indexed")
    parser.add_argument("--edit", default="", help="file to edit, relative to the folder; the largest .py by default")
    parser.add_argument("--json", action="store_true", help="for scripts; the output is JSON anyway")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cgrag-bench-") as temporary:
        tree, data = Path(temporary, "tree"), Path(temporary, "data")
        shutil.copytree(arguments.repo, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        full = run_indexer(tree, data)
        noop = run_indexer(tree, data)
        edited = (
            tree / arguments.edit if arguments.edit else max(tree.rglob("*.py"), key=lambda file: file.stat().st_size)
        )
        with edited.open("a") as file:
            file.write("\n\ndef cgrag_bench_edit():\n    return 1\n")
        edit = run_indexer(tree, data)
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
        "edit_seconds": round(edit.seconds, 2),
        "stages": {"full": full.printed["seconds"], "edit": edit.printed["seconds"]},
    }
    sys.stdout.write(f"{json.dumps(result)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
