"""Maps the names in the documents of a SCIP index to symbols of the snapshot."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.domain.model import SymbolKind
from indexer.domain.precise.placing import (
    chosen,
    named_symbol,
    names_of,
    owners,
    placed_definitions,
    written_name,
)
from indexer.domain.precise.sites import Implementation, Place, PreciseFile, Site
from indexer.domain.precise.symbols import Suffix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.domain.precise.columns import Encoding
    from indexer.domain.precise.document import CodeText, Document, IndexedSymbol, Occurrence
    from indexer.domain.precise.symbols import ScipSymbol

_ARGUMENTS = re.compile(r"[ \t]*(?:\?\.)?(?:<[^()<>;]*>|\[[^\[\]()]*\])?!?[ \t]*\(")
_DEFINES = re.compile(r"(?:^|\s)(?:def|class|function|func|fun|fn)\s+$")  # tools report later overloads as uses
_FOLLOWS = 200
_OUTSIDE = re.compile(r"\S{1,200}")  # external names that may be shown: no sentences
_WORD = re.compile(r"[\w$]+")
_CALLABLE = (Suffix.TYPE, Suffix.METHOD, Suffix.MACRO)
_HELD = (SymbolKind.VARIABLE, SymbolKind.MODULE)


@dataclass(slots=True)
class Definitions:
    """
    Maps the symbols of an index to definitions.

    Args:
        by_module: Definitions of the snapshot by dotted name. For symbols of the project that the index uses and does
            not define, since tools name the same module in more than one way.
    """

    by_module: Mapping[str, IndexedSymbol]
    _placed: dict[str, dict[IndexedSymbol, None]] = field(default_factory=dict)
    _defined: set[str] = field(default_factory=set)
    _packages: set[str] = field(default_factory=set)

    def add(self, document: Document, code: CodeText, encoding: Encoding) -> None:
        """Add the definitions of a document."""
        self.note(document)
        by_name: dict[str, list[IndexedSymbol]] = {}
        for each in code.definitions:
            by_name.setdefault(each.qualified_name, []).append(each)
        for text, definition, _ in placed_definitions(document, code, encoding):
            # Some tools report only the first of several definitions, so all with this name are taken.
            self._placed.setdefault(text, {}).update(dict.fromkeys(by_name[definition.qualified_name]))

    def note(self, document: Document) -> None:
        """Record the symbols and packages that a document defines, without their places in the snapshot."""
        for occurrence in document.occurrences:
            if occurrence.is_definition and (symbol := named_symbol(occurrence.symbol)) is not None:
                self._defined.add(occurrence.symbol)
                self._packages.add(symbol.package.lower())

    def meant(self, text: str, symbol: ScipSymbol) -> tuple[tuple[Place, ...], bool]:
        """Return the definitions of a symbol, none if they are unknown, and whether it can be called."""
        placed = self._placed.get(text)
        if placed is not None:
            found = chosen([*placed])
            return tuple(map(_place, found)), all(each.kind not in _HELD for each in found)
        if text in self._defined:
            return (), False
        namesake = self.by_module.get(symbol.dotted_name)
        own = symbol.package.lower() in self._packages
        if namesake is not None:
            return ((_place(namesake),), namesake.kind not in _HELD) if own else ((), False)
        if own or not _OUTSIDE.fullmatch(symbol.dotted_name) or not symbol.dotted_name.isprintable():
            return (), False
        return (Place("", symbol.dotted_name),), symbol.suffix in _CALLABLE


def read_file(document: Document, code: CodeText, encoding: Encoding, definitions: Definitions) -> PreciseFile:
    """Return the uses and implementations in a document that fits the text, given all definitions of the index."""
    return _Reading(document, code, encoding, definitions).file()


class _Reading:
    def __init__(self, document: Document, code: CodeText, encoding: Encoding, definitions: Definitions) -> None:
        self._document = document
        self._code = code
        self._encoding = encoding
        self._definitions = definitions
        own = list(placed_definitions(document, code, encoding))
        self._own = {text: definition for text, definition, _ in own}
        bodies = {definition: occurrence.body or occurrence.line for _, definition, occurrence in own}
        self._owners = owners(code, bodies)
        self._text = "\n".join(code.lines)
        self._aliases: dict[tuple[str, str], bool] = {}
        self._counted: tuple[int, Counter[str]] = (0, Counter())

    def file(self) -> PreciseFile:
        sites: dict[Site, None] = {}
        explained: dict[tuple[int, str], set[int]] = {}
        for each in sorted(self._document.occurrences, key=lambda each: (each.line, each.start, each.symbol)):
            if each.start >= each.end:
                continue
            before, written, rest = written_name(self._code, each, self._encoding)
            defines = each.is_definition or _DEFINES.search(before) is not None
            site = None if defines else self._site(each, written, rest)
            if site is not None:
                sites[site] = None
            if site is not None or defines:
                explained.setdefault((each.line, written), set()).add(each.start)
        unknown = frozenset(
            (site.line, site.written)
            for site in sites
            if self._words(site.line)[site.written] > len(explained[site.line, site.written])
        )
        return PreciseFile(self._code.path, self._code.sha256, tuple(sites), unknown, self._bases())

    def _words(self, line: int) -> Counter[str]:
        """Count the words of a line."""
        if line != self._counted[0]:
            self._counted = (line, Counter(_WORD.findall(self._code.lines[line - 1])))
        return self._counted[1]

    def _site(self, occurrence: Occurrence, written: str, rest: str) -> Site | None:
        symbol = named_symbol(occurrence.symbol)
        owner = self._owners[occurrence.line] if 1 <= occurrence.line < len(self._owners) else None
        if symbol is None or owner is None or not self._explains(symbol, written):
            return None
        meant, callable_ = self._definitions.meant(occurrence.symbol, symbol)
        if not meant:
            return None
        converts = self._code.language == "go" and symbol.suffix is Suffix.TYPE
        return Site(
            line=occurrence.line,
            written=written,
            name=names_of(symbol)[0],
            source=(owner.qualified_name, owner.start_line),
            called=callable_ and not converts and _ARGUMENTS.match(rest[:_FOLLOWS]) is not None,
            imported=occurrence.is_import,
            callable=callable_,
            meant=meant,
        )

    def _explains(self, symbol: ScipSymbol, written: str) -> bool:
        """Return whether `written` is a name or alias of the symbol: positions are wrong if the text or the tool is."""
        names = names_of(symbol)
        if written in names:
            return True
        key = (names[0], written)
        if key not in self._aliases:
            alias = rf"{re.escape(names[0])}[ \t]+as[ \t]+{re.escape(written)}(?!\w)"
            self._aliases[key] = bool(written) and re.search(alias, self._text) is not None
        return self._aliases[key]

    def _bases(self) -> tuple[Implementation, ...]:
        found = []
        for text, others in self._document.implemented.items():
            source = self._own.get(text)
            targets: dict[Place, None] = {}
            for other in others:
                if (symbol := named_symbol(other)) is not None:
                    targets.update(dict.fromkeys(self._definitions.meant(other, symbol)[0]))
            if source is not None and targets:
                found.append(Implementation((source.qualified_name, source.start_line), tuple(targets)))
        return tuple(sorted(found, key=lambda each: (each.source[1], each.source[0])))


def _place(definition: IndexedSymbol) -> Place:
    return Place(definition.path, definition.qualified_name, definition.start_line)
