"""What the linker by name has to know of each language."""

from __future__ import annotations

from dataclasses import dataclass

_COLLECTIONS = """
add all any append apply at back begin clear clone close contains copy count data delete drop each empty end entry eq
equals erase extend filter find first flush format from front get has hash index init insert into is_empty iter join
keys last len length lock log main map max min name new next open parse path peek pop print push put read remove
replace reset resize run send set size sort split start stop sum swap take test to_s to_string toString trim type
unlock update value values write
"""


@dataclass(frozen=True, slots=True)
class NameSemantics:
    """
    One language.

    Args:
        language: Its name.
        constructor: Name of constructors; "" for the name of the type.
        has_implicit_receiver: `name()` may call a method of the type around it.
        has_open_types: A type may be defined in several places that belong together.
        has_extensions: A function may be called as a member of what it extends.
        names_types_by_imports: Imports, else the namespace, say which of several types of a name is meant.
        platform: Of languages that name each other's packages; "" for others.
        unnamed: Word that stands in imports for a block which adds nothing to the names in it.
        has_crates: Paths lead through the modules of crates (see `Crates`).
        common: Names of methods that say nothing about whose they are, since libraries have them too.
        endings: Endings of files that imports leave out.
    """

    language: str
    constructor: str = ""
    has_implicit_receiver: bool = False
    has_open_types: bool = False
    has_extensions: bool = False
    names_types_by_imports: bool = False
    platform: str = ""
    unnamed: str = ""
    has_crates: bool = False
    common: frozenset[str] = frozenset(_COLLECTIONS.split())
    endings: tuple[str, ...] = ()

    def without_unnamed(self, written: str) -> str:
        """Return a dotted name as it is kept."""
        return written.replace(f".{self.unnamed}.", ".") if self.unnamed else written


def common_names(text: str) -> frozenset[str]:
    """Return names of methods that libraries of any language have, and those of a text."""
    return frozenset((_COLLECTIONS + text).split())
