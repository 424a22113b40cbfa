"""What a caller's questions share: evidence that was shown before, and names known not to be found."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.evidence import Evidence, GapOutcome, GapResult
from orchestrator.domain.gaps import gap_key
from orchestrator.domain.question import Mode
from orchestrator.domain.question_terms import is_wordless, question_terms, subject_terms
from orchestrator.domain.using import thing_used

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from orchestrator.domain.question import Anchors, AskOptions, Classification

# What a session keeps at most, apart from evidence.
MAX_ABSENCES = 500
MAX_SHOWN = 20
# An expired session is still known as its owner's for so long: asking with it opens a new one, with a warning.
TOMBSTONE_SECONDS = 24 * 3600.0
# An ambiguous gap may be settled by another question's words, so it is not remembered.
_REMEMBERED = frozenset({GapOutcome.ABSENT, GapOutcome.EXTERNAL, GapOutcome.OUT_OF_COVERAGE, GapOutcome.BELOW_FLOOR})
_TITLE_WEIGHT = 3
_LEANING = re.compile(
    r"\b(?:it|its|they|them|their|that one|this one)\b|\b(?:then|this|that|these|those)\W*$"
    r"|^\W*(?:(?:and )?(?:what|how) about\b|and (?!(?:who|what|which|where|when|how|why)\b))",
    re.IGNORECASE,
)
"""Words of a question that may speak of what was spoken of before."""
_GOES_ON = re.compile(r"^\W*and (?:who|what|which|where|when|how|why)\b", re.IGNORECASE)
"""How a question begins that goes on from there, maybe to something else: "and who starts the workers?"."""
_CURT = 5
"""Words of a question that is too short to say by itself what it is about: "why?", "what is the default?"."""
_NAME = re.compile(r"[A-Za-z_][\w.\-]*")
_ANCHOR_BONUS = 10.0


@dataclass(frozen=True, slots=True)
class Session:
    """A session as its owner sees it."""

    session_id: str
    repository: str
    create_time: datetime
    last_use_time: datetime
    expire_time: datetime
    cached_evidence: int = 0
    remembered_absences: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """What was shown for a question: identities of evidence in the order of supply; `key` is its `question_key`."""

    key: str
    evidence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """
    What a session holds for one snapshot: evidence, last used first, absences, and what was shown for which question.

    A snapshot's id is the digest of its layers: when code or layers change, another memory holds, and it is empty.

    Args:
        shown: Identities of evidence in the order of supply, by the `question_key` that they were supplied for.
    """

    evidence: tuple[Evidence, ...] = ()
    absences: tuple[GapResult, ...] = ()
    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def absent(self) -> dict[str, GapResult]:
        """Return the absences by the key of their gap."""
        return {gap_key(each.gap): each for each in self.absences}

    def shown_for(self, key: str, *, max_tokens: int) -> tuple[Evidence, ...]:
        """
        Return what was shown for a question, in its order, up to the first piece that is forgotten or does not fit.

        A prompt that begins as an earlier one did is read from the endpoint's cache as far as both are equal.
        """
        cached = {each.evidence_id: each for each in self.evidence}
        found: list[Evidence] = []
        left = max_tokens
        for identity in self.shown.get(key, ()):
            piece = cached.get(identity)
            if piece is None or piece.tokens > left:
                break
            found.append(replace(piece, pass_number=1))
            left -= piece.tokens
        return tuple(found)


def question_key(question: str, mode: Mode, options: AskOptions) -> str:
    """Return a digest that is equal for questions of the same terms, mode and options; it does not tell their text."""
    text = " ".join((mode.name, options.stated(), *sorted(question_terms(question))))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def absences(results: Iterable[GapResult]) -> tuple[GapResult, ...]:
    """Return the results that are worth remembering as not to be found."""
    return tuple(each for each in results if each.outcome in _REMEMBERED)


def recall(
    cached: Sequence[Evidence], question: str, anchors: Anchors, *, max_tokens: int, min_share: float = 0.34
) -> tuple[Evidence, ...]:
    """
    Choose cached evidence that is relevant to a question, most relevant first.

    Evidence is relevant if it shows a symbol or file that the question mentions, or if at least `min_share` of the
    question's terms occur in it, one of them in its title, symbol or path. Ties keep the order of the cache.

    Args:
        cached: Last used first.
        question: The new question.
        anchors: What it mentions.
        max_tokens: All chosen pieces together; one that does not fit is passed over.
        min_share: 0 to 1.
    """
    wanted = question_terms(question)
    mentioned = {name.rpartition(".")[2].casefold() for name in (*anchors.symbols, *anchors.exceptions)}
    scored = [(_relevance(each, wanted, mentioned, anchors.paths, min_share), each) for each in cached]
    chosen, left = [], max_tokens
    for score, each in sorted(scored, key=lambda pair: -pair[0]):
        if score > 0 and each.tokens <= left:
            chosen.append(replace(each, pass_number=1))
            left -= each.tokens
    return tuple(chosen)


def referent(question: str, found: Classification, cached: Sequence[Evidence]) -> str:
    """
    Return what a question speaks of without naming it ("and what is its default?", "why?"); "" if it names something.

    That is the symbol, or the heading that is a name, which the answer before it cited first. A question for measures
    that names nothing is about the code as a whole.

    Args:
        cached: Last used first.
    """
    anchors = found.anchors
    if not cached or anchors.symbols or anchors.exceptions or anchors.error_messages:
        return ""
    is_curt = len(question.split()) <= _CURT and not subject_terms(question)
    is_of_the_whole = found.mode is Mode.ANALYTICAL and not is_wordless(question)
    goes_on = _GOES_ON.match(question) is not None and _says_something_of(cached[0], subject_terms(question))
    if (not is_curt or is_of_the_whole) and not _LEANING.search(question) and not goes_on:
        return ""
    symbol = cached[0].symbol
    if symbol and symbol.qualified_name:
        return symbol.owner or symbol.qualified_name
    if used := thing_used(cached[0]):
        return used
    heading = _heading(cached[0])
    return heading if _NAME.fullmatch(heading) else ""


def _says_something_of(evidence: Evidence, subject: frozenset[str]) -> bool:
    return not subject or not subject.isdisjoint(count_terms(f"{evidence.title} {evidence.text}"))


def _heading(evidence: Evidence) -> str:
    return evidence.title.rpartition(" > ")[2].strip().strip("`")


def _relevance(
    evidence: Evidence, wanted: frozenset[str], mentioned: set[str], paths: Sequence[str], min_share: float
) -> float:
    symbol = evidence.symbol.qualified_name if evidence.symbol else ""
    path = evidence.span.path if evidence.span else ""
    names = {symbol.rpartition(".")[2].casefold(), _heading(evidence).casefold()}
    if names & mentioned or any(path.endswith(each) for each in paths if path):
        return _ANCHOR_BONUS
    heading = wanted & set(count_terms(f"{evidence.title} {symbol} {path}"))
    body = wanted & set(count_terms(evidence.text))
    share = len(heading | body) / len(wanted) if wanted else 0.0
    return share + _TITLE_WEIGHT * len(heading) / len(wanted) if heading and share >= min_share else 0.0
