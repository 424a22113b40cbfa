"""Parts of evidence, gaps and claims as the retriever states them and the orchestrator reads them: cgrag.type.v1."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Span:
    """Whole lines of one file, 1-based and inclusive; `start_line` 0 means the whole file."""

    path: str
    start_line: int = 0
    end_line: int = 0

    def __str__(self) -> str:
        """Return the form that editors and terminals turn into a link."""
        return f"{self.path}:{self.start_line}" if self.start_line else self.path

    def overlaps(self, other: Span) -> bool:
        """Return whether both have a line in common; whole files have none."""
        is_placed = self.path == other.path and self.start_line > 0 and other.start_line > 0
        return is_placed and self.start_line <= other.end_line and other.start_line <= self.end_line


@dataclass(frozen=True, slots=True)
class LineRange:
    """Consecutive lines of a file, 1-based and inclusive."""

    start_line: int = 0
    end_line: int = 0


class BasisKind(Enum):
    """How the code of a piece of evidence relates to the question."""

    UNSPECIFIED = auto()
    FRAME = auto()
    MESSAGE = auto()
    NEAR_MESSAGE = auto()
    TEXT = auto()
    CONSTANT = auto()
    RAISES = auto()
    MAKES = auto()
    CATCHES = auto()
    CALLS = auto()
    CALLED = auto()
    BRANCH = auto()
    ENVIRONMENT = auto()
    OVERVIEW = auto()
    DECIDES = auto()


@dataclass(frozen=True, slots=True)
class Basis:
    """
    The reason for a piece of evidence, as data, so that callers can word it.

    Args:
        name: Name that the code raises, makes, calls or reads, its caller, or the start of the flow for a branch; "" if
            the name is computed.
        text: Literal by which a message was found; for DECIDES the words of the question.
        line: Line of the file at which the code does so; 0 if it is not one line, or unknown.
        further: Number of environment variables beyond those that the evidence shows; set on one piece only.
        condition: Condition of the innermost branch around the line; "" if there is none, or it is unknown.
        certainty: For DECIDES, the probability that a good answer cites this place, 0 to 1, from questions about other
            repositories; 0 where it was not estimated: it is for the likeliest place of each part of a question.
    """

    kind: BasisKind = BasisKind.UNSPECIFIED
    name: str = ""
    text: str = ""
    line: int = 0
    further: int = 0
    condition: str = ""
    certainty: float = 0.0


class Absence(Enum):
    """How words are absent: none of them occurs in a file, or they never occur together."""

    UNSPECIFIED = auto()
    EACH = auto()
    TOGETHER = auto()


@dataclass(frozen=True, slots=True)
class UnheldWords:
    """Words of a question that do not occur in the index, as the question writes them."""

    words: tuple[str, ...] = ()
    absence: Absence = Absence.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class Setting:
    """
    A line of source or configuration that gives a value to the setting that a question asks for.

    Args:
        words: The words of the question that mean the setting, as the question writes them.
        name: The setting's name in the file, with the names of the sections around it.
        value: The value as written, on one line; "" if none is written or it does not fit on one line.
    """

    words: tuple[str, ...] = ()
    name: str = ""
    value: str = ""
    line: int = 0

    @property
    def is_parameter(self) -> bool:
        """Return whether the setting is a parameter of a function: `Pool.take(timeout)`."""
        return self.name.endswith(")")

    @property
    def holder(self) -> str:
        """Return the function of a parameter, or the class of a constructor's: `Pool.take`; "" for other settings."""
        function = self.name.rpartition("(")[0]
        return function.removesuffix(".__init__").removesuffix(".constructor")

    @property
    def dotted(self) -> str:
        """Return the name with a parameter as its last part: `Pool.take.timeout`."""
        return self.name.removesuffix(")").replace("(", ".")


@dataclass(frozen=True, slots=True)
class Route:
    """
    A route that a question names by its path.

    Args:
        words: The words of the question that mean the route, as the question writes them.
        method: HTTP methods of the route, separated by commas; "" where the code does not name them.
        path: Path as the code writes it, with the prefixes that are known.
        registered: The line that registers the route.
        exact: Whether the route has every word of the path in the question; otherwise it is only the nearest.
    """

    words: tuple[str, ...] = ()
    method: str = ""
    path: str = ""
    registered: Span | None = None
    exact: bool = False


class GapOutcome(Enum):
    """How the search for a gap ended; UNSPECIFIED if it was not searched for."""

    UNSPECIFIED = auto()
    RESOLVED = auto()
    ABSENT = auto()
    AMBIGUOUS = auto()
    EXTERNAL = auto()
    OUT_OF_COVERAGE = auto()
    BELOW_FLOOR = auto()


class GapSupply(Enum):
    """How much of what a gap resolved to is supplied as evidence."""

    UNSPECIFIED = auto()
    WHOLE = auto()
    PART = auto()
    BEFORE = auto()
    NO_ROOM = auto()


class GapAspect(Enum):
    """Aspect of a symbol that a gap requests; UNSPECIFIED means its definition."""

    UNSPECIFIED = auto()
    USERS = auto()
    TESTS = auto()
    IMPLEMENTERS = auto()


@dataclass(frozen=True, slots=True)
class Gap:
    """
    Missing information that the answering engine requests; at least one of description, symbol, path, text is set.

    Args:
        start_line: First line wanted of `path`, from 1; 0 for no line.
        end_line: Last line wanted of `path`; 0 means `start_line`.
        text: Literal text that occurs in some file of the repository.
        aspect: Which aspect of the symbol is requested.
    """

    gap_id: str = ""
    description: str = ""
    symbol: str = ""
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    text: str = ""
    aspect: GapAspect = GapAspect.UNSPECIFIED


class Mention(Enum):
    """How code uses a name that has no definition, the most informative use first."""

    UNSPECIFIED = auto()
    PARAMETER = auto()
    ATTRIBUTE = auto()
    NAME = auto()
    KEY = auto()
    ARGUMENT = auto()
    READ = auto()
    TEXT = auto()


MENTIONED_AS: Mapping[Mention, str] = MappingProxyType(
    {
        Mention.PARAMETER: "a parameter of",
        Mention.ATTRIBUTE: "an attribute that is set in",
        Mention.NAME: "a name that is set in",
        Mention.KEY: "a key in",
        Mention.ARGUMENT: "an argument that is passed in",
        Mention.READ: "an attribute that is read in",
        Mention.TEXT: "a text in",
    }
)
"""Wording of each mention, before the name of the enclosing definition."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where code uses a name without a definition; `within` is "" outside of all functions and classes."""

    name: str = ""
    mention: Mention = Mention.UNSPECIFIED
    within: str = ""
    place: Span | None = None


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
    A statement: `subject` does something to `object`, or the code in `object` stands at `span`. Names are as written.

    For the kinds QUOTES, SHOWS and LOCATED, `span` is part of the statement. For all others it is the place cited with
    the subject: if several definitions have that name, it selects the one at that place.
    """

    kind: ClaimKind
    subject: str = ""
    object: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict; `detail` is one sentence with the place that shows it."""

    claim: Claim
    verdict: ClaimVerdict = ClaimVerdict.UNSPECIFIED
    detail: str = ""
