"""Behaviour facts of a core layer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from retriever.adapters.core.database import as_list, by_number, match_any
from retriever.domain.values import Fact, FactKind, Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.adapters.core.database import Database

_KIND = by_number(FactKind)
_ORIGIN = by_number(Origin)


class SqliteFacts:
    """Implements `Facts`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._spellings: dict[FactKind, dict[str, list[str]]] = {}

    def of(self, ids: Sequence[int], kinds: Sequence[FactKind] = ()) -> tuple[Fact, ...]:
        """Return the facts of these symbols by line, of all kinds if none is given."""
        if not ids:
            return ()
        facts = (_fact(row) for row in self._database.rows("facts_by_symbol", ids=as_list(ids)))
        return tuple(fact for fact in facts if not kinds or fact.kind in kinds)

    def with_value(self, kind: FactKind, value: str) -> tuple[Fact, ...]:
        """Return facts whose value is the given one, or a dotted name that ends with it."""
        spellings = self._spelled(kind).get(value.rpartition(".")[2], [])
        wanted = [each for each in spellings if each == value or each.endswith("." + value)]
        rows = self._database.rows("facts_by_value", kind=int(kind), values=as_list(wanted))
        return tuple(_fact(row) for row in rows)

    def beginning(self, kind: FactKind, start: str) -> tuple[Fact, ...]:
        """Return facts whose value begins with this text, by symbol and line."""
        rows = self._database.rows("facts_beginning", kind=int(kind), start=start, end=f"{start}\U0010ffff")
        return tuple(_fact(row) for row in rows)

    def messages(self, words: Sequence[str], limit: int) -> tuple[tuple[Fact, float], ...]:
        """Return error strings that hold some of the words, best first."""
        expression = match_any(words)
        if not expression:
            return ()
        rows = self._database.rows("messages", expression=expression, limit=limit)
        return tuple((_fact(row[:4]), float(row[4])) for row in rows)

    def _spelled(self, kind: FactKind) -> dict[str, list[str]]:
        """Map the last part of each distinct value to the values, since the database's index cannot match suffixes."""
        with self._lock:
            if kind not in self._spellings:
                found: dict[str, list[str]] = {}
                for (value,) in self._database.rows("fact_values", kind=int(kind)):
                    found.setdefault(value.rpartition(".")[2], []).append(value)
                self._spellings[kind] = found
            return self._spellings[kind]


def _fact(row: tuple[Any, ...]) -> Fact:
    symbol_id, kind, value, line, *told = row
    origin, detail = told or (0, "")
    return Fact(symbol_id, _KIND[kind], value, line, _ORIGIN[origin], detail)
