"""Sessions: the memory that a caller's questions share, of shown evidence and of gaps known to be unfindable."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome
from common.core.errors import PageTokenInvalid
from common.core.words.terms import count_terms
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.evidence.names import is_called, is_spelled, last_part
from orchestrator.domain.evidence.piece import Evidence, GapResult  # noqa: TC001 (read at run time)
from orchestrator.domain.questions.following import heading_of, lists_as_text, spoken_of_by, thing_used

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from common.core.contract.question import Anchors
    from orchestrator.domain.questions.question import AskOptions, Mode

# Most entries that a session keeps, apart from evidence.
MAX_ABSENCES = 500
MAX_SHOWN = 20
# For this time, the owner of an expired session is remembered: asking with it opens a new session, with a warning.
TOMBSTONE_SECONDS = 24 * 3600.0
# Ambiguous gaps are not remembered: the words of another question may resolve them.
_REMEMBERED = frozenset({GapOutcome.ABSENT, GapOutcome.EXTERNAL, GapOutcome.OUT_OF_COVERAGE, GapOutcome.BELOW_FLOOR})
_TITLE_WEIGHT = 3
_ANCHOR_BONUS = 10.0
_MOST_SPOKEN_OF = 3
_EPOCH = datetime.fromtimestamp(0, UTC)


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

    @property
    def place(self) -> str:
        """Return the position in a list; paging continues there even if the session is used again or deleted."""
        return f"{(self.last_use_time - _EPOCH) // timedelta(microseconds=1)} {self.session_id}"


@dataclass(frozen=True, slots=True)
class Shown:
    """Evidence shown for a question: identities in the order of supply; `key` is the `question_key` of the question."""

    key: str
    evidence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """
    What a session remembers for one snapshot: evidence (last used first), unfindable gaps, and evidence by question.

    A snapshot's id is the digest of its layers: when code or layers change, the session starts with an empty memory.

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
        Return the evidence shown for a question, in the same order, up to the first piece that is gone or does not fit.

        The same order lets the model endpoint serve the equal beginning of the prompt from its cache. A list as text
        alone, from an earlier release, counts as gone: a new retrieval has more.
        """
        cached = {each.evidence_id: each for each in self.evidence}
        found: list[Evidence] = []
        left = max_tokens
        for identity in self.shown.get(key, ()):
            piece = cached.get(identity)
            if piece is None or lists_as_text(piece) or piece.tokens > left:
                break
            found.append(replace(piece, pass_number=1))
            left -= piece.tokens
        return tuple(found)


def place_of(place: str) -> tuple[int, str]:
    """
    Parse `Session.place`: time of last use in microseconds since 1970, and session id.

    Raises PageTokenInvalid for a position in the format of the previous release.
    """
    used, _, session_id = place.partition(" ")
    if not (used.isdecimal() and session_id):
        raise PageTokenInvalid("the page token is of an earlier release; start again without one")
    return int(used), session_id


def question_key(question: str, mode: Mode, options: AskOptions, meant: Sequence[str] = ()) -> str:
    """
    Return a digest that is equal for questions of the same terms, mode and options, and does not reveal their text.

    Args:
        meant: Referents that the question does not name: "who calls it?" has another key for another "it".
    """
    text = " ".join((mode.name, options.stated(), *sorted(count_terms(question)), *meant))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def by_use(question: str, anchors: Anchors, evidence: Sequence[Evidence], cited: Sequence[str]) -> tuple[Evidence, ...]:
    """
    Return evidence in ascending order of use: the likely subject of a follow-up question comes last.

    The subject is the list of users or the setting that the text cites first, else what the question names, else what
    the text cites first. Before it stands the other cited evidence, the first cited last, and before that the rest. If
    the text begins with prose and the question names nothing, the session's referents count as named.

    Args:
        cited: Identities of evidence, in the order of the text.
    """
    place = {identity: -at for at, identity in reversed(tuple(enumerate(cited)))}
    first = next((each for each in evidence if cited and each.evidence_id == cited[0]), None)
    named = tuple(each for each in anchors.symbols if each in question)
    if not named and first and not spoken_of_by(first):
        named = anchors.symbols

    def spoken_of(piece: Evidence) -> int:
        if piece is first and (thing_used(piece) or piece.setting):
            return _MOST_SPOKEN_OF
        name = piece.symbol.qualified_name if piece.symbol else ""
        return any(is_called(name, each) for each in named) + any(is_spelled(name, each) for each in named)

    return tuple(
        sorted(evidence, key=lambda each: (spoken_of(each), each.evidence_id in place, place.get(each.evidence_id, 0)))
    )


def absences(results: Iterable[GapResult]) -> tuple[GapResult, ...]:
    """Return the results of unfindable gaps, which a session remembers to avoid a second search."""
    return tuple(each for each in results if each.outcome in _REMEMBERED)


def recall(
    cached: Sequence[Evidence], wanted: frozenset[str], anchors: Anchors, *, max_tokens: int, min_share: float = 0.34
) -> tuple[Evidence, ...]:
    """
    Choose cached evidence that is relevant to a question, most relevant first.

    Evidence is relevant if it shows a symbol or file that the question mentions, or if at least `min_share` of the
    question's terms occur in it, one of them in its title, symbol or path. Ties keep the order of the cache. Chosen
    pieces lose their score, which was for another question.

    Args:
        cached: Last used first.
        wanted: Terms of the new question.
        anchors: What it mentions.
        max_tokens: All chosen pieces together; one that does not fit is passed over.
        min_share: 0 to 1.
    """
    mentioned = {last_part(name).casefold() for name in (*anchors.symbols, *anchors.exceptions)}
    scored = [(_relevance(each, wanted, mentioned, anchors.paths, min_share), each) for each in cached]
    chosen, left = [], max_tokens
    for score, each in sorted(scored, key=lambda pair: -pair[0]):
        if score > 0 and each.tokens <= left:
            chosen.append(replace(each, pass_number=1, score=0.0))
            left -= each.tokens
    return tuple(chosen)


def _relevance(
    evidence: Evidence, wanted: frozenset[str], mentioned: set[str], paths: Sequence[str], min_share: float
) -> float:
    if thing_used(evidence) or lists_as_text(evidence):
        # A list of callers answers no other question, even about the same thing, and would come first in its answer.
        return 0.0
    symbol = evidence.symbol.qualified_name if evidence.symbol else ""
    path = evidence.span.path if evidence.span else ""
    names = {symbol.rpartition(".")[2].casefold(), heading_of(evidence).casefold()}
    if names & mentioned or any(f"/{path}".endswith(f"/{each}") for each in paths):
        return _ANCHOR_BONUS
    heading = wanted & set(count_terms(f"{evidence.title} {symbol} {path}"))
    body = wanted & set(count_terms(evidence.text))
    share = len(heading | body) / len(wanted) if wanted else 0.0
    return share + _TITLE_WEIGHT * len(heading) / len(wanted) if heading and share >= min_share else 0.0
