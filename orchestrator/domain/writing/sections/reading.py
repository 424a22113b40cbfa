"""What to read where nothing exact answers: the packer's pieces in their order, with the lines that decide."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms
from orchestrator.domain.answers.confidence import LIKELY, has_verb, low, medium, of_reading
from orchestrator.domain.evidence.names import is_received, is_spelled
from orchestrator.domain.questions.understanding import Intent, MentionKind, SlotKind
from orchestrator.domain.writing import excerpts
from orchestrator.domain.writing.markdown import fenced, head, quote
from orchestrator.domain.writing.material import is_test
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orchestrator.domain.answers.confidence import Support
    from orchestrator.domain.evidence.piece import SymbolRef
    from orchestrator.domain.questions.understanding import QuestionPart
    from orchestrator.domain.writing.excerpts import Excerpt
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_LISTED, _FETCHED, _QUOTED, _DRAWN = 6, 2, 3, 20
_LEAD_LINES, _LINES = 24, 12
"""Lines quoted of what is to be read first, and of each that follows."""
_LOOKED_AT = 6
"""Pieces of the packer's order among which the slots choose what is to be read first."""
_RANKED, _MOST_RANKED = 0.03, 0.45
"""What the score of the search counts for each term, since a share of many terms tells less, and at most."""
_PAGES = 3
_VERB, _ACT = 0.3, 0.2
"""What it counts, of a share, that a definition is called by the verb of the question, or has a line that does it."""
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
_TOLD_BY_PAGES = frozenset(
    {Intent.USAGE, Intent.SUPPORT, Intent.VALUE, Intent.SETTINGS, Intent.KINDS, Intent.EXTENSION}
)
"""Intents of which the first sentences of a page say as much as its headings."""
_OF_FEATURE = (SlotKind.OBJECT,)
"""Slots that tell a feature; who is asked to have it is mostly the project."""
_BY_NAME = frozenset({Intent.VALUE, Intent.LOCATION})
"""Intents about what the question names, each of several by itself."""
_PAGES_FIRST = _TOLD_BY_PAGES | {Intent.OVERVIEW, Intent.RUN, Intent.RATIONALE}
"""Intents that are answered by pages rather than by source, where both have as much of the slots."""


def reading(material: Material, part: QuestionPart) -> Section | None:
    """Say what to read, in which order, what each is for, and quote the lines that decide."""
    ranked = _ranked(material, part)
    if not ranked:
        return None
    lead, support = ranked[0], _support(material, part, ranked[0])
    listed = ranked[:_LISTED]
    listed += [each for each in ranked[_LISTED:] if each.evidence.evidence_id in material.fetched][:_FETCHED]
    lines: list[str] = []
    for number, each in enumerate(listed, 1):
        lines += [_item(material, number, each, "" if each is lead else _about(each, part))]
        lines += [_quoted(material, number, each)] if number <= _QUOTED else []
    told = [_first_sentence(part, lead, support), "Read these, in this order:", *lines, *_calls(material, lead)]
    return Section(told, support)


def _calls(material: Material, lead: Piece) -> list[str]:
    """Draw the calls that begin in what is to be read first, where the evidence has them."""
    symbol = lead.evidence.symbol
    tree = next((each for each in material.flows if symbol and each.evidence.mentions[0] == symbol), None)
    return [f"What {lead.name} calls:", fenced(head(tree.evidence.text, _DRAWN), "text")] if tree else []


def further(material: Material, part: QuestionPart, told: str) -> Section | None:
    """List further reading after an exact answer, without what its text names already."""
    ranked = [each for each in _ranked(material, part) if each.cite not in told]
    items = [_item(material, number, each, _about(each, part)) for number, each in enumerate(ranked[:_LISTED], 1)]
    return Section(["What else to read:", "\n".join(items)], _support(material, part, ranked[0])) if items else None


def page(material: Material, part: QuestionPart) -> Section | None:
    """Quote the pages about the question, one for each of its names."""
    pages = [each for each in material.to_read if each.is_page]
    named = [text for text in part.texts(SlotKind.SUBJECT) if text in material.understanding.named(*MentionKind)]
    asked = [_terms(part, *_OF_FEATURE) or _terms(part, *SlotKind)]
    if part.intent in _BY_NAME:
        others = count_terms(material.question[part.start : part.end]).keys() - _terms(part, *SlotKind)
        asked = [frozenset((*count_terms(each), *others)) for each in dict.fromkeys(named)] or asked
    found = [each for terms in asked if (each := _telling(pages, terms))]
    found = [(each, said) for each, said in found if _has_numbers(part, f"{each.evidence.title} {said}")]
    told = [f"{each.name} ({each.place}) says: “{said}” {each.cite}" for each, said in dict(found).items()]
    return Section(told, medium("a page speaks of it; check what it says against the code")) if told else None


def _telling(pages: Sequence[Piece], terms: frozenset[str]) -> tuple[Piece, str] | None:
    """Return the page whose heading and sentences have most of some terms, with these; None where none has enough."""
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


def _has_numbers(part: QuestionPart, said: str) -> bool:
    """Return whether a text has each word with a digit that the question has, as it is written: "HTTP/2"."""
    numbered = [word for text in part.texts(*_OF_FEATURE) for word in text.split() if any(map(str.isdigit, word))]
    return all(word.casefold() in said.casefold() for word in numbered)


def passage(material: Material, part: QuestionPart) -> Section | None:
    """Quote the paragraph of a page that has the words of a part; None without one."""
    asked = material.question[part.start : part.end]
    said = (each for each in material.to_read if each.is_page and each.evidence.described and each.summary)
    found = next((each for each in said if each.evidence.described in asked), None)
    if found is None:
        return None
    told = medium("a page says this in words of the question; check it against the code")
    return Section([f"“{found.summary}” ({found.name}, {found.place} {found.cite})"], told)


def _ranked(material: Material, part: QuestionPart) -> list[Piece]:
    """Return the packer's order, with what has most of the slots in name and documentation at its head."""
    pieces = list(material.to_read)
    first = [each for each in pieces[:_LOOKED_AT] if not is_test(each)] or pieces[:_LOOKED_AT]
    first += [each for each in pieces if each.is_page and each not in first][:_PAGES]
    lead = max(first, key=lambda each: _worth(material, part, each), default=None)
    return [lead, *(each for each in pieces if each is not lead)] if lead else []


def _worth(material: Material, part: QuestionPart, piece: Piece) -> tuple[float, bool]:
    """Rank by the share of the slots that name and documentation have; of equals pages may go first."""
    is_called = piece.is_definition and bool(part.texts(SlotKind.VERB))
    bonus = _VERB * (is_called and has_verb(part, piece.evidence.symbol, frozenset()))
    bonus = bonus or _ACT * (is_called and _acts(part, piece) is not None)
    is_told = piece.is_page and part.intent in _TOLD_BY_PAGES
    support = _compared(material, part, None, f"{piece.evidence.title} {_about(piece, part)}") if is_told else None
    ranked = min(_MOST_RANKED, _RANKED * len(material.terms)) * min(1.0, piece.evidence.score) * piece.is_code
    share = round((support or _support(material, part, piece)).share + bonus + ranked, 6)
    return share, piece.is_page and (is_told or (part.intent in _PAGES_FIRST and share >= LIKELY))


def _acts(part: QuestionPart, piece: Piece) -> Excerpt | None:
    """Return the lines of code that have the verb of a question and what it is done to."""
    verbs, things = (_terms(part, *kinds) for kinds in ((SlotKind.VERB,), (SlotKind.OBJECT, SlotKind.SUBJECT)))
    return excerpts.acting(piece.evidence, verbs, things - verbs) if piece.is_code else None


def _terms(part: QuestionPart, *kinds: SlotKind) -> frozenset[str]:
    return frozenset(term for text in part.texts(*kinds) for term in count_terms(text))


def _about(piece: Piece, part: QuestionPart) -> str:
    return piece.about(_terms(part, *SlotKind))


def _support(material: Material, part: QuestionPart, piece: Piece) -> Support:
    symbol = piece.evidence.symbol if piece.is_definition else None
    said = f"{symbol.qualified_name} {piece.summary}" if symbol else _headings(part, piece)
    done = _acts(part, piece) if symbol else None
    said = "\n".join((said, *done.lines)) if done else said
    return _compared(material, part, symbol, said)


def _compared(material: Material, part: QuestionPart, symbol: SymbolRef | None, said: str) -> Support:
    if part.intent is Intent.SUPPORT and not _has_numbers(part, said):
        return low("nothing that was found names what is asked for")
    asked = part.texts(*SlotKind)
    if asked == part.texts(SlotKind.VERB):  # the verb alone does not identify the topic
        asked = (material.question,) if asked else material.understanding.asked(material.question)
    names = _named(material, part) if symbol else ()
    is_named = symbol is not None and any(
        is_same(symbol.qualified_name, each) for each in names for is_same in (is_spelled, is_received)
    )
    return of_reading(part, asked, symbol, said, is_named=is_named)


def _headings(part: QuestionPart, piece: Piece) -> str:
    """Return the headings of a page, with the verb of the question if its first sentences have that."""
    told = count_terms(piece.summary)
    verbs = (each for each in part.texts(SlotKind.VERB) if not told.keys().isdisjoint(count_terms(each)))
    return " ".join((piece.evidence.title, *verbs))


def _named(material: Material, part: QuestionPart) -> tuple[str, ...]:
    """Return the names of what a question says does it: of "how does a worker pick a job" none is surely a name."""
    subjects = part.texts(SlotKind.SUBJECT)
    symbols = material.understanding.named(MentionKind.SYMBOL)
    if part.intent is Intent.CONSEQUENCE:
        told = (each for each in material.understanding.mentions if part.start <= each.start < part.end)
        return (*subjects[:1], *(each.text for each in told), *material.meant)
    is_alone = not part.texts(SlotKind.OBJECT, SlotKind.CONDITION)
    return (*(each for each in subjects[:1] if is_alone or each in symbols), *material.meant)


def _first_sentence(part: QuestionPart, piece: Piece, support: Support) -> str:
    """Name the top piece and its place; what it does is told in its own words alone."""
    told = f": {said}" if (said := _about(piece, part)) else "."
    if not support.is_likely:
        nearest = f"the nearest is {piece.name}, at {piece.place}{told} {piece.cite}"
        return f"Nothing that was found is sure to answer this; {nearest}"
    about = _LIKELY.get(part.intent, _ABOUT)
    says = (about if part.intent is Intent.USAGE else _TOLD) if piece.is_page else about
    says = _ABOUT if part.intent is Intent.USAGE and not piece.is_page else says
    return f"{piece.name}, at {piece.place}, {says}{told} {piece.cite}"


def _item(material: Material, number: int, piece: Piece, about: str) -> str:
    reason = material.reason(piece)
    because = f" ({reason})" if reason else ""
    place = f", {piece.place}" if piece.name != piece.place else ""
    return f"{number}. {piece.name}{place}{because}{': ' + about if about else ''} {piece.cite}"


def _quoted(material: Material, number: int, piece: Piece) -> str:
    lines = _LINES if number > 1 else _LEAD_LINES
    found = excerpts.decisive(piece.evidence, material.weights, max_lines=lines) if piece.is_code else None
    return quote(found) if found else ""
