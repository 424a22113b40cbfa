"""The judge that asks a small model which candidates to keep for a task; its answer is checked before it is used."""

from __future__ import annotations

import hashlib
import html
import unicodedata
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from common.model.failures import Cause, ModelFailed
from common.model.prompts import read_prompt
from common.model.values import ModelRequest, ModelRole, OutputSchema, Part, Turn
from retriever.ports import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.core.clock import Clock
    from common.core.words.tokens import TokenCounter
    from common.model.client import ModelClient
    from common.model.values import Completion
    from retriever.domain.tasks.context import Candidate
    from retriever.ports import JudgeRequest

PROMPTS = Path(__file__).parents[2] / "prompts"
_SCHEMA = OutputSchema(
    name="choice",
    description="The candidates to keep, the most important first.",
    properties={
        "kept": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "reason": {"type": "string"}},
                "required": ["number", "reason"],
            },
        }
    },
    required=("kept",),
)
_TASK_SHARE = 0.5
_MOST_REASON_CHARS = 200
_MOST_SUMMARY_CHARS = 300
_UNSEEN = frozenset({"Cf", "Cc", "Co", "Cn"})
_log = structlog.get_logger(__name__)


class ModelJudge:
    """
    Asks the model of the role "judge".

    The same question is not asked twice: choices are cached (the least recently used are dropped), failures are not.

    Args:
        client: Calls the model.
        counter: Counts the tokens of task and candidates.
        max_tokens: Limit for task and candidates in one question; candidates beyond it are not shown, and not kept.
        remembered: Number of choices in the cache.
    """

    def __init__(
        self,
        client: ModelClient,
        counter: TokenCounter,
        clock: Clock,
        *,
        max_tokens: int,
        remembered: int,
        folder: Path = PROMPTS,
    ) -> None:
        self._client = client
        self._counter = counter
        self._clock = clock
        self._max_tokens = max_tokens
        self._remembered = remembered
        self._system = read_prompt(folder / "judge_system.txt")
        self._prompt = read_prompt(folder / "judge.txt")
        self._known: OrderedDict[str, Verdict] = OrderedDict()

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Ask the model for a verdict. Raises ModelFailed, also for an invalid choice, and DeadlineExceeded."""
        task = self._fitted(_shown(request.task), int(self._max_tokens * _TASK_SHARE))
        shown = self._lines(request, self._max_tokens - self._counter.count(task))
        text = self._prompt.render(task=task, stage=request.stage, candidates="\n".join(shown), keep=str(request.keep))
        key = hashlib.sha256(text.encode()).hexdigest()
        if key in self._known:
            self._known.move_to_end(key)
            return replace(self._known[key], text="remembered", latency_ms=0.0, tokens=0)
        verdict = await self._asked(text, shown, len(request.candidates))
        self._known[key] = verdict
        while len(self._known) > self._remembered:
            self._known.popitem(last=False)
        return verdict

    async def _asked(self, text: str, shown: list[str], candidates: int) -> Verdict:
        prompt = f"{self._prompt.name}@{self._prompt.sha256}"
        _log.debug("context.judge_asked", prompt=prompt, candidates=candidates, shown=len(shown))
        began = self._clock.monotonic()
        request = ModelRequest(
            ModelRole.JUDGE, (Turn.user(text),), (Part(self._system.render(), cache=True),), self._prompt.max_tokens
        )
        completion = await self._client.complete(request, _SCHEMA)
        reasons = _reasons(completion.value, len(shown))
        unseen = [""] * (candidates - len(shown))
        return Verdict(
            kept=tuple(reasons),
            text=f"{completion.finished.model}, {prompt}: kept {len(reasons)} of {len(shown)} shown",
            latency_ms=(self._clock.monotonic() - began) * 1000,
            tokens=_tokens(completion),
            shown=(*shown, *unseen),
            said=tuple(reasons.get(position, "") for position in range(candidates)),
        )

    def _lines(self, request: JudgeRequest, max_tokens: int) -> list[str]:
        """Return the candidates as the model sees them, as many as fit."""
        lines: list[str] = []
        for number, each in enumerate(request.candidates, 1):
            line = _line(number, each)
            max_tokens -= self._counter.count(line)
            if max_tokens < 0:
                break
            lines.append(line)
        return lines

    def _fitted(self, text: str, max_tokens: int) -> str:
        while self._counter.count(text) > max_tokens:
            text = text[: int(len(text) * 0.8)].rstrip() + " …"
        return text


def _line(number: int, candidate: Candidate) -> str:
    symbol = candidate.symbol
    place = f"{symbol.path}:{symbol.start_line}-{symbol.end_line}"
    summary = " ".join(f"{symbol.signature} {symbol.docstring.partition(chr(10))[0]}".split())[:_MOST_SUMMARY_CHARS]
    name = symbol.qualified_name or symbol.module
    head = f'number="{number}" place="{_shown(place)}" name="{_shown(name)}" why="{_shown(candidate.reason)}"'
    return f"<candidate {head}>{_shown(summary)}</candidate>"


def _shown(text: str) -> str:
    """Escape untrusted text for the prompt, and drop invisible characters."""
    seen = "".join(each for each in text if each in "\n\t" or unicodedata.category(each) not in _UNSEEN)
    return html.escape(seen, quote=True)


def _reasons(value: Mapping[str, Any], shown: int) -> dict[int, str]:
    """Return the reason by kept position, in the model's order. Raises ModelFailed for an invalid number."""
    kept = value.get("kept")
    rows = kept if isinstance(kept, list) else [None]
    reasons: dict[int, str] = {}
    for row in rows:
        number = row.get("number") if isinstance(row, dict) else None
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= shown:
            raise ModelFailed(Cause.UNUSABLE, "the model's choice does not name the candidates by their numbers")
        assert isinstance(row, dict)
        reasons.setdefault(number - 1, " ".join(str(row.get("reason", "")).split())[:_MOST_REASON_CHARS])
    return reasons


def _tokens(completion: Completion) -> int:
    usage = completion.finished.usage
    return usage.total_input_tokens + usage.output_tokens
