"""
Measures the retriever over real repositories: times of a mixed load, the first request, memory.

`make bench-retrieval REPO=path` indexes a copy of the folder; several folders (`ARGS="--repo other"`) become one
repository. `ARGS="--data DIR --name NAME"` takes an index that is there already; the questions are made from REPO.
Vectors stay off: what is measured needs no model. Prints a table, or one JSON object with `--json`.
"""

from __future__ import annotations

import argparse
import asyncio
import compileall
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import evidence_pb2, question_pb2

from cgrag_client.evaluation.output import print_json, print_table
from tests.bench.local_service import ROOT, LocalService, copy_sources
from tests.bench.measuring import Call, Times, closed_loop, cpu_seconds, flattened, memory_mb, open_loop, summary
from tests.bench.retrieval_load import Asked, make_load

_NAME = "bench"
_CALL_SECONDS = 60.0
_GAP = "resolve_gaps"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Index:
    """An index on disk: its data folder, the repository's name in it, and its lines of text."""

    data: Path
    name: str
    lines: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that one run found."""

    first_request_seconds: float
    first_request_cpu_seconds: float
    serving_seconds: float
    serving_cpu_seconds: float
    base: Mapping[str, float]
    served: Mapping[str, float]
    closed: Times
    opened: Times
    generator_share: float


def index_of(folder: Path, data: Path) -> Index:
    """Index a folder under the data folder."""
    sys.stderr.write(f"indexing {folder} ...\n")
    subprocess.run(
        [sys.executable, "-m", "indexer.worker", "index", str(folder), "--repository", _NAME],
        cwd=ROOT,
        env={**os.environ, "CGRAG_DATA_DIR": str(data), "CGRAG_INDEXER_ALLOWED_ROOTS": str(folder.resolve())},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return Index(data, _NAME, 0)


def counted(index: Index) -> Index:
    """Fill in the lines of an index."""
    repository = index.data / "repositories" / index.name
    core = max(repository.glob("layers/core-*/code.db"), key=lambda file: file.stat().st_mtime)
    with sqlite3.connect(f"file:{core}?mode=ro&immutable=1", uri=True) as database:
        [lines] = database.execute("SELECT sum(lines) FROM files").fetchone()
    return Index(index.data, index.name, int(lines))


async def classified(load: Sequence[Asked], data: Path) -> list[question_pb2.Classification]:
    """Let the classifier's rules find what each text names; the mode is the one that was meant."""
    with LocalService("classifier", data) as service:
        service.wait()
        async with service.channel() as channel:
            stub = classifier_pb2_grpc.ClassifierServiceStub(channel)
            return [
                await stub.ClassifyQuestion(
                    classifier_pb2.ClassifyQuestionRequest(
                        question=each.text,
                        forced_mode=each.mode,
                        engine=question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED
                        if each.mode
                        else question_pb2.CLASSIFIER_ENGINE_RULES,
                    )
                )
                for each in load
            ]


def calls_of(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub,
    name: str,
    load: Sequence[Asked],
    classes: Sequence[question_pb2.Classification],
) -> list[Call]:
    """Make a labelled call of each request of the load."""
    calls: list[Call] = []
    for asked, classification in zip(load, classes, strict=True):
        if asked.kind == "search":
            search = retriever_pb2.SearchRequest(repository=name, query=asked.text)
            calls.append(("search", partial(stub.Search, search, timeout=_CALL_SECONDS)))
        elif asked.kind == "gaps":
            gap = evidence_pb2.Gap(gap_id="1", description=asked.text, symbol=asked.symbol, path=asked.path)
            gaps = retriever_pb2.ResolveGapsRequest(repository=name, gaps=[gap], question=asked.text, pass_number=1)
            calls.append((_GAP, partial(stub.ResolveGaps, gaps, timeout=_CALL_SECONDS)))
        else:
            wanted = retriever_pb2.RetrieveRequest(repository=name, question=asked.text, classification=classification)
            calls.append((f"retrieve {asked.kind}", partial(stub.Retrieve, wanted, timeout=_CALL_SECONDS)))
    return calls


async def measure(index: Index, load: Sequence[Asked], rate_per_second: float) -> Measured:
    """Start a retriever and put the load on it: cold, one by one, then at the rate."""
    for package in ("common", "protos", "retriever"):  # as in an image: no start compiles sources
        compileall.compile_dir(ROOT / package, quiet=1)
    classes = await classified(load, index.data)
    with LocalService("retriever", index.data) as service:
        service.wait()
        async with service.channel() as channel:
            stub = retriever_pb2_grpc.RetrieverServiceStub(channel)
            calls = calls_of(stub, index.name, load, classes)
            serving = time.perf_counter() - service.started_at
            serving_cpu = cpu_seconds(service.pid)
            base = memory_mb(service.pid)
            await next(call for label, call in calls if label != _GAP)()
            first = time.perf_counter() - service.started_at
            first_cpu = cpu_seconds(service.pid)
            sys.stderr.write("warming up ...\n")
            await closed_loop(calls[: len(calls) // 4], service.pid)
            sys.stderr.write("one by one ...\n")
            closed = await closed_loop(calls, service.pid)
            sys.stderr.write(f"at {rate_per_second} a second ...\n")
            own, other = cpu_seconds(os.getpid()), cpu_seconds(service.pid)
            opened = await open_loop(calls, rate_per_second)
            own, other = cpu_seconds(os.getpid()) - own, cpu_seconds(service.pid) - other
            served = memory_mb(service.pid)
    return Measured(first, first_cpu, serving, serving_cpu, base, served, closed, opened, own / max(own + other, 1e-9))


def report(index: Index, found: Measured, rate_per_second: float) -> dict[str, object]:
    """Put the figures under the names by which they are known."""
    supplied = [each for label, times in found.opened.by_label.items() if label != _GAP for each in times]
    over = {name: round(found.served[name] - found.base[name], 1) for name in found.base}
    share = max(index.lines, 1) / _MILLION
    return {
        "lines": index.lines,
        "rate_per_second": rate_per_second,
        "latency_ms": summary(supplied),
        "latency_ms_by_method": {label: summary(times) for label, times in sorted(found.opened.by_label.items())},
        "cpu_ms_by_method": {
            label: {"mean": round(used * 1000 / max(1, len(found.closed.by_label.get(label, ()))), 1)}
            for label, used in sorted(found.closed.cpu_seconds.items())
        },
        "service_ms_by_method": {label: summary(times) for label, times in sorted(found.closed.by_label.items())},
        "first_request_seconds": round(found.first_request_seconds, 3),
        "first_request_cpu_seconds": round(found.first_request_cpu_seconds, 2),
        "serving_after_seconds": round(found.serving_seconds, 3),
        "serving_cpu_seconds": round(found.serving_cpu_seconds, 2),
        "retriever_memory_mb_per_1m_lines": round(over["rss"] / share, 1),
        "retriever_memory_mb": {"base": dict(found.base), "over_base": over},
        "errors": {"open_loop": found.opened.errors, "closed_loop": found.closed.errors},
        "generator_cpu_share": round(found.generator_share, 3),
    }


def show(result: Mapping[str, object]) -> None:
    """Print tables."""
    for key, title in (("latency_ms_by_method", "open loop, ms"), ("service_ms_by_method", "one by one, ms")):
        rows = result[key]
        assert isinstance(rows, dict)
        print_table(title, ("call", "n", "p50", "p95", "p99"), [(name, *row.values()) for name, row in rows.items()])
    cpu = result["cpu_ms_by_method"]
    assert isinstance(cpu, dict)
    print_table("processor of the retriever, ms", ("call", "mean"), [(name, row["mean"]) for name, row in cpu.items()])
    rest = {name: value for name, value in result.items() if not name.endswith("_by_method")}
    print_table("retriever", ("figure", "value"), flattened(rest))


def prepared(arguments: argparse.Namespace, stack: ExitStack) -> tuple[Index, Path]:
    """Return an index to ask, and the folder to make questions from."""
    folders: list[Path] = arguments.repo
    if arguments.data:
        return Index(arguments.data, arguments.name, 0), folders[0]
    temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cgrag-bench-")))
    tree = temporary / "tree"
    for folder in folders:
        inside = tree / folder.resolve().name if len(folders) > 1 else tree
        copy_sources(folder, inside)
    return index_of(tree, temporary / "data"), tree


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the retriever on repositories.")
    parser.add_argument(
        "--repo", required=True, type=Path, action="append", help="folder with sources; may be repeated"
    )
    parser.add_argument("--data", type=Path, help="data folder that holds an index already")
    parser.add_argument("--name", default=_NAME, help="name of the repository in that data folder")
    parser.add_argument("--requests", type=int, default=600, help="requests of the load")
    parser.add_argument("--rate", type=float, default=8.0, help="requests a second of the open loop")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        index, tree = prepared(arguments, stack)
        index = counted(index)
        load = make_load(tree, arguments.requests)
        found = asyncio.run(measure(index, load, arguments.rate))
    result = report(index, found, arguments.rate)
    if arguments.json:
        print_json(result)
    else:
        show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
