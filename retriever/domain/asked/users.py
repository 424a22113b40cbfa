"""Questions about who has to do with something, and how: what they ask for, and by which relation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from retriever.domain.relations import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_DOTTED = r"[$#]?[A-Za-z_]\w*(?:(?:\.#?|::|#|->)\$?[A-Za-z_]\w*)*"
_NAME = (
    r"(?:the |an? )?(?:function |method |class |decorator |interface |trait |field |variable |exception |error )?"
    rf"`?({_DOTTED})"
)
_PACKAGE = r"(?:the |an? )?(?:package |module |library |file )?`?(@?[A-Za-z_][\w.:@/-]*\w)"
_PATH = r"(?:the )?`?(@?[A-Za-z_][\w.-]*(?:/[\w.@-]+)+)"
_THINGS = (
    r"all|other|functions?|methods?|class(?:es)?|types?|structs?|interfaces?|code|parts?|places?|modules?|files?"
    r"|packages?|components?|services?|of|the"
)
_WHO = (
    rf"\b(?:(?:what|who|which|where)(?: else)?(?: (?:{_THINGS}))*"
    rf"|(?:(?:is|are) there|list|find|show(?: me)?)(?: (?:any|{_THINGS}))+ (?:that|which|who)"
    r"|where (?:do|does) (?:we|you|i|they|it)|(?:does|do|is) (?:anything|anyone|anybody|something|someone|somebody))"
)
_SHOW = r"\b(?:show|list|find|see|give|what about)(?: me| us)?"
_TESTING = r"(?:unit |integration )?tests?(?: (?:cases?|class(?:es)?|files?|functions?|suites?|methods?))?"
_ACTIVE = MappingProxyType(
    {
        Relation.CALLS: r"call(?:s|ing)?|invok(?:es?|ing)|trigger(?:s|ing)?",
        Relation.INHERITS: r"inherits? from|inheriting from|extends?|extending|subclass(?:es)?|derives? from",
        Relation.IMPLEMENTS: r"implement(?:s|ing)?|conforms? to|satisf(?:y|ies)",
        Relation.OVERRIDES: r"overrid(?:es?|ing)|redefines?",
        Relation.TESTS: r"tests?|testing|covers?|covering|exercis(?:es?|ing)",
        Relation.SETS: (
            r"sets?|writ(?:es?|ing)(?: to)?|modif(?:y|ies|ying)|mutat(?:es?|ing)|chang(?:es?|ing)|updat(?:es?|ing)"
            r"|assigns?(?: to)?|resets?"
        ),
        Relation.RAISES: r"rais(?:es?|ing)|throws?|throwing",
        Relation.CATCHES: r"catch(?:es|ing)?|handles?|rescues?",
        Relation.USES: (
            r"us(?:es?|ing)|depend(?:s|ing)? (?:up)?on|reference(?:s)?|rel(?:y|ies) on|needs?"
            r"|creates?|instantiates?"
        ),
    }
)
"""How a verb says it of the user: "what calls X", "which classes depend on X", "who is calling X"."""
_DONE = MappingProxyType(
    {
        Relation.CALLS: r"called|invoked|triggered",
        Relation.INHERITS: r"subclassed|extended|inherited",
        Relation.OVERRIDES: r"overridden",
        Relation.TESTS: r"tested|covered|exercised",
        Relation.SETS: r"modified|mutated|changed|updated|written(?: to)?",
        Relation.RAISES: r"raised|thrown|returned",
        Relation.CATCHES: r"caught|handled|rescued",
        Relation.IMPORTS: r"imported",
        Relation.USES: r"used|referenced|instantiated",
    }
)
"""How it is said of the thing: "where is X used", "who is X called by"."""
_NOUNS = MappingProxyType(
    {
        Relation.CALLS: r"callers?",
        Relation.CALLEES: r"callees?",
        Relation.INHERITS: r"subclass(?:es)?|child(?:ren)? classes|descendants?",
        Relation.IMPLEMENTS: r"implementations?|implement[eo]rs?",
        Relation.OVERRIDES: r"overrides",
        Relation.USES: r"users?|usages?|uses|dependents?",
    }
)
"""How a noun says it: "callers of X"."""


_DOER = (
    r"(?:the )?(?:function |method |class )?"
    r"(?:`[^`\s]+`|(?-i:[A-Z]\w*|_\w+|\w*[a-z0-9](?:_|[A-Z])\w*)(?:(?:\.|::|#)\w+)*|\w+(?:(?:\.|::|#)\w+)+)(?:\(\))?"
)
"""Of whom a question asks whether they do it: what is written as a name."""
_ASKED_WHETHER = r"(?:\A\W*|[.?!,;]\s+|\band )(?:do|does|did|will|would|can|could)"
_WHETHER = MappingProxyType(
    {
        Relation.CALLS: r"call|invoke",
        Relation.INHERITS: r"inherit from|extend|subclass|derive from",
        Relation.IMPLEMENTS: r"implement",
        Relation.OVERRIDES: r"override",
        Relation.RAISES: r"raise|throw",
        Relation.CATCHES: r"catch",
    }
)
_FAIL = r"(?:raises?|throws?|panics?|fails?)\b"


def _of_owner(name: str) -> str:
    """Return a name that may be followed by what it belongs to: "closeConnection of HikariPool"."""
    return rf"{name}[`()]*(?: (?:of|on|in) (?:the )?(?:class )?`?(?P<owner>[A-Z]\w*)`?)?"


def _patterns() -> Iterator[tuple[Relation, re.Pattern[str]]]:
    def of(relation: Relation, pattern: str) -> tuple[Relation, re.Pattern[str]]:
        return relation, re.compile(pattern, re.IGNORECASE)

    yield of(Relation.TESTS, rf"\b(?:what|which) {_TESTING} (?:\w+ )?{_NAME}")
    yield of(Relation.TESTS, rf"\b(?:what|which) {_TESTING} (?:are there|is there|exist|do we have) (?:for|of) {_NAME}")
    yield of(
        Relation.TESTS, rf"\b(?:do|does) (?:we|you|they|it) have (?:any |an? )?{_TESTING} (?:for|of|covering) {_NAME}"
    )
    yield of(Relation.TESTS, rf"\b(?:is|are) there (?:any |an? )?{_TESTING} (?:for|of|that covers?|covering) {_NAME}")
    yield of(Relation.TESTS, rf"{_SHOW} (?:the |all |any )?{_TESTING} (?:for|of|covering) {_NAME}")
    yield of(Relation.TESTS, rf"(?:^\W*|{_SHOW} |\b(?:and|where are|what are) )(its) {_TESTING}\b")
    yield of(Relation.TESTS, rf"^\W*(?:and )?(?:is|are) {_NAME}[`()]* (?:unit[- ])?tested\b")
    yield of(Relation.TESTS, rf"\b(?:how|where) (?:is|are) {_NAME}[`()]* (?:unit[- ])?(?:tested|covered)\b")
    yield of(Relation.CALLEES, rf"\b(?:what|which (?:functions?|methods?)) (?:else )?(?:does|do) {_NAME}[`()]* call\b")
    yield of(
        Relation.CALLEES, rf"\b(?:what|which)(?: (?:functions?|methods?))? (?:is|are|gets?) called (?:by|from) {_NAME}"
    )
    yield of(
        Relation.FAILS,
        rf"\b(?:what|which|what kinds? of)(?: (?:exceptions?|errors?))? (?:does|do|can|may|could) {_NAME}[`()]* "
        r"(?:raise|throw)\b",
    )
    yield of(
        Relation.FAILS,
        rf"\b(?:what|which|what kinds? of) (?:exceptions?|errors?) (?:does|do|can|may|could) {_NAME}[`()]* return\b",
    )
    yield of(
        Relation.FAILS, rf"\b(?:what|which) (?:methods?|functions?|parts?) (?:of|in|on) {_NAME} (?:can |may )?{_FAIL}"
    )
    yield of(Relation.IMPORTS, rf"{_WHO}(?: is| are)? (?:imports?|importing) {_PACKAGE}")
    yield of(Relation.IMPORTS, rf"(?<!how )\bdo(?:es)? (?:the )?[\w./-]+ (?:depend on|import|require) {_PACKAGE}")
    yield of(
        Relation.IMPORTS, rf"{_WHO} (?:depends? on|rel(?:y|ies) on) (?:{_PACKAGE} (?:package|module|library)|{_PATH})"
    )
    for relation, verbs in _ACTIVE.items():
        yield of(relation, rf"{_WHO}(?: is| are)? (?:{verbs}) {_NAME}")
        yield of(relation, rf"\bwhich (?:\w+ ){{1,2}}(?:{verbs}) (it|this|that)\b(?! \w+ (?:is|are|does|do)\b)")
    for relation, verb in _WHETHER.items():
        yield of(relation, rf"{_ASKED_WHETHER} {_DOER} (?:\w+ly |ever |still |also )?(?:{verb}) {_NAME}")
    for relation, done in _DONE.items():
        asked = rf"\b(?:where|who|what|which \w+)(?: else)? (?:is|are|does|do|gets?) {_of_owner(_NAME)}"
        yield of(relation, rf"{asked}(?: class| function| method)? (?:get |being )?(?:{done})\b")
    for relation, noun in _NOUNS.items():
        yield of(relation, rf"\b(?:{noun}) of {_NAME}")


_CHANGE = (
    r"(?:chang|renam|remov|delet|drop|replac|mov|modif|touch|alter|refactor|rewrit|edit)(?:e|es|ed|y|ying|ies|ing)?"
)
_BREAKS = (
    r"\b(?:breaks?|fails?|affected)\b[^.?!\n]{0,30}?\b(?:if|when|by)\b"
    r"|\bsafe to\b|\b(?:impacts?|consequences?|effects?) of\b"
)
_ASPECT = (
    r"(?:(?:what|the|an?|signature|name|type|behaviou?r|implementation|interface|body|return (?:type|value)|of"
    r"|function|method|class|protocol) )*"
)
_IMPACT = re.compile(rf"(?:{_BREAKS})[^.?!\n]{{0,30}}?\b{_CHANGE} {_ASPECT}`?({_DOTTED})", re.IGNORECASE)
"""What a change of something would lead to: "what would break if I change X", "is it safe to remove X"."""
_all_patterns = cache(lambda: ((Relation.USES, _IMPACT), *_patterns()))
"""Returns what is looked for, in order; it takes 30 ms to compile, which a start would wait for."""
_LONG_STANDING = frozenset({Relation.CALLS, Relation.INHERITS, Relation.USES})
"""What is asked for in questions of any length; in long ones other verbs tell a story."""
SHORT = 200
"""Characters of a question in which verbs of many meanings say what is asked; longer texts tell a story."""
_FURTHER = re.compile(
    r"`?(?:\(\))?`?(?:,?\s+(?:or|and)\s+|\s*/\s*)"
    r"(?!(?:what|who|which|where|how|why|when|is|are|does|do|the|its?|their)\b)"
    rf"`?({_DOTTED})",
    re.IGNORECASE,
)
"""Another thing whose users are asked for: "X or Y"."""
_OWNER = re.compile(r"`?(?:\(\))?`?\s+(?:on|of|in)\s+(?:the |an? )?(?:class )?`?([A-Z]\w*)")
"""Where they belong: "start on Response"; classes are written with a capital."""
_SAYS_NO_MORE = re.compile(
    r"\W*\Z|[?.!,/;]|\s+(?:or|and)\b|\s+(?:on|of|in) (?:the )?(?:(?:class )?`?(?-i:[A-Z])|\w+\W*\Z)"
    r"|\s+(?:attributes?|fields?|variables?|flags?|propert(?:y|ies)|functions?|methods?|class(?:es)?|packages?|modules?"
    r"|librar(?:y|ies)|(?:in)?directly|transitively|anywhere|here|there|now"
    r"|in (?:this|the) (?:code|repo|project|package|module)\w*)\b",
    re.IGNORECASE,
)
"""What may follow a plain word that is a name."""
_SUBJECT = re.compile(rf"\b(?:what (?:does|is|are)|how (?:does|do|is)|where is) {_NAME}", re.IGNORECASE)
"""What a question speaks of before it says "it"."""
_FAILURE = re.compile(r"(?:Error|Exception|Exit|Warning|Interrupt|Failure|Err)s?$|^Err[A-Z]")
_OF_FAILURES = frozenset({Relation.RAISES, Relation.CATCHES})
_OF_MORE_THAN_FAILURES = re.compile(r"\b(?:handle[sd]?|returned)\b", re.IGNORECASE)
"""Routes and events are handled as well, and values are returned."""
_SPOKEN_OF = frozenset({"it", "its", "this", "that"})
_LITTLE_WORDS = (
    "it this that them these to from by in on what which and or of for there here any all no a an the how as at with"
    " when where not never"
)
_ANY_NAME = frozenset(_LITTLE_WORDS.split())
_MOST = 3
"""Questions in one."""


@dataclass(frozen=True, slots=True)
class AskedUsers:
    """
    What a question wants to know the users of, as it is written, and by which relation they use it.

    Args:
        owner: The class that it says these belong to; "" for none.
    """

    names: tuple[str, ...]
    relation: Relation
    owner: str = ""


def asked_users(question: str, meant: str = "") -> tuple[AskedUsers, ...]:
    """
    Return what a question asks the users of, in its order; () if it asks for none.

    "It" is what the question spoke of before, as in "where is X raised and who catches it?".

    Args:
        meant: What "it" is if the question does not say it, "" if nobody knows.
    """
    matches = [
        (relation, match)
        for relation, pattern in _all_patterns()
        if relation in _LONG_STANDING or len(question) <= SHORT
        for match in pattern.finditer(question)
    ]
    found: dict[tuple[int, int], AskedUsers] = {}
    for knows_it in (False, True):  # "it" may be what a pattern further down finds: names are read first
        for relation, match in matches:
            if any(match.start() < end and start < match.end() for start, end in found):
                continue
            it = _spoken_of(question[: match.start()], found) or meant if knows_it else ""
            asked = _asked(relation, match, it)
            if asked:
                found[match.span()] = asked
    return tuple(dict.fromkeys(found[span] for span in sorted(found)))[:_MOST]


def _asked(relation: Relation, match: re.Match[str], meant: str) -> AskedUsers | None:
    owner_at = match.re.groupindex.get("owner", 0)
    at = next(at for at, each in enumerate(match.groups(), 1) if each)
    name, question = match[at].rstrip(".:/"), match.string
    if name.casefold() in _SPOKEN_OF:
        return AskedUsers((meant,), relation) if meant else None
    if name.casefold() in _ANY_NAME or (match.re is _IMPACT and _is_of_life(match, at)):
        return None
    if match.re is not _IMPACT and _is_of_prose(match, at):
        return None
    is_failure = any(map(_FAILURE.search, re.split(r"\W+", name)))
    if _OF_MORE_THAN_FAILURES.search(match[0]) and relation in _OF_FAILURES and not is_failure:
        return None
    names, owner = _names_from(question, name, match.end(at))
    return AskedUsers(names, relation, (match["owner"] if owner_at else "") or owner)


def _spoken_of(before: str, found: Mapping[tuple[int, int], AskedUsers]) -> str:
    """Return what the text before a match speaks of last; "" if nobody knows."""
    earlier = [span for span in found if span[1] <= len(before)]
    if earlier:
        return found[max(earlier)].names[0]
    subjects = [each[1] for each in _SUBJECT.finditer(before) if each[1].casefold() not in _ANY_NAME]
    return subjects[-1] if subjects else ""


def _is_of_life(match: re.Match[str], at: int) -> bool:
    """Tell a thing that a program changes ("safe to delete a user"), and a failure whose reason is asked for."""
    question = match.string
    is_marked = question[match.end(at) :].startswith(("`", "("))
    is_word = match[at].islower() and "_" not in match[at] and not is_marked
    has_article = re.search(r"\b(?:the|an?) $", question[: match.start(at)], re.IGNORECASE) is not None
    return (is_word and has_article) or re.search(r"\bwhy\b", question[: match.start()], re.IGNORECASE) is not None


def _is_of_prose(match: re.Match[str], at: int) -> bool:
    """Tell a plain word that the question says more of: "sets the title of a window" is about no `title`."""
    question, end = match.string, match.end(at)
    is_marked = question[match.start(at) - 1 : match.start(at)] == "`" or question[end : end + 1] == "("
    is_plain = match[at].isalpha() and match[at].islower() and not is_marked
    return is_plain and match.end() == end and not _SAYS_NO_MORE.match(question, end)


def _names_from(question: str, first: str, end: int) -> tuple[tuple[str, ...], str]:
    names = [first]
    while further := _FURTHER.match(question, end):
        names.append(further[1])
        end = further.end()
    owner = _OWNER.match(question, end)
    return tuple(dict.fromkeys(names)), owner[1] if owner else ""
