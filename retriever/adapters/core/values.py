"""Values that names are given, as facts of a core layer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from retriever.adapters.core.database import as_list, by_number
from retriever.domain.given_values import GivenValue, Origin, folded
from retriever.domain.values import FactKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.adapters.core.database import Database

_ORIGIN = by_number(Origin)
_FIRST_SCHEMA = 2
"""Cores of earlier schema versions have no such facts."""


class SqliteValues:
    """Implements `Values`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._spellings: dict[str, list[str]] | None = None

    def names(self) -> tuple[str, ...]:
        """Return every dotted name that is given a value, sorted."""
        return tuple(sorted(name for names in self._spelled().values() for name in names))

    def named(self, name: str) -> tuple[GivenValue, ...]:
        """Return the values whose last part ends the name, in any spelling of both."""
        whole = folded(name)
        spelled = self._spelled()
        names = [each for start in range(len(whole)) for each in spelled.get(whole[start:], ())]
        return self._given("values_by_name", kind=int(FactKind.VALUE), names=as_list(names)) if names else ()

    def in_files(self, paths: Sequence[str]) -> tuple[GivenValue, ...]:
        """Return the values in files."""
        return self._given("values_in_files", kind=int(FactKind.VALUE), paths=as_list(paths))

    def environment(self) -> tuple[GivenValue, ...]:
        """Return the places that read the environment."""
        return self._given("values_of_kind", kind=int(FactKind.ENVIRONMENT))

    def _given(self, statement: str, **parameters: object) -> tuple[GivenValue, ...]:
        if not self._spelled() and statement != "values_of_kind":
            return ()
        return tuple(map(_given, self._database.rows(statement, **parameters))) if self._has_values() else ()

    def _has_values(self) -> bool:
        ((version,),) = self._database.rows("schema_version")
        return int(version) >= _FIRST_SCHEMA

    def _spelled(self) -> dict[str, list[str]]:
        """Map the last part of each distinct name, in the one spelling that all others meet in, to the names."""
        with self._lock:
            if self._spellings is None:
                found: dict[str, list[str]] = {}
                for (name,) in self._database.rows("fact_values", kind=int(FactKind.VALUE)):
                    found.setdefault(folded(name.rpartition(".")[2]), []).append(name)
                self._spellings = found
            return self._spellings


def _given(row: tuple[Any, ...]) -> GivenValue:
    path, symbol_id, name, value, line, end_line, origin, above, is_plain = row
    keys = tuple(name.split(".")) if origin < Origin.CONSTANT or origin == Origin.CONSTRUCTOR else (name,)
    return GivenValue(
        keys, value, path, line, end_line or line, _ORIGIN[origin], above, bool(is_plain), symbol_id=symbol_id
    )
