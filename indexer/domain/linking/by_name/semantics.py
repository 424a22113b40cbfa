"""Rules of each language for the linker by name."""

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
    The rules of one language.

    Args:
        language: Its name.
        constructor: Name of constructors; "" for the name of the type.
        has_implicit_receiver: `name()` may call a method of the enclosing type.
        has_open_types: The definition of one type may be spread over several places.
        has_extensions: A function may be called as a member of the type that it extends.
        names_types_by_imports: Imports, else the namespace, decide between several types of one name.
        platform: Platform whose languages refer to each other's packages, such as the JVM; "" for other languages.
        unnamed: Part of imported names for a block that adds nothing to the names of its members, and is removed.
        has_crates: Paths are resolved through the modules of crates (see `Crates`).
        common: Names of methods that give no evidence of their type, since types of libraries have them too.
        endings: Suffixes of files that imports omit.
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
        """Return a dotted name without `unnamed` parts."""
        return written.replace(f".{self.unnamed}.", ".") if self.unnamed else written


def common_names(text: str) -> frozenset[str]:
    """Return the method names in `text`, with those that libraries of any language have."""
    return frozenset((_COLLECTIONS + text).split())
