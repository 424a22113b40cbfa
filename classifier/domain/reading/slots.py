"""Makes slots from the tags of tokens; finds the names in a question and its reference to an earlier question."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from classifier.domain.reading.tokens import NAMES, Shape
from common.core.contract.understanding import (
    EarlierReference,
    Intent,
    MentionKind,
    NamedThing,
    QuestionPart,
    ReferenceKind,
    Relation,
    Slot,
    SlotKind,
)
from common.core.words.terms import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from classifier.domain.reading.tokens import Token

_PERSONAL = frozenset({"it", "its", "they", "them"})
_POINTING = frozenset({"this", "that", "these", "those"})
_PRONOUNS = _PERSONAL | _POINTING | {"there"}
_OF = (["of"], ["in"], ["on"])
_NOUNS = frozenset({"method", "function", "class", "field", "property", "middleware", "option", "setting", "parameter"})
"""Nouns that may accompany a name: "the close method", "the option verbose"."""
_ONES = frozenset({"one", "ones"})
_FILES = frozenset({"file", "module"})
_DETERMINERS = _POINTING | {"the"}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "other": 2, "last": -1}
_THINGS = frozenset({SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.OWNER, SlotKind.KIND, SlotKind.CONDITION})
ARTICLES = frozenset({"the", "a", "an", "our", "my", "your", "der", "die", "das", "le", "la", "les", "el", "los"})
NEEDS_SUBJECT = frozenset(
    {Intent.MEANING, Intent.LOCATION, Intent.PLACE, Intent.RELATION, Intent.IMPACT, Intent.VALUE, Intent.CO_CHANGE}
    | {Intent.CONCURRENCY}
)
"""Intents that are about a thing, which the question or an earlier one names."""
_TAKES_SUBJECT = NEEDS_SUBJECT | {Intent.COMPARISON, Intent.CONNECTION}
_TOPICS = frozenset({Intent.METHOD, Intent.PATH})
"""Intents of a part that names the topic of a START part: "I want to see how a job is run, where do I start?"."""
_ACTING = frozenset({Intent.CONSEQUENCE, Intent.METHOD})
_ROLES = frozenset({SlotKind.SUBJECT, SlotKind.OBJECT})
_NAMED = frozenset({SlotKind.SUBJECT, SlotKind.OWNER})
"""Slots of which only a name is kept, if they have one: `strict_mode` of "the option `strict_mode`"."""
_MENTIONS = {
    Shape.SYMBOL: MentionKind.SYMBOL,
    Shape.PATH: MentionKind.PATH,
    Shape.ROUTE: MentionKind.ROUTE,
    Shape.QUOTE: MentionKind.MESSAGE,
    Shape.OPTION: MentionKind.SETTING,
}
_FAILURES = ("Error", "Exception", "Warning")
_MOST_SLOTS, _MOST_MENTIONS = 20, 60


def choice_of(label: str) -> tuple[Intent, Relation, str]:
    """Split a label into intent, relation and the choice within the intent ("" for none)."""
    intent, _, choice = label.partition(".")
    if intent == Intent.RELATION.name:
        return Intent.RELATION, Relation[choice], ""
    relation = Relation.USES if intent == Intent.IMPACT.name else Relation.UNSPECIFIED
    return Intent[intent], relation, "" if choice == "any" else choice


def slots_of(tokens: Sequence[Token], tags: Sequence[str], choices: Sequence[str]) -> tuple[Slot, ...]:
    """Return the slots that the tags mark, in order, then each choice as a KIND slot without text and place."""
    found: list[Slot] = []
    at = 0
    while at < len(tags):
        kind = tags[at][2:]
        end = at + 1
        while kind and end < len(tags) and tags[end][2:] == kind:
            end += 1
        if kind and (slot := _slot(tokens[at:end], SlotKind[kind])):
            found.append(slot)
        at = end
    found = _owned(found, tokens)
    chosen = (Slot(SlotKind.KIND, value=each) for each in choices)
    return (*found[:_MOST_SLOTS], *chosen)


def _owned(slots: Sequence[Slot], tokens: Sequence[Token]) -> list[Slot]:
    """Return the slots; in "A of B" with both tagged SUBJECT, B becomes the OWNER."""
    found = list(slots)
    for at, (one, other) in enumerate(pairwise(slots)):
        between = [token.key for token in tokens if one.end <= token.start < other.start and token.key not in _NOUNS]
        is_pair = one.kind is other.kind is SlotKind.SUBJECT and other.text[:1].isupper()
        if is_pair and [each for each in between if each not in ARTICLES] in _OF:
            found[at + 1] = replace(other, kind=SlotKind.OWNER)
    return found


def _slot(tokens: Sequence[Token], kind: SlotKind) -> Slot | None:
    while tokens and (tokens[0].key in ARTICLES or tokens[0].shape is Shape.MARK):
        tokens = tokens[1:]
    while tokens and tokens[-1].shape is Shape.MARK:
        tokens = tokens[:-1]
    if kind in _NAMED and len(tokens) == 2:
        tokens = [token for token in tokens if token.key not in _NOUNS] or tokens
    if not tokens:
        return None
    if kind in _NAMED and (names := [token for token in tokens if token.shape in NAMES]):
        tokens = names[:1]
    pieces = (
        token.text if not at or token.start == tokens[at - 1].end else f" {token.text}"
        for at, token in enumerate(tokens)
    )
    text = "".join(pieces)
    value = stem(text.lower()) if kind is SlotKind.VERB and " " not in text else ""
    return Slot(kind, text, value, tokens[0].start, tokens[-1].end)


def filled(parts: Sequence[QuestionPart], tokens: Sequence[Token]) -> tuple[QuestionPart, ...]:
    """Give each part whose subject is a pronoun or missing a name that it has in no slot, else an earlier subject."""
    done: list[QuestionPart] = []
    for each in _with_topics(parts):
        part = replace(each, slots=tuple(_meant(slot, done) for slot in each.slots))
        subject = part.slot(SlotKind.SUBJECT)
        is_acting = not subject and _has_pronoun(part, tokens)
        if not (is_acting or part.intent in _TAKES_SUBJECT) or (subject and subject.text.lower() not in _PRONOUNS):
            done.append(part)
            continue
        meant = (None if is_acting else _name_in(part, tokens)) or _subject_before(done)
        others = tuple(slot for slot in part.slots if slot is not subject)
        done.append(replace(part, slots=(meant, *others)) if meant else replace(part, slots=others))
    return tuple(done)


def _meant(slot: Slot, before: Sequence[QuestionPart]) -> Slot:
    """Return the slot, a pronoun replaced by the subject of an earlier part: "and where does the code pop it"."""
    meant = _subject_before(before)
    is_open = slot.kind in _ROLES and slot.text.lower() in _PRONOUNS
    return replace(meant, kind=slot.kind) if meant and is_open else slot


def _has_pronoun(part: QuestionPart, tokens: Sequence[Token]) -> bool:
    """Return whether a part about an action has a pronoun such as "it" outside its slots."""
    return part.intent in _ACTING and any(
        part.start <= each.start < part.end
        and each.key in _PERSONAL
        and not any(slot.start <= each.start < slot.end for slot in part.slots)
        for each in tokens
    )


def _with_topics(parts: Sequence[QuestionPart]) -> Sequence[QuestionPart]:
    """Merge a single topic part into the START parts, if these have no slots with text."""
    topics = [part for part in parts if part.intent in _TOPICS]
    starts = [part for part in parts if part.intent is Intent.START]
    if len(topics) != 1 or not starts or any(slot.text for part in starts for slot in part.slots):
        return parts
    kept = (part for part in parts if part is not topics[0])
    return [replace(part, slots=topics[0].slots) if part.intent is Intent.START else part for part in kept]


def _name_in(part: QuestionPart, tokens: Sequence[Token]) -> Slot | None:
    """Return a name that a part has in no slot; else a capitalised word that is not the part's first word."""
    within = [token for token in tokens if part.start <= token.start < part.end]
    held = {slot.start for slot in part.slots if slot.text}
    free = [token for token in within if token.shape in NAMES and token.start not in held]
    free = free or [
        token
        for token in within[1:]
        if token.shape is Shape.WORD and token.text[1:].islower() and token.text[0].isupper()
    ]
    return Slot(SlotKind.SUBJECT, free[0].text, "", free[0].start, free[0].end) if free else None


def _subject_before(parts: Sequence[QuestionPart]) -> Slot | None:
    return next((slot for part in reversed(parts) if (slot := part.slot(SlotKind.SUBJECT))), None)


def mentions_of(tokens: Sequence[Token], parts: Sequence[QuestionPart]) -> tuple[NamedThing, ...]:
    """Return the names in the tokens with their kinds, in order."""
    settings = {
        slot.start
        for part in parts
        if part.intent is Intent.VALUE
        for slot in part.slots
        if slot.kind is SlotKind.SUBJECT and slot.text
    }
    return tuple(_mentions(tokens, settings))[:_MOST_MENTIONS]


def _mentions(tokens: Sequence[Token], settings: set[int]) -> Iterator[NamedThing]:
    for token in tokens:
        if token.shape not in NAMES:
            continue
        kind = _MENTIONS[token.shape]
        if kind is MentionKind.SYMBOL and token.text.endswith(_FAILURES):
            kind = MentionKind.EXCEPTION
        elif kind is MentionKind.SYMBOL and (token.start in settings or _is_variable(token.text)):
            kind = MentionKind.SETTING
        yield NamedThing(kind, token.text, token.start, token.end)


def _is_variable(name: str) -> bool:
    return "_" in name and name.isupper()


def reference_of(parts: Sequence[QuestionPart], tokens: Sequence[Token]) -> EarlierReference:
    """
    Return how a question refers to an earlier one: by a pronoun before any name or thing, or as a continuation.

    "This" and "that" are pronouns if a verb or no word follows, or if a needed subject is missing and nothing else is
    named; before a noun they are determiners.
    """
    if chosen := _chosen(tokens):
        return chosen
    slots = [slot for part in parts for slot in part.slots if slot.text]
    things = [slot.start for slot in slots if slot.kind in _THINGS and slot.text.lower() not in _PRONOUNS]
    named = min((*things, *(token.start for token in tokens if token.shape in NAMES)), default=None)
    verbs = {slot.start for slot in slots if slot.kind is SlotKind.VERB}
    for token, following in zip_longest(tokens, tokens[1:]):
        if token is None or (named is not None and token.start >= named):
            break
        is_alone = following is None or following.shape is not Shape.WORD or following.start in verbs
        if token.key in _PERSONAL or (token.key in _POINTING and is_alone):
            return EarlierReference(ReferenceKind.PRONOUN, token.text, token.start, token.end)
    is_open = any(part.intent in NEEDS_SUBJECT and not part.slot(SlotKind.SUBJECT) for part in parts)
    pointing = next((token for token in tokens if token.key in _POINTING), None)
    if is_open and pointing and named is None:
        return EarlierReference(ReferenceKind.PRONOUN, pointing.text, pointing.start, pointing.end)
    return EarlierReference(ReferenceKind.CONTINUATION) if is_open else EarlierReference()


def _chosen(tokens: Sequence[Token]) -> EarlierReference | None:
    """Return a reference such as "the second one", "the async one" or "that file"; None if there is none."""
    for first, second in pairwise(tokens):
        if first.key in _POINTING and second.key in _FILES:
            return EarlierReference(ReferenceKind.FILE, second.text, first.start, second.end)
    for first, second, third in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if first.key in _DETERMINERS and second.shape is Shape.WORD and third.key in _ONES:
            position = _ORDINALS.get(second.key, 0)
            return EarlierReference(ReferenceKind.PRONOUN, second.text, first.start, third.end, position)
    return None


def without_references(parts: Sequence[QuestionPart], reference: EarlierReference) -> tuple[QuestionPart, ...]:
    """Remove the slots that begin inside the reference to an earlier question."""
    if not reference.text:
        return tuple(parts)
    return tuple(
        replace(part, slots=tuple(each for each in part.slots if not reference.start <= each.start < reference.end))
        for part in parts
    )
