"""How evaluation commands report: progress on stderr, one table or one JSON object on stdout, results that survive."""

from __future__ import annotations

import json
import math
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table

from cgrag_client.cli import console
from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    Metrics = Mapping[str, object]
    TitledTable = tuple[str, Sequence[str], Sequence[Sequence[object]]]


_ECE_BINS = 10
_NOTHING = "-"
"""Placeholder for a share of zero cases; null in JSON."""


def print_json(metrics: Metrics) -> None:
    """Print one JSON object on one line of stdout; floats are rounded to 6 digits."""
    sys.stdout.write(json.dumps(_rounded(metrics), ensure_ascii=False) + "\n")


def report(metrics: Metrics, tables: Iterable[TitledTable], *, as_json: bool) -> None:
    """Print metrics as one JSON object, or as tables, each of a title, column names and rows."""
    if as_json:
        print_json(metrics)
        return
    for title, columns, rows in tables:
        print_table(title, columns, rows)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print one table on stdout; numbers stand on the right, with three digits if fractions, and a dash for None."""
    table = Table(header_style="bold")
    numeric = [all(isinstance(row[index], int | float | None) for row in rows) for index in range(len(columns))]
    for name, right in zip(columns, numeric, strict=True):
        table.add_column(name, justify="right" if right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    sys.stdout.write(f"{title}\n")
    console.print_table(table)


def require_folder(option: str, path: Path) -> None:
    """Raise UsageError if the folder of an output file does not exist; called before anything is measured."""
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}; make it, or name another file")


def write_gauge(path: Path, name: str, doc: str, value: float) -> None:
    """
    Write one gauge in Prometheus' text format, for a textfile collector or a Pushgateway.

    Replaces the file at once, so that nobody reads half of it.
    """
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(f"# HELP {name} {doc}\n# TYPE {name} gauge\n{name} {value:.6f}\n", encoding="utf-8")
    beside.chmod(0o644)  # collectors run as another user
    beside.replace(path)


def mean(values: Sequence[float]) -> float | None:
    """Return the mean (of booleans, the share of true ones); None if there are no values."""
    return sum(values) / len(values) if values else None


def calibration_error(found: Sequence[tuple[float, bool]]) -> float:
    """Return the expected calibration error of confidences, each with whether it was right; 0.0 of none."""
    gaps = [0.0] * _ECE_BINS
    for confidence, is_right in found:
        gaps[min(int(confidence * _ECE_BINS), _ECE_BINS - 1)] += confidence - is_right
    return sum(map(abs, gaps)) / max(len(found), 1)


def percentile(values: Sequence[float], share: float) -> float | None:
    """
    Return a percentile by the nearest-rank method; None if there are no values.

    Args:
        values: In any order.
        share: Between 0 and 1, for example 0.95.
    """
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


@dataclass(slots=True)
class Progress:
    """Shows the progress of a run on stderr: on a terminal in a line that is updated, else by a line every 10 s."""

    total: int
    label: str
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    _started: float = field(init=False)
    _told: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self._told = self.clock()

    def step(self, note: str = "") -> None:
        """Count one case as done, and show the progress if an update is due."""
        self.done += 1
        now = self.clock()
        last = self.done >= self.total
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{self._line(now, note)}" + ("\n" if last else ""))
            sys.stderr.flush()
        elif last or now - self._told >= 10:
            self._told = now
            sys.stderr.write(self._line(now, note) + "\n")

    def tell(self, text: str) -> None:
        """Print a line above the progress line."""
        sys.stderr.write(("\r\x1b[K" if sys.stderr.isatty() else "") + f"{text}\n")

    def _line(self, now: float, note: str) -> str:
        elapsed = now - self._started
        left = elapsed / self.done * (self.total - self.done)
        return f"{self.label} {self.done}/{self.total}, {elapsed:.0f} s, about {left:.0f} s to go {note}".rstrip()


class Results:
    """
    Results by case, kept in a JSON lines file as they come, so that an interrupted run goes on where it stopped.

    Args:
        path: The JSON lines file; its name has a hash of everything that the results depend on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, Mapping[str, object]] = {}
        if path.exists():
            self._load(path)

    def get(self, case_id: str) -> Mapping[str, object] | None:
        """Read the result of a case; None if it has none yet."""
        return self._rows.get(case_id)

    def put(self, case_id: str, result: Mapping[str, object]) -> None:
        """Keep the result of a case; it must be JSON."""
        self._rows[case_id] = result
        self._path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"id": case_id, "result": result}, ensure_ascii=False)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _load(self, path: Path) -> None:
        for line in path.read_text(encoding="utf-8").split("\n"):
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue  # the run was killed while it wrote this line: that case is simply run again
            if not isinstance(row, dict) or "id" not in row:
                raise UsageError(f"{path}: not a results file; name another one")
            self._rows[str(row["id"])] = row["result"]


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {str(key): _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value


def _cell(value: object) -> str:
    if value is None:
        return _NOTHING
    return f"{value:.3f}" if isinstance(value, float) else str(value)
