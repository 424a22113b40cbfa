"""Packs the facts of a file as bytes: marshal, as it is read fastest, inside zlib for its checksum."""

from __future__ import annotations

import dataclasses
import marshal
import sys
import zlib
from typing import Any

from indexer.domain.model import Fact, FactKind, Origin, ParsedFile, SymbolDef, SymbolKind
from indexer.domain.parsing import FileFacts
from indexer.domain.snapshots.lexical import FileTerms

_SYMBOL_KINDS = {int(kind): kind for kind in SymbolKind}
_FACT_KINDS = {int(kind): kind for kind in FactKind}
_ORIGINS = {int(origin): origin for origin in Origin}
_SYMBOL_FIELDS = tuple(each.name for each in dataclasses.fields(SymbolDef))
_TERM_FIELDS = tuple(each.name for each in dataclasses.fields(FileTerms))


class Damaged(Exception):
    """The bytes are not valid packed data."""


def pack(facts: FileFacts) -> bytes:
    """Return facts as bytes, key and `keep` left out."""
    # Marshal restores interned strings as such: a term of many files is in memory once after reading.
    vocabulary = tuple(map(sys.intern, facts.lexical.vocabulary))
    terms = (vocabulary, *(getattr(facts.lexical, name) for name in _TERM_FIELDS[1:]))
    plain = (_plain_parsed(facts.parsed), terms, facts.error, _plain_facts(facts.values))
    return zlib.compress(marshal.dumps(plain), 1)


def unpack(key: str, data: bytes) -> FileFacts:
    """Return the facts that `pack` packed. Raises Damaged."""
    try:
        parsed, terms, error, values = marshal.loads(zlib.decompress(data))  # noqa: S302 - written by us, checksum checked
    except (zlib.error, ValueError, EOFError, TypeError) as damage:
        raise Damaged(str(damage)) from damage
    return FileFacts(key, _parsed(parsed), FileTerms(*terms), error, _facts(values))


def _plain_parsed(parsed: ParsedFile | None) -> tuple[Any, ...] | None:
    if parsed is None:
        return None
    symbols = tuple(
        (int(symbol.kind), *(getattr(symbol, name) for name in _SYMBOL_FIELDS[1:])) for symbol in parsed.symbols
    )
    return (parsed.language, symbols, _plain_facts(parsed.facts), parsed.program, parsed.error)


def _plain_facts(facts: tuple[Fact, ...]) -> tuple[Any, ...]:
    return tuple(
        (
            each.symbol,
            int(each.kind),
            each.value,
            each.line,
            each.end_line,
            each.detail,
            int(each.origin),
            *_marks(each),
        )
        for each in facts
    )


def _facts(plain: tuple[Any, ...]) -> tuple[Fact, ...]:
    return tuple(
        Fact(symbol, _FACT_KINDS[kind], value, line, end_line, detail, _ORIGINS[origin], *marks)
        for symbol, kind, value, line, end_line, detail, origin, *marks in plain
    )


def _marks(fact: Fact) -> tuple[int, bool]:
    return fact.above, fact.is_plain


def _parsed(plain: tuple[Any, ...] | None) -> ParsedFile | None:
    if plain is None:
        return None
    language, symbols, facts, program, error = plain
    return ParsedFile(
        language,
        tuple(SymbolDef(_SYMBOL_KINDS[row[0]], *row[1:]) for row in symbols),
        _facts(facts),
        program,
        error,
    )
