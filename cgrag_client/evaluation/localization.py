"""Scores Search on problem texts: ranked files and functions, against the places where each problem was repaired."""

from __future__ import annotations

import time
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.retriever.v1 import retriever_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import file_option
from cgrag_client.errors import UsageError
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.cases import LocalizationCase, QuestionCase, parse_localization, read_cases
from cgrag_client.evaluation.mirrors import Mirrors
from cgrag_client.evaluation.output import report
from cgrag_client.evaluation.ranks import RankedCase, as_rows, file_names, function_names, score, title_of
from cgrag_client.evaluation.running import Run, texts_of

if TYPE_CHECKING:
    from cgrag_client.client import Client
    from cgrag_client.evaluation.running import Measured

MAX_FILES, MAX_SYMBOLS = 100, 400


def command(
    cases: Annotated[Path, file_option("JSON lines of problem texts with gold places.")],
    mirrors: options.Mirrors = "",
    mirror_map: options.MirrorMap = "",
    split: Annotated[str, typer.Option(help="Only cases of this split.")] = "",
    repo: options.Repository = "",
    limit: options.Limit = 0,
    jobs: options.Jobs = 2,
    data: options.Data = None,
    vectors: options.Vectors = False,
    as_json: options.Json = False,
) -> None:
    """Score Search on problem texts."""
    chosen = [case for case in read_cases(cases, parse_localization) if case.split == split or not split]
    chosen = [case for case in chosen if case.repo == repo or not repo][: limit or None]
    if not chosen:
        raise UsageError(f"{cases}: no case is of split {split!r} and repository {repo!r}")
    run = Run("localization", Mirrors.of(mirrors, mirror_map), localize, jobs, data, vectors=vectors)
    found = exits.run(run.over(chosen))
    metrics = score([outcome_of(case, each) for case, each in zip(chosen, found, strict=True)])
    table = (title_of("localization", metrics), ("measure", "at", "value"), as_rows(metrics))
    report(metrics, [table], as_json=as_json)


async def localize(client: Client, repository: str, case: LocalizationCase) -> Measured:
    """Search for the text of one problem; the second of two searches is timed, so that the index is warm."""
    request = retriever_pb2.SearchRequest(
        repository=repository, query=case.problem_statement, max_files=MAX_FILES, max_symbols=MAX_SYMBOLS
    )
    connection = client.connection("retriever")
    await connection.call(client.code.stub.Search, request)
    started = time.perf_counter()
    answer = await connection.call(client.code.stub.Search, request)
    return {
        "files": list(file_names(answer.files)),
        "functions": list(function_names(answer.symbols)),
        "milliseconds": (time.perf_counter() - started) * 1000,
    }


def outcome_of(case: LocalizationCase | QuestionCase, found: Measured) -> RankedCase:
    """Combine a case with the names that were found for it; if none were found, the case is a miss."""
    milliseconds = found.get("milliseconds")
    assert milliseconds is None or isinstance(milliseconds, float)
    files, functions = texts_of(found, "files"), texts_of(found, "functions")
    return RankedCase(files, functions, case.gold_files, case.gold_functions, milliseconds)
