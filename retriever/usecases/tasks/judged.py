"""Lets the judge decide on the candidates of a stage, and logs its decision on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import Decision, EvidenceRole
from retriever.domain.tasks.context import Candidate
from retriever.domain.values import File, Symbol, SymbolKind
from retriever.ports import JudgeRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.tasks.task import TaskContext
    from retriever.ports import Judge, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """Positions that were kept, best first, and the decision on every candidate, in the order offered."""

    kept: tuple[int, ...]
    decisions: tuple[Decision, ...]


async def judged(judge: Judge, stage: str, task: TaskContext, candidates: Sequence[Candidate], keep: int) -> Judged:
    """
    Ask the judge which candidates to keep.

    Args:
        keep: At most so many.
    """
    if not candidates:
        return Judged((), ())
    request = JudgeRequest(stage, task.text, tuple(candidates), keep)
    verdict = await judge.choose(request)
    kept = request.kept(verdict)
    decisions = tuple(
        Decision(
            stage=stage,
            step=each.step,
            subject=each.symbol.span,
            qualified_name=each.symbol.qualified_name,
            included=position in kept,
            reason=each.reason if position in kept else f"the judge kept others; {each.reason}",
            score=each.score,
            judge_input=_input(verdict, position, len(candidates), keep),
            judge_output=_output(verdict, position),
            judge_latency_ms=verdict.latency_ms,
            judge_tokens=verdict.tokens,
        )
        for position, each in enumerate(candidates)
    )
    return Judged(kept, decisions)


def _input(verdict: Verdict, position: int, offered: int, keep: int) -> str:
    shown = verdict.shown[position] if position < len(verdict.shown) else ""
    place = f"candidate {position + 1} of {offered}, at most {keep} kept"
    return f"{place}: {shown}" if shown else place


def _output(verdict: Verdict, position: int) -> str:
    said = verdict.said[position] if position < len(verdict.said) else ""
    return f"{said} ({verdict.text})" if said else verdict.text


def file_candidate(file: File, step: str, reason: str, score: float) -> Candidate:
    """Return a candidate for a whole file, represented by a substitute module symbol."""
    return Candidate(file_symbol(file), EvidenceRole.MATCH, step, reason, score)


def file_symbol(file: File) -> Symbol:
    """Return a substitute module symbol for a file; its id is negative, so that no real symbol has it."""
    return Symbol(
        id=-file.id,
        file_id=file.id,
        parent_id=None,
        kind=SymbolKind.MODULE,
        path=file.path,
        module=file.module,
        language=file.language,
        is_test=file.is_test,
        name=file.module,
        qualified_name="",
        start_line=1,
        end_line=max(1, file.lines),
        signature="",
        docstring="",
    )
