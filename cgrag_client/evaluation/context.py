"""Scores evidence: which of the lines that a good answer cites the answering engine was shown, at what cost."""

from __future__ import annotations

from collections import defaultdict
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, question_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import file_option
from cgrag_client.connecting.settings import SERVICES
from cgrag_client.errors import ClientError, UsageError
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.cases import LinesCase, parse_lines
from cgrag_client.evaluation.mirrors import Mirrors
from cgrag_client.evaluation.output import mean, report
from cgrag_client.evaluation.running import Run, classify, read_chosen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgrag.type.v1 import evidence_pb2

    from cgrag_client.client import Client
    from cgrag_client.evaluation.running import Measured

_SHORTEST = 4
"""Least characters of a gold line without indentation; shorter lines (brackets) occur in almost any evidence."""
_NEAR = 10
"""Shown lines at most so many lines away from a gold line count as useful for the efficiency."""
_STREAMED = "CGRAG_ORCHESTRATOR_STREAM_EVIDENCE_TEXT"


def command(
    cases: Annotated[Path, file_option("JSON lines of questions with gold lines: [[path, first, last], ...].")],
    mirrors: options.Mirrors = "",
    mirror_map: options.MirrorMap = "",
    repo: options.Repository = "",
    limit: options.Limit = 0,
    jobs: options.Jobs = 2,
    data: options.Data = None,
    vectors: options.Vectors = False,
    tokens: Annotated[
        str, typer.Option(metavar="N,...", help="Tokens of evidence for one retrieval each, beside the default loop.")
    ] = "4000,6000,12000,24000",
    without_loop: Annotated[bool, typer.Option("--without-loop", help="Retrieve only; ask for no answer.")] = False,
    as_json: options.Json = False,
) -> None:
    """Score the lines that answers are made from; no model is asked unless the orchestrator is set to."""
    chosen = read_chosen(cases, parse_lines, repo, limit)
    sizes = tuple(_size(each) for each in tokens.split(",") if each.strip())
    services = ("indexer", "classifier", "retriever") if without_loop else SERVICES
    shown = _Shown(sizes, with_loop=not without_loop)
    label, streamed = f"context-{tokens}", {_STREAMED: "true"}
    run = Run(label, Mirrors.of(mirrors, mirror_map), shown.measure, jobs, data, services, vectors, streamed)
    metrics = sum_up(exits.run(run.over(chosen)))
    rows = [(name, *_cells(value)) for name, value in metrics.items() if name != "n"]
    columns = ("evidence", "recall", "none", "whole", "efficiency", "tokens", "passes")
    report(metrics, [(f"context, n = {metrics['n']}", columns, rows)], as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Shown:
    """Measures what one question's evidence shows, for each size of a single retrieval and for the loop."""

    sizes: Sequence[int]
    with_loop: bool

    async def measure(self, client: Client, repository: str, case: LinesCase) -> Measured:
        gold = await _gold_lines(client, repository, case)
        found: dict[str, object] = {}
        for size in self.sizes:
            found[str(size)] = _figures(case, gold, await _retrieved(client, repository, case.question, size))
        if self.with_loop:
            first, every, passes = await _asked(client, repository, case.question)
            found["first"] = _figures(case, gold, first)
            found["all"] = {**_figures(case, gold, every), "passes": passes}
        return found


def sum_up(found: Sequence[Measured]) -> dict[str, object]:
    """
    Compute the metrics for each kind of evidence.

    `recall` is the mean share of a case's gold lines that evidence of their file shows; `none` and `whole` are the
    shares of cases of which no gold line and all gold lines are shown. `efficiency` is the mean share of shown lines
    that are gold or within ten lines of one, over the cases whose evidence has line numbers.
    """
    kinds = list(dict.fromkeys(kind for each in found for kind in each))
    return {"n": len(found), **{kind: _summed([each[kind] for each in found if kind in each]) for kind in kinds}}


def _summed(rows: Sequence[object]) -> dict[str, object]:
    figures = [row for row in rows if isinstance(row, dict) and row.get("recall") is not None]
    summed: dict[str, object] = {
        "recall": mean([each["recall"] for each in figures]),
        "none": mean([each["recall"] == 0 for each in figures]),
        "whole": mean([each["recall"] == 1 for each in figures]),
        "efficiency": mean([each["efficiency"] for each in figures if each["efficiency"] is not None]),
        "tokens": mean([each["tokens"] for each in figures]),
    }
    passes = [each["passes"] for each in figures if "passes" in each]
    return {**summed, "passes": mean(passes)} if passes else summed


def _cells(value: object) -> tuple[object, ...]:
    figures: Mapping[str, object] = value if isinstance(value, dict) else {}
    names = ("recall", "none", "whole", "efficiency", "tokens", "passes")
    return tuple(figures.get(name) for name in names)


async def _gold_lines(client: Client, repository: str, case: LinesCase) -> list[tuple[str, str]]:
    """Return path and text of each gold line of at least `_SHORTEST` characters; none for files not indexed."""
    found: list[tuple[str, str]] = []
    for path, first, last in case.gold_lines:
        span = code_pb2.Span(path=path, start_line=first, end_line=last)
        request = retriever_pb2.ReadSpansRequest(repository=repository, spans=[span])
        try:
            response = await client.connection("retriever").call(client.code.stub.ReadSpans, request)
        except ClientError:
            continue
        lines = [line.strip() for text in response.texts for line in text.text.splitlines()]
        found += [(path, line) for line in lines if len(line) >= _SHORTEST]
    return found


async def _retrieved(client: Client, repository: str, question: str, tokens: int) -> list[evidence_pb2.Evidence]:
    request = retriever_pb2.RetrieveRequest(
        repository=repository,
        question=question,
        classification=await classify(client.connection("classifier"), question),
        budget=question_pb2.Budget(total_tokens=tokens + 1000, initial_tokens=tokens),
    )
    response = await client.connection("retriever").call(client.code.stub.Retrieve, request)
    return list(response.evidence)


async def _asked(
    client: Client, repository: str, question: str
) -> tuple[list[evidence_pb2.Evidence], list[evidence_pb2.Evidence], int]:
    """Return the evidence of the first retrieval, that of all passes, and the number of passes."""
    first: list[evidence_pb2.Evidence] = []
    every: list[evidence_pb2.Evidence] = []
    passes = 0
    options = orchestrator_pb2.AskOptions()
    async with aclosing(client.answers.ask(question, repository=repository, options=options)) as events:
        async for event in events:
            kind = event.WhichOneof("event")
            if kind == "evidence":
                every += event.evidence.evidence
                first += event.evidence.evidence if event.evidence.pass_number <= 1 else ()
            elif kind == "pass_started":
                passes = event.pass_started.pass_number
    return first, every, passes


def _figures(
    case: LinesCase, gold: Sequence[tuple[str, str]], evidence: Iterable[evidence_pb2.Evidence]
) -> dict[str, object]:
    texts: dict[str, list[str]] = defaultdict(list)
    shown: set[tuple[str, int]] = set()
    tokens = 0
    for piece in evidence:
        path = piece.span.path or piece.symbol.path
        texts[path].append(piece.text)
        tokens += piece.tokens
        shown.update((path, line) for run in piece.lines for line in range(run.start_line, run.end_line + 1))
    near = {
        (path, line) for path, first, last in case.gold_lines for line in range(max(1, first - _NEAR), last + _NEAR + 1)
    }
    seen = sum(any(line in text for text in texts[path]) for path, line in gold)
    return {
        "recall": seen / len(gold) if gold else None,
        "efficiency": len(shown & near) / len(shown) if shown else None,
        "tokens": tokens,
    }


def _size(written: str) -> int:
    if not written.strip().isdigit() or int(written) < 1:
        raise UsageError(f"--tokens takes numbers of tokens, separated by commas, not {written!r}")
    return int(written)
