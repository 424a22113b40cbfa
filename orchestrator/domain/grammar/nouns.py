"""Extracts relations from nouns, signs and fixed forms: "a call to `b` in `a`", "there is no `a`", "`a` is `5`"."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING

from orchestrator.domain.grammar.lexicon import INSIDE, Relation, Tag
from orchestrator.domain.grammar.names import is_failure, is_type, may_own
from orchestrator.domain.grammar.phrases import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from orchestrator.domain.grammar.phrases import Phrase

_RELATIONS: Mapping[Tag, Relation] = MappingProxyType(
    {
        Tag.CALL_NOUN: Relation.CALLS,
        Tag.CALLER_NOUN: Relation.CALLS,
        Tag.CHANGE_NOUN: Relation.SETS,
        Tag.CHILD_NOUN: Relation.INHERITS,
        Tag.PARENT_NOUN: Relation.INHERITS,
    }
)
_PLAIN = (Tag.WORD, Tag.ARTICLE, Tag.ADVERB, Tag.MEMBER_NOUN, Tag.BODY_NOUN, Tag.FAILURE_NOUN, Tag.LINE_NOUN)
REACH = 16
"""Most phrases before and after a mention that are examined for a relation."""
_ARRIVES = frozenset({"get", "gets", "receive", "comes", "raised", "thrown"})
_ENDS_IN = frozenset({"lead", "leads", "results", "ends"})


@dataclass(frozen=True, slots=True)
class Said:
    """
    A relation that a sentence states.

    Args:
        denied: The sentence negates the relation.
        weak: The sentence has another reading, so that the relation is never refuted.
    """

    relation: Relation
    subject: str
    object: str
    denied: bool = False
    weak: bool = False


def said_by_nouns(sentence: Sequence[Phrase], supposed: Sequence[bool]) -> Iterator[Said]:
    """Yield relations that nouns state, outside of conditions."""
    named = [at for at, each in enumerate(sentence) if each.kind is Kind.NAMES and not supposed[at]]
    for at in named:
        yield from _of_noun(sentence, at)
        yield from _value(sentence, at)
        yield from _absent(sentence, at)
    for first, second in pairwise(named):
        yield from _between(sentence, first, second)


def _of_noun(sentence: Sequence[Phrase], at: int) -> Iterator[Said]:
    """
    Read "a call to `b`" and "the base class of `a`".

    The other side of the relation is the next mention if "in" or "is" links it, else the previous one.
    """
    words = [each for each in sentence[max(0, at - REACH) : at] if not each.has(Tag.ARTICLE, Tag.MEMBER_NOUN)]
    noun = words[-2] if len(words) > 1 and words[-1].text in {"of", "to"} else None
    if noun is None or noun.kind is not Kind.WORD:
        return
    relation = Relation.RAISES if noun.text in {"raise", "throw"} else _RELATIONS.get(noun.tag)
    others = _led_to(sentence, at) or _last_names(sentence[max(0, at - REACH) : at])
    for other in others if relation is not None else ():
        for each in sentence[at].names:
            subject, thing = (each, other) if noun.has(Tag.PARENT_NOUN) else (other, each)
            if relation is not Relation.INHERITS or (is_type(subject) and is_type(thing)):
                yield Said(relation or Relation.REFERS, subject, thing)


def _led_to(sentence: Sequence[Phrase], at: int) -> tuple[str, ...]:
    """Return the next mention if "in" or "is" links it."""
    link = list(takewhile(lambda each: each.has(Tag.PREPOSITION, Tag.BE, *_PLAIN), sentence[at + 1 : at + REACH]))
    behind = sentence[at + 1 + len(link) : at + REACH]
    is_led = any(each.text in INSIDE or each.has(Tag.BE) for each in link)
    return behind[0].names if behind and is_led else ()


def _last_names(before: Sequence[Phrase]) -> tuple[str, ...]:
    return next((each.names for each in reversed(before) if each.kind is Kind.NAMES), ())


def _value(sentence: Sequence[Phrase], at: int) -> Iterator[Said]:
    """Read "`b` is `5`" and "`b` equals `5`"."""
    link = list(takewhile(_equates, sentence[at + 1 : at + REACH]))
    behind = sentence[at + 1 + len(link) : at + REACH]
    has_unit = len(behind) > 1 and behind[0].text[:1].isdigit() and behind[1].has(Tag.WORD)
    has_unit = has_unit and behind[1].text[:1].isalpha()  # "is 64 KB"
    if link and behind and behind[0].kind is Kind.LITERAL and not has_unit:
        yield from (Said(Relation.EQUALS, each, behind[0].text) for each in sentence[at].names)


def _equates(phrase: Phrase) -> bool:
    return phrase.has(Tag.BE, Tag.TO, Tag.ADVERB) or any(verb.relation is Relation.EQUALS for verb in phrase.verbs)


def _absent(sentence: Sequence[Phrase], at: int) -> Iterator[Said]:
    """Read "there is no `b`", "`a` does not have `b`", "`b` does not exist" and "`b` is not defined"."""
    before = list(
        takewhile(lambda each: each.kind in {Kind.WORD, Kind.VERB}, reversed(sentence[max(0, at - REACH) : at]))
    )
    behind = [each for each in sentence[at + 1 : at + REACH] if not each.has(Tag.MODAL, Tag.ADVERB, Tag.BE)][:2]
    owners = sentence[at - len(before) - 1].names if at > len(before) else ()
    # "There is no need for `b`", "there is no doubt that `b` …", "has no method but `b`".
    is_apart = any(each.has(Tag.BUT, Tag.RELATIVE, Tag.PREPOSITION, Tag.TO) for each in before)
    joint = next((each for each in before if not each.has(Tag.ARTICLE)), None)
    goes_on = any(each.is_verbal for each in sentence[at + 1 : at + 2])
    is_apart = is_apart or (joint is not None and joint.has(Tag.AND) and goes_on)  # "there is no lock and `b` is 1"
    is_denied = not is_apart and (sentence[at].is_denied or any(each.has(Tag.NOT, Tag.NO) for each in before))
    verbs = [each for each in before if each.kind is Kind.VERB]
    is_had = bool(owners and verbs) and all(_is(each, Relation.HAS) for each in verbs)
    is_there = not verbs and any(each.has(Tag.THERE) for each in before)
    is_gone = len(behind) > 1 and behind[0].has(Tag.NOT) and _is(behind[1], Relation.EXISTS, Relation.HAS)
    is_gone = is_gone and not (_is(behind[1], Relation.HAS) and not any(map(_is_be, sentence[at + 1 : at + 3])))
    is_none = sentence[at].is_denied and bool(behind) and _is(behind[0], Relation.EXISTS)
    if (is_denied and (is_had or is_there)) or is_gone or is_none:
        if is_had and not may_own(owners[0]):
            return  # "the command `remote` has no `Run`" says nothing of `Run` elsewhere
        for each in sentence[at].names:
            yield Said(Relation.EXISTS, f"{owners[0]}.{each}" if is_had else each, "", denied=True)


def _between(sentence: Sequence[Phrase], first: int, second: int) -> Iterator[Said]:
    """Read the link between two mentions: an arrow or "from … to" (may be a call), a value set, an exception raised."""
    before, link = sentence[max(0, first - REACH) : first], sentence[first + 1 : second]
    pairs = [(one, other) for one in sentence[first].names for other in sentence[second].names]
    words = [each for each in link if not each.has(*_PLAIN)]
    is_way = bool(before) and before[-1].text == "from" and [each.text for each in link] in (["to"], ["into"])
    if is_way or [each.kind for each in link] == [Kind.ARROW]:
        yield from (Said(Relation.CALLS, *pair, weak=True) for pair in pairs if not any(map(is_type, pair)))
    elif words and words[-1].text in INSIDE and any(each.text == "value" for each in link):
        yield from (Said(Relation.SETS, other, one) for one, other in pairs if _is_be(words[0]))
    elif words and all(each.text in _ARRIVES for each in (*before, *link) if each.kind is Kind.VERB):
        is_told = any(each.text in _ARRIVES or each.text in _ENDS_IN for each in (*before, *link))
        if is_failure(pairs[0][0]) and words[-1].text in INSIDE and is_told:
            yield from (Said(Relation.RAISES, other, one) for one, other in pairs)
        elif is_failure(pairs[0][1]) and len(words) == 1 and _is_be(words[0]):
            is_raised = any(verb.relation is Relation.RAISES for each in before for verb in each.verbs)
            yield from (Said(Relation.RAISES, *pair) for pair in pairs if is_raised)


def _is(phrase: Phrase, *relations: Relation) -> bool:
    return any(verb.relation in relations and not verb.prepositions for verb in phrase.verbs)


def _is_be(phrase: Phrase) -> bool:
    return phrase.has(Tag.BE)
