"""
Measures the orchestrator: a real process before a real retriever and classifier, with a model that answers at once.

`make bench-streams` asks about the project's own fixture shop, so that the retriever takes little of the time. Model
and generator are processes of this machine too; their share of the processor time is in the result. Prints a table, or
one JSON object with `--json`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc

from cgrag_client.evaluation.output import print_json, print_table
from tests.bench.instant_model import SLOWLY
from tests.bench.local_service import ROOT, LocalService
from tests.bench.measuring import Call, Times, cpu_seconds, flattened, memory_mb, open_loop, summary
from tests.fakes.postgres_server import postgres_database

SHOP = ROOT / "tests" / "fixtures" / "shop"
_QUESTIONS = (
    "How does checkout charge the customer?",
    "What happens to the reserved stock when a payment is declined?",
    "How are vouchers applied to the total of a cart?",
    "Where does the shop retry when the payment provider does not answer?",
    "How is an order written to the ledger?",
)
_ASKED_TWICE = "Which parts of the shop call the warehouse?"
_EVENTS = 20
_AROUND_TEXT = 7
"""Events of an answer besides its text: started, classified, progress, evidence, pass begun and ended, completed."""
_CONNECTIONS = 8
_ASK_SECONDS = 300.0
_SAMPLE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Suite:
    """What is measured, and who puts the load on it."""

    stubs: Iterator[orchestrator_pb2_grpc.OrchestratorServiceAsyncStub]
    pid: int
    services: tuple[int, ...]
    generators: tuple[int, ...]


@contextmanager
def model_process() -> Iterator[tuple[str, int]]:
    """Start the model; gives its URL and process."""
    command = [sys.executable, "-m", "tests.bench.instant_model", str(_EVENTS - _AROUND_TEXT)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.stdin.close()


def index_shop(data: Path) -> None:
    """Index the fixture."""
    subprocess.run(
        [sys.executable, "-m", "indexer.worker", "index", str(SHOP), "--repository", "shop"],
        cwd=ROOT,
        env={**os.environ, "CGRAG_DATA_DIR": str(data), "CGRAG_INDEXER_ALLOWED_ROOTS": str(SHOP)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


async def suite(stack: AsyncExitStack, data: Path, *, with_postgres: bool) -> Suite:
    """Start everything over an indexed shop, with a database of its own where answers are to be kept in one."""
    url, model = stack.enter_context(model_process())
    retriever = stack.enter_context(LocalService("retriever", data, CGRAG_RETRIEVER_MAX_CONCURRENT_CALLS="1000"))
    classifier = stack.enter_context(LocalService("classifier", data))
    settings = {
        "CGRAG_ORCHESTRATOR_RETRIEVER": retriever.target,
        "CGRAG_ORCHESTRATOR_CLASSIFIER": classifier.target,
        "CGRAG_ORCHESTRATOR_ENGINE": "anthropic",
        "CGRAG_ORCHESTRATOR_MODEL_URL": url,
        "CGRAG_ORCHESTRATOR_MODEL_IDLE_SECONDS": "60",
        "ANTHROPIC_API_KEY": "bench",
    }
    if with_postgres:
        database = stack.enter_context(postgres_database(is_durable=True))
        settings["CGRAG_ORCHESTRATOR_ANSWER_STORE_URL"] = database.url
    orchestrator = stack.enter_context(LocalService("orchestrator", data, **settings))
    for service in (retriever, classifier, orchestrator):
        service.wait()
    channels = [await stack.enter_async_context(orchestrator.channel()) for _ in range(_CONNECTIONS)]
    stubs = [orchestrator_pb2_grpc.OrchestratorServiceStub(channel) for channel in channels]
    services = (orchestrator.pid, retriever.pid, classifier.pid)
    return Suite(cycle(stubs), orchestrator.pid, services, (os.getpid(), model))


async def ask(suite: Suite, question: str, session: str = "") -> tuple[int, pb.Answer]:
    """Ask, and return how many events came and the answer."""
    request = pb.AskRequest(repository="shop", question=question, session_id=session)
    events, answer = 0, pb.Answer()
    async for event in next(suite.stubs).Ask(request, timeout=_ASK_SECONDS):
        events += event.WhichOneof("event") != "heartbeat"
        if event.HasField("completed"):
            answer = event.completed.answer
    return events, answer


async def first_events(suite: Suite, streams: int, number: int) -> dict[str, object]:
    """Keep so many streams open, one ending as another begins, and time each one's first event."""
    seconds = 10.0
    times = Times()
    slowly = SLOWLY.format(seconds=seconds / (_EVENTS - _AROUND_TEXT))
    open_now = 0
    seen: list[int] = []

    async def one(position: int) -> None:
        nonlocal open_now
        intended = begun + position * seconds / streams
        await asyncio.sleep(max(0.0, intended - time.perf_counter()))
        request = pb.AskRequest(repository="shop", question=f"{_QUESTIONS[position % len(_QUESTIONS)]} {slowly}")
        call = next(suite.stubs).Ask(request, timeout=_ASK_SECONDS)
        try:
            await call.read()
            open_now += 1
            if position >= streams:
                times.add("first", (time.perf_counter() - intended) * 1000)
                seen.append(open_now)
            while await call.read() is not grpc.aio.EOF:
                pass
        except grpc.RpcError as error:
            times.fail(error)
        finally:
            open_now -= 1

    begun = time.perf_counter() + 0.1
    await asyncio.gather(*(one(position) for position in range(streams + number)))
    return {**summary(times.all), "open_streams": round(sum(seen) / max(1, len(seen))), "errors": times.errors}


async def own_time(suite: Suite, number: int, rate_per_second: float) -> dict[str, object]:
    """Time what an answer takes besides classifier and retriever, for each call of the model, its answer included."""
    found: list[float] = []

    async def one(position: int) -> None:
        _, answer = await ask(suite, _QUESTIONS[position % len(_QUESTIONS)])
        numbers = answer.metadata
        elsewhere = numbers.classification_ms + numbers.retrieval_ms
        found.append((numbers.total_ms - elsewhere) / max(1, numbers.passes))

    calls: list[Call] = [("ask", partial(one, position)) for position in range(number)]
    before = cpu_seconds(suite.pid)
    times = await open_loop(calls, rate_per_second)
    cpu = (cpu_seconds(suite.pid) - before) * 1000 / number
    return {**summary(found), "answer_ms": summary(times.all), "cpu_ms": round(cpu, 2), "errors": times.errors}


async def many_streams(suite: Suite, number: int, opening: float) -> dict[str, object]:
    """Hold so many streams at once, begun within `opening` seconds, and watch the memory."""
    slowly = SLOWLY.format(seconds=2 * opening / (_EVENTS - _AROUND_TEXT))
    counts: list[int] = []
    errors = Times()

    async def one(position: int) -> None:
        await asyncio.sleep(position * opening / number)
        try:
            events, _ = await ask(suite, f"{_QUESTIONS[position % len(_QUESTIONS)]} {slowly}")
            counts.append(events)
        except grpc.RpcError as error:
            errors.fail(error)

    async with watched_memory(suite.pid) as memory:
        await asyncio.gather(*(one(position) for position in range(number)))
    return {
        "n": number,
        "complete": sum(count >= _EVENTS for count in counts),
        "events_each": sorted({*counts}),
        "errors": errors.errors,
        "memory_mb": memory[-1],
    }


async def cancelled_streams(suite: Suite, number: int, at_once: int) -> dict[str, object]:
    """Begin so many answers, leave each after its first event, and say what that left in memory."""
    slowly = SLOWLY.format(seconds=5)
    gate = asyncio.Semaphore(at_once)
    errors = Times()

    async def one(position: int) -> None:
        async with gate:
            request = pb.AskRequest(repository="shop", question=f"{_QUESTIONS[position % len(_QUESTIONS)]} {slowly}")
            call = next(suite.stubs).Ask(request, timeout=_ASK_SECONDS)
            try:
                await call.read()
            except grpc.RpcError as error:
                errors.fail(error)
            call.cancel()

    async def cancel(count: int) -> float:
        await asyncio.gather(*(one(position) for position in range(count)))
        await asyncio.sleep(3)
        return memory_mb(suite.pid)["rss"]

    before = await cancel(max(1, number // 10))
    after = await cancel(number)
    return {"n": number, "memory_mb": round(after - before, 1), "errors": errors.errors}


async def repeated_question(suite: Suite) -> dict[str, object]:
    """Ask the same twice in one session: tokens that the model had not seen, and the share that it reads from cache."""
    _, first = await ask(suite, _ASKED_TWICE)
    _, second = await ask(suite, _ASKED_TWICE, first.session_id)
    one, two = first.metadata.usage, second.metadata.usage
    return {
        "new_tokens_first": one.input_tokens,
        "new_tokens_repeated": two.input_tokens,
        "prefix_cache_readable": round(two.cache_read_tokens / max(1, two.cache_read_tokens + two.input_tokens), 3),
    }


class watched_memory:  # noqa: N801 - reads as a statement
    """Samples the memory of a process; at the end gives the most that it took over the start, in MiB."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._found: list[float] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> list[float]:
        self._start = self._most = memory_mb(self._pid)["rss"]
        self._task = asyncio.create_task(self._watch())
        return self._found

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        self._found.append(round(max(self._most, memory_mb(self._pid)["rss"]) - self._start, 1))

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_SAMPLE_SECONDS)
            self._most = max(self._most, memory_mb(self._pid)["rss"])


async def measure(arguments: argparse.Namespace, data: Path) -> dict[str, object]:
    """Run every measurement against one suite."""
    async with AsyncExitStack() as stack:
        running = await suite(stack, data, with_postgres=arguments.postgres)
        say("warming up ...")
        await own_time(running, 30, 10.0)
        begun = [sum(map(cpu_seconds, pids)) for pids in (running.generators, running.services)]
        result: dict[str, object] = {}
        say("time of its own ...")
        result["own_time_per_model_call_ms"] = await own_time(running, arguments.answers, arguments.rate)
        say("first events ...")
        result["first_event_ms"] = await first_events(running, arguments.open_streams, arguments.first_events)
        say("many streams ...")
        result["streams"] = await many_streams(running, arguments.streams, arguments.opening)
        say("repeated question ...")
        result["repeated_question"] = await repeated_question(running)
        say("cancelled streams ...")
        result["cancelled_streams"] = await cancelled_streams(running, arguments.cancelled, at_once=20)
        used = [
            sum(map(cpu_seconds, pids)) - before
            for pids, before in zip((running.generators, running.services), begun, strict=True)
        ]
        result["generator_cpu_share"] = round(used[0] / max(sum(used), 1e-9), 3)
        result["orchestrator_memory_mb"] = memory_mb(running.pid)
    return result


def say(text: str) -> None:
    """Tell what goes on."""
    sys.stderr.write(f"{text}\n")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the orchestrator's streams.")
    parser.add_argument("--answers", type=int, default=200, help="answers for the orchestrator's own time")
    parser.add_argument("--rate", type=float, default=5.0, help="of them a second")
    parser.add_argument("--open-streams", type=int, default=100, help="streams open while first events are timed")
    parser.add_argument("--first-events", type=int, default=300, help="first events that are timed")
    parser.add_argument("--streams", type=int, default=1000, help="streams at once")
    parser.add_argument("--opening", type=float, default=60.0, help="seconds in which they begin")
    parser.add_argument("--cancelled", type=int, default=15_000, help="streams that are cancelled")
    parser.add_argument("--postgres", action="store_true", help="keep answers in a Postgres server, started for this")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cgrag-bench-") as folder:
        index_shop(Path(folder))
        result = asyncio.run(measure(arguments, Path(folder)))
    if arguments.json:
        print_json(result)
    else:
        print_table("orchestrator", ("figure", "value"), flattened(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
