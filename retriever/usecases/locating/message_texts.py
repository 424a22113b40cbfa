"""Finds the code that contains a message which no error string matches: constants, tables, arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retriever.domain.values import SymbolKind
from retriever.domain.views.text_places import lines_with
from retriever.usecases.locating.naming import enclosing, module_of
from retriever.usecases.locating.occurrences import files_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_INSERTED = re.compile(r"['\"`<>{}\[\]%$|\d]+")
"""Marks around inserted values, or the values themselves; the fixed text of the code is between them."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_LEAST_WORDS = 3
"""Least words of a text to look for; fewer occur in many places by chance."""
_USERS = 3
_FILES = 20
"""Most files that are searched for users of a constant."""


def fixed_part(message: str) -> str:
    """Return the longest part of a message without inserted values; "" if none has enough words."""
    longest = max((part.strip() for part in _INSERTED.split(message)), key=len, default="")
    return longest if len(_WORD.findall(longest)) >= _LEAST_WORDS else ""


def sentences(message: str) -> tuple[str, ...]:
    """Return the sentences of a message; () if it is a single sentence."""
    found = tuple(each for each in _SENTENCE_END.split(message) if each.strip())
    return found if len(found) > 1 else ()


def holders(snapshot: Snapshot, message: str, paths: Iterable[str]) -> Iterator[tuple[Symbol, int, str]]:
    """
    Yield (symbol, line, constant) for code that contains a message, or uses a constant that contains it.

    `constant` is its name, "" for code with the text itself. Case is ignored.

    Args:
        paths: Files to search, in order.
    """
    wanted = fixed_part(message).lower()
    for path in paths if wanted else ():
        text = snapshot.files.text(path)
        before, found, _ = text.lower().partition(wanted)
        if not found:
            continue
        line = before.count("\n") + 1  # count in the lower-cased text: a lower-case letter may be two characters
        holder = enclosing(snapshot, path, line) or module_of(snapshot, path)
        if holder is None:
            continue
        yield holder, line, ""
        if holder.kind == SymbolKind.VARIABLE:
            yield from users_of_constant(snapshot, holder)


def constant_at(snapshot: Snapshot, path: str, line: int) -> Symbol | None:
    """Return the constant or variable whose value is assigned at a line of a file; None without any."""
    found = (each for each in snapshot.symbols.in_file(path) if each.kind == SymbolKind.VARIABLE)
    return next((each for each in found if each.start_line <= line <= each.end_line), None)


def users_of_constant(snapshot: Snapshot, constant: Symbol) -> Iterator[tuple[Symbol, int, str]]:
    """Yield functions of the same language that use a constant, its own file first, with the first such line."""
    own = snapshot.files.at(constant.path)
    naming = files_with(snapshot, constant.name, in_code=True)
    files = [each for each in naming if own and each.language == own.language]
    seen = {constant.id}
    for file in sorted(files, key=lambda each: each.path != constant.path)[:_FILES]:
        for number in lines_with(snapshot.files.text(file.path), constant.name):
            user = enclosing(snapshot, file.path, number)
            if len(seen) <= _USERS and user and user.id not in seen:
                seen.add(user.id)
                yield user, number, constant.name
