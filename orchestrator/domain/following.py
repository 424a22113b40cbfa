"""What a question means and does not name: what the session spoke of before, or a line of a file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.evidence import EvidenceKind, Relation, SymbolKind
from orchestrator.domain.question import Mode, StackFrame
from orchestrator.domain.question_terms import is_wordless, subject_terms
from orchestrator.domain.using import definition_used, relation_listed, thing_used

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence import Evidence, SymbolRef
    from orchestrator.domain.question import Anchors, Classification

_OF_NO_THING = frozenset({Relation.NAMES, Relation.REGISTERS, Relation.HOLDS, Relation.BEGINS, Relation.COMMANDS})
_LEANING = re.compile(
    r"\b(?:it|its|they|them|their|that one|this one)\b|\b(?:then|this|that|these|those)\W*$"
    r"|\b(?:of|for|to|in|by) (?:this|that|these|those)\b"
    r"|^\W*(?:(?:and )?(?:what|how) about\b|and (?!(?:who|what|which|where|when|how|why)\b))",
    re.IGNORECASE,
)
"""Words of a question that may speak of what was spoken of before."""
_PASSIVE_THAT = re.compile(
    r"\b(?:is|are|was|were|does|do|did|can|will) (?:this|that)\b(?! \w+ (?:is|are|was|were|does|do|can)\b)",
    re.IGNORECASE,
)
"""The thing as a whole sentence: "where is that configured?"."""
_GOES_ON = re.compile(r"^\W*and (?:who|what|which|where|when|how|why)\b", re.IGNORECASE)
"""How a question begins that goes on from there, maybe to something else: "and who starts the workers?"."""
_CURT = 5
"""Words of a question that is too short to say by itself what it is about: "why?", "what is the default?"."""
_NAME = re.compile(r"[A-Za-z_][\w.\-]*")
_ANOTHER = re.compile(
    r"^\W*(?:(?:so|ok|okay|but|now) )?"
    r"(?:(?:and )?(?:what|how) about |and (?!(?:who|what|which|where|when|how|why|if|unless|without)\b))"
    r"|\bthe (?:\w+ ){1,3}(?:one|version|variant)\W*$",
    re.IGNORECASE,
)
"""How a question asks the same of another thing: "what about the async one?", "and the owner filter?"."""
_CONDITION = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|now) )*(?:what(?: happens)? )?(?:if|when|unless|without)\b", re.IGNORECASE
)
"""How a question goes on to a case of what was told: "and if there is none?"."""
_OF_CASE = 12
"""Words of such a question; longer ones tell a case of their own."""
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|this|that|these|those)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|its|they|them|their)\b", re.IGNORECASE)
_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_SAID_OF_KIND = frozenset(count_terms("one ones version variant about same well"))
_PLACES = ("first", "second", "third", "fourth", "fifth")
_ONE_OF_LIST = re.compile(
    rf"\bthe (?P<place>{'|'.join(_PLACES)}|last) one\b|^\W*(?:and )?the (?P<alone>{'|'.join(_PLACES)}|last)\W*$",
    re.IGNORECASE,
)
_LINE = re.compile(r"\blines? (\d{1,7})\b|(?<=\w)(?::|#L)(\d{1,7})\b", re.IGNORECASE)
_THAT_FILE = re.compile(r"\b(?:that|this|the same) (?:file|module)\b", re.IGNORECASE)
_OF_THINGS = re.compile(
    r"\b(?:call|invok|rais|throw|return|inherit|extend|overrid|import|catch|implement)\w*\b", re.IGNORECASE
)
"""What can be asked of a thing in the code, and hardly of the whole project."""
_COURTESY = re.compile(
    r"\W*(?:(?:thanks?|thank you|thx|cheers|hi|hello|hey|bye|goodbye|good (?:morning|day|evening)|great|perfect|cool"
    r"|nice|awesome|ok|okay|got it|i see|understood|well done|very good)\b\W*)+"
    r"(?:(?:there|all|again|so much|very much|a lot|you|this|that|it|was|is|s|helps?|helped|very|really|quite|helpful"
    r"|useful|makes sense|works?|for (?:the|your|that|this)|help|answer|good|great|now)\b\W*)*",
    re.IGNORECASE,
)

_OF_COURTESY = 100
"""Characters of a question that may be nothing but a courtesy."""


def resolve(question: str, found: Classification, cached: Sequence[Evidence]) -> Classification:
    """
    Return the classification with what the question means and does not name among its anchors.

    Args:
        cached: What the session holds, last used first: what the answer before was about stands first.
    """
    if framed := _line_meant(question, found.anchors, cached):
        symbols = tuple(each for each in found.anchors.symbols if each not in found.anchors.paths)
        return replace(found, anchors=replace(found.anchors, frames=(framed,), symbols=symbols))
    if about := referent(question, found, cached):
        # A case of a thing is in its lines, whatever the words of the case are about.
        mode = Mode.CONCEPTUAL if _is_case(question) else found.mode
        return replace(found, mode=mode, anchors=replace(found.anchors, symbols=(about,)))
    return found


def _is_case(question: str) -> bool:
    return len(question.split()) <= _OF_CASE and _CONDITION.match(question) is not None


def referent(question: str, found: Classification, cached: Sequence[Evidence]) -> str:
    """
    Return what a question speaks of without naming it ("and what is its default?", "why?"); "" if it names something.

    That is the symbol, or the heading that is a name, which the answer before it was about; "the second one" is that of
    what it listed, and "the async one" what is called like that and like the thing itself. A question for measures that
    names nothing is about the code as a whole.

    Args:
        cached: Last used first.
    """
    anchors = found.anchors
    if not cached or anchors.symbols or anchors.exceptions or anchors.error_messages:
        return ""
    if listed := _one_of_list(question, cached):
        return listed
    is_curt = len(question.split()) <= _CURT and not subject_terms(question)
    is_of_the_whole = found.mode is Mode.ANALYTICAL and not is_wordless(question)
    goes_on = _GOES_ON.match(question) is not None and _says_something_of(cached[0], subject_terms(question))
    leans = _LEANING.search(question) or _PASSIVE_THAT.search(question) or _is_case(question)
    is_of_another = _ANOTHER.search(question) is not None and not _PRONOUN.search(question)
    if (not is_curt or is_of_the_whole) and not leans and not goes_on and not is_of_another:
        return ""
    setting = cached[0].setting if _is_case(question) else None
    about = setting.holder if setting and setting.is_parameter else spoken_of_by(cached[0])
    return (_like(about, question, cached) if is_of_another else "") or about


def meant(question: str, anchors: Anchors) -> tuple[str, ...]:
    """Return what is among the anchors of a question and not written in it."""
    lines = (f"{each.path}:{each.line}" for each in anchors.frames if each.path not in question)
    return (*(each for each in anchors.symbols if each not in question), *lines)


def stays_with(question: str, about: str) -> bool:
    """Tell whether a question that means a thing asks nothing but about it: a case, "it", or words of its name."""
    if _is_case(question) or _IT.search(question) is not None:
        return True
    return subject_terms(question) - _SAID_OF_KIND <= frozenset(count_terms(about))


def names_nothing(question: str, anchors: Anchors) -> str:
    """
    Return why nothing can be searched for, as a sentence; "" if something can.

    That is a courtesy, or a question about "it" where nobody knows what that is.
    """
    if len(question) <= _OF_COURTESY and _COURTESY.fullmatch(question):
        return "That asks nothing about the code."
    said = _PRONOUN.search(question)
    is_anchored = anchors.paths or anchors.symbols or anchors.frames or anchors.exceptions or anchors.error_messages
    asked = _OF_THINGS.findall(question)
    if said is None or is_anchored or not asked or subject_terms(question) - frozenset(count_terms(" ".join(asked))):
        return ""
    return (
        f"It is not known what “{said[0].lower()}” is: the question names nothing, and this session spoke of nothing."
    )


def _line_meant(question: str, anchors: Anchors, cached: Sequence[Evidence]) -> StackFrame | None:
    """Return the line that a question points at, unless it shows an error: those name lines of their own."""
    line = _LINE.search(question)
    if line is None or anchors.frames or anchors.exceptions or anchors.error_messages:
        return None
    before = next((each.span.path for each in cached if each.span), "") if _THAT_FILE.search(question) else ""
    path = next(iter(anchors.paths), before)
    return StackFrame(path=path, line=int(line[1] or line[2])) if path else None


def spoken_of_by(evidence: Evidence) -> str:
    """Return the name of what a piece is about; "" for prose, and for a list of a kind or of all that is registered."""
    symbol = evidence.symbol
    if symbol and symbol.qualified_name:
        return symbol.owner or symbol.qualified_name
    if relation_listed(evidence) in _OF_NO_THING:
        return ""
    if named := thing_used(evidence) or (evidence.setting.dotted if evidence.setting else ""):
        return named
    if evidence.kind is EvidenceKind.FLOW and evidence.mentions:
        return evidence.mentions[0].qualified_name
    heading = heading_of(evidence)
    return heading if _NAME.fullmatch(heading) else ""


def heading_of(evidence: Evidence) -> str:
    """Return the last heading of a title, without code marks."""
    return evidence.title.rpartition(" > ")[2].strip().strip("`")


def _one_of_list(question: str, cached: Sequence[Evidence]) -> str:
    """Return the one that a question chooses by its place among those that the answer before told; "" for none."""
    asked = _ONE_OF_LIST.search(question)
    if asked is None:
        return ""
    users = cached[0].mentions[definition_used(cached[0]) is not None :] if thing_used(cached[0]) else ()
    told = list(dict.fromkeys(each.qualified_name for each in users or _shown(cached) if each.qualified_name))
    word = (asked["place"] or asked["alone"]).lower()
    place = len(told) - 1 if word == "last" and users else _PLACES.index(word) if word in _PLACES else len(told)
    return told[place] if 0 <= place < len(told) else ""


def _shown(cached: Sequence[Evidence]) -> Iterator[SymbolRef]:
    return (each.symbol for each in cached if each.symbol)


def _like(about: str, question: str, cached: Sequence[Evidence]) -> str:
    """Return what the session has that is called by the question's words and likest to the thing; "" for none."""
    own, asked = frozenset(count_terms(about)), frozenset(count_terms(question)) - _SAID_OF_KIND
    if not asked or not own:
        return ""
    best, best_share = "", 0.0
    for path, name in _alternatives(about, cached):
        called = frozenset(count_terms(name))
        share = len(called & (own | asked)) / len(called | own | asked)
        around = called | frozenset(count_terms(path))
        if asked <= called and around & own - asked and name != about and share > best_share:
            best, best_share = name, share
    return best


def _alternatives(about: str, cached: Sequence[Evidence]) -> Iterator[tuple[str, str]]:
    """Yield path and name of what could be meant instead: of a function functions, of a class also a member's class."""
    kind = next((each.kind for each in _shown(cached) if each.qualified_name == about), SymbolKind.UNSPECIFIED)
    for symbol in (each for piece in cached for each in (*filter(None, [piece.symbol]), *piece.mentions)):
        if kind is SymbolKind.CLASS:
            yield symbol.path, ".".join(symbol.qualified_name.split(".")[: about.count(".") + 1])
        elif kind not in _CALLED or symbol.kind in _CALLED:
            yield symbol.path, symbol.qualified_name


def _says_something_of(evidence: Evidence, subject: frozenset[str]) -> bool:
    return not subject or not subject.isdisjoint(count_terms(f"{evidence.title} {evidence.text}"))
