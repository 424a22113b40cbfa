"""What the indexer knows of a file, a symbol and an edge, before and after linking."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from common.core.contract.snapshot import EdgeKind as EdgeKind
from common.core.contract.snapshot import FactKind as FactKind
from common.core.contract.snapshot import Origin as Origin
from common.core.contract.snapshot import Resolution as Resolution
from common.core.contract.snapshot import SymbolKind as SymbolKind
from common.core.contract.snapshot import SymbolMark as SymbolMark
from common.core.contract.snapshot import Tier as Tier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set


ALL_TIERS = tuple(tier for tier in Tier if tier != Tier.PRECISE)
"""The tiers that a linker assigns: all but PRECISE, which comes from imported indexes."""


@dataclass(frozen=True, slots=True)
class SymbolDef:
    """
    One definition in one file.

    Args:
        kind: What it is. The first symbol of every parsed file is its module.
        name: Last part of the qualified name; for a module, its importable name.
        qualified_name: Dotted from the outermost scope of the file; "" for the module.
        parent: Position of the enclosing symbol in the file's list; -1 for the module.
        start_line: First line, decorators included; 1-based.
        end_line: Last line, inclusive.
        signature: Declaration without body, white space folded to one line.
        docstring: As written, dedented, without quotes; "" without one.
        decorators: As written, without "@".
        is_public: Neither the name nor an enclosing one is private by the language's rule.
        complexity: Cyclomatic complexity of the own body, 1 for none.
        marks: Bits of `SymbolMark`. A function: makes instances, is called by the language without being named, tests
            code of the same file, or may start a flow. A type: is implemented by any type with its methods, may have
            methods outside of its body, or is made to be extended. A module: represents its folder.
    """

    kind: SymbolKind
    name: str
    qualified_name: str
    parent: int
    start_line: int
    end_line: int
    signature: str
    docstring: str
    decorators: tuple[str, ...] = ()
    is_public: bool = True
    complexity: int = 1
    marks: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """
    What the source shows of the symbol at position `symbol`, -1 in a file without symbols.

    Args:
        value: As written; for the kinds VALUE, ENVIRONMENT and PROPERTY the dotted name.
        line: 1-based.
        end_line: Last line of a value over several lines; 0 if it ends in `line`.
        detail: The value of a name as written, on one line; "" where none is given or it is longer than a line.
        origin: How the name gets its value.
        above: Number of comment lines directly above it.
        is_plain: The value is a literal or a constant, or is made of them alone.
    """

    symbol: int
    kind: FactKind
    value: str
    line: int
    end_line: int = 0
    detail: str = ""
    origin: Origin = Origin.NONE
    above: int = 0
    is_plain: bool = False


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """
    Everything that can be known from one file alone: a pure function of (text, path, module name).

    Args:
        language: Name of the adapter that read it, lower case, for example "python"; the linker of that name links it.
        symbols: In order of start line; the first is the module.
        facts: In order of line.
        program: Input of the language's linker, packed; b"" for none. Opaque to everything else.
        error: Why symbols, or the program, are missing (a syntax error, for example); "" if none are.
    """

    language: str
    symbols: tuple[SymbolDef, ...]
    facts: tuple[Fact, ...]
    program: bytes
    error: str = ""

    def with_facts(self, more: Sequence[Fact]) -> ParsedFile:
        """Return the file with more facts, in order of line."""
        facts = sorted((*self.facts, *more), key=lambda fact: fact.line)
        return replace(self, facts=tuple(facts)) if more else self

    def without(self, kinds: Set[FactKind]) -> ParsedFile:
        """Return the file without facts of these kinds, which an operator has switched off."""
        return replace(self, facts=tuple(fact for fact in self.facts if fact.kind not in kinds)) if kinds else self


@dataclass(frozen=True, slots=True)
class LinkUnit:
    """
    One parsed file with its path and module name: input of a linker.

    Args:
        aliases: Other paths of the file, by symbolic links in the tree.
    """

    path: str
    module: str
    parsed: ParsedFile
    aliases: tuple[str, ...] = ()


class Edge(NamedTuple):
    """
    One relation, with symbols as (position of the file among the units, position of the symbol in the file).

    It is a tuple because that takes a third of the time of a frozen dataclass to create, and there are hundreds of
    thousands of edges.

    Args:
        source: Symbol at which it starts.
        target: Symbol to which it leads; None unless resolved.
        target_name: As the source writes it; for external targets the full dotted name that the import gives.
        line: First line of the occurrence in the source's file.
        confidence: Measured share of edges of this tier that are right, 0 to 1.
    """

    source: tuple[int, int]
    target: tuple[int, int] | None
    target_name: str
    kind: EdgeKind
    line: int
    confidence: float
    tier: Tier
    resolution: Resolution


class EdgeRow(NamedTuple):
    """An edge as a row of code.db: symbols are given by id; the id of the row is left out."""

    source_id: int
    target_id: int | None
    target_name: str
    kind: EdgeKind
    line: int
    confidence: float
    tier: Tier
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Linked:
    """
    What a linker found.

    Args:
        edges: Without repetitions, in order of source file, line and symbol.
        cut: Tiers that exceeded the work limit, so that edges of these may be missing.
        by_name: Calls were resolved by names, without analysing the flow of values.
        platform: Platform whose languages refer to each other's packages, such as the JVM; "" for other languages.
        failed: By position of a unit, why edges that start in it are missing; under `NO_UNIT`, why edges of any unit
            may be missing.
    """

    edges: Sequence[Edge]
    cut: tuple[Tier, ...] = ()
    by_name: bool = False
    platform: str = ""
    failed: Mapping[int, str] = field(default_factory=dict)
