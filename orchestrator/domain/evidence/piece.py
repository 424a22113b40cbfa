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

# Tokens of the label, place and name of a piece in a prompt.
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
    """The cap of the token budget that a piece of evidence counts against."""

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
        """Return the class that a constructor creates, also "Bag" for "Bag.__init__"; "" for other symbols."""
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
    One entry of a `UserList`: code in the list's relation to a thing; `symbol` is None for a third-party package.

    `place` is the line that shows the relation. `through` is what connects the entry with the thing ("" if direct), the
    error that it raises, or the handler of a route. `others` counts further definitions of the same name that may be
    meant instead.
    """

    name: str = ""
    symbol: SymbolRef | None = None
    place: Span | None = None
    through: str = ""
    others: int = 0


@dataclass(frozen=True, slots=True)
class UserList:
    """
    The code that has a relation to a thing, such as its callers; `definition` is None if the index has none for it.

    `count` includes entries that are not listed; `in_tests` counts further ones in tests. `unsure` are entries whose
    reference could not be resolved, `named_after` tests whose names match the thing. `notes` are further lines of text.
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
    that the text names and that may be cited too. `unheld` are words of the question that the index lacks, `setting` is
    the setting whose value the text shows, `route` the route that the symbol handles. `documentation` is the beginning
    of the symbol's documentation, which the text need not have. `described` are the words of the question that describe
    the symbol, `users` is the list in the text as data. `basis` says why the piece was chosen; None if only `reason` is
    known. `lines` are the runs of lines that the text copies, with one line that begins with "..." for omitted lines;
    empty if the text is not copied. `overriders` are methods of subclasses that override the symbol, `callers` its
    callers whose line is not shown, if it has few. `relations` are triples that a model read in it, in this session.
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
        """Return the estimated tokens of the piece in a prompt: text, label, place, callers and overriders."""
        callers = sum(len(each.name) + _PLACE_CHARS for each in self.callers)
        overriders = sum(len(each.qualified_name) + _PLACE_CHARS for each in self.overriders)
        return self.tokens + _TAG_TOKENS + (callers + overriders) // _CHARS_PER_TOKEN

    def based_on(self, *kinds: BasisKind) -> Basis | None:
        """Return the basis if it is of one of these kinds."""
        return self.basis if self.basis and self.basis.kind in kinds else None

    def for_pass(self, pass_number: int, source: ContextSource | None = None) -> Evidence:
        """Return the piece with this pass number and source; itself if both are equal, since answers share pieces."""
        source = source or self.source
        if (pass_number, source) == (self.pass_number, self.source):
            return self
        return replace(self, pass_number=pass_number, source=source)


@dataclass(frozen=True, slots=True)
class GapResult:
    """
    A gap and its outcome.

    `occurrence` tells what a name without a definition is (a parameter, an attribute, a key) if that resolved the gap.
    `alike` are names of definitions that are spelled similarly to an absent one.
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
        """Return whether the result is from an earlier answer of the session."""
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
    """Facts about the snapshot that is read; `coverage` is the share of code files that have symbols."""

    snapshot_id: str = ""
    source_identity: str = ""
    commit: str = ""
    dirty: bool = False
    layers: tuple[str, ...] = ()
    core_digest: str = ""
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchQuality:
    """Which steps of the retrieval ran, which could not run, and the numbers of candidates found and pieces used."""

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
