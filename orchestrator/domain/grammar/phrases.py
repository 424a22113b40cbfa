"""Turns the tokens of a sentence into phrases: names with their owners, lists of names, verbs, words and signs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import pairwise
from typing import TYPE_CHECKING

from orchestrator.domain.grammar.lexicon import (
    INSIDE,
    MEMBER_NOUNS,
    POSSESSIVES,
    TAGS,
    VERBS,
    Form,
    Relation,
    Tag,
    Verb,
)
from orchestrator.domain.grammar.names import Code, CodeKind, is_type, may_own, parts_of, read_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.grammar.text import Token


class Kind(Enum):
    """What a phrase is."""

    NAMES = auto()
    LITERAL = auto()
    CODE = auto()
    FILE = auto()
    PLACE = auto()
    VERB = auto()
    WORD = auto()
    COMMA = auto()
    ARROW = auto()
    BREAK = auto()


@dataclass(frozen=True, slots=True)
class Phrase:
    """
    A phrase of a sentence.

    Args:
        text: In lower case; of code as written.
        tag: Grammatical role of a word.
        verbs: Possible readings of a verb, in order of preference.
        codes: The code of each name in a list; for other code, that code.
        joined_by: "and" or "or" of a list of names.
        owned: The names are written with what owns them, as in "the `run` method of `App`".
        is_denied: The word before negates the existence of the names, as in "no `run`".
    """

    kind: Kind
    text: str = ""
    tag: Tag = Tag.WORD
    verbs: tuple[Verb, ...] = ()
    codes: tuple[Code, ...] = ()
    joined_by: str = ""
    owned: bool = False
    is_denied: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names, without arguments."""
        return tuple(code.name for code in self.codes if code.kind is CodeKind.NAME)

    @property
    def is_verbal(self) -> bool:
        """Whether it is a verb, or a form of "be"."""
        return self.kind is Kind.VERB or self.has(Tag.BE)

    def has(self, *tags: Tag) -> bool:
        """Return whether it is a word of one of these tags."""
        return self.kind is Kind.WORD and self.tag in tags


_SIGNS = {",": Kind.COMMA, ":": Kind.BREAK, "\u2014": Kind.BREAK, "\u2013": Kind.BREAK}
_CODE_KINDS = {
    CodeKind.NAME: Kind.NAMES,
    CodeKind.LITERAL: Kind.LITERAL,
    CodeKind.FILE: Kind.FILE,
    CodeKind.PLACE: Kind.PLACE,
    CodeKind.OTHER: Kind.CODE,
    CodeKind.KEYWORD: Kind.WORD,
}
_NOUN_BEHIND = (Tag.ARTICLE, Tag.NO)
_ADJECTIVES = 2
_ADVERBS = frozenset(
    {("in", "turn"), ("at", "once"), ("in", "fact"), ("of", "course"), ("at", "first"), ("as", "well")}
)
_OF_NOUN = ("'s", "s'", "\u2019s", "s\u2019")
_MOST_LISTED = 20
_OPENING, _CLOSING = "([", ")]"


def phrases(tokens: Sequence[Token]) -> tuple[Phrase, ...]:
    """Return the phrases of a sentence outside of parentheses."""
    words = _tagged(_without_asides(tokens))
    return _listed(_owned(_with_nouns(_with_possessives(words))))


def asides(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return the tokens in parentheses."""
    outside = {token.start for token in _without_asides(tokens)}
    return tuple(token for token in tokens if token.start not in outside and token.text not in {"(", ")"})


def _without_asides(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    depth = 0
    for number, token in enumerate(tokens):
        if token.kind == "punct" and token.text in _OPENING:
            is_relative = any(TAGS.get(each.text) is Tag.RELATIVE for each in tokens[number + 1 : number + 2])
            depth += not (is_relative and not depth)  # "`a` (which calls `b`)" goes on as a clause
        elif token.kind == "punct" and token.text in _CLOSING:
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(token)
    return kept


def _tagged(tokens: Sequence[Token]) -> list[Phrase]:
    found: list[Phrase] = []
    for token in tokens:
        if token.kind == "cite":
            continue
        if token.kind in {"code", "place"}:
            code = read_code(token.text)
            is_denied = any(each.tag is Tag.NO for each in found[-1:])
            found.append(Phrase(_CODE_KINDS[code.kind], code.text, codes=(code,), is_denied=is_denied))
        elif token.kind == "word":
            found.append(_word(token.text.lower().replace("\u2019", "'"), found))
        elif token.kind == "number":
            found.append(Phrase(Kind.LITERAL, token.text, codes=(Code(CodeKind.LITERAL, token.text),)))
        elif token.kind == "arrow":
            found.append(Phrase(Kind.ARROW, token.text))
        elif token.kind == "punct":
            found.append(Phrase(_SIGNS.get(token.text, Kind.WORD), token.text))
        else:
            found.append(Phrase(Kind.WORD, token.text))
    adverbs = [at for at, (each, other) in enumerate(pairwise(found)) if (each.text, other.text) in _ADVERBS]
    left_out = {*adverbs, *(at + 1 for at in adverbs)}
    return [_settled(found, position) for position in range(len(found)) if position not in left_out]


def _word(text: str, before: Sequence[Phrase]) -> Phrase:
    last = before[-1] if before else None
    verbs = VERBS.get(text, ())
    is_base = bool(verbs) and verbs[0].form is Form.BASE
    is_noun = (
        last is not None and last.kind is Kind.WORD and (last.tag in _NOUN_BEHIND or (last.text == "this" and is_base))
    )
    tag = TAGS.get(text, Tag.WORD)
    if verbs and not is_noun and tag not in (Tag.BE, Tag.WAS):
        return Phrase(Kind.VERB, text, tag, verbs)
    return Phrase(Kind.WORD, text, tag)


def _settled(words: Sequence[Phrase], position: int) -> Phrase:
    """Resolve ambiguous words by their neighbours: `does not call` or `does the work`, `calls of` or `calls`."""
    word = words[position]
    following = words[position + 1] if position + 1 < len(words) else None
    before = words[position - 1] if position else None
    if _is_unknown_verb(word, before, following):
        return replace(word, kind=Kind.VERB, verbs=(Verb(Relation.REFERS, Form.PRESENT),))
    is_naming = word.text in {"called", "named"} and following is not None and following.kind is Kind.NAMES
    if is_naming and before is not None and before.kind is Kind.WORD and not before.has(Tag.BE, Tag.ADVERB):
        return replace(word, kind=Kind.WORD, tag=Tag.MEMBER_NOUN)
    if word.kind is not Kind.VERB or following is None:
        return word
    is_auxiliary = following.has(Tag.NOT, Tag.BE) or (
        following.kind is Kind.VERB and following.verbs[0].form is Form.BASE
    )
    if word.tag is Tag.MODAL and is_auxiliary:
        return replace(word, kind=Kind.WORD)
    return word


def _is_unknown_verb(word: Phrase, before: Phrase | None, following: Phrase | None) -> bool:
    """Return whether a word outside of the lexicon is in a verb's position: "`a` yields …", but not "`a` methods"."""
    if before is None or before.kind is not Kind.NAMES:
        return False
    is_plain = (
        word.kind is Kind.WORD and word.tag is Tag.WORD and word.text[-2:-1].isalpha() and word.text.endswith("s")
    )
    has_object = following is not None and following.has(Tag.PRONOUN, Tag.ARTICLE)
    if not is_plain or word.text.endswith("ss") or (word.text[:-1] in MEMBER_NOUNS and not has_object):
        return False
    return following is None or (following.text not in {"of", "'s"} and following.kind is not Kind.VERB)


def _with_possessives(words: Sequence[Phrase]) -> list[Phrase]:
    """Join "`App`'s `run`" to one name."""
    found: list[Phrase] = []
    position = 0
    while position < len(words):
        word = words[position]
        if word.kind is Kind.NAMES and position + 1 < len(words) and words[position + 1].text in {"'s", "\u2019s"}:
            end = position + 2
            while end < len(words) and words[end].kind is Kind.WORD and end - position - 2 < _ADJECTIVES:
                end += 1
            if end < len(words) and words[end].kind is Kind.NAMES:
                found.append(_owned_by(words[end], word))
                position = end + 1
                continue
        found.append(word)
        position += 1
    return found


def _with_nouns(words: Sequence[Phrase]) -> list[Phrase]:
    """Remove the noun after a name that says what kind of symbol it is: "the `run` method"."""
    found: list[Phrase] = []
    for word in words:
        is_role = (
            word.kind is Kind.WORD and word.text.removesuffix("s") in MEMBER_NOUNS and word.text not in {"in", "it"}
        )
        if is_role and found and found[-1].kind is Kind.NAMES:
            found[-1] = replace(found[-1], owned=True)
            continue
        found.append(word)
    return found


def _owned(words: Sequence[Phrase]) -> list[Phrase]:
    """
    Join "`run` of the class `App`" to one name.

    After a verb, "in" introduces the place of the action, unless a noun says that the name is a member.
    """
    found: list[Phrase] = []
    position = 0
    while position < len(words):
        word = words[position]
        is_name = word.kind is Kind.NAMES
        end = position + 2
        while is_name and end < len(words) and (words[end].has(Tag.ARTICLE) or words[end].text in MEMBER_NOUNS):
            end += 1
        link = words[position + 1].text if position + 1 < len(words) else ""
        is_link = link in {"of", "on"} or (link == "in" and (word.owned or not any(each.is_verbal for each in found)))
        owner = words[end] if end < len(words) else None
        is_pair = is_name and owner is not None and owner.kind is Kind.NAMES and len(owner.names) == 1
        if is_pair and is_link and owner is not None and _may_own(owner.names[0], word.names[0]):
            found.append(_owned_by(word, owner))
            position = end + 1
            continue
        if is_name and "." not in word.text:
            # In "the converter's `regex`", the owner has no name in code marks.
            word = replace(word, owned=bool(found) and found[-1].text.endswith(_OF_NOUN))
        found.append(word)
        position += 1
    return found


def _may_own(owner: str, member: str) -> bool:
    return may_own(owner) and not is_type(member) and len(parts_of(member)) == 1


def _owned_by(member: Phrase, owner: Phrase) -> Phrase:
    name = f"{owner.names[0]}.{parts_of(member.names[0])[-1]}"
    return replace(member, text=name, codes=(replace(member.codes[0], name=name),), owned=True)


def _listed(words: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """Join "`a`, `b` and `c`" to one phrase; a place at the beginning ("In `a`, `b` is …") stays alone."""
    found: list[Phrase] = []
    position = 0
    while position < len(words):
        word = words[position]
        starts_as_place = len(found) == 1 and found[0].text in INSIDE
        taken = 1 if word.kind is not Kind.NAMES or starts_as_place else _length_of_list(words, position)
        if taken > 1:
            parts = [each for each in words[position : position + taken] if each.kind is Kind.NAMES]
            codes = tuple(code for each in parts for code in each.codes)
            joined = next(each.text for each in reversed(words[position : position + taken]) if each.has(Tag.AND))
            found.append(replace(word, codes=codes, joined_by=joined, owned=any(each.owned for each in parts)))
        else:
            found.append(word)
        position += taken
    return tuple(found)


def _length_of_list(words: Sequence[Phrase], start: int) -> int:
    """Return the number of phrases in a list that ends with "and" or "or"; 1 if no list begins."""
    end, position, comma_only = start + 1, start + 1, 0
    while position < len(words):
        link = position
        while link < len(words) and (words[link].kind is Kind.COMMA or words[link].has(Tag.AND, Tag.ARTICLE)):
            if words[link].text in POSSESSIVES:
                return end - start  # "`App` and its `run`"
            link += 1
        between = words[position:link]
        if not between or link >= len(words) or words[link].kind is not Kind.NAMES:
            break
        if any(each.has(Tag.AND) for each in between):
            return link + 1 - start
        if between[0].kind is not Kind.COMMA:
            break
        comma_only += 1
        if comma_only > _MOST_LISTED:
            break
        position = link + 1
    return end - start
