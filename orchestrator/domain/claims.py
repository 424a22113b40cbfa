"""Statements of an answer that index and source can confirm or refute, and how they are found in its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = r"`([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)(?:\(\))?`"
# Between verb and object an article or one adjective may stand, and citations anywhere.
_GLUE = r"(?:\s*\[\d+\])*\s+(?:(?:then|also|directly|eventually|in turn|itself|only)\s+)?"
_TO = r"\s+(?:(?:a|an|the|its|on|to)\s+)?"


class ClaimKind(Enum):
    """What a claim says."""

    UNSPECIFIED = auto()
    EXISTS = auto()
    CALLS = auto()
    RAISES = auto()
    MUTATES = auto()
    QUOTES = auto()


class ClaimVerdict(Enum):
    """What the index says about a claim; UNSPECIFIED means that it was not checked."""

    UNSPECIFIED = auto()
    VERIFIED = auto()
    CONTRADICTED = auto()
    UNCHECKABLE = auto()


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement: the subject does something to the object, or quoted code (`object`) stands at `span`."""

    kind: ClaimKind
    subject: str = ""
    object: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict and one sentence that shows why."""

    claim: Claim
    verdict: ClaimVerdict = ClaimVerdict.UNSPECIFIED
    detail: str = ""


_VERBS = (
    (ClaimKind.CALLS, r"(?:calls|invokes|delegates)"),
    (ClaimKind.RAISES, r"(?:raises|throws)"),
    (ClaimKind.MUTATES, r"(?:mutates|modifies|sets|updates|assigns|overwrites)"),
)
_ACTIVE = tuple((kind, re.compile(f"{_NAME}{_GLUE}{verb}{_TO}{_NAME}")) for kind, verb in _VERBS)
_PASSIVE = (
    (ClaimKind.CALLS, re.compile(rf"{_NAME}{_GLUE}is (?:called|invoked) (?:by|from|in){_TO}{_NAME}")),
    (ClaimKind.RAISES, re.compile(rf"{_NAME}{_GLUE}is (?:raised|thrown) (?:by|from|in){_TO}{_NAME}")),
    (ClaimKind.MUTATES, re.compile(rf"{_NAME}{_GLUE}is (?:set|changed|modified|updated) (?:by|from|in){_TO}{_NAME}")),
)
_LISTED = re.compile(rf"(?:,|,?\s+and)\s+{_NAME}")
_QUOTE = re.compile(
    r"^`?([\w./-]+\.\w+):(\d{1,9})(?!\d)(?:-(\d{1,9})(?!\d))?`?[^\n]*\n+```[\w+-]*\n(.*?)\n```",
    re.MULTILINE | re.DOTALL,
)
_BACKTICKED = re.compile(_NAME)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SEPARATOR = re.compile(r"\.|::|#")
_FILE_NAME = re.compile(r"\.(py|pyi|ts|tsx|js|jsx|java|go|rs|c|h|cpp|cs|rb|php|md|rst|toml|json|ya?ml|txt|cfg|ini)$")
_DENIED = re.compile(r"\s+(?:(?:is|was) not (?:defined|found|there)\b|does not exist\b|lives outside\b)")
"""What an answer says of a name that it does not claim to exist."""
_RECEIVERS = frozenset({"self", "cls", "this", "super"})
_MOST_CLAIMS = 60
_FENCE = re.compile(r"^```.*?(?:^```[ \t]*$|(\Z))", re.MULTILINE | re.DOTALL)
"""A block of code, or what is left of the text where none is closed."""


def extract_claims(text: str, *, shown: str = "") -> tuple[Claim, ...]:
    """
    Find what an answer claims about code, without duplicates, relations before mere existence; 60 claims at most.

    Identifiers count only in backticks; prose is never guessed at. A quotation is a fenced block right below a
    line that names `path:line`.

    Args:
        text: The answer in markdown.
        shown: Text of the evidence; that a name exists which stands there, as a whole, is no claim of the answer's own.
    """
    prose = _FENCE.sub(lambda found: "" if found[1] is None else found[0], text)
    named = tuple(_existence(prose))
    known = set(_WORD.findall(shown)) if named else frozenset[str]()
    own = (each for each in named if _SEPARATOR.split(each.subject)[-1] not in known)
    found = dict.fromkeys((*_relations(prose), *_quotes(text), *own))
    return tuple(found)[:_MOST_CLAIMS]


def _relations(prose: str) -> Iterator[Claim]:
    for kind, pattern in _ACTIVE:
        for match in pattern.finditer(prose):
            yield Claim(kind, match[1], match[2])
            yield from (Claim(kind, match[1], name) for name in _further(prose, match.end()))
    for kind, pattern in _PASSIVE:
        for match in pattern.finditer(prose):
            yield Claim(kind, match[2], match[1])
            yield from (Claim(kind, name, match[1]) for name in _further(prose, match.end()))


def _further(prose: str, position: int) -> Iterator[str]:
    while match := _LISTED.match(prose, position):
        yield match[1]
        position = match.end()


def _quotes(text: str) -> Iterator[Claim]:
    for match in _QUOTE.finditer(text):
        start = int(match[2])
        code = match[4]
        end = int(match[3]) if match[3] else start + code.count("\n")
        if code.strip() and 1 <= start <= end:
            yield Claim(ClaimKind.QUOTES, object=code, span=Span(match[1], start, end))


def _existence(prose: str) -> Iterator[Claim]:
    for match in _BACKTICKED.finditer(prose):
        if _DENIED.match(prose, match.end()):
            continue
        if _looks_like_symbol(match[1], called=match[0].endswith("()`")):
            yield Claim(ClaimKind.EXISTS, match[1])


def _looks_like_symbol(name: str, *, called: bool) -> bool:
    """
    Tell a name that code defines from a word, a literal, a parameter or a file name put in backticks.

    A lone snake_case name counts only when written as a call: parameters and keywords look alike. What is called is
    no file, whatever its name ends with.
    """
    if called:
        return True
    if _FILE_NAME.search(name):
        return False
    parts = _SEPARATOR.split(name)
    camel = bool(re.search(r"[a-z0-9][A-Z]|^[A-Z][a-z]+[A-Z]", parts[-1]))
    dotted = len(parts) > 1 and parts[0] not in _RECEIVERS
    return camel or dotted
