"""Values of evidence, gaps and citations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from common.core.contract.evidence import (
    Basis,
    BasisKind,
    Gap,
    GapOutcome,
    GapSupply,
    LineRange,
    Occurrence,
    Route,
    Setting,
    Span,
    UnheldWords,
)
from common.core.contract.understanding import Relation

# Label, place and name of a piece in a prompt.
_TAG_TOKENS = 28
_PLACE_CHARS = 36
_CHARS_PER_TOKEN = 4
_FROM_SESSION = "(known from this session)"


class EvidenceKind(Enum):
    """What a piece of evidence is."""

    UNSPECIFIED = auto()
    SOURCE = auto()
    DOC = auto()
    FLOW = auto()
    FINDING = auto()
    METRICS = auto()
    DIAGRAM = auto()
    OUTLINE = auto()


class ContextSource(Enum):
    """Which cap a piece of evidence is counted against."""

    UNSPECIFIED = auto()
    DOCS = auto()
    CODE = auto()
    ISSUES = auto()
    GAPS = auto()


class SymbolKind(Enum):
    """What a symbol is."""

    UNSPECIFIED = auto()
    MODULE = auto()
    CLASS = auto()
    FUNCTION = auto()
    METHOD = auto()
    VARIABLE = auto()


@dataclass(frozen=True, slots=True)
class SymbolRef:
    """A symbol's identity within one snapshot."""

    path: str
    qualified_name: str = ""
    kind: SymbolKind = SymbolKind.UNSPECIFIED
    start_line: int = 0
    end_line: int = 0

    @property
    def name(self) -> str:
        """Return the last part of the qualified name, without the sign of a private member of JavaScript."""
        return self.qualified_name.rpartition(".")[2].removeprefix("#")

    @property
    def definition(self) -> tuple[str, str]:
        """Return the key of a definition, equal for all evidence that shows or documents it."""
        return self.path, self.qualified_name

    @property
    def is_function(self) -> bool:
        """Return whether the symbol is a function or method."""
        return self.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)

    @property
    def owner(self) -> str:
        """Return the class of a constructor with the same name: "Bag" for "Bag.Bag"; "" for other symbols."""
        owner, _, name = self.qualified_name.rpartition(".")
        return owner if owner and owner.rpartition(".")[2] == name else ""

    @property
    def made(self) -> str:
        """Return what a constructor makes: "Bag" of "Bag.__init__", too; "" for all else."""
        named = (self.qualified_name.removesuffix(end) for end in (".__init__", ".constructor"))
        return self.owner or next((each for each in named if each != self.qualified_name), "")

    @property
    def span(self) -> Span:
        """Return the lines of the definition."""
        return Span(self.path, self.start_line, self.end_line)


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation between two entities, and the evidence that shows it."""

    subject: str
    predicate: str
    object: str
    evidence_id: str = ""


@dataclass(frozen=True, slots=True)
class User:
    """
    Somebody who has to do with a thing; `symbol` is None for a package of others.

    `place` is the line where it does so, `through` what leads from it there, or what it raises. `others` of its name
    may be meant as well.
    """

    name: str = ""
    symbol: SymbolRef | None = None
    place: Span | None = None
    through: str = ""
    others: int = 0


@dataclass(frozen=True, slots=True)
class UserList:
    """
    Who has to do with a thing; `definition` is None for what has none here.

    `count` has those in it that are not listed, and `in_tests` is of further ones. Also `unsure` may have to do
    with it, and where nobody is known tests may be `named_after` it. `notes` are lines that say what else there is.
    """

    name: str = ""
    relation: Relation = Relation.UNSPECIFIED
    definition: SymbolRef | None = None
    count: int = 0
    listed: tuple[User, ...] = ()
    in_tests: int = 0
    unsure: tuple[User, ...] = ()
    named_after: tuple[User, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    One piece of what the engine is shown.

    `evidence_id` is equal for equal content. `content_hash` is the SHA-256 of the span's lines. `mentions` are symbols
    that the text names and that may be cited too. `unheld` is what the text says of words that nothing holds,
    `setting` the one whose value it shows, `route` the one that its symbol handles. `documentation` is what the symbol
    says of itself first, where that stands outside of the text. `described` are the words of the question that describe
    the symbol, `users` what the text says as a list. `basis` is None where no more is known of why it is there.
    `lines` are the runs of lines that the text is a copy of, with one line that begins with "..." between two runs;
    empty where it is no copy. `overriders` are methods of subclasses that override the symbol,
    `callers` who calls it where that is not shown. `relations` are what a model read in it, in this session.
    """

    evidence_id: str
    kind: EvidenceKind = EvidenceKind.UNSPECIFIED
    source: ContextSource = ContextSource.UNSPECIFIED
    title: str = ""
    span: Span | None = None
    symbol: SymbolRef | None = None
    text: str = ""
    tokens: int = 0
    truncated_lines: int = 0
    content_hash: str = ""
    score: float = 0.0
    reason: str = ""
    pass_number: int = 0
    mentions: tuple[SymbolRef, ...] = ()
    unheld: UnheldWords | None = None
    setting: Setting | None = None
    route: Route | None = None
    documentation: str = ""
    described: str = ""
    users: UserList | None = None
    basis: Basis | None = None
    lines: tuple[LineRange, ...] = ()
    overriders: tuple[SymbolRef, ...] = ()
    callers: tuple[User, ...] = ()
    relations: tuple[Triple, ...] = ()

    @property
    def prompt_tokens(self) -> int:
        """Return about what the piece takes in a prompt: its text, its label and place, and what stands beside them."""
        callers = sum(len(each.name) + _PLACE_CHARS for each in self.callers)
        overriders = sum(len(each.qualified_name) + _PLACE_CHARS for each in self.overriders)
        return self.tokens + _TAG_TOKENS + (callers + overriders) // _CHARS_PER_TOKEN

    def based_on(self, *kinds: BasisKind) -> Basis | None:
        """Return the basis if it is of one of these kinds."""
        return self.basis if self.basis and self.basis.kind in kinds else None

    def for_pass(self, pass_number: int, source: ContextSource | None = None) -> Evidence:
        """Return the piece as that pass is given it; itself if nothing is new about it, since answers share pieces."""
        source = source or self.source
        if (pass_number, source) == (self.pass_number, self.source):
            return self
        return replace(self, pass_number=pass_number, source=source)


@dataclass(frozen=True, slots=True)
class GapResult:
    """
    A gap and what became of it.

    `occurrence` is what the name is if it was resolved by that, `alike` are names of definitions that are spelled
    nearly as one that is absent.
    """

    gap: Gap
    outcome: GapOutcome = GapOutcome.UNSPECIFIED
    detail: str = ""
    step: str = ""
    candidates: tuple[SymbolRef, ...] = ()
    evidence_ids: tuple[str, ...] = ()
    occurrence: Occurrence | None = None
    alike: tuple[str, ...] = ()
    supply: GapSupply = GapSupply.UNSPECIFIED

    @property
    def is_from_session(self) -> bool:
        """Return whether an earlier answer of the session found it out."""
        return self.detail.endswith(_FROM_SESSION)

    def from_session(self) -> GapResult:
        """Return the result marked as remembered by the session; idempotent."""
        return self if self.is_from_session else replace(self, detail=f"{self.detail} {_FROM_SESSION}".strip())


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in the source that an answer rests on; the text refers to it as "[number]"."""

    number: int
    span: Span
    title: str = ""
    symbol: SymbolRef | None = None
    source_identity: str = ""
    commit: str = ""
    content_hash: str = ""
    url: str = ""
    evidence_id: str = ""
    pass_number: int = 0
    dirty: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """What is known of the snapshot that is read; `coverage` is the share of code files that have symbols."""

    snapshot_id: str = ""
    source_identity: str = ""
    commit: str = ""
    dirty: bool = False
    layers: tuple[str, ...] = ()
    core_digest: str = ""
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchQuality:
    """What ran, what could not, how much was found and how much of it used."""

    ran: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    found: int = 0
    used: int = 0


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """Tokens used of one cap."""

    source: ContextSource = ContextSource.UNSPECIFIED
    limit_tokens: int = 0
    used_tokens: int = 0
