"""What an answer says first, and how far that is about what was asked: most readers read no further."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from common.core.spellings import spellings
from common.core.synonyms import is_said
from common.core.terms import count_terms, terms_of, words
from orchestrator.domain.evidence import EvidenceKind
from orchestrator.domain.question_terms import is_wordless, question_terms, subject_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orchestrator.domain.evidence import Citation, Evidence
    from orchestrator.domain.question import Anchors

_CITED = re.compile(r"\[(\d{1,4})\]")
_LEADS_ON = re.compile(r":\s*(?:\[\d{1,4}\]\s*)*$")
"""How a paragraph ends that the quoted lines after it belong to."""
_SOURCE_OF_QUOTE = re.compile(r"\(“[^”]{0,300}”[^()]{0,300}\)")
"""How a quoted sentence is followed by where it stands."""
_PLACE = re.compile(r"`[^`\s]{1,300}:\d+(?:-\d+)?`")
_CODE_NAME = re.compile(r"`([A-Za-z_$#][\w.$#]{0,200})(?:\(\))?`")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.\-]")
_ASKS_FOR_VALUE = re.compile(
    r"\b(?:defaults?|limits?|maxim(?:um|al)|minim(?:um|al)|max|min|how (?:many|much|long|often|big|large))\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?<![\w\[.])\d+(?:_\d+)*(?:\.\d+)?[LlFfUu]?(?![\w\]])"
    r"|\b(?:none|true|false|nil|null|zero|unlimited|no (?:limit|default)|disabled|enabled)\b"
    r"|\bby default\b|\bdefaults?(?: is| are| value is| to)?:?\s*`"
    r"|\b(?:is|set to) `(?:[\"']|\[[\"'\d]|[\w\[\]&]*(?:\{|\(\[|\(\{)[\"'\d])",
    re.IGNORECASE,
)
_OF_AN_EVENT = re.compile(r"\W*what (?:happens|occurs)\b", re.IGNORECASE)
"""What is said to happen at a limit asks for no value of it."""
_ASKS_FOR_NUMBER = re.compile(r"\bhow (?:many|much|long|often|big|large)\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<![\w\[.])\d+(?:_\d+)*(?:\.\d+)?[LlFfUu]?(?![\w\]])"
    r"|\b(?:none|never|once|twice|one|two|three|zero|infinit\w+|unlimited|no (?:limit|maximum))\b",
    re.IGNORECASE,
)
_HALF = 0.5
_SENTENCE = 8
"""Words of a paragraph that says something by itself, also if it cites nothing."""
_AT_ONCE = 10
"""Things of a long question that a few sentences can speak of: more are not asked of them."""


@dataclass(frozen=True, slots=True)
class Opening:
    """
    The first paragraph of an answer with the lines quoted for it, and the next where the first is but a word or two.

    Args:
        text: The paragraphs.
        titles: Of the places cited in them.
        leading: The evidence that is cited first; None if none is.
        subjects: What they are about by name: the first name in code marks, and the name or heading of `leading`.

    `terms` are those of text and titles.
    """

    text: str
    titles: tuple[str, ...] = ()
    leading: Evidence | None = None
    subjects: tuple[str, ...] = ()
    terms: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Read the terms once: several questions are asked of them."""
        object.__setattr__(self, "terms", frozenset(count_terms(self.said)))

    @classmethod
    def of(cls, text: str, citations: Sequence[Citation], evidence: Sequence[Evidence]) -> Opening:
        """Cut the opening out of an answer whose citations are numbers."""
        opening = _first_paragraphs(text)
        by_number = {each.number: each for each in citations}
        cited = [by_number[number] for number in map(int, _CITED.findall(opening)) if number in by_number]
        leading = next((each for each in evidence if cited and each.evidence_id == cited[0].evidence_id), None)
        named = _CODE_NAME.search(opening)
        subjects = (named[1].rpartition(".")[2] if named else "", _called(cited[0]) if cited else "")
        return cls(opening, tuple(each.title for each in cited), leading, tuple(filter(None, subjects)))

    def coverage(self, question: str) -> float:
        """Return the share of what a question is about that the opening speaks of, of ten things at most."""
        return _share(question, self.terms)

    def text_coverage(self, question: str) -> float:
        """Return the same share of its text alone: a path has the name of the project, whatever stands there."""
        return _share(question, frozenset(count_terms(_PLACE.sub(" ", self.text))))

    def has_name(self, name: str, *, shown: bool = False) -> bool:
        """
        Tell whether its text, or what it cites first, has a name, by its last part.

        As a whole: "prune" does not speak of "run".
        """
        written = re.compile(rf"(?<!\w){re.escape(name.rpartition('.')[2])}(?!\w)")
        return written.search(self.shown if shown else self.text) is not None

    def shown_coverage(self, question: str) -> float:
        """Return the same share of the opening together with the text of what it cites first."""
        return _share(question, self.terms.union(count_terms(self.shown)))

    @property
    def said(self) -> str:
        """Return the text with the titles of what it cites."""
        return " ".join((self.text, *self.titles))

    @property
    def shown(self) -> str:
        """Return the text of what it cites first; "" for nothing."""
        return self.leading.text if self.leading else ""

    def is_named(self, question: str, anchors: Anchors) -> bool:
        """
        Tell whether it is about the very thing by name.

        Where a question names symbols or exceptions it has all of them; otherwise one of its subjects is made of words
        of the question alone, and of half of those that say what it is about, at least.
        """
        names = _names(question, anchors)
        if names:
            return all(map(self.has_name, names)) and not self._is_of_other_section(question)
        wanted, about = question_terms(question), subject_terms(question)
        called = (frozenset(count_terms(_HUMP.sub(" ", each))) for each in self.subjects)
        return any(each and each <= wanted and len(each & about) >= _HALF * len(about) for each in called)

    def _is_of_other_section(self, question: str) -> bool:
        """Tell a sentence of a page that names the thing in passing: its section is called something else."""
        if self.leading is None or self.leading.kind is not EvidenceKind.DOC or self.leading.symbol:
            return False
        heading = frozenset(count_terms(self.leading.title.rpartition(" > ")[2]))
        return bool(heading) and heading.isdisjoint(question_terms(question))

    def is_astray(self, question: str) -> bool:
        """Tell a flow whose first step, and what that belongs to, no word of what a question is about calls."""
        about, flow = subject_terms(question), self.leading
        if flow is None or flow.kind is not EvidenceKind.FLOW or flow.users or not flow.mentions or not about:
            return False
        *owners, name = (frozenset(count_terms(each)) for each in flow.mentions[0].qualified_name.split("."))
        about |= {form for word in words(question) if about & set(terms_of(word)) for form in spellings(word)}
        return about.isdisjoint(name) and not any(each and each <= question_terms(question) for each in owners)

    def lacks_value(self, question: str) -> bool:
        """Tell whether a question asks for a value, as a default or a limit, and the opening has none."""
        told = _PLACE.sub("", _SOURCE_OF_QUOTE.sub("", self.text))
        value = _NUMBER if _ASKS_FOR_NUMBER.search(question) else _VALUE
        is_asked = _ASKS_FOR_VALUE.search(question) is not None and _OF_AN_EVENT.match(question) is None
        return is_asked and value.search(told) is None

    def lacks_any(self, names: Iterable[str]) -> bool:
        """Tell whether one of some names does not stand in it, in any form."""
        text = self.said.casefold()
        last = [name.rpartition(".")[2] for name in names]
        return any(each.casefold() not in text and self.terms.isdisjoint(count_terms(each)) for each in last)


def names_things(question: str, anchors: Anchors) -> bool:
    """Tell whether a question names symbols or exceptions, apart from those inside of a message that it quotes."""
    return bool(_names(question, anchors))


def _names(question: str, anchors: Anchors) -> list[str]:
    rest = question
    for message in anchors.error_messages:
        rest = rest.replace(message, " ")
    named = (*anchors.symbols, *anchors.exceptions)
    # What the session says that is meant does not stand in the question.
    outside = (each for each in named if each in rest or each not in question)
    return [each.removesuffix("()").rpartition(".")[2] for each in outside]


def _first_paragraphs(text: str) -> str:
    taken: list[str] = []
    for paragraph in filter(str.strip, text.split("\n\n")):
        taken.append(paragraph)
        if _LEADS_ON.search(paragraph):
            continue
        said = "\n".join(taken)
        if _CITED.search(said) or len(said.split()) >= _SENTENCE:
            break
    return "\n".join(taken)


def _called(citation: Citation) -> str:
    symbol = citation.symbol
    return symbol.name if symbol and symbol.qualified_name else citation.title.rpartition(" > ")[2]


def _share(question: str, told: frozenset[str]) -> float:
    terms = subject_terms(question)
    if not terms:
        # About the code as a whole, or about nothing at all.
        return 0.0 if is_wordless(question) else 1.0
    asked = {terms_of(word)[0]: word for word in words(question) if terms_of(word)}
    said = [each for each in terms if each in told or (each in asked and is_said(asked[each], told))]
    return min(1.0, len(said) / min(len(terms), _AT_ONCE))
