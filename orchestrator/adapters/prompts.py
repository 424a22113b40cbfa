"""Puts the prompts of the answering engine and the judge together: what is stable first, the question last."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from common.model.prompts import read_prompt
from common.model.values import Part, Turn
from orchestrator.domain.cleaning import as_attribute, as_data, visible
from orchestrator.domain.evidence import GapOutcome
from orchestrator.domain.graph import linearise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.tokens import TokenCounter
    from common.model.prompts import Prompt
    from orchestrator.domain.evidence import Evidence, GapResult
    from orchestrator.domain.orders import PassTask

PROMPTS = Path(__file__).parent.parent / "prompts"
# The system text is one of the four places up to which an endpoint can keep a prompt; the last ones reach furthest.
_MAX_CACHED_BLOCKS = 3
_BLOCK_TOKENS = 600
_LEAST_QUESTION_TOKENS = 200
_CHARS_PER_TOKEN = 3
_log = structlog.get_logger(__name__)


class AnswerPrompt:
    """
    The prompt of one pass.

    Evidence stands in order of supply, in blocks that end with a pass or when they are long enough, so that a later
    pass or question of the session begins with the same blocks and the endpoint reads them from its cache.
    """

    def __init__(self, counter: TokenCounter, folder: Path = PROMPTS) -> None:
        self._counter = counter
        self._system = read_prompt(folder / "answer_system.txt")
        self._evidence = read_prompt(folder / "answer_evidence.txt")
        self._question = read_prompt(folder / "answer_question.txt")

    @property
    def max_tokens(self) -> int:
        """Return the longest answer worth having."""
        return self._system.max_tokens

    def build(self, task: PassTask, max_tokens: int) -> tuple[tuple[Part, ...], tuple[Turn, ...]]:
        """Return system text and conversation; a question too long for `max_tokens` in all is cut."""
        _log.debug("prompt.used", prompts=[_hash(each) for each in (self._system, self._evidence, self._question)])
        system = self._system.render()
        blocks = [self._evidence.render(evidence=text) for text in _evidence_blocks(task.evidence)]
        question = self._question.render(
            mode=task.classification.mode.name.lower(),
            outcomes=_outcomes(task.results),
            graph=f"Relations found:\n{as_data(linearise(task.triples))}\n" if task.triples else "",
            closing="Nothing more will be fetched: answer with what there is.\n" if task.is_last else "",
            question=self._fitted(visible(task.question), (system, *blocks), max_tokens),
        )
        parts = [Part(text, cache=at >= len(blocks) - _MAX_CACHED_BLOCKS) for at, text in enumerate(blocks)]
        return (Part(system, cache=True),), (Turn.user(*parts, question),)

    def _fitted(self, text: str, others: Sequence[str], max_tokens: int) -> str:
        if self._counter.count(text) <= _LEAST_QUESTION_TOKENS:
            return text
        left = max(max_tokens - sum(map(self._counter.count, others)), _LEAST_QUESTION_TOKENS)
        while self._counter.count(text) > left:
            keep = min(int(len(text) * 0.8), left * _CHARS_PER_TOKEN)
            text = text[:keep].rstrip() + " …"
        return text


class JudgePrompt:
    """The prompt of one judgement."""

    def __init__(self, folder: Path = PROMPTS) -> None:
        self._system = read_prompt(folder / "judge_system.txt")
        self._judge = read_prompt(folder / "judge.txt")

    @property
    def max_tokens(self) -> int:
        """Return the longest judgement worth having."""
        return self._judge.max_tokens

    def build(
        self, question: str, evidence: Sequence[Evidence], graph: str, history: Sequence[str]
    ) -> tuple[tuple[Part, ...], tuple[Turn, ...]]:
        """Return system text and conversation."""
        _log.debug("prompt.used", prompts=[_hash(each) for each in (self._system, self._judge)])
        text = self._judge.render(
            question=visible(question),
            evidence="\n".join(f"- {as_attribute(each.title)}: {as_attribute(each.reason)}" for each in evidence),
            graph=as_data(graph) or "(none)",
            history="\n".join(f"- {as_data(each)}" for each in history) or "(none)",
        )
        return (Part(self._system.render(), cache=True),), (Turn.user(text),)


def _evidence_blocks(evidence: Sequence[Evidence]) -> list[str]:
    blocks: list[list[str]] = []
    tokens, last_pass = _BLOCK_TOKENS, 0
    for number, each in enumerate(evidence, 1):
        if tokens >= _BLOCK_TOKENS or each.pass_number != last_pass:
            blocks.append([])
            tokens, last_pass = 0, each.pass_number
        blocks[-1].append(_piece(number, each))
        tokens += each.tokens
    return ["\n".join(block) for block in blocks]


def _piece(number: int, evidence: Evidence) -> str:
    place = f"{evidence.span.path}:{evidence.span.start_line}-{evidence.span.end_line}" if evidence.span else ""
    head = f'label="E{number}" place="{as_attribute(place)}" title="{as_attribute(evidence.title)}"'
    return f'<piece {head} why="{as_attribute(evidence.reason)}">\n{as_data(evidence.text).rstrip()}\n</piece>'


def _outcomes(results: Sequence[GapResult]) -> str:
    lines = [
        f"- {as_attribute(each.gap.symbol or each.gap.path or each.gap.description)}: "
        f"{each.outcome.name.lower().replace('_', ' ')}. {as_attribute(each.detail)}"
        for each in results
        if each.outcome is not GapOutcome.UNSPECIFIED
    ]
    return "What became of what you asked for:\n" + "\n".join(lines) + "\n" if lines else ""


def _hash(prompt: Prompt) -> str:
    return f"{prompt.name}@{prompt.sha256}"
