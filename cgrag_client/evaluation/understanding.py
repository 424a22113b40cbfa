"""Scores how questions are understood: the same intent and slots whichever way a question is put."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import TYPE_CHECKING, Annotated

from cgrag.type.v1 import evidence_pb2, understanding_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import file_option
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.cases import parse_understanding, read_cases
from cgrag_client.evaluation.output import calibration_error, mean, percentile, report
from cgrag_client.evaluation.running import classify, classify_each

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgrag.type.v1.question_pb2 import Classification

    from cgrag_client.connecting.connection import Connection
    from cgrag_client.evaluation.cases import UnderstandingCase, WantedPart
    from cgrag_client.evaluation.output import TitledTable

_FOREIGN = "other languages"
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = frozenset({"a", "an", "the", "of", "our", "my", "its"})
_LEAST_ALIKE = 3


@dataclass(frozen=True, slots=True)
class UnderstoodCase:
    """
    One labelled question, what the classifier read in it, and whether that is right.

    Args:
        given: What the classifier read, as text.
        right_intent: The classifier's intent and relation of each part are those of the label.
        right: Its slots are those of the label, too.
        is_open: The classifier reported that it did not fully understand the question.
    """

    group: str
    question: str
    given: str
    right_intent: bool
    right: bool
    is_open: bool
    confidence: float
    milliseconds: float


def command(
    cases: Annotated[Path, file_option("JSON lines of {group, question, parts}.")],
    as_json: options.Json = False,
) -> None:
    """Score the understanding of labelled questions."""
    outcomes = exits.run(classify_each("understanding", read_cases(cases, parse_understanding), understand_one))
    metrics = score(outcomes)
    report(metrics, _tables(metrics, outcomes), as_json=as_json)


def score(outcomes: Sequence[UnderstoodCase]) -> dict[str, object]:
    """
    Compute the metrics of at least one outcome.

    `agreement` is the share of questions with right intents and slots, `intents` that with right intents. `honest` is
    the share of questions in other languages whose intents are right, or that the classifier reports as not fully
    understood. `ece` is the expected calibration error of the intent's confidence.
    """
    own = [each for each in outcomes if each.group != _FOREIGN]
    foreign = [each for each in outcomes if each.group == _FOREIGN]
    by_group: dict[str, list[bool]] = defaultdict(list)
    for each in outcomes:
        by_group[each.group].append(each.right)
    times = [each.milliseconds for each in outcomes]
    return {
        "n": len(outcomes),
        "agreement": mean([each.right for each in own]),
        "intents": mean([each.right_intent for each in own]),
        "honest": mean([each.right_intent or each.is_open for each in foreign]),
        "foreign_intents": mean([each.right_intent for each in foreign]),
        "ece": calibration_error([(each.confidence, each.right_intent) for each in own]),
        "groups": {group: mean(found) for group, found in by_group.items()},
        "latency_ms": {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)},
    }


def judge(case: UnderstandingCase, given: Classification, milliseconds: float) -> UnderstoodCase:
    """Compare what the classifier read with the label."""
    parts = given.understanding.parts
    pairs = list(zip(case.parts, parts, strict=False))
    all_there = len(parts) >= len(case.parts) and (len(case.parts) == 1 or len(parts) == len(case.parts))
    right_intent = all_there and all(_is_intent(wanted, part) for wanted, part in pairs)
    right = right_intent and all(_has_slots(wanted, part, given) for wanted, part in pairs)
    is_open = given.understanding.comprehension != understanding_pb2.COMPREHENSION_FULL
    is_none = given.understanding.comprehension == understanding_pb2.COMPREHENSION_NONE
    if all(wanted.intents == ("OTHER",) for wanted in case.parts):
        right_intent = right = right or is_none
    chance = parts[0].confidence if parts else 0.0
    told = "; ".join(map(_told, parts))
    return UnderstoodCase(case.group, case.question, told, right_intent, right, is_open, chance, milliseconds)


def _is_intent(wanted: WantedPart, part: understanding_pb2.QuestionPart) -> bool:
    name = understanding_pb2.Intent.Name(part.intent).removeprefix("INTENT_")
    relation = evidence_pb2.Relation.Name(part.relation).removeprefix("RELATION_")
    return name in wanted.intents and (not wanted.relation or relation == wanted.relation)


def _has_slots(wanted: WantedPart, part: understanding_pb2.QuestionPart, given: Classification) -> bool:
    for kind, text in wanted.slots.items():
        if kind in {"route", "message"}:
            mention = understanding_pb2.MentionKind.Value(f"MENTION_KIND_{kind.upper()}")
            found = [each.text for each in given.understanding.mentions if each.kind == mention]
        else:
            slot = understanding_pb2.SlotKind.Value(f"SLOT_KIND_{kind.upper()}")
            found = [each.value or each.text for each in part.slots if each.kind == slot]
        if not any(_alike(text, each) for each in found):
            return False
    return True


def _alike(wanted: str, given: str) -> bool:
    """Return whether two texts have the same word stems."""
    first, second = _words(wanted), _words(given)
    return all(_one_of(word, second) for word in first) and all(_one_of(word, first) for word in second)


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _BETWEEN]


def _one_of(word: str, others: Iterable[str]) -> bool:
    return any(word == other or _has_stem_of(word, other) for other in others)


def _has_stem_of(first: str, second: str) -> bool:
    same = (a == b for a, b in zip(first, second, strict=False))
    shared = sum(1 for _ in takewhile(bool, same))
    return shared >= max(_LEAST_ALIKE, min(len(first), len(second)) / 2)


def _told(part: understanding_pb2.QuestionPart) -> str:
    relation = evidence_pb2.Relation.Name(part.relation).removeprefix("RELATION_") if part.relation else ""
    slots = ", ".join(
        f"{understanding_pb2.SlotKind.Name(each.kind).removeprefix('SLOT_KIND_').lower()}={each.value or each.text}"
        for each in part.slots
    )
    intent = understanding_pb2.Intent.Name(part.intent).removeprefix("INTENT_")
    return f"{intent} {relation}({slots}) {part.confidence:.2f}"


async def understand_one(connection: Connection, case: UnderstandingCase) -> UnderstoodCase:
    """Let the classifier read one question, and compare the result with the label."""
    started = time.perf_counter()
    answer = await classify(connection, case.question)
    return judge(case, answer, (time.perf_counter() - started) * 1000)


def _tables(metrics: Mapping[str, object], outcomes: Sequence[UnderstoodCase]) -> Iterator[TitledTable]:
    groups, latency = metrics["groups"], metrics["latency_ms"]
    assert isinstance(groups, dict)
    assert isinstance(latency, dict)
    figures = ("agreement", "intents", "honest", "foreign_intents", "ece")
    yield f"n={metrics['n']}", figures, [tuple(metrics[name] for name in figures)]
    yield "agreement by group", ("group", "share"), list(groups.items())
    wrong = [(each.group, each.question[:60], each.given[:80]) for each in outcomes if not each.right]
    yield "wrong", ("group", "question", "read as"), wrong
    yield "milliseconds a call", tuple(latency), [tuple(latency.values())]
