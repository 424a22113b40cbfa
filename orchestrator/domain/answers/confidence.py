"""How far the evidence supports an answer, from comparing the slots of the question with the evidence for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimVerdict
from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from common.core.words.terms import count_terms, terms_of, words
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.evidence.names import is_called, is_received, is_spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from common.core.contract.evidence import CheckedClaim
    from common.core.contract.understanding import QuestionPart, Understanding
    from orchestrator.domain.evidence.piece import SymbolRef, UserList

LIKELY = 0.6
"""Least certainty of a definition, or share of the slots' terms of a page, that most likely is what is asked about."""
_WORDS_OF_SOMETHING = 2
"""Least number of words in the slots for medium support; the place must have all. Fewer were right too seldom."""
_NAMED = 3
_UNRESOLVED = "not resolved"
"""Marks a note of the retriever about unresolved places, which may belong to a list."""
_LISTS: Mapping[Intent, tuple[Relation, ...]] = {
    Intent.MODULES: (Relation.HOLDS,),
    Intent.START: (Relation.BEGINS,),
    Intent.RUN: (Relation.COMMANDS,),
    Intent.PLACE: (Relation.HOLDS,),
    Intent.CO_CHANGE: (Relation.CHANGES,),
    Intent.ENTRY_POINTS: (Relation.REGISTERS, Relation.NAMES, Relation.IMPLEMENTS, Relation.INHERITS),
    Intent.DEPENDENCIES: (Relation.REQUIRES,),
    Intent.SETTINGS: (Relation.NAMES,),
    Intent.KINDS: (Relation.IMPLEMENTS, Relation.INHERITS, Relation.NAMES),
    Intent.EXTENSION: (Relation.IMPLEMENTS, Relation.INHERITS, Relation.NAMES),
    Intent.CONCURRENCY: (Relation.SETS,),
    Intent.IMPACT: (Relation.USES, Relation.CALLS, Relation.INHERITS, Relation.IMPORTS, Relation.TESTS),
}
"""Relations of the lists that answer an intent; they replace the relation that the question asks for."""
_NEXT: Mapping[Relation, tuple[Relation, ...]] = {
    Relation.CATCHES: (Relation.IMPLEMENTS, Relation.OVERRIDES),
    Relation.IMPLEMENTS: (Relation.OVERRIDES,),
    Relation.OVERRIDES: (Relation.IMPLEMENTS,),
    Relation.USES: (Relation.IMPORTS,),
}
"""Relations that the retriever lists instead where the subject cannot have the requested relation."""
_EXACT = frozenset(
    {
        Intent.VALUE,
        Intent.RELATION,
        Intent.IMPACT,
        Intent.SIZES,
        Intent.UNUSED,
        Intent.STRUCTURE,
        Intent.FINDINGS,
        Intent.ROUTE,
        Intent.COMPARISON,
    }
)
"""Further intents that only exact evidence answers, such as a value or a route, not a similar definition."""
_OF_PROJECT = frozenset({Relation.REGISTERS, Relation.REQUIRES, Relation.NAMES})
"""Relations whose subject is the project or a part of it, which a question need not name."""


@dataclass(frozen=True, slots=True)
class ConfidenceThresholds:
    """
    Bounds between the three levels.

    Args:
        high_citations: Least number of citations for a high confidence of a model's answer.
        high_coverage: Least share of the slots' terms that the first piece must have for a high confidence.
        medium_coverage: The same share for a medium confidence.
    """

    high_citations: int = 2
    high_coverage: float = 0.6
    medium_coverage: float = 0.3


@dataclass(frozen=True, slots=True)
class Support:
    """
    How far the evidence supports the first statement of an answer.

    Args:
        reason: One clause for the caller, without its full stop.
        share: Share of the slots' terms that the first piece has; 1 where a list, value or place answers.
    """

    level: Confidence = Confidence.LOW
    reason: str = "nothing was found"
    share: float = 1.0

    @property
    def is_likely(self) -> bool:
        """Return whether the evidence is what the question is about, more likely than not."""
        return self.level is not Confidence.LOW


def high(reason: str) -> Support:
    """Return the support of an answer that the evidence states."""
    return Support(Confidence.HIGH, reason)


def medium(reason: str) -> Support:
    """Return the support of an answer that has to be checked in one respect."""
    return Support(Confidence.MEDIUM, reason)


def low(reason: str, share: float = 0.0) -> Support:
    """Return the support of evidence that is merely the nearest to the question, and may not answer it."""
    return Support(Confidence.LOW, reason, share)


def relations_of(part: QuestionPart) -> tuple[Relation, ...]:
    """Return the relations of the lists that answer a part of a question; () where any may."""
    asked = (part.relation, *_NEXT.get(part.relation, ())) if part.relation is not Relation.UNSPECIFIED else ()
    return _LISTS.get(part.intent) or asked


def of_list(
    part: QuestionPart, understanding: Understanding, lists: Sequence[UserList], *, definitions: int = 1
) -> Support:
    """
    Compare the relation and subject of a question with the lists that were found for them.

    Args:
        definitions: How many definitions have the name of the first list's subject.
    """
    found, expected = lists[0], relations_of(part)
    if found.relation is Relation.NAMES:
        return medium(
            "these are told by their names alone; no common type or registration says that they belong together"
        )
    if expected and found.relation not in expected:
        return low("the list is of another relation than the one asked for", 1.0)
    if not _is_of_subject(part, understanding, found):
        return medium(f"the list is about `{found.name}`, which the question does not name")
    alike = len({each.definition for each in lists if each.name == found.name})
    if lacking := _of_completeness(found, alike, definitions):
        return lacking
    if part.intent is Intent.IMPACT:
        return medium("the index lists who uses it; what a change does to them has to be read there")
    return high("the index lists them, each with its place")


def _of_completeness(found: UserList, alike: int, definitions: int) -> Support | None:
    """Return a lower support if a list may lack entries or be about a namesake of its subject; None if not."""
    if not found.count and definitions > 1:
        return low(f"{definitions} definitions are called `{found.name}`; name the file of the one that is meant", 1.0)
    if not found.count:
        return medium("the index knows of none, but it does not see names that are made at run time")
    if found.unsure:
        return medium(
            f"{_counted(len(found.unsure), 'further place')} could not be resolved; check what it says of them"
        )
    if any(_UNRESOLVED in note for note in found.notes):
        return medium("the name stands in more places that are not resolved; they are counted below the list")
    if alike > 1:
        return medium(f"{alike} definitions are called `{found.name}`; name the file of the one that is meant")
    return None


def _is_of_subject(part: QuestionPart, understanding: Understanding, found: UserList) -> bool:
    if found.relation in _OF_PROJECT:
        return True
    named = (*part.texts(SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.OWNER), *understanding.named(*MentionKind))
    if any(is_called(found.name, each) or is_received(found.name, each) for each in named):
        return True
    # A kind is described, not named: "storage backends" are the classes that implement `StorageBackend`.
    described = part.texts(SlotKind.KIND, SlotKind.SUBJECT)
    own = count_terms(found.name).keys()
    return any(set(terms) <= own for terms in map(count_terms, described) if terms)


def of_definitions(written: str, found: Sequence[SymbolRef]) -> Support:
    """Compare a name of the question with the definitions that bear it."""
    places = {each.definition for each in found}
    if len(places) > 1:
        return medium(f"{len(places)} definitions are called `{written}`; name the file of the one that is meant")
    if not found or not is_spelled(found[0].qualified_name, written):
        return medium("the name is spelled otherwise")
    if found[0].qualified_name.count(".") > written.count("."):
        return medium(f"`{written}` is a member of `{found[0].qualified_name.rpartition('.')[0]}`, which is not named")
    return high(f"one definition is called `{written}`")


def of_reading(
    part: QuestionPart,
    asked: Sequence[str],
    symbol: SymbolRef | None,
    said: str,
    *,
    is_named: bool = False,
    certainty: float = 0.0,
) -> Support:
    """
    Judge what is to be read first: code by the retriever's certainty, a page by the words that it shares.

    Args:
        asked: Texts of the slots and mentions, or the whole question where there are none.
        symbol: The definition; None for a page.
        said: Headings of a page.
        is_named: The question names the definition as the one that does what is asked about.
        certainty: Probability that a good answer cites the definition; 0 if it was not estimated.
    """
    given = {terms_of(word): word for text in asked for word in words(text) if terms_of(word)}
    told = count_terms(said).keys()
    missing = [word for terms, word in given.items() if told.isdisjoint(terms)]
    share = certainty if symbol else 1.0 - len(missing) / len(given) if given else 0.0
    if part.intent in _LISTS or part.intent in _EXACT:
        return low("the index has no list or value that answers this; name the thing as the code does", share)
    if symbol and is_named:
        return medium("the question names the first place; what its code does has to be read in its lines")
    if symbol:
        level = Confidence.MEDIUM if certainty >= LIKELY else Confidence.LOW
        found = f"places that were found like the first one were right in {certainty:.0%} of the questions tried"
        return Support(level, f"{found}: read it" if certainty else "the first place is merely the nearest", share)
    verbs = {term for text in part.texts(SlotKind.VERB) for term in terms_of(text)}
    if share < LIKELY or (verbs and verbs.isdisjoint(told)):
        named = ", ".join(f"“{word}”" for word in missing[:_NAMED]) or "the verb of the question"
        return low(f"the nearest page has {named} neither in its headings nor in its first sentences", share)
    is_whole = share == 1.0 and len(given) >= _WORDS_OF_SOMETHING and bool(part.slots)
    return Support(Confidence.MEDIUM if is_whole else Confidence.LOW, "the page was found by its words: read it", share)


def decide_confidence(
    support: Support, citations: int, claims: Sequence[CheckedClaim], thresholds: ConfidenceThresholds
) -> tuple[Confidence, str]:
    """Decide the confidence of an answer, with the sentence that says why; refuted claims lower it."""
    level, reason = support.level, support.reason
    verdicts = [each.verdict for each in claims]
    refuted = verdicts.count(ClaimVerdict.CONTRADICTED)
    if refuted > verdicts.count(ClaimVerdict.VERIFIED):
        level, reason = Confidence.LOW, f"the index contradicts {_counted(refuted, 'statement')}"
    elif level is Confidence.HIGH and (refuted or support.share < thresholds.high_coverage):
        level = Confidence.MEDIUM
        reason = f"{reason}, but the index contradicts {_counted(refuted, 'statement')}" if refuted else reason
    elif level is Confidence.MEDIUM and support.share < thresholds.medium_coverage:
        level = Confidence.LOW
    cited = f"; {_counted(citations, 'place')} cited" if citations else ""
    return level, f"{reason[:1].upper()}{reason[1:]}{cited}."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
