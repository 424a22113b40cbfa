"""The differences between languages that are linked by name which are not expressed in their query files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from indexer.adapters.languages.by_name.naming import dotted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class DeclarationContext:
    """
    What the visibility of a definition depends on.

    Args:
        words: Modifiers in front of it.
        section: Word of the last line like `private:` above it in the same body; "" for none.
        owner: First word of the type around it (`class`, `trait`, ...); "" at the top.
        path: Of the file.
        name: Its own.
    """

    words: frozenset[str]
    section: str
    owner: str
    path: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """
    One language.

    Args:
        name: Of the language and of its query file.
        grammar: Package and function that give the grammar.
        extensions: Endings of its files.
        modifiers: Types of nodes that hold words like `public` and `static`.
        is_public: Whether a definition is visible outside of the enclosing definition.
        documentation: Beginnings of comments that are documentation when they stand above a definition.
        file_documentation: Beginnings of comments that document the file when they stand at its top.
        dropped_folders: Folders that are no part of module names.
        index_files: Names of files that stand for their folder.
        hides_static: Functions that are not public are visible in their file alone.
        macros: "heads": macros in heads of types are blanked out; "alone": also those on lines of their own; "rules":
            Rust macros that define functions are expanded; "": none of these.
        has_format: Messages have directives like `%s`.
        has_markup: Documentation has tags in angle brackets.
        bodies: Types of nodes, besides fields, that are no part of a signature.
        has_plain_names: Names are kept as they are written, with dashes and dots.
        counts_arguments: Definitions of one name are distinguished by their number of arguments.
        joint: A separator of the parts of a name besides those of all languages; "" for none.
        value: Pattern of a placeholder for a value within a text; "" if only nodes of the grammar are.
        unread: Pattern of words that the grammar misreads; they are blanked out before parsing.
        closed: Pattern of a blank that is replaced by `;`, as the grammar needs the end of a statement there.
        package_scheme: Beginning of an import that names a package and a path below it; "" for none.
        operands: Role as an operand by type of node: "variable" (or field), "this" (the receiver), "opaque" (an
            expression whose type is not that of its parts), "call", "made" (the callee of a call, if it names the type
            of the result) or "group" (parentheses).
        manifests: Files that name the package below their folder.
        operators: Prefix, before the sign, of the name of a function that defines an operator.
    """

    name: str
    grammar: tuple[str, str]
    extensions: tuple[str, ...]
    modifiers: frozenset[str]
    is_public: Callable[[DeclarationContext], bool]
    documentation: tuple[str, ...]
    file_documentation: tuple[str, ...]
    dropped_folders: frozenset[str] = frozenset()
    index_files: frozenset[str] = frozenset()
    hides_static: bool = False
    macros: Literal["", "heads", "alone", "rules"] = ""
    has_format: bool = False
    has_markup: bool = False
    bodies: frozenset[str] = frozenset()
    has_plain_names: bool = False
    counts_arguments: bool = True
    joint: str = ""
    value: str = ""
    unread: str = ""
    closed: str = ""
    package_scheme: str = ""
    manifests: tuple[str, ...] = ()
    operands: Mapping[str, str] = field(default_factory=dict, hash=False)
    operators: str = ""


def name_of(rules: Rules, written: str) -> str:
    """Return the stored form of a name: dotted, or unchanged if `has_plain_names`."""
    if rules.has_plain_names:
        return written.strip("\"'")
    return dotted(written.replace(rules.joint, ".") if rules.joint else written)
