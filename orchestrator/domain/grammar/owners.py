"""
Extracts ownership between two mentions: one that is written like a type, and a plain name.

The structure between the mentions decides, not a particular verb: "`run` resides in `App`", "what `App` adds is `run`",
"`App`, whose `run` is called". Verbs that the lexicon lists as actions are excluded.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from orchestrator.domain.grammar.lexicon import MEMBER_NOUNS, POSSESSIVES, VERBS, Form, Relation, Tag
from orchestrator.domain.grammar.names import is_type, may_own, parts_of
from orchestrator.domain.grammar.nouns import REACH, Said
from orchestrator.domain.grammar.phrases import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.grammar.phrases import Phrase

_PLACES = frozenset({"in", "on", "inside", "within", "of", "by", "from", "among", "off"})
_RECEIVES = frozenset({"get", "gets"})
_STATES = frozenset({Relation.HAS, Relation.EXISTS})
_NOUNS = (Tag.ARTICLE, Tag.MEMBER_NOUN, Tag.BODY_NOUN)
_PLAIN = (*_NOUNS, Tag.ADVERB, Tag.WORD, Tag.LINE_NOUN, Tag.MODAL, Tag.BE, Tag.THERE, Tag.RELATIVE)


def said_of_owners(sentence: Sequence[Phrase], supposed: Sequence[bool]) -> Iterator[Said]:
    """Yield the ownership relations between adjacent mentions of a sentence, outside of conditional clauses."""
    named = [at for at, phrase in enumerate(sentence) if phrase.kind is Kind.NAMES]
    for first, second in pairwise(named):
        if supposed[first] or supposed[second]:
            continue
        ones, others = sentence[first].names, sentence[second].names
        before, link = sentence[max(0, first - REACH) : first], sentence[first + 1 : second]
        behind = sentence[second + 1 : second + 2]
        if _may_own(ones, others) and _is_owner_first(before, link, behind):
            yield from (Said(Relation.HAS, ones[0], each) for each in others)
        elif _may_own(others, ones) and _is_member_first(before, link, behind):
            yield from (Said(Relation.HAS, others[0], each) for each in ones)


def _may_own(owners: Sequence[str], members: Sequence[str]) -> bool:
    is_plain = not any(is_type(each) or len(parts_of(each)) > 1 for each in members)
    return len(owners) == 1 and may_own(owners[0]) and is_plain


def _is_owner_first(before: Sequence[Phrase], link: Sequence[Phrase], behind: Sequence[Phrase]) -> bool:
    """Return whether the phrases between an owner and the next mention say that the owner has it."""
    verbs = [each for each in link if each.kind is Kind.VERB]
    words = [each for each in link if each.kind not in {Kind.VERB, Kind.COMMA}]
    if verbs and any(each.text == "whose" for each in words):
        return False  # in "a `Rule` whose content holds `regex`", the content has it, not the rule
    led = _last_word(before)
    if led in _PLACES:
        is_of_members = led == "of" and any(each.text in MEMBER_NOUNS or each.text == "part" for each in before)
        is_told = any(each.has(Tag.THERE) for each in link)
        is_told = is_told or (led == "on" and any(each.has(Tag.BE) for each in behind[:1]))
        is_plain = bool(link) and all(each.has(*_PLAIN) for each in words)
        return is_plain and (_is_place(verbs) if verbs else is_of_members or is_told)
    if not verbs and not POSSESSIVES.isdisjoint(each.text for each in link):
        return all(each.has(Tag.AND, *_PLAIN) or each.text == "with" for each in words)
    if words and words[0].text in _RECEIVES:
        return all(each.has(*_PLAIN) for each in words)
    is_all_but = {Tag.NO, Tag.BUT} <= {each.tag for each in words}
    words = [each for each in words if each.text != "with" and not (is_all_but and each.has(Tag.NO, Tag.BUT))]
    is_chain = len(verbs) > 1 and any(each.has(Tag.TO) for each in words)  # "happens to have"
    words = [each for each in words if not (is_chain and each.has(Tag.TO))]
    is_one = len(verbs) == 1 or is_chain
    return is_one and all(map(_is_state, verbs)) and all(each.has(*_PLAIN) for each in words)


def _is_member_first(before: Sequence[Phrase], link: Sequence[Phrase], behind: Sequence[Phrase]) -> bool:
    """Return whether the phrases between a member and the next mention say that the member belongs to it."""
    verbs = [each for each in link if each.kind is Kind.VERB]
    if not link or not all(map(_is_state, verbs)):
        return False
    is_member = any(each.has(Tag.MEMBER_NOUN, Tag.BODY_NOUN) for each in link)
    is_apart = link[0].kind is Kind.COMMA and not (is_member or any(each.has(Tag.RELATIVE) for each in link))
    last = next((each for each in reversed(link) if not each.has(*_NOUNS)), None)
    is_told = is_member or bool(verbs) or any(each.has(Tag.BE) for each in link)
    is_between = link[0].kind is Kind.COMMA and bool(behind) and behind[0].kind is Kind.COMMA  # "`run`, from `App`, …"
    is_between = is_between and not (before and before[-1].has(Tag.PREPOSITION))
    is_told = is_told or is_between or any(each.has(Tag.THERE) for each in before)
    if (is_apart and not is_between) or last is None or not is_told:
        return False
    others = [each for each in link if each.kind not in {Kind.VERB, Kind.COMMA} and each is not last]
    is_place = last.text in _PLACES or (last.text == "to" and bool(verbs))
    return is_place and all(each.has(*_PLAIN) or each.text == "of" for each in others)


def _is_place(verbs: Sequence[Phrase]) -> bool:
    """Return whether the one verb says where something is, or is not in the lexicon: "in `App` sits `run`"."""
    return len(verbs) == 1 and _is_state(verbs[0]) and verbs[0].verbs[0].relation is not Relation.HAS


def _is_state(verb: Phrase) -> bool:
    """Return whether a verb states having or being somewhere, or is not in the lexicon."""
    known = VERBS.get(verb.text, ())
    return not known or any(
        each.relation in _STATES or (each.relation is Relation.SEEKS and each.form is Form.PAST) for each in known
    )


def _last_word(before: Sequence[Phrase]) -> str:
    """Return the last word before a mention that is neither an article nor a noun such as "method" or "body"."""
    return next((each.text for each in reversed(before) if not each.has(*_NOUNS)), "")
