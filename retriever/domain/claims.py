"""Statements that can be checked against index and source, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retriever.domain.values import Span


class ClaimKind(IntEnum):
    """What a claim says; numbers are those of the contract."""

    EXISTS = 1
    CALLS = 2
    RAISES = 3
    MUTATES = 4
    QUOTES = 5


class ClaimVerdict(IntEnum):
    """What the index says about a claim; numbers are those of the contract."""

    VERIFIED = 1
    CONTRADICTED = 2
    UNCHECKABLE = 3


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement; `subject` and `object` as written in the answer, `span` the place of a quotation."""

    kind: ClaimKind
    subject: str
    object: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict; `detail` is one sentence with the place that shows it."""

    claim: Claim
    verdict: ClaimVerdict
    detail: str


def folded(code: str) -> str:
    """Fold white space and quotation marks, which people change when they quote code."""
    return " ".join(code.split()).replace("'", '"').rstrip(";,")


def last_part(name: str) -> str:
    """Return the simple name of something written dotted, called, or with a receiver."""
    return name.strip().strip("`").partition("(")[0].rpartition(".")[2].strip()
