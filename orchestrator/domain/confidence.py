"""How far the evidence carries an answer: derived after the loop, from what it cites and what stayed open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.answer import Confidence
from orchestrator.domain.claims import ClaimKind, ClaimVerdict
from orchestrator.domain.deeds import NOT_ABOUT, how_done, quoted, unsaid_deed, unsaid_event, unsaid_way
from orchestrator.domain.evidence import EvidenceKind, GapOutcome
from orchestrator.domain.messages import unseen_messages
from orchestrator.domain.opening import Opening, names_things
from orchestrator.domain.question_terms import asks_for_measures, is_wordless, subject_terms
from orchestrator.domain.unheld import unheld_words
from orchestrator.domain.using import finds_nobody, thing_used
from orchestrator.domain.versions import unsaid_version
from orchestrator.domain.writing.statements import compared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.claims import CheckedClaim
    from orchestrator.domain.evidence import Citation, Evidence, GapResult
    from orchestrator.domain.question import Anchors

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class ConfidenceThresholds:
    """
    Bounds between the three levels.

    Args:
        high_citations: Places that a high confidence needs.
        high_coverage: Share of what the question is about that the opening of the answer speaks of, for high.
        medium_coverage: The same of the opening with the text of what it cites first, for medium.
        max_unresolved_share: Gaps that may stay open, as a share, for medium.
        high_held: Share of a model's citations beside names whose lines show these names, for high.
        medium_held: The same for medium.
        high_verified: Claims of a model that index or source verify, for high.
        high_verified_share: The same as a share of those that were checked.
    """

    high_citations: int = 2
    high_coverage: float = 0.6
    medium_coverage: float = 0.3
    max_unresolved_share: float = 0.67
    high_held: float = 0.9
    medium_held: float = 0.5
    high_verified: int = 3
    high_verified_share: float = 0.4


@dataclass(frozen=True, slots=True)
class Grounds:
    """
    What a confidence is derived from.

    Args:
        citations: Places cited.
        coverage: Share of what the question is about that the opening of the answer speaks of.
        shown_coverage: The same of the opening with the text of what it cites first.
        is_exact: The opening is about the very thing by name, or shows where the quoted message is made.
        is_measured: The question asks for measures, and the opening tells them; numbers have no place to cite.
        lacks_value: The question asks for a value, and the opening has none.
        unresolved: Gaps that stayed open.
        gaps: All gaps.
        verified: Claims that the index shows.
        contradicted: Claims that it refutes.
        unseen_messages: Quoted error messages that no cited place holds.
        unheld: Words of the question that nothing in the index holds, or holds together.
        unsaid_version: Of what the question asks a yes for; neither the opening nor what it cites first has it.
        unsaid_deed: Words of what the question asks whether or how it is done, or what comes of it; what is said first
            has them not.
        is_astray: It begins with a flow from what the question does not speak of.
        lacks_one: The question asks how two things differ, and the opening speaks of one alone.
        finds_nobody: The opening says that nobody is known to use what the question asks the users of, or not all.
        other_failure: Why it may be another failure than the one that is reported by a type of elsewhere, which may be
            raised for anything: the opening lacks the type, or has less than half of what else is said; "" if it has
            both.
    """

    citations: int
    coverage: float
    shown_coverage: float
    is_exact: bool
    unresolved: int
    gaps: int
    verified: int
    contradicted: int
    is_measured: bool = False
    lacks_value: bool = False
    unseen_messages: int = 0
    unheld: str = ""
    unsaid_version: str = ""
    unsaid_deed: str = ""
    is_astray: bool = False
    lacks_one: bool = False
    finds_nobody: bool = False
    other_failure: str = ""


def grounds(
    question: str,
    anchors: Anchors,
    text: str,
    evidence: Sequence[Evidence],
    citations: Sequence[Citation],
    results: Sequence[GapResult],
    claims: Sequence[CheckedClaim],
) -> Grounds:
    """
    Gather what speaks for and against an answer. What was asked for and was never searched counts as open.

    Args:
        text: The answer; its citations are numbers.
        evidence: All that was supplied.
    """
    opening = Opening.of(text, citations, evidence)
    # What the session says that is meant counts as if it were named.
    asked = " ".join((question, *anchors.symbols))
    cited_ids = {each.evidence_id for each in citations}
    cited = [each for each in evidence if each.evidence_id in cited_ids]
    verdicts = [each.verdict for each in claims]
    unseen = unseen_messages(anchors, cited)
    return Grounds(
        citations=len(citations),
        coverage=opening.coverage(asked),
        shown_coverage=opening.shown_coverage(asked),
        is_exact=_is_exact(opening, question, anchors),
        is_measured=asks_for_measures(question) and opening.leading is None and _has_measures(evidence),
        lacks_value=not anchors.frames and not _is_described(opening) and opening.lacks_value(question),
        unresolved=sum(each.outcome is not GapOutcome.RESOLVED for each in results),
        gaps=len(results),
        verified=verdicts.count(ClaimVerdict.VERIFIED),
        contradicted=verdicts.count(ClaimVerdict.CONTRADICTED),
        unseen_messages=len(unseen),
        unsaid_version=unsaid_version(question, f"{opening.said} {opening.shown}"),
        unsaid_deed=_unsaid_deed(opening, question, anchors),
        is_astray=opening.is_astray(asked),
        lacks_one=opening.lacks_any(compared(question)),
        finds_nobody=any(map(finds_nobody, evidence if opening.leading is None else (opening.leading,))),
        unheld=unheld_words(question, evidence),
        other_failure=_other_failure(opening, question, anchors, evidence),
    )


def _is_exact(opening: Opening, question: str, anchors: Anchors) -> bool:
    if is_wordless(question):
        # "Why?" may be asked of anything that was said.
        return False
    if not _does_it(opening, question):
        return False
    if opening.is_named(question, anchors):
        return True
    if opening.leading is None or names_things(question, anchors):
        return False
    # Of several messages one place makes one.
    return len(unseen_messages(anchors, [opening.leading])) < len(anchors.error_messages)


def _does_it(opening: Opening, question: str) -> bool:
    """Tell a function that does it, or a page about it, where a question is how somebody does something; else any."""
    asked, leading = how_done(question), opening.leading
    if asked is None or not asked.who or leading is None or leading.kind is EvidenceKind.FLOW:
        return True
    if leading.symbol is None:
        return asked.is_headed_by(leading.title)
    return leading.symbol.is_function and asked.tells_it(leading.symbol.qualified_name)


def _other_failure(opening: Opening, question: str, anchors: Anchors, evidence: Sequence[Evidence]) -> str:
    if anchors.error_messages or anchors.frames or anchors.symbols or _finds_users(opening):
        return ""
    defined = {each.symbol.name for each in evidence if each.symbol}
    common = [each for each in anchors.exceptions if each.rpartition(".")[2] not in defined]
    rest = question
    for each in common:
        rest = rest.replace(each, " ")
    if unsaid := [each for each in common if not opening.has_name(each)]:
        # What raises it, and was found by what is said besides, need not say so first.
        raised = opening.has_name(unsaid[0], shown=True)
        return "" if raised else f"what comes first does not speak of {unsaid[0]}"
    is_alone = bool(common) and (not subject_terms(rest) or opening.text_coverage(rest) < _HALF)
    return "what is raised there may be raised for another reason" if is_alone else ""


def _unsaid_deed(opening: Opening, question: str, anchors: Anchors) -> str:
    """Return the words of the deed that it lacks; of a way, and of what is named, the text counts too."""
    if _finds_users(opening):
        return ""
    asked, is_flow = how_done(question), opening.leading is not None and opening.leading.kind is EvidenceKind.FLOW
    # A flow may do it step by step, whoever does.
    way = unsaid_way(question, f"{opening.said} {opening.shown}") if not (is_flow and asked and asked.who) else ""
    if way:
        return quoted(way)
    if event := unsaid_event(question, f"{opening.said} {opening.shown}"):
        return quoted(event)
    shown = opening.shown if names_things(question, anchors) else ""
    said = "" if opening.text.startswith(NOT_ABOUT) else f"{opening.said} {shown}"
    return " or ".join(map(quoted, unsaid_deed(question, said)))


def _is_described(opening: Opening) -> bool:
    """Tell a definition that a question describes, as what holds all values of a kind: its lines have them."""
    return opening.leading is not None and bool(opening.leading.described)


def _finds_users(opening: Opening) -> bool:
    return opening.leading is not None and bool(thing_used(opening.leading))


def _has_measures(evidence: Sequence[Evidence]) -> bool:
    return any(each.kind is EvidenceKind.METRICS for each in evidence)


def judge_confidence(facts: Grounds, thresholds: ConfidenceThresholds) -> tuple[Confidence, str]:
    """Return the level and the one sentence that says why."""
    against = _against(facts, thresholds)
    if against:
        return Confidence.LOW, f"{against}."
    speaks = f"what it says first speaks of {facts.coverage:.0%} of what is asked"
    support = "what it says first was measured" if facts.is_measured else speaks
    support += f", {facts.citations} {_plural(facts.citations, 'place')} cited"
    if facts.verified:
        support += f", {facts.verified} {_plural(facts.verified, 'claim')} verified against the index"
    missing = _missing_for_high(facts, thresholds)
    if missing:
        return Confidence.MEDIUM, f"{support}, but {missing}."
    return Confidence.HIGH, f"{support}, and nothing stayed open."


def invented_names(claims: Sequence[CheckedClaim]) -> tuple[str, ...]:
    """Return the identifiers of the answer that do not exist in the index."""
    missing = (
        each.claim.subject
        for each in claims
        if each.claim.kind is ClaimKind.EXISTS and each.verdict is ClaimVerdict.CONTRADICTED
    )
    return tuple(dict.fromkeys(missing))


def _against(facts: Grounds, thresholds: ConfidenceThresholds) -> str:
    if not facts.citations:
        return "no place in the source supports the answer"
    if facts.unheld:
        return f"nothing in the index speaks of {facts.unheld}"
    if unsaid := facts.unsaid_version or facts.unsaid_deed:
        return f"what comes first does not speak of {unsaid}"
    if facts.other_failure:
        return facts.other_failure
    if facts.is_astray:
        return "the flow that comes first starts at what the question does not speak of"
    if facts.contradicted and facts.contradicted >= facts.verified:
        return f"{facts.contradicted} {_plural(facts.contradicted, 'claim')} contradicted by the index"
    if facts.gaps > 1 and facts.unresolved / facts.gaps > thresholds.max_unresolved_share:
        return f"{facts.unresolved} of {facts.gaps} things that were missing stayed open"
    if facts.shown_coverage < thresholds.medium_coverage and not facts.is_measured:
        return f"what comes first speaks of only {facts.shown_coverage:.0%} of what is asked"
    if facts.lacks_value and not facts.is_exact:
        return "what comes first has no value, which the question asks for, and is not about what it names"
    return ""


def _missing_for_high(facts: Grounds, thresholds: ConfidenceThresholds) -> str:
    if stays_open := _open(facts):
        return stays_open
    if facts.citations < thresholds.high_citations:
        return "it rests on a single place"
    if facts.is_measured:
        return "numbers have no place to cite"
    if not facts.is_exact:
        return "what comes first is not called what the question says"
    if facts.lacks_one:
        return "it begins with one alone of the things that are compared"
    if facts.lacks_value:
        return "it begins without the value that is asked for"
    if facts.coverage < thresholds.high_coverage:
        return "part of what is asked does not occur there"
    return ""


def _open(facts: Grounds) -> str:
    """Say what nothing that was found settles; "" if there is none such."""
    if facts.contradicted:
        return f"{facts.contradicted} {_plural(facts.contradicted, 'claim')} contradicted by the index"
    if facts.unresolved:
        return f"{facts.unresolved} of {facts.gaps} missing {_plural(facts.gaps, 'thing')} stayed open"
    if facts.unseen_messages:
        return "a message that the question quotes is in no cited place"
    if facts.finds_nobody:
        return "there may be more that is not resolved"
    return ""


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
