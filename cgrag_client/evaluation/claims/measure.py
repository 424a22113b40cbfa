"""
Scores verdicts on claims: checks statements about code, in many phrasings, that its syntax trees prove true or false.

The whole way from a sentence to its verdict is scored: a statement that is not understood counts as neither verified
nor refuted.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.type.v1 import evidence_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import folder_option
from cgrag_client.errors import UsageError
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.claims.cases import HALVES, KINDS, make_statements
from cgrag_client.evaluation.claims.truth import read_code
from cgrag_client.evaluation.mirrors import plain_name, sources_of
from cgrag_client.evaluation.output import Progress, mean, report
from cgrag_client.evaluation.services import evaluation_client, index_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgrag.orchestrator.v1 import orchestrator_pb2

    from cgrag_client.client import Client
    from cgrag_client.evaluation.claims.cases import Statement
    from cgrag_client.evaluation.output import TitledTable

_BATCH = 15
"""Statements that are checked as one text; a text may have at most 120 claims."""
_EXISTENCE = frozenset({evidence_pb2.CLAIM_KIND_EXISTS, evidence_pb2.CLAIM_KIND_ABSENT})


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement with its verdict: verified by a claim of its kind (existence, or other), refuted by any claim."""

    statement: Statement
    is_verified: bool
    is_refuted: bool
    details: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """The statement is true and verified, or false and refuted."""
        return self.is_verified if self.statement.is_true else self.is_refuted

    @property
    def is_wrong(self) -> bool:
        """The statement is true and refuted, or false and verified."""
        return self.is_refuted if self.statement.is_true else self.is_verified


def command(
    repo: Annotated[Path, folder_option("Folder with Python code; of a bare git repository, its HEAD.")],
    per_kind: Annotated[
        int, typer.Option("--limit", min=1, help="True and false statements of each kind at most.")
    ] = 120,
    seed: Annotated[int, typer.Option(help="Choice of statements and of their words.")] = 1,
    data: options.Data = None,
    wrong: Annotated[
        bool, typer.Option(help="List the statements whose verdict is wrong or missing, on stderr.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Score verdicts on statements about a repository."""
    with sources_of(repo) as folder:
        statements = make_statements(read_code(folder), per_kind=per_kind, seed=seed)
        if not statements:
            raise UsageError(f"{repo} has no Python 3 code to make statements about")
        judged = exits.run(_judge_all(folder, f"claims-{plain_name(folder.name)}", statements, data))
    for each in judged if wrong else ():
        if each.is_wrong or not each.is_right:
            mark = "WRONG" if each.is_wrong else "open"
            truth = "true" if each.statement.is_true else "false"
            typer.echo(
                f"{mark} {truth} {each.statement.kind} {each.statement.half}: {each.statement.text!r} {each.details}",
                err=True,
            )
    scores = score(judged)
    report(scores, [_table(scores)], as_json=as_json)


def score(judged: Sequence[Judged]) -> dict[str, object]:
    """
    Sum up verdicts, over all statements, and by kind and half of the phrasings.

    `verified` and `refuted` are shares; the rest was not understood, or could not be checked.
    """
    groups: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        truth = "true" if each.statement.is_true else "false"
        groups[truth].append(each)
        groups[f"{truth} {each.statement.half}"].append(each)
        groups[f"{truth} {each.statement.kind}"].append(each)
        groups[f"{truth} {each.statement.kind} {each.statement.half}"].append(each)
    return {
        name: {
            "n": len(group),
            "verified": mean([each.is_verified for each in group]),
            "refuted": mean([each.is_refuted for each in group]),
        }
        for name, group in sorted(groups.items())
    }


async def _judge_all(folder: Path, name: str, statements: Sequence[Statement], data: Path | None) -> list[Judged]:
    progress = Progress(len(statements), "claims")
    found: list[Judged] = []
    async with evaluation_client(("indexer", "retriever", "orchestrator"), data) as client:
        await index_folder(client, folder, name, without_vectors=True)
        for first in range(0, len(statements), _BATCH):
            batch = statements[first : first + _BATCH]
            found += await judge(client, name, batch)
            for each in batch:
                progress.step(each.kind)
            await asyncio.sleep(0)
    return found


async def judge(client: Client, repository: str, statements: Sequence[Statement]) -> list[Judged]:
    """Check some statements as the paragraphs of one text."""
    parts, starts, position = list[str](), list[int](), 0
    for each in statements:
        starts.append(position)
        parts.append(f"{each.text}\n\n---\n\n")
        position += len(parts[-1])
    claims = await client.answers.check(repository, "".join(parts))
    ends = [*starts[1:], position]
    return [
        _judged(each, [claim for claim in claims if start <= claim.start < end])
        for each, start, end in zip(statements, starts, ends, strict=True)
    ]


def _judged(statement: Statement, claims: Sequence[orchestrator_pb2.TextClaim]) -> Judged:
    own = [each.checked for each in claims if _is_about(statement, each.checked.claim)]
    verdicts = {each.verdict for each in own}
    refuted = evidence_pb2.CLAIM_VERDICT_CONTRADICTED in {each.checked.verdict for each in claims}
    details = tuple(
        f"{evidence_pb2.ClaimKind.Name(each.checked.claim.kind)[11:]}: {each.checked.detail}" for each in claims
    )
    return Judged(statement, evidence_pb2.CLAIM_VERDICT_VERIFIED in verdicts and not refuted, refuted, details)


def _is_about(statement: Statement, claim: evidence_pb2.Claim) -> bool:
    if statement.subject:
        return claim.kind in _EXISTENCE and claim.subject == statement.subject
    return claim.kind not in _EXISTENCE


def _table(scores: Mapping[str, object]) -> TitledTable:
    rows = []
    for kind in ("", *KINDS):
        for half in ("", *HALVES):
            for truth in ("true", "false"):
                group = scores.get(" ".join(filter(None, (truth, kind, half))))
                if isinstance(group, dict):
                    rows.append((truth, kind or "all", half or "both", group["n"], group["verified"], group["refuted"]))
    title = "verdicts on statements made from syntax trees"
    return title, ("truth", "kind", "phrasings", "n", "verified", "refuted"), rows
