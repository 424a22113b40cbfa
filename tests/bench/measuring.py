"""How benchmarks measure: arrivals at a fixed rate, times from the intended start, and the memory of a process."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cgrag_client.evaluation.output import percentile

Call = tuple[str, Callable[[], Awaitable[object]]]

_MEMORY_LINES = {"Rss": "rss", "Pss": "pss", "Private_Clean": "uss", "Private_Dirty": "uss", "Anonymous": "anonymous"}
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Times:
    """Milliseconds by label, seconds of the server's processor by label where they were measured, and what failed."""

    by_label: dict[str, list[float]] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)

    def add(self, label: str, milliseconds: float) -> None:
        """Note one time."""
        self.by_label.setdefault(label, []).append(milliseconds)

    def fail(self, error: BaseException) -> None:
        """Count one failure by what it is called: a status code, or the type of the exception."""
        code = getattr(error, "code", None)
        name = code().name if callable(code) else type(error).__name__
        self.errors[name] = self.errors.get(name, 0) + 1

    @property
    def all(self) -> list[float]:
        """Every time, whatever its label."""
        return [each for times in self.by_label.values() for each in times]


def summary(milliseconds: Sequence[float]) -> dict[str, float | None]:
    """Return n, p50, p95 and p99, by the nearest rank; None where nothing was measured."""
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    found = {name: percentile(milliseconds, share) for name, share in shares.items()}
    return {"n": len(milliseconds), **{name: each if each is None else round(each, 2) for name, each in found.items()}}


async def open_loop(calls: Sequence[Call], rate_per_second: float) -> Times:
    """
    Start calls at fixed moments, whether those before have ended or not.

    A time counts from the moment at which its call was to start, so waiting behind a slow one counts too.
    """
    times = Times()
    pause = 1.0 / rate_per_second
    begun = time.perf_counter() + pause

    async def one(position: int, label: str, call: Callable[[], Awaitable[object]]) -> None:
        intended = begun + position * pause
        await asyncio.sleep(max(0.0, intended - time.perf_counter()))
        await _timed(times, label, call, intended)

    with without_collections():
        await asyncio.gather(*(one(position, label, call) for position, (label, call) in enumerate(calls)))
    return times


async def closed_loop(calls: Sequence[Call], pid: int) -> Times:
    """Make one call after the other: how long each takes, and of whose processor, when nothing else is asked."""
    times = Times()
    with without_collections():
        for label, call in calls:
            before = cpu_seconds(pid)
            await _timed(times, label, call, time.perf_counter())
            times.cpu_seconds[label] = times.cpu_seconds.get(label, 0.0) + cpu_seconds(pid) - before
    return times


async def _timed(times: Times, label: str, call: Callable[[], Awaitable[object]], since: float) -> None:
    try:
        await call()
    except Exception as error:  # noqa: BLE001 - a benchmark counts what fails and goes on
        times.fail(error)
    else:
        times.add(label, (time.perf_counter() - since) * 1000)


class without_collections:  # noqa: N801 - reads as a statement
    """Keeps the generator's own garbage collections out of what it measures."""

    def __enter__(self) -> None:
        gc.collect()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()


def memory_mb(pid: int) -> dict[str, float]:
    """
    Return what a process holds in MiB.

    `rss` and `pss` count mapped files, which the system may take back; `uss` is private to the process, mapped files
    that nobody else maps included; `anonymous` leaves files out.
    """
    found = dict.fromkeys(("rss", "pss", "uss", "anonymous"), 0.0)
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        name, _, rest = line.partition(":")
        if name in _MEMORY_LINES:
            found[_MEMORY_LINES[name]] += int(rest.split()[0]) / 1024
    return {name: round(value, 1) for name, value in found.items()}


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def flattened(figures: Mapping[str, object], above: str = "") -> list[tuple[str, str]]:
    """Return a row for each figure, with the names of those around it before its own."""
    rows: list[tuple[str, str]] = []
    for name, value in figures.items():
        if isinstance(value, dict):
            rows += flattened(value, f"{above}{name} ")
        else:
            rows.append((above + name, str(value)))
    return rows
