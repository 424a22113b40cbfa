"""Calls the answering engine for one pass and streams what it writes."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.errors import DeadlineExceeded, ModelUnavailable
from orchestrator.domain.answers.events import EvidenceLines, GapsFound, PassFinished, PassStarted, TextDelta, Warned
from orchestrator.domain.answers.orders import EngineDone, EngineRestarted, EngineText, PassTask
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.loop.gap_loop import fetch_tokens_left
from orchestrator.domain.model_text.numbering import CitationNumberer
from orchestrator.domain.questions.question import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.contract.evidence import Gap
    from orchestrator.domain.answers.events import CitedLabel
    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.loop.actions import AskEngine
    from orchestrator.ports import AnswerEngine, KillSwitch
    from orchestrator.usecases.answering.context import Answering

# With less time until the caller's deadline, a failed model call ends the answer instead of using the fallback.
_FALLBACK_SECONDS = 0.25
_MAX_DELTA_CHARS = 200
_MAX_DELTA_SECONDS = 0.05


class Asking:
    """
    Asks the engine, and the fallback when the engine's model fails; the fallback stays for the rest of the answer.

    Args:
        engine: Engine that is asked first.
        fallback: Engine that needs no model.
        kill_switch: While it is on, only the fallback is asked.
    """

    def __init__(self, engine: AnswerEngine, fallback: AnswerEngine, kill_switch: KillSwitch) -> None:
        self._engine = engine
        self._fallback = fallback
        self._kill_switch = kill_switch

    def engine_for(self, answering: Answering) -> AnswerEngine:
        """Return the engine to ask first: the one that the answer began with, or the fallback by the kill switch."""
        started = answering.state.started
        is_its_own = started is None or started.engine == self._engine.name
        return self._engine if is_its_own and not self._kill_switch.is_stopped() else self._fallback

    async def ask(self, answering: Answering, action: AskEngine) -> None:
        """Emit one pass; if its model fails, emit the last complete pass's answer again, or the fallback's answer."""
        if "model" in answering.state.degraded:
            await self._write(answering, action, self._fallback)
            return
        engine = self.engine_for(answering)
        try:
            if action.without_model and engine is not self._fallback:
                await answering.emit(PassStarted(action.pass_number))
                raise ModelUnavailable("the time was over before the model had written an answer")
            await self._write(answering, action, engine)
        except ModelUnavailable as error:
            left = answering.caller_seconds_left
            if left is not None and left < _FALLBACK_SECONDS:
                raise DeadlineExceeded("the model did not answer in time; allow a longer deadline") from error
            await self._degrade(answering, action, error.message)

    async def _degrade(self, answering: Answering, action: AskEngine, problem: str) -> None:
        """Emit the pass without its model: repeat the answer of the last complete pass, else ask the fallback."""
        standing = answering.state.last_whole
        instead = (
            f"the answer of pass {standing.number} stands" if standing else "this answer is written from evidence only"
        )
        await answering.emit(Warned("degraded_model", f"{problem}; {instead}", problem))
        if standing is None:
            await self._write(answering, action, self._fallback)
            return
        await answering.emit(PassStarted(action.pass_number))
        await answering.emit(TextDelta(action.pass_number, standing.text))
        end = standing.end
        await answering.emit(
            PassFinished(
                action.pass_number,
                engine=end.engine,
                model=end.model,
                cited=end.cited,
                is_cut=end.is_cut,
                is_question_cut=end.is_question_cut,
                stands=True,
            )
        )

    async def _write(self, answering: Answering, action: AskEngine, engine: AnswerEngine) -> None:
        await answering.emit(PassStarted(action.pass_number))
        began = answering.clock.monotonic()
        task = _task(answering, action)
        by_model = engine.name != self._fallback.name
        scribe = _Scribe(answering, action.pass_number, task.evidence, by_model=by_model)
        done = EngineDone()
        async with aclosing(engine.answer(task)) as outputs:
            async for output in outputs:
                match output:
                    case EngineText():
                        await scribe.write(output.text)
                    case EngineRestarted():
                        await answering.emit(PassStarted(action.pass_number))
                        scribe = _Scribe(answering, action.pass_number, task.evidence, by_model=by_model)
                    case EngineDone():
                        done = output
        await scribe.end()
        gaps = _numbered(done.gaps, action.pass_number)
        unneeded = [each for each in done.unneeded if 1 <= each.number <= len(task.evidence)]
        if gaps:
            await answering.emit(GapsFound(action.pass_number, gaps))
        await answering.emit(
            PassFinished(
                action.pass_number,
                done.usage,
                (answering.clock.monotonic() - began) * 1000,
                engine.name,
                done.model,
                scribe.cited,
                scribe.dropped,
                done.is_cut,
                done.is_question_cut,
                done.heard,
                done.called,
                unneeded=tuple(task.evidence[each.number - 1].evidence_id for each in unneeded if not each.start_line),
                unneeded_lines=tuple(
                    EvidenceLines(task.evidence[each.number - 1].evidence_id, each.start_line, each.end_line)
                    for each in unneeded
                    if each.start_line
                ),
            )
        )
        for code, text in _warnings(done):
            if (code, text) not in {(each.code, each.message) for each in answering.state.warnings}:
                await answering.emit(Warned(code, text))


class _Scribe:
    """Turns an engine's text into events: labels become citation numbers, and small pieces are combined."""

    def __init__(self, answering: Answering, pass_number: int, evidence: Sequence[Evidence], *, by_model: bool) -> None:
        self._answering = answering
        self._pass_number = pass_number
        self._numberer = CitationNumberer(evidence, by_use=by_model)
        self._waiting = ""
        self._last = answering.clock.monotonic()

    @property
    def cited(self) -> tuple[CitedLabel, ...]:
        """Return the citations of the numbers in the text."""
        return self._numberer.cited

    @property
    def dropped(self) -> int:
        """Return how many labels named no supplied evidence."""
        return self._numberer.dropped

    async def write(self, text: str) -> None:
        """Add a piece of text; emit the pending text if it is long or old enough."""
        self._waiting += self._numberer.feed(text)
        is_due = self._answering.clock.monotonic() - self._last >= _MAX_DELTA_SECONDS
        if is_due or len(self._waiting) >= _MAX_DELTA_CHARS:
            await self._send()

    async def end(self) -> None:
        """Emit the remaining text, without trailing whitespace."""
        self._waiting = (self._waiting + self._numberer.finish()).rstrip()
        await self._send()

    async def _send(self) -> None:
        # Trailing whitespace stays pending: at the end of the whole text it is dropped.
        text = self._waiting.rstrip()
        if not text:
            return
        self._waiting = self._waiting[len(text) :]
        self._last = self._answering.clock.monotonic()
        if self._answering.state.text == "" and self._pass_number == 1:
            self._answering.observer.first_text(self._answering.elapsed)
        await self._answering.emit(TextDelta(self._pass_number, text))


def _task(answering: Answering, action: AskEngine) -> PassTask:
    state, budget, rules = answering.state, answering.budget, answering.rules
    after_pass = budget.after_pass_tokens[min(action.pass_number, len(budget.after_pass_tokens)) - 1]
    return PassTask(
        answering.pin,
        answering.question,
        state.classification,
        answering.shown(),
        state.results,
        state.triples,
        action.pass_number,
        action.is_last,
        budget.total_tokens,
        is_judged=answering.strategy is Strategy.SUFFICIENCY,
        max_passes=rules.max_passes,
        gap_tokens=max(0, min(fetch_tokens_left(state, rules), budget.pass_tokens, after_pass)),
        absent=answering.memory.absences,
        cited=state.cited,
        supplied=len(state.needed),
        dropped=state.dropped,
        outlines=state.outlines,
        corrections=state.corrections if action.pass_number > state.corrected_after else "",
    )


def _warnings(done: EngineDone) -> Iterator[tuple[str, str]]:
    if done.is_cut:
        yield "text_cut", "the model's text ended before its end; a larger answer_max_tokens lets it write more"
    if done.is_question_cut:
        yield "question_cut", "only the ends of the question fitted; a larger budget shows the model more of it"
    for each in done.unread:
        yield "gap_unread", f"the model asked for something that was not taken up: {each}"


def _numbered(gaps: Sequence[Gap], pass_number: int) -> tuple[Gap, ...]:
    distinct: dict[str, Gap] = {}
    for gap in gaps:
        distinct.setdefault(gap_key(gap), gap)
    return tuple(replace(gap, gap_id=f"g{pass_number}-{number}") for number, gap in enumerate(distinct.values(), 1))
