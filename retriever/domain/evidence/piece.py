"""Evidence that an answering engine is shown, and drafts of it before they are fitted into the token budget."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis, LineRange, Route, Setting, Span, UnheldWords  # noqa: TC001 (read at run time)

if TYPE_CHECKING:
    from common.core.contract.evidence import Basis, LineRange, Span
    from retriever.domain.values import Symbol
    from retriever.domain.views.listing import User, UserList


class EvidenceKind(IntEnum):
    """What a piece of evidence is; numbers are those of the contract."""

    SOURCE = 1
    DOC = 2
    FLOW = 3
    FINDING = 4
    METRICS = 5
    DIAGRAM = 6
    OUTLINE = 7


class ContextSource(IntEnum):
    """The cap that a piece of evidence counts against; numbers are those of the contract."""

    DOCS = 1
    CODE = 2
    ISSUES = 3
    GAPS = 4


class EvidenceRole(Enum):
    """What a symbol or a piece of evidence does for the answer; each mode ranks the roles in its own way."""

    ERROR_SITE = "error site"
    CALLER = "caller"
    USERS = "users"
    UNHELD = "unheld words"
    ROUTE = "route"
    SETTING = "setting"
    ENTRY = "entry point"
    FLOW = "flow"
    STRUCTURE = "structure"
    FINDINGS = "findings"
    DIAGRAM = "diagram"
    OUTLINE = "outline"
    SAMPLE = "sample"
    MATCH = "match"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Draft:
    """
    A piece of evidence as it would be with an unlimited budget.

    Args:
        span: Place; None for what has none.
        symbol: Symbol that it shows or documents.
        text: Whole text; for source the lines of the span.
        content_hash: SHA-256 of the lines of the span; "" without one.
        focus: Lines that must be seen even if the text is cut, as positions in the text from 0.
        mentions: Symbols that the text names and that may be cited too.
        unheld: Words of the question that occur nowhere, which the text reports; as data.
        setting: The setting whose value it shows.
        route: The route that its symbol handles.
        documentation: Beginning of its symbol's documentation, where the text does not contain it; else "".
        described: Words of the question that describe its symbol; "" where it was not found by a description.
        users: The list of users of a thing that the text shows, as data.
        basis: Why it is there, as data; None where it is a plain match, or where one of the fields above is the reason.
        overriders: Methods that override its symbol.
        callers: Callers of its symbol, where no other evidence shows them.
    """

    kind: EvidenceKind
    source: ContextSource
    role: EvidenceRole
    title: str
    text: str
    reason: str
    score: float = 0.0
    span: Span | None = None
    symbol: Symbol | None = None
    content_hash: str = ""
    focus: tuple[int, ...] = ()
    mentions: tuple[Symbol, ...] = ()
    unheld: UnheldWords | None = None
    setting: Setting | None = None
    route: Route | None = None
    documentation: str = ""
    described: str = ""
    users: UserList | None = None
    basis: Basis | None = None
    overriders: tuple[Symbol, ...] = ()
    callers: tuple[User, ...] = ()

    @property
    def has_lines(self) -> bool:
        """Whether its text is that of the lines of its span."""
        return self.kind == EvidenceKind.SOURCE and self.span is not None

    @property
    def evidence_id(self) -> str:
        """
        Identity by content: kind, place and hash of the lines, with the text in place of a missing place.

        The name of a setting counts too: a line that sets several settings is a separate piece for each.
        """
        place = f"{self.span.path}:{self.span.start_line}:{self.span.end_line}" if self.span else self.text
        given = (self.setting.name,) if self.setting else ()
        return _identity(self.kind.name, place, self.content_hash, *given)


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    A draft as it is shown; `tokens` never exceed what was allowed.

    Args:
        text: What is shown of the draft's text, with a line in place of each run that is left out.
        truncated_lines: Number of lines that are left out.
        lines: Lines of the file that the text copies; () where it copies none.
    """

    draft: Draft
    text: str
    tokens: int
    truncated_lines: int
    lines: tuple[LineRange, ...] = ()

    @property
    def evidence_id(self) -> str:
        """Identity by content: that of the draft, with the line ranges where only some lines of it are shown."""
        if not (self.lines and self.truncated_lines):
            return self.draft.evidence_id
        return _identity(self.draft.evidence_id, *(f"{each.start_line}-{each.end_line}" for each in self.lines))

    @property
    def source(self) -> ContextSource:
        """The cap that it counts against."""
        return self.draft.source


@dataclass(frozen=True, slots=True)
class Decision:
    """
    One thing that was considered and what became of it.

    Args:
        step: Tier or step within the stage, for example "callers hop 2".
        subject: Place that was considered.
        qualified_name: Of the symbol; "" for a file or a document.
        judge_input: What the judge was asked; "" where no judge was.
        judge_latency_ms: Time that the judge took.
    """

    stage: str
    step: str
    subject: Span
    qualified_name: str
    included: bool
    reason: str
    score: float = 0.0
    judge_input: str = ""
    judge_output: str = ""
    judge_latency_ms: float = 0.0
    judge_tokens: int = 0


def _identity(*parts: str) -> str:
    return "ev_" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def hash_lines(text: str) -> str:
    """Return the SHA-256 of lines joined, each with its line feed, in UTF-8, as the snapshot format defines it."""
    whole = text if not text or text.endswith("\n") else text + "\n"
    return hashlib.sha256(whole.encode()).hexdigest()
