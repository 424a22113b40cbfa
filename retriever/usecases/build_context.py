"""Builds the context of a task stage by stage, and refines it with additions that a caller requests."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.errors import SnapshotNotFound, TaskIdReused, TaskNotFound
from retriever.domain.tasks.context import StageTime
from retriever.domain.tasks.task import (
    ContextPackage,
    ContextRole,
    ContextTier,
    Gathered,
    Pick,
    TaskContext,
    TaskState,
)
from retriever.usecases.locating.naming import module_of
from retriever.usecases.tasks.judged import file_symbol
from retriever.usecases.tasks.packaging import package
from retriever.usecases.tasks.requested import with_requested
from retriever.usecases.tasks.seeds import anchors_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from common.core.clock import Clock
    from common.core.words.tokens import TokenCounter
    from retriever.domain.tasks.task import ContextRequest, Refinement
    from retriever.ports import DecisionLog, Judge, Meter, Snapshot, SnapshotStore, TaskJournal, TaskStore
    from retriever.usecases.tasks.protocol import ContextStage


class BuildContext:
    """
    Runs the stages that a request names, stores the state after each, and packs their results.

    Args:
        first: The stage that runs before those of every request.
        stages: All other stages by name, in order.
    """

    def __init__(
        self,
        snapshots: SnapshotStore,
        first: ContextStage,
        stages: Mapping[str, ContextStage],
        judge: Judge,
        counter: TokenCounter,
        tasks: TaskStore,
        log: DecisionLog,
        journal: TaskJournal,
        meter: Meter,
        clock: Clock,
    ) -> None:
        self._snapshots = snapshots
        self._first = first
        self._by_name = stages
        self._judge = judge
        self._counter = counter
        self._tasks = tasks
        self._log = log
        self._journal = journal
        self._meter = meter
        self._clock = clock

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of all stages, in the order in which a request must name them."""
        return tuple(self._by_name)

    async def run(self, request: ContextRequest) -> ContextPackage:
        """
        Return the package of a task; repeating an equal request returns the stored package.

        A task that another replica left unfinished continues after its last finished stage.

        Raises:
            TaskIdReused: if a different request with the same task id is stored.
        """
        state = await self._tasks.load(request.repository, request.task_id)
        if state and state.request.fingerprint != request.fingerprint:
            raise TaskIdReused.of(request.task_id)
        if state and state.package:
            return state.package
        self._journal.budget_set(request)
        async with self._reopened(state or TaskState(request, request.snapshot_id)) as (snapshot, state):
            return await self._packed(snapshot, await self._gathered(snapshot, state))

    async def refine(self, repository: str, task_id: str, refinement: Refinement) -> ContextPackage:
        """
        Return the next revision of a task's package, with the requested additions first.

        Repeating the last refinement returns the package that it produced.

        Raises:
            TaskNotFound: if no such task is stored.
        """
        state = await self._tasks.load(repository, task_id)
        if state is None:
            raise TaskNotFound.of(repository, task_id)
        if state.package and state.refinements[-1:] == (refinement,):
            return state.package
        self._journal.budget_set(state.request)
        async with self._reopened(state) as (snapshot, current):
            # If the task started again on another snapshot, the earlier refinements are applied again.
            asked = (refinement,) if current.done else (*current.refinements, refinement)
            current = await self._gathered(snapshot, current)
            gathered = current.gathered
            for each in asked:
                gathered = await asyncio.to_thread(with_requested, snapshot, gathered, each)
            current = replace(current, gathered=gathered, refinements=(*state.refinements, refinement))
            return await self._packed(snapshot, current)

    @asynccontextmanager
    async def _reopened(self, state: TaskState) -> AsyncIterator[tuple[Snapshot, TaskState]]:
        """
        Open the snapshot that the stages of a task have read.

        If that snapshot is gone and the request did not name it, the task starts again on the current one: symbol ids
        that were gathered are not valid in another snapshot.
        """
        request = state.request
        async with AsyncExitStack() as stack:
            try:
                snapshot = await stack.enter_async_context(self._snapshots.open(request.repository, state.snapshot_id))
            except SnapshotNotFound:
                if request.snapshot_id:
                    raise
                snapshot = await stack.enter_async_context(self._snapshots.open(request.repository, ""))
            if snapshot.info.snapshot_id != state.snapshot_id:
                state = replace(state, snapshot_id=snapshot.info.snapshot_id, done=(), gathered=Gathered())
            yield snapshot, state

    async def _gathered(self, snapshot: Snapshot, state: TaskState) -> TaskState:
        """Run the stages that have not run yet, and store the state after each."""
        request = state.request
        anchors = anchors_in(request.task) if request.anchors is None else request.anchors
        task = TaskContext(request.task, anchors, request.min_co_changes)
        row = (self._first, *(self._by_name[name] for name in request.stages))
        for stage in row[len(state.done) :]:
            start = self._clock.monotonic()
            gathered = await stage.run(state.gathered, snapshot, task, self._judge)
            seconds = self._clock.monotonic() - start
            self._meter.stage_took(stage.name, seconds)
            done = (*state.done, StageTime(stage.name, seconds * 1000))
            state = await self._kept(replace(state, gathered=gathered, done=done))
        if state.gathered.picks is None:
            picks = await asyncio.to_thread(_whole_files, snapshot, state.gathered)
            state = replace(state, gathered=replace(state.gathered, picks=picks))
        return state

    async def _packed(self, snapshot: Snapshot, state: TaskState) -> ContextPackage:
        made = await asyncio.to_thread(package, snapshot, state.request, state.gathered.picks or (), self._counter)
        revision = state.package.revision + 1 if state.package else 1
        whole = ContextPackage(
            task_id=state.request.task_id,
            snapshot_id=state.snapshot_id,
            revision=revision,
            entries=made.entries,
            dependencies=made.dependencies,
            limit_tokens=state.request.limit_tokens,
            used_tokens=made.used_tokens,
            rendered=made.rendered,
            timings=state.done,
            create_time=self._clock.now(),
            not_found=state.gathered.not_found,
        )
        gathered = state.gathered.with_decisions(made.decisions)
        await self._kept(replace(state, gathered=gathered, package=whole))
        return whole

    async def _kept(self, state: TaskState) -> TaskState:
        """Store the state, then log its decisions: only the replica that succeeds in storing logs them."""
        decisions = state.gathered.decisions
        kept = await self._tasks.keep(replace(state, gathered=replace(state.gathered, decisions=())))
        await self._log.append(state.request.repository, state.request.task_id, decisions)
        return kept


def _whole_files(snapshot: Snapshot, gathered: Gathered) -> tuple[Pick, ...]:
    """Pick whole files if no stage sorted symbols: seed files in full, other files in outline."""
    found: list[Pick] = []
    for file in gathered.files:
        text = snapshot.files.at(file.path)
        shown = module_of(snapshot, file.path) or (file_symbol(text) if text else None)
        role = ContextRole.PRIMARY if file.tier == ContextTier.SEED else ContextRole.SUPPORTING
        if shown:
            found.append(Pick(shown.id, role, file.tier, file.relation))
    return tuple(found)
