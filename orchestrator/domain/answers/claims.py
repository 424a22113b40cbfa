"""Statements of an answer that index and source can confirm or refute, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from orchestrator.domain.evidence.piece import Span  # noqa: TC001 (read at run time)


class ClaimKind(Enum):
    """Kind of a claim."""

    UNSPECIFIED = auto()
    EXISTS = auto()
    CALLS = auto()
    RAISES = auto()
    MUTATES = auto()
    QUOTES = auto()
    CATCHES = auto()
    INHERITS = auto()
    ABSENT = auto()
    VALUE = auto()
    LOCATED = auto()
    REFERS = auto()
    SHOWS = auto()


class ClaimVerdict(Enum):
    """Verdict of the index on a claim; UNSPECIFIED if it was not checked."""

    UNSPECIFIED = auto()
    VERIFIED = auto()
    CONTRADICTED = auto()
    UNCHECKABLE = auto()


@dataclass(frozen=True, slots=True)
class Claim:
    """
    A statement: the subject does something to the object, or code (`object`) stands at `span`.

    `span` of other kinds than QUOTES, SHOWS and LOCATED is the place cited with the subject: of several definitions of
    that name, the one there is meant.
    """

    kind: ClaimKind
    subject: str = ""
    object: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ClaimSite:
    """
    A claim where the text makes it.

    Args:
        end: Offset in the text behind the sentence.
        is_sure: The words can mean nothing else; otherwise the claim may be verified, and is never refuted.
    """

    claim: Claim
    start: int
    end: int
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict and one sentence that shows why."""

    claim: Claim
    verdict: ClaimVerdict = ClaimVerdict.UNSPECIFIED
    detail: str = ""
