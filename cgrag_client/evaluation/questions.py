"""Scores Retrieve on questions: classified, ranked without budgets, and once more within the default budgets."""

from __future__ import annotations

import time
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

from cgrag.retriever.v1 import retriever_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import file_option
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.cases import QuestionCase, parse_question
from cgrag_client.evaluation.localization import outcome_of
from cgrag_client.evaluation.mirrors import Mirrors
from cgrag_client.evaluation.output import mean, report
from cgrag_client.evaluation.ranks import as_rows, file_names, function_names, score, title_of
from cgrag_client.evaluation.running import Run, classify, read_chosen, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgrag.type.v1 import evidence_pb2

    from cgrag_client.client import Client
    from cgrag_client.evaluation.running import Measured


def command(
    cases: Annotated[Path, file_option("JSON lines of questions with gold places.")],
    mirrors: options.Mirrors = "",
    mirror_map: options.MirrorMap = "",
    repo: options.Repository = "",
    limit: options.Limit = 0,
    jobs: options.Jobs = 2,
    data: options.Data = None,
    vectors: options.Vectors = False,
    as_json: options.Json = False,
) -> None:
    """Score Retrieve on questions."""
    chosen = read_chosen(cases, parse_question, repo, limit)
    services = ("indexer", "classifier", "retriever")
    run = Run("questions", Mirrors.of(mirrors, mirror_map), retrieve, jobs, data, services, vectors)
    metrics = sum_up(chosen, exits.run(run.over(chosen)))
    ranked = (title_of("questions", metrics), ("measure", "at", "value"), as_rows(metrics))
    report(metrics, [ranked, ("within the budgets", ("cited",), [(metrics["cited"],)])], as_json=as_json)


async def retrieve(client: Client, repository: str, case: QuestionCase) -> Measured:
    """Classify a question, then retrieve twice: a ranking without a budget, and, timed, evidence within the budgets."""
    classification = await classify(client.connection("classifier"), case.question)
    retriever = client.connection("retriever")
    asked = retriever_pb2.RetrieveRequest(
        repository=repository, question=case.question, classification=classification, ranking_only=True
    )
    ranking = await retriever.call(client.code.stub.Retrieve, asked)
    asked.ranking_only = False
    started = time.perf_counter()
    supplied = await retriever.call(client.code.stub.Retrieve, asked)
    return {
        "files": list(file_names(ranking.files)),
        "functions": list(function_names(ranking.symbols)),
        "cited": sorted(cited_paths(supplied.evidence)),
        "milliseconds": (time.perf_counter() - started) * 1000,
    }


def cited_paths(evidence: Iterable[evidence_pb2.Evidence]) -> set[str]:
    """Return the files that evidence shows, documents, or names and may be cited for."""
    paths: set[str] = set()
    for piece in evidence:
        paths.update((piece.span.path, piece.symbol.path, *(each.path for each in piece.mentions)))
    return paths - {""}


def sum_up(cases: Sequence[QuestionCase], found: Sequence[Measured]) -> dict[str, object]:
    """
    Compute the metrics of retrieval.

    `cited` is the share of questions whose first gold file is cited by evidence within the default budgets.
    """
    outcomes = [outcome_of(case, each) for case, each in zip(cases, found, strict=True)]
    cited = [
        case.gold_files[0] in texts_of(each, "cited")
        for case, each in zip(cases, found, strict=True)
        if case.gold_files
    ]
    return {**score(outcomes), "cited": mean(cited)}
