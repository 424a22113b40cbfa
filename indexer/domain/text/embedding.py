"""Chooses the texts that get vectors, up to a limit: pages first, then symbols by usefulness; the rest is counted."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from indexer.domain.model import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.domain.snapshots.snapshot import Layer

CHUNK_CHARS = 300
"""Greatest length of a text for a vector: about the 64 tokens to which the small local model truncates."""
MAX_CHUNKS = 4
MIN_LINES = 3
"""Symbols without docstring and with fewer lines get no vector: lexical search finds them by name just as well."""

_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.]+")


class UnitKind(StrEnum):
    """What a vector stands for; the values are those of the snapshot format."""

    SYMBOL = "symbol"
    DOCUMENT = "doc"


class LeftOut(StrEnum):
    """Why a symbol or page has no vector."""

    TEST = "test"
    TRIVIAL = "trivial"
    LIMIT = "limit"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """A symbol of code.db, with the first lines of its body as `opening`."""

    id: int
    kind: SymbolKind
    path: str
    qualified_name: str
    start_line: int
    end_line: int
    signature: str
    docstring: str
    opening: str
    is_public: bool
    is_test: bool


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page of documentation of code.db."""

    id: int
    path: str
    title: str
    start_line: int
    end_line: int
    body: str


@dataclass(frozen=True, slots=True)
class Unit:
    """
    One text that gets a vector.

    Args:
        row_id: Id of the symbol or page in code.db.
        chunk: Number of the part of a long text, from 0.
    """

    kind: UnitKind
    row_id: int
    chunk: int
    path: str
    qualified_name: str
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True)
class EmbeddingPlan:
    """Units in order of priority, and the number of left-out ones for each reason."""

    units: tuple[Unit, ...]
    left_out: Mapping[LeftOut, int]


@dataclass(frozen=True, slots=True)
class BuiltVectors:
    """A vectors layer written to its folder, with the numbers of its points and of left-out units."""

    layer: Layer
    points: int
    left_out: Mapping[LeftOut, int]


def plan_embedding(symbols: Iterable[SymbolRow], pages: Iterable[PageRow], *, most: int) -> EmbeddingPlan:
    """
    Choose what gets a vector.

    Pages come first, then public symbols with a docstring, other public symbols of at least `MIN_LINES` lines, and
    private symbols with a docstring; each group in order of id. Tests, variables and all other symbols are left out.

    Args:
        most: Greatest number of vectors.
    """
    left_out: Counter[LeftOut] = Counter()
    ranked: list[tuple[int, SymbolRow]] = []
    for symbol in symbols:
        if symbol.is_test:
            left_out[LeftOut.TEST] += 1
        elif (worth := _worth(symbol)) is None:
            left_out[LeftOut.TRIVIAL] += 1
        else:
            ranked.append((worth, symbol))
    ranked.sort(key=lambda item: (item[0], item[1].id))
    units = [unit for page in pages for unit in _page_units(page)]
    units.extend(_symbol_unit(symbol) for _, symbol in ranked)
    if len(units) > most:
        left_out[LeftOut.LIMIT] += len(units) - most
    return EmbeddingPlan(tuple(units[:most]), dict(left_out))


def vectors_digest(model: str, units: Sequence[Unit]) -> str:
    """Return SHA-256 over the model and every unit, in order of kind, row and chunk: equal inputs, equal digest."""
    hasher = hashlib.sha256(f"{model}\n".encode())
    for unit in sorted(units, key=lambda each: (each.kind, each.row_id, each.chunk)):
        fields = (unit.kind, unit.row_id, unit.chunk, unit.path, unit.qualified_name, unit.start_line, unit.end_line)
        hasher.update("\0".join(map(str, (*fields, unit.text))).encode(errors="surrogatepass") + b"\n")
    return hasher.hexdigest()


def _worth(symbol: SymbolRow) -> int | None:
    if symbol.kind not in (SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD):
        return None
    if symbol.docstring:
        return 0 if symbol.is_public else 2
    is_long = symbol.end_line - symbol.start_line + 1 >= MIN_LINES
    return 1 if symbol.is_public and is_long else None


def _symbol_unit(symbol: SymbolRow) -> Unit:
    words = " ".join(part for part in _WORD_EDGE.split(symbol.qualified_name) if part)
    described = symbol.docstring or symbol.opening
    text = f"{words}\n{symbol.signature}\n{described}"[:CHUNK_CHARS]
    return Unit(
        UnitKind.SYMBOL,
        symbol.id,
        0,
        symbol.path,
        symbol.qualified_name,
        symbol.start_line,
        symbol.end_line,
        text,
    )


def _page_units(page: PageRow) -> Iterable[Unit]:
    for number, chunk in enumerate(_chunks(page.body)):
        text = f"{page.title}\n{chunk}"
        yield Unit(UnitKind.DOCUMENT, page.id, number, page.path, "", page.start_line, page.end_line, text)


def _chunks(body: str) -> list[str]:
    """Cut a text at line ends into at most MAX_CHUNKS parts; a text without content is one empty part."""
    chunks = [""]
    for line in body.splitlines():
        if chunks[-1] and len(chunks[-1]) + len(line) > CHUNK_CHARS:
            if len(chunks) == MAX_CHUNKS:
                break
            chunks.append("")
        chunks[-1] += line[:CHUNK_CHARS] + "\n"
    return chunks
