"""Runs one measurement for each case of a repository at a commit: indexed once, resumable, several at a time."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from cgrag.type.v1 import question_pb2

from cgrag_client.errors import ClientError, ServiceUnreachable, UsageError
from cgrag_client.evaluation.cases import read_cases
from cgrag_client.evaluation.output import Progress, Results
from cgrag_client.evaluation.services import evaluation_client, evaluation_folder, index_commit, vector_settings
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from cgrag_client.client import Client
    from cgrag_client.connecting.connection import Connection
    from cgrag_client.evaluation.mirrors import Checkouts

    Measured = Mapping[str, object]


def texts_of(measured: Measured, name: str) -> tuple[str, ...]:
    """Return the list of texts that was measured under a name; () for a case that could not be measured."""
    value = measured.get(name)
    return tuple(map(str, value)) if isinstance(value, list) else ()


class Placed(Protocol):
    """A case that asks about a repository at a commit."""

    @property
    def key(self) -> str:
        """Return the identity of the case."""
        ...

    @property
    def place(self) -> tuple[str, str]:
        """Return repository and commit."""
        ...


C = TypeVar("C", bound=Placed)
T = TypeVar("T")
R = TypeVar("R")


def read_chosen(path: Path, parse: Callable[[Mapping[str, object]], C], repo: str, limit: int) -> tuple[C, ...]:
    """Read the first `limit` cases (0: all) of a repository ("": of all). Raises UsageError if there are none."""
    chosen = tuple(case for case in read_cases(path, parse) if case.place[0] == repo or not repo)[: limit or None]
    if not chosen:
        raise UsageError(f"{path}: no case is of repository {repo!r}")
    return chosen


async def classify(
    connection: Connection,
    question: str,
    engine: question_pb2.ClassifierEngine.ValueType = question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED,
) -> question_pb2.Classification:
    """Return how the classifier reads a question."""
    stub = classifier_pb2_grpc.ClassifierServiceStub(connection.channel)
    request = classifier_pb2.ClassifyQuestionRequest(question=question, engine=engine)
    return await connection.call(stub.ClassifyQuestion, request)


async def classify_each(label: str, cases: Sequence[T], classified: Callable[[Connection, T], Awaitable[R]]) -> list[R]:
    """Return what a function measures of each case with a connection to a classifier."""
    found: list[R] = []
    progress = Progress(len(cases), label)
    async with evaluation_client(("classifier",)) as client:
        for case in cases:
            found.append(await classified(client.connection("classifier"), case))
            progress.step()
    return found


@dataclass(frozen=True)
class Run(Generic[C]):
    """
    A measurement that is made for every case.

    Args:
        label: Name of the measurement in the progress line and the file of results.
        mirrors: Where the repositories are.
        measure: Called with the client, the name of the index and a case; its result must be JSON.
        jobs: Number of commits that are measured at the same time.
        data: Folder for indexes, and for the results of an unfinished run, which the next run continues; None takes the
            default one.
        services: Names of the services to start if no running ones are named.
        vectors: Wait for the vectors of each commit.
        environ: Settings of the services that are started for it, beside those of the environment.
    """

    label: str
    mirrors: Checkouts
    measure: Callable[[Client, str, C], Awaitable[Measured]]
    jobs: int
    data: Path | None
    services: Sequence[str] = ("indexer", "retriever")
    vectors: bool = False
    environ: Mapping[str, str] = field(default_factory=dict)

    async def over(self, cases: Sequence[C]) -> list[Measured]:
        """
        Measure every case; return the results in the order of the cases, {} for cases that could not be measured.

        The file of results is deleted once all cases were tried: only an interrupted run is continued.
        Raises ServiceUnreachable if a service cannot be reached, or any more.
        """
        path = evaluation_folder(self.data) / "results" / f"{self.label}-{self._fingerprint(cases)}.jsonl"
        results = Results(path)
        waiting = [case for case in cases if results.get(case.key) is None]
        if len(waiting) < len(cases):
            done = words.count(len(cases) - len(waiting), "case")
            sys.stderr.write(f"going on after {done}; remove {path} to start anew\n")
        await self._measure(waiting, results, self.mirrors.readable(case.place[0] for case in cases))
        path.unlink(missing_ok=True)
        return [results.get(case.key) or {} for case in cases]

    async def _measure(self, cases: Sequence[C], results: Results, readable: Sequence[Path]) -> None:
        progress = Progress(len(cases), self.label)
        environ = {**(vector_settings() if self.vectors else {}), **self.environ}
        gate = asyncio.Semaphore(self.jobs)
        if not cases:
            return
        try:
            async with (
                evaluation_client(self.services, self.data, readable, environ) as client,
                asyncio.TaskGroup() as group,
            ):
                for place in dict.fromkeys(case.place for case in cases):
                    here = [case for case in cases if case.place == place]
                    group.create_task(self._one_commit(client, gate, here, results, progress))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors

    def _fingerprint(self, cases: Sequence[C]) -> str:
        """Return a hash that differs for other cases, other mirrors, and with or without vectors."""
        return hashlib.sha256(repr((self.vectors, self.mirrors, *cases)).encode()).hexdigest()[:12]

    async def _one_commit(
        self, client: Client, gate: asyncio.Semaphore, cases: Sequence[C], results: Results, progress: Progress
    ) -> None:
        repository, commit = cases[0].place
        async with gate:
            try:
                name = await index_commit(client, self.mirrors, repository, commit, without_vectors=not self.vectors)
            except ServiceUnreachable:
                raise  # further cases would count as misses, and the figures would be wrong
            except (UsageError, ClientError) as error:
                missed = "1 case is a miss" if len(cases) == 1 else f"{len(cases)} cases are misses"
                progress.tell(f"{missed}: {error}")
                for case in cases:
                    progress.step(case.key)
                return
            for case in cases:
                try:
                    results.put(case.key, await self.measure(client, name, case))
                except ServiceUnreachable:
                    raise
                except ClientError as error:
                    progress.tell(f"{case.key} is a miss: {error}")
                progress.step(case.key)
