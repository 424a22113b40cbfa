"""
Lexicon of sentences about code: words by their grammatical role.

Verbs are listed by the relation that they state, with the prepositions that introduce their object; the inflected forms
are derived. A word that is not listed is a plain word: rules may skip it, but never interpret it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Relation(Enum):
    """Relation that a verb states between subject and object."""

    CALLS = auto()
    RAISES = auto()
    CATCHES = auto()
    SETS = auto()
    HAS = auto()
    INHERITS = auto()
    EQUALS = auto()
    REFERS = auto()
    USES = auto()
    SEEKS = auto()
    MAKES = auto()
    EXISTS = auto()


class Form(Enum):
    """An inflection: `call`, `calls`, `called`, `calling`."""

    BASE = auto()
    PRESENT = auto()
    PAST = auto()
    ING = auto()


class Tag(Enum):
    """Grammatical role of a word in a sentence."""

    BE = auto()
    WAS = auto()
    MODAL = auto()
    UNREAL = auto()
    NOT = auto()
    NO = auto()
    TO = auto()
    PREPOSITION = auto()
    AND = auto()
    BUT = auto()
    RELATIVE = auto()
    IF = auto()
    UNLESS = auto()
    WHEN = auto()
    CAUSE = auto()
    PRONOUN = auto()
    READER = auto()
    THERE = auto()
    ARTICLE = auto()
    ADVERB = auto()
    PAST_TIME = auto()
    CALL_NOUN = auto()
    CALLER_NOUN = auto()
    CHANGE_NOUN = auto()
    CHILD_NOUN = auto()
    PARENT_NOUN = auto()
    FAILURE_NOUN = auto()
    MEMBER_NOUN = auto()
    BODY_NOUN = auto()
    DEFAULT_NOUN = auto()
    LINE_NOUN = auto()
    WORD = auto()


@dataclass(frozen=True, slots=True)
class Verb:
    """
    A form of a verb.

    Args:
        prepositions: One of these introduces the object; empty if the object follows the verb directly.
        gap: Plain words that may stand between the verb and its preposition, in addition to one that always may.
        only_failures: It states the relation only if the object is an exception: "fails with `KeyError`".
    """

    relation: Relation
    form: Form = Form.BASE
    prepositions: frozenset[str] = frozenset()
    gap: int = 0
    only_failures: bool = False


_IN = "in into to as on onto under"
_SETTING = (
    "set update modify change mutate overwrite assign reset initialize initialise increment decrement clear replace"
    " fill"
)
_USING = (
    "read check return pass take build create ask compare iterate loop walk resolve turn convert"
    " parse send close open wrap copy log skip visit choose accept apply attach await collect compute construct"
    " decide delete determine drop emit fetch get give go handle honor ignore instantiate know"
    " load lock lower map mark match merge notify pick pop process produce push query receive refer"
    " register release remove report restore retry schedule select serve show sort start stop strip"
    " support test track translate traverse try validate wait work yield"
)
_FRAMES: tuple[tuple[Relation, str, str, int, bool], ...] = (
    (Relation.CALLS, "call invoke trigger execute run", "", 0, False),
    (Relation.CALLS, "call", "into on", 0, False),
    (Relation.CALLS, "kick", "", 0, False),
    (Relation.CALLS, "delegate defer dispatch forward", "to", 3, False),
    (Relation.CALLS, "hand", "to", 4, False),
    (Relation.RAISES, "raise throw", "", 0, False),
    (Relation.RAISES, "fail abort panic reject bail respond react exit answer", "with", 3, True),
    (Relation.CATCHES, "catch swallow suppress intercept", "", 0, False),
    (Relation.SETS, _SETTING, "", 0, False),
    (Relation.SETS, "store save keep record put cache append write remember hold", _IN, 4, False),
    (
        Relation.HAS,
        "have contain define provide implement expose offer declare own carry bring hold include",
        "",
        0,
        False,
    ),
    (Relation.HAS, "come", "with", 0, False),
    (Relation.HAS, "keep", "", 0, False),
    (Relation.INHERITS, "extend subclass", "", 0, False),
    (Relation.INHERITS, "inherit derive", "from", 0, False),
    (Relation.EQUALS, "equal", "", 0, False),
    (Relation.EQUALS, "default", "to", 0, False),
    (Relation.MAKES, "make do perform", "", 0, False),
    (Relation.EXISTS, "exist belong live sit", "", 0, False),
    (Relation.USES, "use rely depend consult", "", 0, False),
    (Relation.SEEKS, "want need find look", "", 0, False),
    (Relation.REFERS, _USING, "", 0, False),
)
_PAST_FORMS: Mapping[str, str] = MappingProxyType(
    {
        "catch": "caught",
        "choose": "chose chosen",
        "come": "came",
        "do": "did done",
        "find": "found",
        "get": "got gotten",
        "give": "gave given",
        "go": "went gone",
        "have": "had",
        "keep": "kept",
        "know": "knew known",
        "make": "made",
        "overwrite": "overwrote overwritten",
        "put": "put",
        "read": "read",
        "reset": "reset",
        "run": "ran run",
        "send": "sent",
        "set": "set",
        "show": "showed shown",
        "sit": "sat",
        "take": "took taken",
        "throw": "threw thrown",
        "write": "wrote written",
    }
)
_DOUBLED = frozenset(
    {"set", "run", "reset", "put", "get", "drop", "skip", "log", "map", "pop", "stop", "strip", "wrap", "sit"}
)

_WORDS: Mapping[Tag, str] = MappingProxyType(
    {
        Tag.BE: "is are be being been am gets get",
        Tag.WAS: "was were had",
        Tag.MODAL: "can may will does do did must shall",
        Tag.UNREAL: "would could should might ought hypothetically",
        Tag.NOT: "not never cannot nor neither hardly instead rather without n't isn't aren't doesn't don't"
        " didn't won't can't"
        " wasn't weren't hasn't haven't wouldn't couldn't shouldn't",
        Tag.NO: "no none nothing",
        Tag.TO: "to",
        Tag.PREPOSITION: "in inside within from by of on onto into at with for through via among over under about after"
        " before"
        " as against between upon",
        Tag.AND: "and or plus both",
        Tag.BUT: "but yet",
        Tag.RELATIVE: "which that who what whose where",
        Tag.IF: "if whether assuming suppose provided otherwise-if",
        Tag.UNLESS: "unless",
        Tag.WHEN: "when whenever while until once",
        Tag.CAUSE: "because since so although though whereas",
        Tag.PRONOUN: "it they this these",
        Tag.READER: "you we i your let",
        Tag.THERE: "there there's",
        Tag.ARTICLE: "a an the another each every any some all its their",
        Tag.ADVERB: "also then first finally next again just only simply directly eventually internally immediately"
        " always usually"
        " already therefore thus hence here itself themselves normally explicitly implicitly merely"
        " right away back straight"
        " in-turn later often actually basically still even early together up down out off",
        Tag.PAST_TIME: "previously formerly historically originally longer",
        Tag.CALL_NOUN: "call calls invocation invocations",
        Tag.CALLER_NOUN: "caller callers",
        Tag.CHANGE_NOUN: "assignment assignments modification write writes update",
        Tag.CHILD_NOUN: "subclass subtype child descendant",
        Tag.PARENT_NOUN: "superclass base-class parent base supertype",
        Tag.FAILURE_NOUN: "exception error",
        Tag.MEMBER_NOUN: "method function member members attribute property field class constructor helper constant"
        " argument"
        " parameter hook callback closure variable setting option flag exception error type module"
        " signal object instance"
        " value state struct interface definition statement line called named operator decorator generator",
        Tag.BODY_NOUN: "constructor body implementation initializer code method function loop block definition logic"
        " instance",
        Tag.DEFAULT_NOUN: "default",
        Tag.LINE_NOUN: "line lines",
    }
)


def _forms(verb: str) -> Iterator[tuple[str, Form]]:
    yield verb, Form.BASE
    stem = verb + verb[-1] if verb in _DOUBLED else verb
    silent = verb[:-1] if verb.endswith("e") else stem
    is_y = verb.endswith("y") and verb[-2] not in "aeiou"
    if verb == "have":
        yield "has", Form.PRESENT
    else:
        sibilant = verb.endswith(("s", "sh", "ch", "x", "z", "o"))
        yield verb[:-1] + "ies" if is_y else verb + ("es" if sibilant else "s"), Form.PRESENT
    for past in _PAST_FORMS.get(verb, verb[:-1] + "ied" if is_y else silent + "ed").split():
        yield past, Form.PAST
    yield silent + "ing", Form.ING


def _verbs() -> Iterator[tuple[str, Verb]]:
    for relation, verbs, prepositions, gap, only_failures in _FRAMES:
        for verb in verbs.split():
            for word, form in _forms(verb):
                yield word, Verb(relation, form, frozenset(prepositions.split()), gap, only_failures)


def _by_word() -> Mapping[str, tuple[Verb, ...]]:
    found: dict[str, tuple[Verb, ...]] = {}
    for word, verb in _verbs():
        found[word] = (*found.get(word, ()), verb)
    return MappingProxyType(found)


VERBS: Mapping[str, tuple[Verb, ...]] = _by_word()
TAGS: Mapping[str, Tag] = MappingProxyType(
    {word: tag for tag, words in reversed(tuple(_WORDS.items())) for word in words.split()}
)
MEMBER_NOUNS = frozenset(f"{_WORDS[Tag.MEMBER_NOUN]} {_WORDS[Tag.BODY_NOUN]} {_WORDS[Tag.FAILURE_NOUN]}".split())
BODY_NOUNS = frozenset(_WORDS[Tag.BODY_NOUN].split())
NOT_SHOWN = "not shown"
"""The words that prompts tell a model to use for missing evidence, in answers of any language."""
POSSESSIVES = frozenset({"its", "their", "whose"})
INSIDE = frozenset({"in", "inside", "within", "from"})
