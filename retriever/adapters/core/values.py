"""Values that code and configuration give to names, from the facts of a core layer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from retriever.adapters.core.database import as_list, by_number
from retriever.domain.declared.given_values import GivenValue, folded
from retriever.domain.values import FactKind, Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.adapters.core.database import Database

_ORIGIN = by_number(Origin)


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
        """Return the values whose last key is a suffix of the name, both normalised by `folded`."""
        whole = folded(name)
        spelled = self._spelled()
        names = [each for start in range(len(whole)) for each in spelled.get(whole[start:], ())]
        return self._values("values_by_name", names=as_list(names)) if names else ()

    def in_files(self, paths: Sequence[str]) -> tuple[GivenValue, ...]:
        """Return the values in files."""
        return self._values("values_in_files", paths=as_list(paths))

    def of_kind(self, kind: FactKind, beginning: str = "") -> tuple[GivenValue, ...]:
        """Return the facts of a kind whose name starts with `beginning`; each name is a single key."""
        end = f"{beginning}\U0010ffff"
        rows = self._rows("values_of_kind", kind=int(kind), start=beginning, end=end)
        return tuple(_given((row[2],), row) for row in rows)

    def _values(self, statement: str, **parameters: object) -> tuple[GivenValue, ...]:
        rows = self._rows(statement, kind=int(FactKind.VALUE), **parameters)
        return tuple(_given(tuple(row[2].split(".")), row) for row in rows)

    def _rows(self, statement: str, **parameters: object) -> list[tuple[Any, ...]]:
        return self._database.rows(statement, **parameters)

    def _spelled(self) -> dict[str, list[str]]:
        """Map the last part of each distinct name, normalised by `folded`, to the names."""
        with self._lock:
            if self._spellings is None:
                found: dict[str, list[str]] = {}
                for (name,) in self._database.rows("fact_values", kind=int(FactKind.VALUE)):
                    found.setdefault(folded(name.rpartition(".")[2]), []).append(name)
                self._spellings = found
            return self._spellings


def _given(keys: tuple[str, ...], row: tuple[Any, ...]) -> GivenValue:
    path, symbol_id, _, value, line, end_line, origin, above, is_plain = row
    last = end_line or line
    return GivenValue(keys, value, path, line, last, _ORIGIN[origin], above, bool(is_plain), symbol_id=symbol_id)
