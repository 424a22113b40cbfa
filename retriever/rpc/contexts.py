"""Decodes requests for the context of a task, and encodes context packages as responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2

from common.core.contract.question import Anchors
from common.rpc.serving.mirroring import from_message, to_message
from common.rpc.validation import Violations
from retriever.domain.tasks.task import ContextFormat, ContextRequest, Refinement
from retriever.rpc.decode import MAX_TEXT, repository
from retriever.rpc.decode import anchors as check_anchors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.tasks.task import ContextEntry, ContextPackage

_MAX_WINDOW = 10_000_000
_MIN_CO_CHANGES = 3
_MAX_MISSING = 50
_MAX_STAGES = 20
_MOST_CO_CHANGES = 100_000


def building(request: pb.BuildContextRequest, task_id: str, stages: Sequence[str]) -> ContextRequest:
    """
    Decode BuildContext.

    Args:
        task_id: The task id of the request, or a generated one if the request has none.
        stages: Names of all stages, in the order in which a request must name them.
    """
    wrong = Violations()
    repository(wrong, request.repository)
    wrong.text(request.task, "task", min_length=1, max_length=MAX_TEXT)
    wrong.text(request.task_id, "task_id", max_length=64)
    _stages(wrong, request.stages, stages)
    check_anchors(wrong, request.anchors, "anchors")
    window, reserved = request.context_window_tokens, request.reserved_tokens
    wrong.number(window, "context_window_tokens", minimum=1, maximum=_MAX_WINDOW)
    wrong.require(reserved >= 0, "reserved_tokens", f"must not be negative, is {reserved}")
    wrong.require(
        reserved < max(1, window), "reserved_tokens", f"must be less than context_window_tokens, {reserved} of {window}"
    )
    wrong.number(request.min_co_changes, "min_co_changes", minimum=0, maximum=_MOST_CO_CHANGES)
    wrong.require(int(request.format) in tuple(ContextFormat), "format", "is not a format")
    wrong.raise_if_any()
    return ContextRequest(
        repository=request.repository,
        task_id=task_id,
        task=request.task,
        stages=tuple(request.stages),
        window_tokens=window,
        reserved_tokens=reserved,
        min_co_changes=request.min_co_changes or _MIN_CO_CHANGES,
        format=ContextFormat(request.format),
        anchors=from_message(request.anchors, Anchors) if request.HasField("anchors") else None,
        snapshot_id=request.snapshot_id,
    )


def refining(request: pb.RefineContextRequest) -> Refinement:
    """Decode RefineContext."""
    wrong = Violations()
    repository(wrong, request.repository)
    wrong.text(request.task_id, "task_id", min_length=1, max_length=64)
    wrong.text(request.reason, "reason", max_length=1000)
    fields = ("missing_files", "missing_symbols", "missing_tests", "error_signatures")
    for field in fields:
        values = getattr(request, field)
        for item, value in wrong.items(values, field, maximum=_MAX_MISSING):
            wrong.text(value, item, min_length=1, max_length=10_000)
    named = any(getattr(request, field) for field in fields)
    wrong.require(named, "missing_files", f"name what was missing in one of {', '.join(fields)}")
    wrong.raise_if_any()
    return Refinement(
        files=tuple(request.missing_files),
        symbols=tuple(request.missing_symbols),
        tests=tuple(request.missing_tests),
        errors=tuple(request.error_signatures),
        reason=request.reason,
    )


def package(found: ContextPackage) -> pb.ContextPackage:
    """Encode a package."""
    message = pb.ContextPackage(
        task_id=found.task_id,
        snapshot_id=found.snapshot_id,
        revision=found.revision,
        entries=(_entry(each, found.revision) for each in found.entries),
        dependencies=(pb.FileDependency(path=each.path, depends_on=each.depends_on) for each in found.dependencies),
        limit_tokens=found.limit_tokens,
        used_tokens=found.used_tokens,
        rendered=found.rendered,
        timings=(pb.StageTiming(stage=each.stage, milliseconds=each.milliseconds) for each in found.timings),
        not_found=found.not_found,
    )
    message.create_time.FromDatetime(found.create_time)
    return message


def _stages(wrong: Violations, given: Sequence[str], known: Sequence[str]) -> None:
    wrong.require(bool(given), "stages", f"must name at least one of {', '.join(known)}")
    for index, (field, name) in enumerate(wrong.items(given, "stages", maximum=_MAX_STAGES)):
        if not wrong.require(name in known, field, f"{name!r} is no stage; there are {', '.join(known)}"):
            continue
        before = [each for each in given[:index] if each in known]
        wrong.require(name not in before, field, f"{name!r} is named twice")
        late = [each for each in before if known.index(each) > known.index(name)]
        wrong.require(not late, field, f"{name!r} must come before {', '.join(late)}")


def _entry(entry: ContextEntry, revision: int) -> pb.ContextEntry:
    evidence = to_message(entry, evidence_pb2.Evidence)
    evidence.reason = entry.relation
    evidence.pass_number = revision
    if entry.symbol.id < 0:  # a file that is shown as a whole
        evidence.ClearField("symbol")
    return pb.ContextEntry(
        evidence=evidence,
        role=pb.ContextRole.ValueType(entry.role),
        tier=entry.tier.value,
        relation=entry.relation,
        demoted=entry.demoted,
    )
