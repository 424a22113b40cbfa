"""
Scores how gaps end: names that exist must be found, names that do not must not, and the reason must be right.

The repository is copied, two files that the indexer cannot cover are added, and the copy is indexed. For paraphrases,
the documentation that they were made from is removed from the copy, for at most one paraphrase in each file at a time,
and the copy is indexed again: the words of a question must not be found in the text that it was made from.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import evidence_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import folder_option
from cgrag_client.errors import UsageError
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.gaps.cases import (
    PARAPHRASE,
    SKIPPED_FILE,
    UNDECODABLE_FILE,
    make_cases,
    skipped_text,
    undecodable_bytes,
)
from cgrag_client.evaluation.gaps.truth import LEFT_OUT, read_truth
from cgrag_client.evaluation.mirrors import plain_name, sources_of
from cgrag_client.evaluation.output import Progress, mean, report
from cgrag_client.evaluation.services import evaluation_client, index_folder, vector_settings
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgrag_client.connecting.connection import Connection
    from cgrag_client.evaluation.gaps.cases import GapCase
    from cgrag_client.evaluation.gaps.truth import Definition
    from cgrag_client.evaluation.output import TitledTable

_BATCH = 20
_OVERSIZE = 2_000_000
_TOP = 3
"""A paraphrase is resolved rightly if one of so many first matches is right."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How one gap ended: its outcome, and path and qualified name of each match or candidate."""

    case: GapCase
    outcome: str
    places: tuple[tuple[str, str], ...]

    @property
    def is_right(self) -> bool:
        """
        A gap with an existing symbol led to it; a gap without one ended with the right reason.

        A name must have the right first match. Of a paraphrase, one of the first three must be right: all of them are
        supplied as evidence.
        """
        if self.case.place is None:
            return self.outcome == self.case.outcome
        return self._is_among(_TOP if self.case.kind == PARAPHRASE else 1)

    @property
    def is_right_first(self) -> bool:
        """The ending is right, and so is the first match, if the symbol exists."""
        return self.is_right and (self.case.place is None or self._is_among(1))

    def _is_among(self, shown: int) -> bool:
        right = {self.case.place, *self.case.same}
        return self.outcome == "RESOLVED" and not right.isdisjoint(self.places[:shown])


def command(
    repo: Annotated[Path, folder_option("Folder with Python code; of a bare git repository, its HEAD.")],
    per_kind: Annotated[int, typer.Option("--limit", min=0, help="Gaps of each kind at most.")] = 60,
    seed: Annotated[int, typer.Option(help="Choice of names.")] = 1,
    data: options.Data = None,
    vectors: Annotated[bool, typer.Option(help="Wait for the vectors of the copy.")] = False,
    together: Annotated[
        bool, typer.Option(help="Take out what all paraphrases were made of at once: quicker, and harder.")
    ] = False,
    wrong: Annotated[bool, typer.Option(help="List the gaps that ended wrong, on stderr.")] = False,
    as_json: options.Json = False,
) -> None:
    """Score gap outcomes on names of a repository."""
    with sources_of(repo) as folder:
        truth = read_truth(folder)
        cases = make_cases(truth, seed=seed, per_kind=per_kind)
        if not any(case.place for case in cases):
            raise UsageError(f"{repo} defines no functions or classes in Python 3 to ask for")
        rounds = rounds_of(cases, together=together)
        endings = exits.run(_resolve_all(folder, truth.definitions, rounds, data, with_vectors=vectors))
    if wrong:
        for ending in endings:
            if not ending.is_right:
                typer.echo(f"{ending.case} ended {ending.outcome} {ending.places[:_TOP]}", err=True)
    metrics = score(endings)
    report(metrics, [_table(metrics)], as_json=as_json)


def score(endings: Sequence[Ending]) -> dict[str, object]:
    """
    Compute the metrics of endings.

    Of the gaps with an existing symbol, `right` is the share that led to it, `right_first` the share with it as the
    first match. Of the gaps without one, `false_resolved` is the share that led to any symbol, `right_reason` the share
    that ended with the right reason.
    """
    present = [each for each in endings if each.case.place is not None]
    absent = [each for each in endings if each.case.place is None]
    kinds: dict[str, list[Ending]] = defaultdict(list)
    for each in endings:
        kinds[each.case.kind].append(each)
    return {
        "n_present": len(present),
        "n_absent": len(absent),
        "right": mean([each.is_right for each in present]),
        "right_first": mean([each.is_right_first for each in present]),
        "false_resolved": mean([each.outcome == "RESOLVED" for each in absent]),
        "right_reason": mean([each.is_right for each in absent]),
        "per_kind": {
            kind: {
                "n": len(each),
                "right": mean([one.is_right for one in each]),
                "right_first": mean([one.is_right_first for one in each]),
            }
            for kind, each in kinds.items()
        },
    }


def rounds_of(cases: Sequence[GapCase], *, together: bool) -> list[list[GapCase]]:
    """
    Divide gaps into rounds, each with an index of its own: all names, then the paraphrases.

    Unless `together` is set, the paraphrases of a round are about different files, so that the documentation around
    each symbol is still there.
    """
    names = [case for case in cases if case.kind != PARAPHRASE]
    described = [case for case in cases if case.kind == PARAPHRASE]
    if together:
        return [names, described]
    rounds: list[list[GapCase]] = []
    files: list[set[str]] = []
    for case in described:
        own = {path for path, _ in _places((case,))}
        at = next((at for at, taken in enumerate(files) if taken.isdisjoint(own)), len(rounds))
        if at == len(rounds):
            rounds.append([])
            files.append(set())
        rounds[at].append(case)
        files[at] |= own
    return [names, *rounds]


def _places(asked: Sequence[GapCase]) -> set[tuple[str, str]]:
    """Return path and name of all symbols that have the documentation from which paraphrases were made."""
    return {place for case in asked if case.kind == PARAPHRASE for place in (case.place, *case.same) if place}


async def _resolve_all(
    folder: Path,
    definitions: Sequence[Definition],
    rounds: Sequence[Sequence[GapCase]],
    data: Path | None,
    *,
    with_vectors: bool,
) -> list[Ending]:
    progress = Progress(sum(map(len, rounds)), "gaps")
    endings: list[Ending] = []
    environ = vector_settings() if with_vectors else {}
    async with evaluation_client(("indexer", "retriever"), data, environ=environ) as client:
        connection, name = client.connection("retriever"), f"gaps-{plain_name(folder.name)}"
        with tempfile.TemporaryDirectory(prefix="cgrag-gaps-") as temporary:
            copy = Path(temporary) / folder.name
            await asyncio.to_thread(_copy, folder, copy)
            for asked in rounds:
                with undocumented(copy, definitions, asked):
                    await index_folder(client, copy, name, without_vectors=not with_vectors)
                for first in range(0, len(asked), _BATCH):
                    batch = asked[first : first + _BATCH]
                    endings += await resolve_batch(connection, name, batch)
                    for _ in batch:
                        progress.step()
    return endings


async def resolve_batch(connection: Connection, repository: str, cases: Sequence[GapCase]) -> list[Ending]:
    """Let the retriever resolve at most 20 gaps."""
    stub = retriever_pb2_grpc.RetrieverServiceStub(connection.channel)
    gaps = [
        evidence_pb2.Gap(gap_id=str(index), description=case.description, symbol=case.symbol, path=case.path)
        for index, case in enumerate(cases)
    ]
    request = retriever_pb2.ResolveGapsRequest(repository=repository, gaps=gaps, pass_number=1)
    response = await connection.call(stub.ResolveGaps, request)
    return [
        Ending(
            case,
            words.outcome_name(result.outcome),
            tuple((ref.path, ref.qualified_name) for ref in result.candidates),
        )
        for case, result in zip(cases, response.results, strict=True)
    ]


def _copy(folder: Path, copy: Path) -> None:
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
    (copy / SKIPPED_FILE).write_text(skipped_text(_OVERSIZE), encoding="utf-8")
    (copy / UNDECODABLE_FILE).write_bytes(undecodable_bytes())


@contextmanager
def undocumented(copy: Path, definitions: Sequence[Definition], asked: Sequence[GapCase]) -> Iterator[None]:
    """Remove from the copy, inside the block, all occurrences of documentation that paraphrases were made from."""
    places = _places(asked)
    spans: dict[Path, list[tuple[int, int]]] = defaultdict(list)
    for each in definitions:
        if (each.path, each.qualified_name) in places and each.doc_lines[1]:
            spans[copy / each.path].append(each.doc_lines)
    written = {path: path.read_bytes() for path in spans}
    for path in spans:
        without_lines(path, spans[path])
    yield
    for path, content in written.items():
        path.write_bytes(content)


def without_lines(path: Path, spans: Sequence[tuple[int, int]]) -> None:
    """Replace documentation strings by `...`, so that no body becomes empty."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for first, last in spans:
        indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
        lines[first - 1 : last] = [f"{indent}..."] + [""] * (last - first)
    path.write_text("\n".join(lines), encoding="utf-8")


def _table(metrics: Mapping[str, object]) -> TitledTable:
    kinds = metrics["per_kind"]
    assert isinstance(kinds, dict)
    title = "  ".join(
        f"{key}={value:.3f}" if isinstance(value, float) else f"{key}={value}"
        for key, value in metrics.items()
        if key != "per_kind"
    )
    rows = [(kind, each["n"], each["right"], each["right_first"]) for kind, each in kinds.items()]
    return title, ("kind", "n", "right", "right first"), rows
