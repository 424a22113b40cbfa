"""The section about what to read if no exact answer exists: the retrieved pieces in order, with the decisive lines."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind
from common.core.contract.understanding import Intent, MentionKind, SlotKind
from common.core.words.terms import count_terms
from orchestrator.domain.answers.confidence import LIKELY, low, medium, of_reading
from orchestrator.domain.evidence.names import is_received, is_spelled
from orchestrator.domain.writing import excerpts, prose
from orchestrator.domain.writing.markdown import fenced, head, quote
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.answers.confidence import Support
    from orchestrator.domain.evidence.piece import SymbolRef
    from orchestrator.domain.writing.excerpts import Excerpt
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_LISTED, _FETCHED, _QUOTED, _DRAWN = 6, 2, 2, 20
_LEAD_LINES, _LINES = 24, 12
"""Most lines quoted from the first piece to read, and from each further one."""
_COMPARED, _TELLING = 10, 0.18
"""Number of pieces whose documentation is compared with the question; least share for the best one to be quoted."""
_PAGES = 3
_NEXT = 3
"""Number of pieces that the first sentences name where the first one is not likely."""
_LIKELY: Mapping[Intent, str] = MappingProxyType(
    {
        Intent.FIND: "is most likely what does this",
        Intent.LOCATION: "is most likely where this is",
        Intent.MEANING: "is most likely what is meant",
        Intent.METHOD: "is where this most likely happens",
        Intent.CONSEQUENCE: "is where this most likely happens",
        Intent.PATH: "is where this most likely passes",
        Intent.USAGE: "most likely says how",
        Intent.EXTENSION: "is most likely a pattern for one more",
        Intent.CHANGE: "is most likely what has to change",
    }
)
_ABOUT, _TOLD = "is most likely what this is about", "is most likely where this is told"
_UNSURE = "Nothing that was found is sure to answer this"
_TO_READ = "Whether this answers the question has to be read in its lines."
_TOLD_BY_PAGES = frozenset({Intent.USAGE, Intent.SUPPORT, Intent.SETTINGS, Intent.KINDS, Intent.EXTENSION})
"""Intents for which the sentences of a page count as well as its headings."""
_OF_FEATURE = (SlotKind.OBJECT,)
"""Slots that name a feature; the subject is mostly the project itself."""
_OF_VALUES = frozenset({Intent.VALUE, Intent.SETTINGS})
"""Intents that the line of a setting answers, in sections of their own."""
_READ_SURELY = 0.6
"""Least probability of an intent for its slots to be quoted."""
_BY_NAME = frozenset({Intent.VALUE, Intent.LOCATION})
"""Intents for which each name in the question is answered separately."""
_PAGES_FIRST = _TOLD_BY_PAGES | {Intent.OVERVIEW, Intent.RUN, Intent.RATIONALE}
"""Intents for which pages come before source if both have the same share of the slots."""


def reading(material: Material, part: QuestionPart) -> Section | None:
    """Say what to read first, with the decisive lines, and what to read next, with the reasons."""
    ranked = _ranked(material, part)
    if not ranked:
        return None
    lead, support = ranked[0], _support(material, part, ranked[0])
    listed = ranked[1:_LISTED]
    listed += [each for each in ranked[_LISTED:] if each.evidence.evidence_id in material.fetched][:_FETCHED]
    lines: list[str] = ["Read next, in this order:"] if listed else []
    for number, each in enumerate(listed, 1):
        lines += [_item(material, number, each, _about(each, part))]
        lines += [_quoted(material, each, _LINES)] if number <= _QUOTED else []
    return Section(
        [
            _opening(material, part, ranked, support),
            _quoted(material, lead, _LEAD_LINES),
            *lines,
            *_calls(material, lead),
        ],
        support,
    )


def _opening(material: Material, part: QuestionPart, ranked: Sequence[Piece], support: Support) -> str:
    """
    Name what to read first. The piece whose documentation has most of the question is quoted, too.

    The quotation comes first if the first piece is unlikely and its documentation has little of the question.
    """
    shares = [material.share(_about(each, part)) if each.is_definition else 0.0 for each in ranked[:_COMPARED]]
    lead, told = ranked[0], ranked[shares.index(max(shares))]
    first = _first_sentence(part, ranked, support)
    if shares[0] >= _TELLING and not support.is_likely and not _missing(part, lead):
        first = f"{_says(lead, _about(lead, part))} {_TO_READ}"
    if told is lead or max(shares) < _TELLING:
        return first
    said = _says(told, _about(told, part))
    return f"{first} {said}" if support.is_likely or shares[0] >= _TELLING else f"{said} {first}"


def _says(piece: Piece, said: str) -> str:
    return f"{piece.name} ({piece.place}) says: “{said}” {piece.cite}"


def _calls(material: Material, lead: Piece) -> list[str]:
    """Show the call tree of the first piece to read, if the evidence has one."""
    symbol = lead.evidence.symbol
    tree = next((each for each in material.flows if symbol and each.evidence.mentions[0] == symbol), None)
    return [f"What {lead.name} calls:", fenced(head(tree.evidence.text, _DRAWN), "text")] if tree else []


def further(material: Material, part: QuestionPart, told: str) -> Section | None:
    """List further reading after an exact answer, without pieces that the answer cites."""
    ranked = [each for each in _ranked(material, part) if each.cite not in told]
    items = [_item(material, number, each, _about(each, part)) for number, each in enumerate(ranked[:_LISTED], 1)]
    return Section(["What else to read:", "\n".join(items)], _support(material, part, ranked[0])) if items else None


def page(material: Material, part: QuestionPart) -> Section | None:
    """Quote pages about the question: for intents in `_BY_NAME`, one page for each name of the question."""
    pages = [each for each in material.to_read if each.is_page]
    named = [text for text in part.texts(SlotKind.SUBJECT) if text in material.understanding.named(*MentionKind)]
    asked = [_terms(part, *_OF_FEATURE) or _terms(part, *SlotKind)]
    if part.intent in _BY_NAME:
        others = count_terms(material.question[part.start : part.end]).keys() - _terms(part, *SlotKind)
        by_name = [frozenset((*count_terms(each), *others)) for each in dict.fromkeys(named)]
        asked = by_name if by_name or part.intent is Intent.VALUE else asked
    found = [each for terms in asked if (each := _telling(pages, terms))]
    found = [(each, said) for each, said in found if _names_all(material, part, f"{each.evidence.title} {said}")]
    told = [_says(each, said) for each, said in dict(found).items()]
    return Section(told, medium("a page speaks of it; check what it says against the code")) if told else None


def _telling(pages: Sequence[Piece], terms: frozenset[str]) -> tuple[Piece, str] | None:
    """Return the page whose heading and sentences have most of the terms, with the sentences; None if too few."""
    said = [(each, each.about(terms)) for each in pages]
    shares = [
        (
            len(terms & count_terms(f"{each.evidence.title} {told}").keys()) / len(terms),
            len(terms & count_terms(told).keys()),
            -at,
        )
        for at, (each, told) in enumerate(said)
        if terms
    ]
    share, own, at = max(shares, default=(0.0, 0, 0))
    return said[-at] if own and share >= LIKELY else None


def _names_all(material: Material, part: QuestionPart, said: str) -> bool:
    """Return whether a text has one of the names in a part, if it has any, and every word with a digit."""
    named = [each.text for each in material.understanding.mentions if part.start <= each.start < part.end]
    return _has_numbers(part, said) and (not named or any(each.casefold() in said.casefold() for each in named))


def _has_numbers(part: QuestionPart, said: str) -> bool:
    """Return whether a text has every word with a digit of the question's feature, as written: "HTTP/2"."""
    numbered = [word for text in part.texts(*_OF_FEATURE) for word in text.split() if any(map(str.isdigit, word))]
    return all(word.casefold() in said.casefold() for word in numbered)


def passage(material: Material, part: QuestionPart) -> Section | None:
    """Quote the beginning of a page that is described in words of a part; None if there is none."""
    asked = material.question[part.start : part.end]
    said = (each for each in material.to_read if each.is_page and each.evidence.described and each.summary)
    found = next((each for each in said if each.evidence.described in asked), None)
    if found is None or not _has_numbers(part, f"{found.evidence.title} {found.evidence.text}"):
        return None
    asked_for = _terms(part, *_OF_FEATURE)
    told_of = count_terms(f"{found.evidence.title} {found.summary}").keys()
    if len(asked_for & told_of) < LIKELY * len(asked_for):
        return None
    told = medium("a page says this in words of the question; check it against the code")
    return Section([f"“{found.summary}” ({found.name}, {found.place} {found.cite})"], told)


def _ranked(material: Material, part: QuestionPart) -> list[Piece]:
    """
    Return what to read, in the retriever's order; of several parts, pieces that are decisive for this one come first.

    For intents in `_PAGES_FIRST`, the best page comes first if its share of the slots is at least that of the code.
    """
    pages = [each for each in material.to_read if each.is_page]
    code = [each for each in material.to_read if not each.is_page]
    if len(material.understanding.likely) > 1:
        code = [*(each for each in code if _decides(each, material, part)), *code]
    fit = pages[:_PAGES] if part.intent in _PAGES_FIRST else []
    shares = {each: _of_page(material, part, each) for each in fit if _names_all(material, part, _told(each, part))}
    told = max(shares, key=lambda each: shares[each], default=None)
    if told and shares[told] >= max([LIKELY, *(_support(material, part, each).share for each in code[:1])]):
        code = [told, *code]
    return list(dict.fromkeys((*code, *pages)))


def _decides(piece: Piece, material: Material, part: QuestionPart) -> bool:
    """Return whether a piece was retrieved because its lines are decisive for this part of the question."""
    basis = piece.evidence.based_on(BasisKind.DECIDES)
    return basis is not None and basis.text in material.question[part.start : part.end]


def _told(piece: Piece, part: QuestionPart) -> str:
    return f"{piece.evidence.title} {_about(piece, part)}"


def _of_page(material: Material, part: QuestionPart, piece: Piece) -> float:
    """Return the share of the slots that a page has: in headings, and for `_TOLD_BY_PAGES` also in sentences."""
    is_told = part.intent in _TOLD_BY_PAGES
    said = _told(piece, part) if is_told else _headings(part, piece)
    return _compared(material, part, None, said).share


def _terms(part: QuestionPart, *kinds: SlotKind) -> frozenset[str]:
    return frozenset(term for text in part.texts(*kinds) for term in count_terms(text))


def _about(piece: Piece, part: QuestionPart) -> str:
    return piece.about(_terms(part, *SlotKind))


def _support(material: Material, part: QuestionPart, piece: Piece) -> Support:
    symbol = piece.evidence.symbol if piece.is_definition else None
    basis = piece.evidence.based_on(BasisKind.DECIDES)
    said = "" if symbol else _headings(part, piece)
    return _compared(material, part, symbol, said, certainty=basis.certainty if basis else 0.0)


def _compared(
    material: Material, part: QuestionPart, symbol: SymbolRef | None, said: str, *, certainty: float = 0.0
) -> Support:
    if part.intent is Intent.SUPPORT and symbol:
        return low("code does not say whether it does this; its lines have to be read")
    if part.intent is Intent.SUPPORT and not _has_numbers(part, said):
        return low("nothing that was found names what is asked for")
    asked = part.texts(*SlotKind)
    if asked == part.texts(SlotKind.VERB):  # the verb alone does not identify the topic
        asked = (material.question,) if asked else material.understanding.asked(material.question)
    names = _named(material, part) if symbol else ()
    is_named = symbol is not None and any(
        is_same(symbol.qualified_name, each) for each in names for is_same in (is_spelled, is_received)
    )
    return of_reading(part, asked, symbol, said, is_named=is_named, certainty=certainty)


def _headings(part: QuestionPart, piece: Piece) -> str:
    """Return the headings of a page, with those verbs of the question that its first sentences have."""
    told = count_terms(piece.summary)
    verbs = (each for each in part.texts(SlotKind.VERB) if not told.keys().isdisjoint(count_terms(each)))
    return " ".join((piece.evidence.title, *verbs))


def _named(material: Material, part: QuestionPart) -> tuple[str, ...]:
    """Return the names that a question gives the acting code: "how does a worker pick a job" has none for certain."""
    subjects = part.texts(SlotKind.SUBJECT)
    symbols = material.understanding.named(MentionKind.SYMBOL)
    if part.intent is Intent.CONSEQUENCE:
        told = (each for each in material.understanding.mentions if part.start <= each.start < part.end)
        return (*subjects[:1], *(each.text for each in told), *material.meant)
    is_alone = not part.texts(SlotKind.OBJECT, SlotKind.CONDITION)
    return (*(each for each in subjects[:1] if is_alone or each in symbols), *material.meant)


def _first_sentence(part: QuestionPart, ranked: Sequence[Piece], support: Support) -> str:
    """
    Name the first piece and its place, and the next two where it is not likely.

    What a piece does is told only in the words of its own documentation.
    """
    piece, next_ones = ranked[0], ranked[1:_NEXT]
    told = f": {said}" if (said := _about(piece, part)) else "."
    if not support.is_likely:
        unsure = "Nothing that was found says that it does" if part.intent is Intent.SUPPORT else _UNSURE
        others = " and ".join(f"{each.name} ({each.place}) {each.cite}" for each in next_ones)
        further = f" The next are {others}." if others else ""
        nearest = f"the nearest is {piece.name}, at {piece.place}{told} {piece.cite}{further}"
        return f"{_missing(part, piece) or unsure}; {nearest}"
    about = _LIKELY.get(part.intent, _ABOUT)
    says = (about if part.intent is Intent.USAGE else _TOLD) if piece.is_page else about
    says = _ABOUT if part.intent is Intent.USAGE and not piece.is_page else says
    return f"{piece.name}, at {piece.place}, {says}{told} {piece.cite}"


def _missing(part: QuestionPart, piece: Piece) -> str:
    """Return that no setting has the requested name; "" for a single word, or if the nearest code shares a term."""
    wanted, owner = part.texts(SlotKind.SUBJECT, SlotKind.OBJECT), part.text(SlotKind.OWNER)
    is_read = part.intent in _OF_VALUES and part.confidence >= _READ_SURELY and len(wanted) == 1
    if not is_read or (wanted[0].isalpha() and not owner):
        return ""
    if piece.evidence.symbol and not _terms(part, SlotKind.SUBJECT, SlotKind.OBJECT).isdisjoint(
        count_terms(piece.name)
    ):
        return ""
    of = f" of “{prose.unlabelled(owner)}”" if owner else ""
    return f"No value or option{of} that was found is called “{prose.unlabelled(wanted[0])}”"


def _item(material: Material, number: int, piece: Piece, about: str) -> str:
    reason = material.reason(piece)
    because = f" ({reason})" if reason else ""
    place = f", {piece.place}" if piece.name != piece.place else ""
    return f"{number}. {piece.name}{place}{because}{': ' + about if about else ''} {piece.cite}"


def _quoted(material: Material, piece: Piece, max_lines: int) -> str:
    found = _decisive(material, piece, max_lines)
    return quote(found) if found else ""


def _decisive(material: Material, piece: Piece, max_lines: int) -> Excerpt | None:
    return excerpts.decisive(piece.evidence, material.weights, max_lines=max_lines) if piece.is_code else None
