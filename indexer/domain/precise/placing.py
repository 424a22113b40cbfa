"""Checks whether a SCIP document was made for a text, and maps its definitions to symbols of the snapshot."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from indexer.domain.precise.columns import Encoding, cut
from indexer.domain.precise.symbols import ScipSymbol, Suffix, parse_symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.domain.precise.document import CodeText, Document, IndexedSymbol, Occurrence

_NAMED = (Suffix.TYPE, Suffix.TERM, Suffix.METHOD, Suffix.MACRO)
_FITTING = 0.95
_KNOWN_SYMBOLS = 1 << 16
_FITTING_USES = 0.5
_QUOTES = "\"'`#@:$"
_LATER = ("overload", "setter", "deleter")


def fitting_encoding(document: Document, code: CodeText) -> Encoding | None:
    """
    Return the encoding of the document's columns if the document was made for this text, None otherwise.

    If the document does not give the encoding, UTF-16 is tried first, since tools that do not give it count in UTF-16.
    A document fits if the text has the names of at least 95 % of its definitions at their positions. One without
    definitions fits if at least half of the symbols that it uses appear under their names at least once, since uses may
    be aliases.
    """
    tried = (document.encoding,) if document.encoding else (Encoding.UTF16, Encoding.UTF8, Encoding.UTF32)
    for encoding in tried:
        if _fits(document, code, encoding):
            return encoding
    return None


def written_name(code: CodeText, occurrence: Occurrence, encoding: Encoding) -> tuple[str, str, str]:
    """Return the text before an occurrence in its line, its name, and the text after it; all "" outside of the text."""
    if not 1 <= occurrence.line <= len(code.lines):
        return "", "", ""
    before, written, rest = cut(code.lines[occurrence.line - 1], occurrence.start, occurrence.end, encoding)
    return before, written.partition(" as ")[0].strip(_QUOTES), rest


@lru_cache(maxsize=_KNOWN_SYMBOLS)
def named_symbol(text: str) -> ScipSymbol | None:
    """Return the parsed symbol if it is a class, function, value, macro or constructor; None for any other."""
    symbol = parse_symbol(text)
    return symbol if symbol is not None and symbol.suffix in _NAMED else None


@lru_cache(maxsize=_KNOWN_SYMBOLS)
def names_of(symbol: ScipSymbol) -> tuple[str, ...]:
    """Return the names of a symbol in source code: its own; for a constructor its class's and a word such as `init`."""
    if not symbol.name.startswith("<"):
        return (symbol.name.strip(_QUOTES),)
    owner = symbol.descriptors[-2].name if len(symbol.descriptors) > 1 else ""
    return (owner, symbol.name.strip("<>"))


def _fits(document: Document, code: CodeText, encoding: Encoding) -> bool:
    defined: list[bool] = []
    used: dict[str, bool] = {}
    for occurrence in document.occurrences:
        symbol = named_symbol(occurrence.symbol)
        if symbol is None or occurrence.start == occurrence.end:
            continue
        right = written_name(code, occurrence, encoding)[1] in names_of(symbol)
        if occurrence.is_definition:
            defined.append(right)
        else:
            used[occurrence.symbol] = used.get(occurrence.symbol, False) or right
    if defined:
        return sum(defined) >= _FITTING * len(defined)
    return sum(used.values()) >= _FITTING_USES * len(used)


def placed_definitions(
    document: Document, code: CodeText, encoding: Encoding
) -> Iterator[tuple[str, IndexedSymbol, Occurrence]]:
    """Yield (symbol, its definition in the snapshot, occurrence) for each definition of the document that is found."""
    by_name: dict[str, list[IndexedSymbol]] = {}
    for definition in code.definitions:
        by_name.setdefault(definition.name, []).append(definition)
    for occurrence in document.occurrences:
        symbol = named_symbol(occurrence.symbol) if occurrence.is_definition else None
        if symbol is None or written_name(code, occurrence, encoding)[1] not in names_of(symbol):
            continue
        found = _innermost([each for name in names_of(symbol) for each in by_name.get(name, ())], occurrence.line)
        if found is not None:
            yield occurrence.symbol, found, occurrence


def _innermost(definitions: list[IndexedSymbol], line: int) -> IndexedSymbol | None:
    holding = [each for each in definitions if each.start_line <= line <= each.end_line]
    return max(holding, key=lambda each: (each.start_line, -each.end_line), default=None)


def chosen(definitions: list[IndexedSymbol]) -> list[IndexedSymbol]:
    """Return a symbol's definitions without overloads, setters and deleters; only the last one if no other is left."""
    meant = [each for each in definitions if not any(name.endswith(_LATER) for name in each.decorators)]
    return meant or definitions[-1:]


def owners(code: CodeText, bodies: Mapping[IndexedSymbol, int]) -> list[IndexedSymbol | None]:
    """
    Return the innermost function, class or module of each line, indexed by the 1-based line number.

    Args:
        bodies: First lines of definitions without their decorators: decorator lines belong to the enclosing symbol.
    """
    found: list[IndexedSymbol | None] = [None] * (len(code.lines) + 2)
    for definition in code.definitions:
        if definition.kind.name == "VARIABLE":
            continue
        start = bodies.get(definition, definition.start_line) if definition.qualified_name else 1
        end = definition.end_line if definition.qualified_name else len(code.lines)
        for line in range(max(start, 1), min(end, len(code.lines)) + 1):
            found[line] = definition
    return found
