"""
Relations that are said by nouns and by fixed forms: "the caller of `b` is `a`", "there is no `a`", "`a` is `5`".

Each rule is a row of elements that are matched against phrases in order. `A` and `B` are names, `L` is a literal; a
word in lower case is a verb of that relation, a tag, or, in quotes, one of some words joined by "|"; `~` passes over at
most three plain words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.grammar.lexicon import INSIDE, Relation, Tag
from orchestrator.domain.grammar.names import is_failure, is_type, may_own
from orchestrator.domain.grammar.phrases import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from orchestrator.domain.grammar.phrases import Phrase

_PASSED = 3
_SIGNS = {Kind.LITERAL: "L", Kind.ARROW: "arrow", Kind.COMMA: "comma"}
_SLOTS = frozenset({"A", "B", "L"})
_PLAIN = frozenset(
    {Tag.WORD, Tag.ARTICLE, Tag.ADVERB, Tag.MEMBER_NOUN, Tag.BODY_NOUN, Tag.AND, Tag.FAILURE_NOUN, Tag.LINE_NOUN}
)


@dataclass(frozen=True, slots=True)
class Said:
    """
    A relation as a sentence says it.

    Args:
        denied: It is said not to hold.
        weak: The words may mean something else, so that it is never refuted.
    """

    relation: Relation
    subject: str
    object: str
    denied: bool = False
    weak: bool = False


_RULES: tuple[tuple[Relation, str], ...] = (
    (Relation.CALLS, "call_noun ~ 'to|of' ~ B ~ inside ~ A"),
    (Relation.CALLS, "A makes ~ call_noun ~ 'to|of' ~ B"),
    (Relation.CALLS, "A refers 'with' ~ call_noun ~ 'to|of' ~ B"),
    (Relation.CALLS, "caller_noun 'of' ~ B be ~ A"),
    (Relation.CALLS, "A be ~ caller_noun 'of' ~ B"),
    (Relation.CALLS, "'control' 'flows|goes|passes' 'from' ~ A 'to|into' ~ B"),
    (Relation.CALLS, "inside ~ A there ~ call_noun 'to|of' ~ B"),
    (Relation.CALLS, "inside ~ A there be ~ call_noun 'to|of' ~ B"),
    (Relation.CALLS, "A arrow B"),
    (Relation.SETS, "A makes ~ change_noun 'to|of' ~ B"),
    (Relation.SETS, "change_noun 'to|of' ~ B inside ~ A"),
    (Relation.SETS, "B be ~ 'value' inside ~ A"),
    (Relation.RAISES, "'raise|throw' 'of' ~ B inside ~ A"),
    (Relation.RAISES, "failure_noun raises inside A be ~ B"),
    (Relation.RAISES, "B 'comes' 'from' A"),
    (Relation.RAISES, "'get|gets|receive' ~ B 'from' ~ A"),
    (Relation.RAISES, "'lead|leads|results|ends' 'to|in' ~ B inside ~ A"),
    (Relation.INHERITS, "A be ~ child_noun 'of' ~ B"),
    (Relation.INHERITS, "B be ~ parent_noun ~ 'of' ~ A"),
    (Relation.EQUALS, "default_noun 'of|for' ~ B be ~ L"),
    (Relation.EQUALS, "B equals L"),
    (Relation.EQUALS, "B equals 'to' L"),
    (Relation.EQUALS, "B be L"),
    (Relation.EXISTS, "there be no ~ B"),
    (Relation.EXISTS, "there not ~ B"),
    (Relation.EXISTS, "there be not ~ B"),
    (Relation.EXISTS, "A modal not has ~ B"),
    (Relation.EXISTS, "A has no ~ B"),
    (Relation.EXISTS, "B modal not exists"),
    (Relation.EXISTS, "B not exists"),
    (Relation.EXISTS, "no ~ B exists"),
    (Relation.EXISTS, "B be not has"),
)
"""The last of them deny that something exists."""
_DENIALS = frozenset(rule for relation, rule in _RULES if relation is Relation.EXISTS)
_FAILURES_ONLY = frozenset(rule for relation, rule in _RULES if relation is Relation.RAISES and "'" in rule)


@dataclass(frozen=True, slots=True)
class _Element:
    """
    One element of a rule.

    Args:
        text: As the rule has it.
        words: Any of which it is; empty for an element that is no word.
    """

    text: str
    words: frozenset[str] = frozenset()

    @classmethod
    def read(cls, text: str) -> _Element:
        return cls(text, frozenset(text.strip("'").split("|")) if text.startswith("'") else frozenset())

    def occurs(self, features: AbstractSet[str]) -> bool:
        """Return whether a sentence of these features can have it: a cheap test before any matching."""
        if self.words:
            return not self.words.isdisjoint(features)
        return self.text == "~" or self.text in features


_READ_RULES = tuple((relation, rule, tuple(map(_Element.read, rule.split()))) for relation, rule in _RULES)


def said_by_nouns(sentence: Sequence[Phrase], supposed: Sequence[bool]) -> Iterator[Said]:
    """Yield what rules find in a sentence, from left to right for each rule; nothing of the clauses of conditions."""
    features = frozenset(feature for phrase in sentence for feature in _features(phrase))
    for relation, rule, elements in _READ_RULES:
        if not all(each.occurs(features) for each in elements):
            continue
        for start in range(len(sentence)):
            if supposed[start]:
                continue
            found = _matched(sentence, start, elements, {})
            if found is not None:
                yield from _said(relation, rule, found)


def _features(phrase: Phrase) -> Iterator[str]:
    """Yield the elements that a phrase can be, and its own word."""
    if phrase.kind is Kind.NAMES:
        yield from ("A", "B")
    elif phrase.kind in _SIGNS:
        yield _SIGNS[phrase.kind]
    elif phrase.kind is Kind.VERB:
        yield phrase.text
        yield from (verb.relation.name.lower() for verb in phrase.verbs)
    elif phrase.kind is Kind.WORD:
        yield phrase.text
        yield phrase.tag.name.lower()
        if phrase.text in INSIDE:
            yield "inside"


def _said(relation: Relation, rule: str, found: Mapping[str, Phrase]) -> Iterator[Said]:
    subjects = found["A"].names if "A" in found else ("",)
    objects = found["B"].names if "B" in found else ("",)
    literal = found["L"].text if "L" in found else ""
    for subject in subjects:
        for each in objects:
            if rule in _DENIALS:
                yield Said(Relation.EXISTS, _member(subject, each), "", denied=True)
            elif relation is Relation.EQUALS:
                yield Said(relation, each, literal)
            elif rule not in _FAILURES_ONLY or is_failure(each):
                is_step = "arrow" not in rule or not (is_type(subject) or is_type(each))
                if is_step:
                    # An arrow between names may stand for a call, and for what becomes of something as well.
                    yield Said(relation, subject, each, weak="arrow" in rule)


def _member(owner: str, name: str) -> str:
    return f"{owner}.{name}" if owner and may_own(owner) else name


def _matched(
    sentence: Sequence[Phrase], position: int, elements: Sequence[_Element], found: dict[str, Phrase]
) -> dict[str, Phrase] | None:
    if not elements:
        return found
    first, rest = elements[0], elements[1:]
    if first.text == "~":
        for skipped in range(_PASSED + 1):
            if skipped and not (position + skipped <= len(sentence) and _is_plain(sentence[position + skipped - 1])):
                return None
            if (whole := _matched(sentence, position + skipped, rest, found)) is not None:
                return whole
        return None
    if position >= len(sentence):
        return None
    phrase = sentence[position]
    if not _is(phrase, first):
        # An adverb may stand anywhere.
        return _matched(sentence, position + 1, elements, found) if found and phrase.has(Tag.ADVERB) else None
    captured = {**found, first.text: phrase} if first.text in _SLOTS else found
    return _matched(sentence, position + 1, rest, captured)


def _is_plain(phrase: Phrase) -> bool:
    return phrase.kind is Kind.WORD and phrase.tag in _PLAIN


def _is(phrase: Phrase, element: _Element) -> bool:
    if element.words:
        return phrase.text in element.words and phrase.kind in {Kind.WORD, Kind.VERB}
    return element.text in _features(phrase)
