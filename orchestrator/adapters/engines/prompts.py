"""Builds the prompts of the answering engine and the judge: the stable parts first, the question last."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from common.core.contract.evidence import BasisKind, GapAspect, GapOutcome, GapSupply
from common.model.prompts import PromptError, read_prompt
from common.model.values import OutputSchema, Part, Turn
from orchestrator.domain.evidence.gaps import gap_key, name_of
from orchestrator.domain.evidence.lines import numbered_lines
from orchestrator.domain.loop.fitting import by_need
from orchestrator.domain.loop.graph import linearise
from orchestrator.domain.model_text.cleaning import as_attribute, as_data, visible
from orchestrator.domain.questions.following import meant

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from common.core.words.tokens import TokenCounter
    from common.model.prompts import Prompt
    from orchestrator.domain.answers.orders import PassTask
    from orchestrator.domain.evidence.piece import Evidence, GapResult

PROMPTS = Path(__file__).parents[2] / "prompts"
# An endpoint has four cache points for a prompt: one after the system text, three after the last blocks.
_MAX_CACHED_BLOCKS = 3
_BLOCK_TOKENS = 600
# Tokens of the tags and line breaks around a piece.
_AROUND_TOKENS = 8
# Tokens of a call that are reserved for the question, the outcomes of gaps and the graph, if they need as many.
# Question and graph get more if the evidence leaves room.
_QUESTION_TOKENS = 320
_OUTCOME_TOKENS = 600
_GRAPH_TOKENS = 800
_LEAST_QUESTION_TOKENS = 50
_JUDGED_TOKENS = 2000
_JUDGED_EVIDENCE_TOKENS = 6000
_CHARS_PER_TOKEN = 3
# With fewer tokens left, no fetch would be useful.
_LEAST_ROOM = 50
_MOST_ABSENT = 20
_MOST_DROPPED = 12
# Size of the cache of token counts: later passes and questions show pieces again. Longer pieces are not cached.
_REMEMBERED_PIECES = 1024
_REMEMBERED_CHARS = 8192
_SUPPLIED = {GapSupply.PART: "shown in part", GapSupply.BEFORE: "shown already"}
_log = structlog.get_logger(__name__)

FETCH = OutputSchema(
    name="fetch",
    description="Asks for code of this repository that is not shown. Give a symbol, lines of a path, or a text.",
    properties={
        "symbol": {"type": "string", "description": "a definition, such as Query.build_filter"},
        "path": {"type": "string", "description": "a file, or the file of the symbol"},
        "lines": {"type": "string", "description": "lines of the path, such as 1570-1620"},
        "users": {"type": "string", "description": "a symbol whose callers are wanted"},
        "tests": {"type": "string", "description": "a symbol whose tests are wanted"},
        "implementers": {"type": "string", "description": "a type whose implementations are wanted"},
        "text": {"type": "string", "description": "text that stands in some file, such as a message"},
        "why": {"type": "string", "description": "what you look for there"},
        "drop": {"type": "string", "description": "labels of unneeded pieces and lines, such as E2 E7:40-95"},
    },
)


@dataclass(frozen=True, slots=True)
class BuiltPrompt:
    """System text and conversation, and whether the middle of the question was left out."""

    system: tuple[Part, ...]
    turns: tuple[Turn, ...]
    is_question_cut: bool = False


class GapForm(Enum):
    """How a model requests missing evidence: in its text, or by calling a tool."""

    TEXT = "text"
    TOOLS = "tools"


class AnswerPrompt:
    """
    The prompt of one pass.

    Args:
        counter: Counts tokens.
        max_gaps: Number of gaps that the prompt lets a pass name.
        folder: Folder whose prompts replace the built-in ones with the same file names.

    Evidence is in order of supply, in blocks that end with a pass or when they are long enough: prompts of later passes
    and questions of the session begin with the same blocks, which the endpoint reads from its cache. In passes that may
    name gaps, the instructions for that follow, with the names of definitions that are not shown.
    """

    def __init__(self, counter: TokenCounter, *, max_gaps: int = 5, folder: Path | None = None) -> None:
        self._counter = counter
        self._remembered = lru_cache(_REMEMBERED_PIECES)(counter.count)
        self._system = _read("answer_system.txt", folder)
        self._max_gaps = max_gaps
        self._gaps = {form: _read(f"answer_gaps_{form.value}.txt", folder) for form in GapForm}
        self._again = {form: _read(f"answer_again_{form.value}.txt", folder) for form in GapForm}
        tools = json.dumps([dict(FETCH.properties), FETCH.description])
        self._system_tokens = dict.fromkeys(GapForm, counter.count(self._system.render()))
        self._system_tokens[GapForm.TOOLS] += counter.count(tools)
        self._evidence = _read("answer_evidence.txt", folder)
        self._question = _read("answer_question.txt", folder)

    def build(self, task: PassTask, max_tokens: int, form: GapForm = GapForm.TEXT) -> BuiltPrompt:
        """
        Return a prompt of at most `max_tokens`.

        Evidence that does not fit is left out, first what the engine did not ask for; labels do not change. Of a
        question that is too long, beginning and end are kept, where a traceback has most information.
        """
        _log.debug(
            "prompt.used",
            prompts=[
                _hash(each)
                for each in (self._system, self._gaps[form], self._again[form], self._evidence, self._question)
            ],
        )
        count = self._counter.count
        system = self._system.render()
        gaps = self._how_to_ask(task, form)
        given = visible(task.question)
        left = max_tokens - self._system_tokens[form] - count(self._asked(task, gaps, "", "", ""))
        outcomes = _lines_within(_outcomes(task.results), _OUTCOME_TOKENS, count)
        whole_graph = as_data(linearise(task.triples))
        graph = _lines_within(whole_graph, _GRAPH_TOKENS, count)
        left -= count(outcomes) + count(graph)
        shown, spare = self._shown(task.evidence, task.cited, left, count(given))
        blocks = [self._evidence.render(evidence=text) for text in _blocks_of(shown)]
        question = given
        if spare < 0 or graph != whole_graph:
            # Blocks take fewer tokens than the sum of their pieces.
            left -= sum(map(count, blocks))
            question = _both_ends(given, max(left, _LEAST_QUESTION_TOKENS), count)
            graph = _lines_within(whole_graph, count(graph) + max(0, left - count(question)), count)
        parts = [Part(text, cache=at >= len(blocks) - _MAX_CACHED_BLOCKS) for at, text in enumerate(blocks)]
        asked = self._asked(task, gaps, question, outcomes, graph, dropped=task.supplied - len(shown))
        return BuiltPrompt((Part(system, cache=True),), (Turn.user(*parts, asked),), question != given)

    def _how_to_ask(self, task: PassTask, form: GapForm) -> str:
        """Return the instructions for naming gaps; "" for a pass that may not name any."""
        if not _may_ask(task):
            return ""
        prompt = (self._gaps if task.pass_number == 1 else self._again)[form]
        named = "".join(f"{each.title}:\n{as_data(each.text)}\n" for each in task.outlines)
        return f"{prompt.render(most=str(self._max_gaps))}\n\n{named}"

    def _asked(self, task: PassTask, gaps: str, question: str, outcomes: str, graph: str, *, dropped: int = 1) -> str:
        return self._question.render(
            gaps=gaps,
            mode=task.classification.mode.name.lower(),
            outcomes=f"What became of what you asked for:\n{outcomes}\n" if outcomes else "",
            graph=f"Relations found:\n{graph}\n" if graph else "",
            absent=_absent(task),
            turn=_turn(task, dropped),
            question=question,
            means=_means(task),
        )

    def _shown(
        self, evidence: Sequence[Evidence], cited: Collection[str], left: int, question_tokens: int
    ) -> tuple[list[tuple[Evidence, str]], int]:
        """Return the rendered evidence that fits beside the whole question, and the remaining tokens."""
        left -= min(question_tokens, _QUESTION_TOKENS)
        pieces = {number: _piece(number, each) for number, each in enumerate(evidence, 1)}
        for number in (at + 1 for at in by_need(evidence, cited)):
            tokens = self._piece_tokens(pieces[number]) + _AROUND_TOKENS
            if tokens > left:
                del pieces[number]
            else:
                left -= tokens
        shown = [(evidence[number - 1], text) for number, text in pieces.items()]
        return shown, left - max(0, question_tokens - _QUESTION_TOKENS)

    def _piece_tokens(self, text: str) -> int:
        return self._remembered(text) if len(text) <= _REMEMBERED_CHARS else self._counter.count(text)


class JudgePrompt:
    """
    The prompt of one judgement; question, evidence and graph are cut to what a judge needs of them.

    Evidence is shown from the latest retrieval back until its share is full; of the rest the judge sees the titles.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._system = read_prompt(PROMPTS / "judge_system.txt")
        self._judge = read_prompt(PROMPTS / "judge.txt")

    @property
    def max_tokens(self) -> int:
        """Return the most tokens of a judgement."""
        return self._judge.max_tokens

    def build(
        self, question: str, evidence: Sequence[Evidence], graph: str, history: Sequence[str]
    ) -> tuple[tuple[Part, ...], tuple[Turn, ...]]:
        """Return system text and conversation."""
        _log.debug("prompt.used", prompts=[_hash(each) for each in (self._system, self._judge)])
        text = self._judge.render(
            question=_both_ends(visible(question), _JUDGED_TOKENS, self._counter.count),
            evidence=self._shown(evidence),
            graph=_lines_within(as_data(graph), _JUDGED_TOKENS, self._counter.count) or "(none)",
            history="\n".join(f"- {as_data(each)}" for each in history) or "(none)",
        )
        return (Part(self._system.render(), cache=True),), (Turn.user(text),)

    def _shown(self, evidence: Sequence[Evidence]) -> str:
        told = {at: f"- {as_attribute(each.title)}: {as_attribute(each.reason)}" for at, each in enumerate(evidence)}
        left = _JUDGED_EVIDENCE_TOKENS
        for at in sorted(range(len(evidence)), key=lambda at: -evidence[at].pass_number):
            piece = _piece(at + 1, evidence[at])
            left -= self._counter.count(piece)
            if left < 0:
                break
            told[at] = piece
        return "\n".join(told.values())


def _read(name: str, folder: Path | None) -> Prompt:
    """Return a folder's prompt, else the built-in one. Raises PromptError if their variables differ."""
    built_in = read_prompt(PROMPTS / name)
    if folder is None or not (folder / name).is_file():
        return built_in
    own = read_prompt(folder / name)
    if own.variables != built_in.variables:
        raise PromptError(f"{folder / name}: needs the variables {sorted(built_in.variables)}")
    return own


def _both_ends(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return a text, without its middle if it is too long."""
    kept, keep = text, len(text)
    while count(kept) > max_tokens and keep > _CHARS_PER_TOKEN:
        keep = min(int(keep * 0.8), max_tokens * _CHARS_PER_TOKEN)
        kept = f"{text[: keep // 2].rstrip()} … {text[-(keep - keep // 2) :].lstrip()}"
    return kept


def _lines_within(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return the first lines of a text, as many as fit."""
    if count(text) <= max_tokens:
        return text
    kept: list[str] = []
    for line in text.splitlines():
        max_tokens -= count(line + "\n")
        if max_tokens < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def _blocks_of(pieces: Sequence[tuple[Evidence, str]]) -> list[str]:
    blocks: list[list[str]] = []
    tokens, last_pass = _BLOCK_TOKENS, 0
    for each, text in pieces:
        if tokens >= _BLOCK_TOKENS or each.pass_number != last_pass:
            blocks.append([])
            tokens, last_pass = 0, each.pass_number
        blocks[-1].append(text)
        tokens += each.tokens
    return ["\n".join(block) for block in blocks]


def _piece(number: int, evidence: Evidence) -> str:
    """
    Return a piece of evidence with label, place, name, callers and overriders.

    The reason for which it was found is included if it says more than that the piece matches.
    """
    span = evidence.span
    attributes = {
        "at": f"{span.path}:{span.start_line}-{span.end_line}" if span else "",
        "name": _name(evidence),
        "why": evidence.reason if _is_telling(evidence) else "",
        "overridden": ", ".join(f"{each.qualified_name} {each.path}:{each.start_line}" for each in evidence.overriders),
        "callers": ", ".join(f"{each.name} {each.place}" for each in evidence.callers),
    }
    head = "".join(f' {name}="{as_attribute(value)}"' for name, value in attributes.items() if value)
    lines = (f"{number} {line}" if number else line for number, line in numbered_lines(evidence))
    text = "\n".join(lines) if evidence.lines else evidence.text
    return f"<E{number}{head}>\n{as_data(text).rstrip()}\n</E{number}>"


def _name(evidence: Evidence) -> str:
    """Return a piece's name if its lines do not show all of it (a method's lines lack its class); else ""."""
    if not (evidence.symbol and evidence.symbol.qualified_name):
        return "" if evidence.lines else evidence.title
    name = evidence.symbol.qualified_name
    begins = evidence.lines and evidence.lines[0].start_line <= evidence.symbol.start_line
    return "" if begins and name in evidence.text else name


def _is_telling(evidence: Evidence) -> bool:
    basis = evidence.basis is not None and evidence.basis.kind is not BasisKind.DECIDES  # DECIDES is only a match
    return any((basis, evidence.setting, evidence.route, evidence.unheld, evidence.described))


def _outcomes(results: Sequence[GapResult]) -> str:
    """Return the outcomes of gaps, one per line, without gaps whose evidence is shown completely."""
    return "\n".join(
        f"- {as_attribute(name_of(each.gap))}: {_became(each)}"
        for each in results
        if each.supply is not GapSupply.WHOLE
    )


def _became(result: GapResult) -> str:
    if result.outcome is GapOutcome.RESOLVED:
        is_listed = result.gap.aspect is not GapAspect.UNSPECIFIED
        return as_attribute(result.detail if is_listed else _SUPPLIED.get(result.supply, result.detail))
    return f"{_word(result.outcome)}. {as_attribute(result.detail)}"


def _word(outcome: GapOutcome) -> str:
    return "not fetched" if outcome is GapOutcome.UNSPECIFIED else outcome.name.lower().replace("_", " ")


def _absent(task: PassTask) -> str:
    """Return the session's gaps known to be absent that are not among the outcomes."""
    told = {gap_key(each.gap) for each in task.results}
    names = [as_attribute(name_of(each.gap)) for each in task.absent if gap_key(each.gap) not in told]
    return f"Known not to be found: {', '.join(names[:_MOST_ABSENT])}\n" if names else ""


def _turn(task: PassTask, dropped: int) -> str:
    """Return the text with the number of the pass and the budget for its requests."""
    left_out = f"{dropped} pieces that were supplied have no room any more.\n" if dropped > 0 else ""
    if task.corrections:
        left_out += (
            f"Your last answer says what the index contradicts; write it again, corrected:\n{task.corrections}\n"
        )
    if not _may_ask(task):
        return f"{left_out}This is the last pass: answer with what there is; nothing more will be fetched.\n"
    if task.dropped:
        places = ", ".join(as_attribute(f"{each}-{each.end_line}") for each in task.dropped[:_MOST_DROPPED])
        left_out += f"You dropped, and can ask for again: {places}\n"
    room = f"about {task.gap_tokens} tokens are left for what you ask for, and those of what you drop"
    return f"{left_out}This is pass {task.pass_number} of at most {task.max_passes}; {room}.\n"


def _may_ask(task: PassTask) -> bool:
    return not task.is_last and task.gap_tokens >= _LEAST_ROOM


def _means(task: PassTask) -> str:
    """Return what a follow-up question refers to, resolved from the session."""
    names = meant(task.question, task.classification.anchors)
    return f"\n(It refers to {', '.join(f'`{as_attribute(each)}`' for each in names)}.)" if names else ""


def _hash(prompt: Prompt) -> str:
    return f"{prompt.name}@{prompt.sha256}"
