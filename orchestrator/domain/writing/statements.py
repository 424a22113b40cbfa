"""What can be said about a question in a sentence or two: the pieces' own words, weighed by what the question asks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.spellings import spellings
from common.core.terms import count_terms
from orchestrator.domain.deeds import deed, how_done, unsaid_deed
from orchestrator.domain.evidence import SymbolKind
from orchestrator.domain.question_terms import is_vague, subject_terms
from orchestrator.domain.versions import speaks_of_another_version
from orchestrator.domain.writing import prose

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from orchestrator.domain.writing.pieces import Piece

_ASKS_FOR_VALUE = re.compile(
    r"\b(?:defaults?|limits?|maxim(?:um|al)|minim(?:um|al)|max|min|how (?:many|much|long|often|big|large)|values?"
    r"|set to|(?:which|what) (?:port|url|host|address|version)|what (?:is|does) [`\w-]+(?:\.[\w-]+)+)\b",
    re.IGNORECASE,
)
_ASKS_HOW_OFTEN = re.compile(r"\bhow (?:many times|often)\b", re.IGNORECASE)
_VALUE = re.compile(r"\b\d|`[^`\s]{1,20}`|\"[^\"\s]{1,20}\"|\b(?:[Nn]one|[Tt]rue|[Ff]alse|zero|unlimited|no limit)\b")
_ASKS_FOR_USE = re.compile(
    r"\W*(?:how (?:do|can|should|would|to)\b(?! \w+ (?:work|implement))|is (?:it|there)|can|does)\b", re.IGNORECASE
)
_ASKS_FOR_PLACE = re.compile(
    r"\W*(?:\w+,? )?(?:where\b|(?:in )?which (?:file|module|class|function|method)\b)", re.IGNORECASE
)
_ASKS_FOR_DIFFERENCE = re.compile(r"\b(?:differ\w*|distinction|versus|vs|compared?)\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"(?:\b(?:between|does|do|is|compare)\s+|^\W*+)(?:an? |the )?([\w.`()]+(?: [\w.`()]+)?)"
    r"\s+(?:and|vs\.?|versus|differ from|compared? (?:to|with))\s+(?:an? |the )?([\w.`()]+(?: [\w.`()]+)?)",
    re.IGNORECASE,
)
_NO_NAME = frozenset({"with", "when", "in", "on", "for", "of", "without", "if", "to", "here", "and", "or"})
_NEWS = re.compile(
    r"(?:^|[/_\-])(?:change|changes|changelog|history|news|releases?|release[_-]?notes?|whats_?new)\b", re.IGNORECASE
)
_OF_TESTS = re.compile(r"(?:^|/)(?:tests?|testdata|fixtures|__tests__|specs?)/", re.IGNORECASE)
_ASKS_FOR_NEWS = re.compile(
    r"\b(?:chang\w*|version\w*|releas\w*|new|since|still|remov\w*|deprecat\w*|fix\w*|added|when was|v?\d+\.\d+)\b",
    re.IGNORECASE,
)
_FOR_MAKERS = re.compile(
    r"(?:^|/)(?:agents|claude|contributing|code_of_conduct|security|threat_model|releas\w*|maintain\w*|todo|llms)\b[^/]*$",
    re.IGNORECASE,
)
"""Pages for those who make the project, not for those who use it."""
_OVERVIEW = re.compile(r"readme|overview|introduction|how-[\w-]+-works|getting[-_]started", re.IGNORECASE)
_ASIDE = re.compile(r"(?:^|/)_?(?:tests?|examples?|samples?|benchmarks?|demos?|contrib|vendor)/", re.IGNORECASE)
_SHOWS = re.compile(r"\b(?:tests?|examples?|samples?|benchmarks?|demos?|tutorials?)\b", re.IGNORECASE)
_NAME_OF_CODE = re.compile(r"(?=[\w.\-]++\Z)[\w.\-]*(?:[a-z0-9][A-Z]|[A-Za-z0-9][_.\-][A-Za-z0-9]|^[A-Z]{3,}$)[\w.\-]*")
_WORD = re.compile(r"[A-Za-z_][\w.\-]*")
_FAILURE = re.compile(r"(?:Error|Exception|Failure|Warning)\b")
_MOST_DEFINITIONS = 8
_SENTENCES_CHARS = 320
_LISTED_CHARS = 160
_SAID_OFTEN = 0.65
"""Weight of a term that half of the pieces have: the name of the project."""
_LEAST_WORDS = 4
"""A paragraph of fewer words is a label."""
_DEFAULT = re.compile(r"^[^\w\n]*+Default\b[\s*:]*:[\s*:]*([^\n]{1,60})$", re.MULTILINE)
_LABEL = re.compile(r"\W*(?:Default|Type|Scope|Environment Variable|New in|Added in|Changed in)\b[\s*]*(?:version|:)")
_ENTRY = re.compile(
    r"`{1,2}:?[\w.-]+(?:[ =][^`]*)?`{1,2}(?:,? `[^`]+`)*(?:\s+(?:[\u2013\u2014-]|&mdash;)\s|:\s|\s+[A-Z])"
)
"""How a list begins what it says of a name."""
_CONTRAST = re.compile(
    r"\b(?:while|whereas|unlike|instead|rather|only|but|than|recommended|contrary|contrast)\b", re.IGNORECASE
)
_BY_NAME = 0.5
_BY_WORDS = 0.25
"""What it counts that a heading is the very name that a question asks for, and that it is made of its words."""
_HEADED = 0.6
_HALF = 0.5
"""Shares of what a question asks, and of what that is about, from and above which a heading is about it."""
_FEW = 2
"""Words of a deed of which one in a sentence tells it."""
_OF_DEED = 0.35
"""What it counts that a text speaks of what a question asks whether it is done."""


@dataclass(frozen=True, slots=True)
class Statement:
    """
    What a piece says that may answer.

    Args:
        coverage: Share of what the question asks that it speaks of, rare terms counting more.
        score: Coverage, with what else speaks for or against it.
    """

    piece: Piece
    text: str
    coverage: float
    score: float


def term_weights(wanted: Collection[str], pieces: Sequence[Piece]) -> dict[str, float]:
    """Weigh the terms of a question: what every piece speaks of tells none from another."""
    shown = [set(count_terms(f"{each.evidence.title} {each.evidence.text}")) for each in pieces]
    return {term: 1.0 / (1.0 + sum(term in each for each in shown) / max(1, len(shown))) for term in sorted(wanted)}


def asks_for_place(question: str) -> bool:
    """Tell whether a question is where something is."""
    return _ASKS_FOR_PLACE.match(question) is not None


def asks_for_value(question: str) -> bool:
    """Tell whether a question is what something is set to, or how much it may be."""
    return _ASKS_FOR_VALUE.search(question) is not None


def asks_how_often(question: str) -> bool:
    """Tell whether a question is how many times something is done."""
    return _ASKS_HOW_OFTEN.search(question) is not None


def says_default(question: str, statement: Statement) -> bool:
    """Tell what says in one sentence a default, with a value, of all that a question for one is about."""
    if not re.search(r"\bdefaults?\b", question, re.IGNORECASE):
        return False
    headed = f"{statement.piece.name} {statement.piece.evidence.title.rpartition(' > ')[2]}"
    return any(
        re.search(r"\bdefaults?\b", each, re.IGNORECASE)
        and _VALUE.search(each)
        and subject_terms(question) <= set(count_terms(f"{headed} {each}"))
        for each in prose.sentences(statement.text)
    )


def asks_for_use_shown(question: str) -> bool:
    """Tell a question about examples, tests and the like."""
    return _SHOWS.search(question) is not None


def is_beside(question: str, piece: Piece) -> bool:
    """Tell a list of changes, which says what was once, and a text that tests read, unless such is asked for."""
    path = piece.evidence.span.path if piece.evidence.span else ""
    if piece.evidence.symbol is None and _OF_TESTS.search(path):
        return not asks_for_use_shown(question)
    return _NEWS.search(path) is not None and _ASKS_FOR_NEWS.search(question) is None


def is_aside(path: str) -> bool:
    """Tell code that shows or tries out what other code does."""
    return _ASIDE.search(path) is not None


def statements(
    question: str, weights: Mapping[str, float], definitions: Sequence[tuple[Piece, float]], pages: Iterable[Piece]
) -> tuple[Statement, ...]:
    """
    Return what definitions and pages say about a question, best first; equals stay in the given order.

    Args:
        weights: Of the question's terms.
        definitions: Best first, each with how surely the question names it, 0 to 1.
        pages: Documentation other than that of single symbols.
    """
    said = (*_of_definitions(question, weights, definitions), *_of_pages(question, weights, pages))
    found = (each for each in said if not speaks_of_another_version(question, each.text))
    return tuple(sorted(found, key=lambda each: -each.score))


def _of_definitions(
    question: str, weights: Mapping[str, float], definitions: Sequence[tuple[Piece, float]]
) -> Iterator[Statement]:
    surest = max((named for _, named in definitions), default=0.0)
    is_way = how_done(question) is not None
    # Who speaks of the deed is looked at before who is called like the rest of the question.
    told = sorted(definitions, key=lambda each: _speaks_of_deed(question, f"{each[0].name} {each[0].summary}") <= 0.0)
    for place, (piece, named) in enumerate(told[:_MOST_DEFINITIONS]):
        summary = piece.summary
        symbol = piece.evidence.symbol
        if not summary or symbol is None:
            continue
        covered = _share(weights, f"{symbol.qualified_name} {summary}")
        score = covered + (0.15 if _ASKS_FOR_USE.match(question) else 0.3) * named + (0.05 if place == 0 else 0.0)
        # Where one is named, another one is hardly meant.
        score -= 0.2 * (surest >= 1.0 and named < 1.0) + 0.2 * is_aside(symbol.path)
        # How a failure is called says nothing of how the thing is done.
        score -= 0.3 * (named < 1.0 and is_way and _is_failure(piece))
        score += _speaks_of_deed(question, f"{piece.name} {summary}")
        yield Statement(piece, summary, covered, score + _worth(question, summary))


def _of_deed(question: str, weights: Mapping[str, float]) -> Mapping[str, float]:
    """Return the terms of the deed that a question asks for in all forms, each with what it counts; {} for none."""
    forms = {word: spellings(word) for word in deed(question)}
    own = {word: max(weights.get(form, 0.0) for form in each) for word, each in forms.items() if each}
    return {form: own[word] for word in own for form in forms[word] if own[word]}


def _speaks_of_deed(question: str, text: str) -> float:
    """Return what it counts that a text speaks of the deed that a question asks for; 0.0 if it asks for none."""
    return _OF_DEED * (bool(deed(question)) and not unsaid_deed(question, text))


def _is_failure(piece: Piece) -> bool:
    symbol = piece.evidence.symbol
    return symbol is not None and symbol.kind is SymbolKind.CLASS and _FAILURE.search(piece.signature) is not None


def _of_pages(question: str, weights: Mapping[str, float], pages: Iterable[Piece]) -> Iterator[Statement]:
    done = _of_deed(question, weights)
    least = 0 if not done else 1 if len(deed(question)) <= _FEW else 2
    for piece in pages:
        headed = headed_by(question, weights, piece.evidence.title)
        wanted = _VALUE if asks_for_value(question) else None
        text = _page_text(piece, done or weights, least, headed=headed > 0.0, wanted=wanted)
        if not text and _ASKS_FOR_USE.match(question):
            text = _listed(piece, question, weights)
        if not text:
            continue
        covered = _share(weights, text)
        # What only the headings speak of is what the sentence is about, maybe.
        covered = (covered + _share(weights, f"{piece.evidence.title} {text}")) / 2
        path = piece.evidence.span.path if piece.evidence.span else ""
        score = covered + max(headed, _names_subject(question, weights, piece.evidence.title))
        score -= 0.3 * _is_elsewhere(path) + 0.3 * prose.leans_back(text)
        score -= 0.2 * (_is_entry(text) and headed < _BY_NAME) + 0.4 * (not _speaks_of_subject(question, text))
        score -= 0.3 if asks_for_place(question) else 0.2 * is_aside(path)
        score += 0.1 * (_ASKS_FOR_USE.match(question) is not None) + _speaks_of_deed(question, text)
        # Who asks about nothing in particular wants to know what this is.
        score += (0.4 + 0.2 * (_OVERVIEW.search(path) is not None)) * is_vague(question)
        yield Statement(piece, text, covered, score + _worth(question, text))


def _speaks_of_subject(question: str, text: str) -> bool:
    """Tell whether a text has half of what a question is about, apart from what it wants to know of it."""
    subject = subject_terms(question)
    return 2 * len(subject & set(count_terms(text))) >= len(subject)


def _is_entry(text: str) -> bool:
    """Tell what a list says of one parameter, option or field."""
    return _ENTRY.match(text) is not None


def _is_elsewhere(path: str) -> bool:
    """Tell a page that speaks of the project's making or past."""
    return _NEWS.search(path) is not None or _FOR_MAKERS.search(path) is not None


def _page_text(
    piece: Piece, weights: Mapping[str, float], least: int, *, headed: bool, wanted: re.Pattern[str] | None
) -> str:
    text = prose.plain(piece.evidence.text)
    opening = _opening(text) if headed else ""
    told = opening or prose.relevant_sentences(text, weights, wanted, least=least)
    titled = set(weights) & set(count_terms(piece.evidence.title))
    if not told and titled and 2 * len(titled) >= len(weights):
        told = prose.opening_sentences(text, 2, _SENTENCES_CHARS)
    # What only leads on to something else, or asks, says nothing by itself.
    return prose.unlabelled(told) if len(told.split()) >= _LEAST_WORDS and not told.endswith((":", "?")) else ""


def _listed(piece: Piece, question: str, weights: Mapping[str, float]) -> str:
    """Return the item of a list that has all of what is asked for, quoted, as lists of features have; "" for none."""
    subject = subject_terms(question)
    about = {term for term in subject if weights.get(term, 0.0) > _SAID_OFTEN} or subject
    items = prose.items(piece.evidence.text)
    found = next((each for each in items if about and about <= set(count_terms(each))), "")
    return f"“{prose.unlabelled(prose.shortened(found, _LISTED_CHARS))}”" if found else ""


def _opening(text: str) -> str:
    """Return what a section says first, after the default if it is one of a setting."""
    default = _DEFAULT.search(text)
    told = "\n\n".join(
        each for each in text.split("\n\n") if len(each.split()) >= _LEAST_WORDS and not _LABEL.match(each)
    )
    opening = prose.opening_sentences(told, 2, _SENTENCES_CHARS)
    if not opening or not default or default[0] in opening:
        return opening
    return f"Default: {default[1].strip().rstrip('.')}. {opening}"


def headed_by(question: str, weights: Mapping[str, float], title: str) -> float:
    """Return more the surer a section is about the very thing: its heading is a name of the question, or all of it."""
    heading = title.rpartition(" > ")[2].strip().strip("`*").removesuffix("()").strip("`")
    if _NAME_OF_CODE.fullmatch(heading):
        # "acks_late" is what `task_acks_late` is about.
        name = heading.casefold()
        return _BY_NAME * any(name == each or name.endswith((f"_{each}", f".{each}")) for each in _names_in(question))
    return _BY_WORDS * (_is_made_of(weights, heading) and _share(weights, heading) >= _HEADED)


def _names_subject(question: str, weights: Mapping[str, float], title: str) -> float:
    """Return as much for a heading that is what a question is about, apart from what it wants to know of that."""
    heading, subject = title.rpartition(" > ")[2], subject_terms(question)
    about = {term: weight for term, weight in weights.items() if term in subject}
    return _BY_WORDS * (_is_made_of(weights, heading) and _share(about, heading) > _HALF)


def _is_made_of(weights: Mapping[str, float], heading: str) -> bool:
    """Tell a heading that has no other words than those of the question."""
    told = set(count_terms(heading))
    return bool(told) and told <= set(weights)


def _names_in(question: str) -> list[str]:
    return [
        each.strip(".-").casefold() for each in _WORD.findall(question) if _NAME_OF_CODE.fullmatch(each.strip(".-"))
    ]


def _share(weights: Mapping[str, float], text: str) -> float:
    told = set(count_terms(text))
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in told) / whole if whole else 0.0


def _worth(question: str, text: str) -> float:
    """Return more for a value where the question asks for one, and for a contrast where it asks for a difference."""
    value = 0.15 * bool(asks_for_value(question) and _VALUE.search(text))
    return value + 0.1 * bool(_ASKS_FOR_DIFFERENCE.search(question) and _CONTRAST.search(text))


def compared(question: str) -> tuple[str, ...]:
    """Return the names of the two things whose difference is asked for, as dotted as written; () if none is."""
    found = _ASKS_FOR_DIFFERENCE.search(question) and _BETWEEN.search(question)
    if not found:
        return ()
    return tuple(_last_name(each) for each in found.groups())


def _last_name(written: str) -> str:
    """Return the last word that may be a name: of "insert with" it is the first."""
    words = written.strip("`()_ ").split()
    names = [each for each in words if each.casefold() not in _NO_NAME] or words
    return names[-1].strip("`()_")


def contrasts(text: str, names: Iterable[str]) -> bool:
    """Tell whether a text sets two things off against each other."""
    said = text.casefold()
    return _CONTRAST.search(text) is not None and all(name.rpartition(".")[2].casefold() in said for name in names)
