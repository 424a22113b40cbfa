"""Compares the events of a replayed answer with the logged ones: the first difference of each kind of event."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from orchestrator.domain.answers.answer import Answer
from orchestrator.domain.answers.describing import describe, excerpt
from orchestrator.domain.answers.events import (
    GapResolved,
    GapsFound,
    PassStarted,
    RetrievalProgress,
    TextDelta,
    Warned,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from orchestrator.domain.answers.events import NumberedEvent

Path: TypeAlias = tuple[str, ...]

# Fields that are not compared: times, costs and the files of a working tree differ from run to run; a score is compared
# only by the order that results from it; recorded values are equal on both sides.
_ASIDE = frozenset(
    ("milliseconds", "total_ms", "classification_ms", "retrieval_ms", "engine_ms", "complete_time", "usage", "score")
) | frozenset(("heard", "called", "cause", "taken_up_after_ms", "changed_files"))
# Fields that repeat other events are compared in those events.
_TOLD_ELSEWHERE: Mapping[type, frozenset[str]] = MappingProxyType(
    {
        RetrievalProgress: frozenset(("evidence_count", "evidence_tokens")),
        Answer: frozenset(("text", "classification", "quality", "gaps", "sufficiency", "degraded", "evidence")),
    }
)


@dataclass(frozen=True, slots=True)
class Difference:
    """
    The first difference between two answers in events of one kind.

    Args:
        kind: Class of the event; `TextDelta` stands for the whole text of a pass.
        pass_number: Pass that it belongs to; 0 if to none.
        sequence: Number of the event in the log; 0 if only the new answer has it.
        field: Name of the differing field for a person; "" for the event as a whole.
        then: The logged value in words; "" for none.
        now: The new value in words; "" for none.
    """

    kind: type
    pass_number: int
    sequence: int
    field: str
    then: str
    now: str


def settle(events: Iterable[NumberedEvent]) -> tuple[NumberedEvent, ...]:
    """
    Return an answer's events without those that a later event replaces.

    The text deltas of a pass become one event. After an interruption, events are repeated: of a pass that restarted, of
    a stage, of the outcome of a gap and of a warning, only the last is returned.
    """
    kept: dict[Hashable, NumberedEvent] = {}
    for each in events:
        event = each.event
        if isinstance(event, PassStarted):
            for kind in (TextDelta, GapsFound):
                kept.pop((kind, event.pass_number), None)
        key = _key(each)
        if isinstance(event, TextDelta) and key in kept:
            begun = kept[key]
            assert isinstance(begun.event, TextDelta)
            kept[key] = replace(begun, event=replace(begun.event, text=begun.event.text + event.text))
            continue
        kept.pop(key, None)
        kept[key] = each
    return tuple(kept.values())


def compare(then: Iterable[NumberedEvent], now: Iterable[NumberedEvent]) -> tuple[Difference, ...]:
    """
    Return the first difference of each kind of event, in order of occurrence: the answers diverge at the first.

    Kinds, order and fields count; times, costs and scores do not. Empty if all is the same.
    """
    old, new = settle(then), settle(now)
    found: list[tuple[int, Difference]] = []
    for kind in dict.fromkeys(type(each.event) for each in (*old, *new)):
        places = _of_kind(old, kind), _of_kind(new, kind)
        for (at, before), (at_now, after) in zip_longest(*places, fillvalue=(len(old) + len(new), None)):
            difference = _difference(kind, before, after)
            if difference is not None:
                found.append((min(at, at_now), difference))
                break
    return tuple(each for _, each in sorted(found, key=lambda pair: pair[0])) or _out_of_order(old, new)


def _key(numbered: NumberedEvent) -> Hashable:
    match numbered.event:
        case PassStarted() | TextDelta() | GapsFound() as event:
            return type(event), event.pass_number
        case RetrievalProgress(pass_number=number, stage=stage):
            return RetrievalProgress, number, stage
        case GapResolved(result=result):
            return GapResolved, result.gap.gap_id
        case Warned() as event:
            return event
    return numbered.sequence


def _of_kind(events: Sequence[NumberedEvent], kind: type) -> list[tuple[int, NumberedEvent | None]]:
    return [(at, each) for at, each in enumerate(events) if type(each.event) is kind]


def _difference(kind: type, then: NumberedEvent | None, now: NumberedEvent | None) -> Difference | None:
    known = then or now
    assert known is not None
    number = getattr(known.event, "pass_number", 0)
    if then is None or now is None:
        return Difference(
            kind,
            number,
            then.sequence if then else 0,
            "",
            describe(then.event, without=_ASIDE) if then else "",
            describe(now.event, without=_ASIDE) if now else "",
        )
    found = _first(then.event, now.event, ())
    if found is None:
        return None
    path, before, after = found
    # The only field of an event has the event's own name, which would be repeated in the path.
    place = path[1:] if len(path) > 1 and path[0] in ("answer", "result", "judgement", "classification") else path
    return Difference(kind, number, then.sequence, ", ".join(place), *_both_words(before, after))


def _out_of_order(then: Sequence[NumberedEvent], now: Sequence[NumberedEvent]) -> tuple[Difference, ...]:
    """Return the first event whose position differs, of two sequences with the same events."""
    for before, after in zip(then, now, strict=True):
        kinds = type(before.event), type(after.event)
        if kinds[0] is not kinds[1]:
            number = getattr(before.event, "pass_number", 0)
            return (Difference(kinds[0], number, before.sequence, "order", *map(_name, kinds)),)
    return ()


def _name(kind: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()


def _first(then: object, now: object, path: Path) -> tuple[Path, object, object] | None:
    """Return the path to the first field in which two values differ, with the two field values."""
    if isinstance(then, tuple) and isinstance(now, tuple):
        for at, (before, after) in enumerate(zip_longest(then, now, fillvalue=None), 1):
            here = (*path[:-1], f"{path[-1]} {at}") if path else (str(at),)
            found = _first(before, after, here)
            if found is not None:
                # A different element stands at this position, rather than a changed version of the same element.
                return (here, before, after) if describe(before) != describe(after) else found
        return None
    if type(then) is type(now) and dataclasses.is_dataclass(then):
        aside = _ASIDE | _TOLD_ELSEWHERE.get(type(then), frozenset())
        for name in (each.name for each in dataclasses.fields(then) if each.name not in aside):
            found = _first(getattr(then, name), getattr(now, name), (*path, name.replace("_", " ")))
            if found is not None:
                return found
        return None
    return None if then == now else (path, then, now)


def _both_words(then: object, now: object) -> tuple[str, str]:
    if isinstance(then, str) and isinstance(now, str):
        same = next((at for at, pair in enumerate(zip_longest(then, now)) if len(set(pair)) > 1), 0)
        return excerpt(then, same), excerpt(now, same)
    return describe(then, without=_ASIDE), describe(now, without=_ASIDE)
