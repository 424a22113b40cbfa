"""What differs between the languages that are read by name, one row for each; the rest is in their query files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from indexer.adapters.languages.by_name.cargo import MANIFEST
from indexer.adapters.languages.by_name.naming import dotted

if TYPE_CHECKING:
    from collections.abc import Callable


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
        is_public: Whether a definition can be seen from outside of what is around it.
        documentation: Beginnings of comments that are documentation when they stand above a definition.
        file_documentation: Beginnings of comments that document the file when they stand at its top.
        dropped_folders: Folders that are no part of module names.
        index_files: Names of files that stand for their folder.
        hides_static: Functions that are not public are seen by no other file.
        macros: Where macros may stand besides calls: in the "heads" of types, or on lines "alone" too; or that they are
            "rules" that make functions; "" for nowhere.
        has_format: Messages have directives like `%s`.
        has_markup: Documentation has tags in angle brackets.
        bodies: Types of nodes, besides fields, that are no part of a signature.
        has_plain_names: Names are kept as they are written, with dashes and dots.
        counts_arguments: Definitions of a name are told apart by how many arguments they take.
        joint: What stands between the parts of a name besides those of all languages; "" for nothing.
        value: Pattern of what stands for a value within a text; "" for none but nodes of the grammar.
        unread: Pattern of words that the grammar takes for something else; they are left out.
        query: Of the language, below the package; "" for `queries/languages/<name>.scm`.
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
    query: str = ""


def _rust(about: DeclarationContext) -> bool:
    return any(word.startswith("pub") for word in about.words) or about.owner in ("trait", "implementation", "enum")


def _c(about: DeclarationContext) -> bool:
    return "static" not in about.words or about.path.endswith((".h", ".hpp", ".hh", ".hxx"))


def _cpp(about: DeclarationContext) -> bool:
    if about.owner == "class":
        return about.section in ("public", "protected")
    return about.section != "private" if about.owner else _c(about)


def _csharp(about: DeclarationContext) -> bool:
    shown = not about.words.isdisjoint(("public", "protected", "internal"))
    return "private" not in about.words and (shown or about.owner in ("", "interface", "enum"))


def _ruby(about: DeclarationContext) -> bool:
    return "private" not in about.words and about.section not in ("private", "protected")


def _php(about: DeclarationContext) -> bool:
    return "private" not in about.words


def name_of(rules: Rules, written: str) -> str:
    """Return a name as it is kept: dotted, or as it is written where the language says so."""
    if rules.has_plain_names:
        return written.strip("\"'")
    return dotted(written.replace(rules.joint, ".") if rules.joint else written)


_SLASHES = ("/**", "/*!", "///", "//!")
_RULES = (
    Rules(
        name="rust",
        macros="rules",
        grammar=("tree_sitter_rust", "language"),
        extensions=(".rs", MANIFEST),
        modifiers=frozenset({"visibility_modifier"}),
        is_public=_rust,
        documentation=("///", "/**"),
        file_documentation=("//!", "/*!"),
        dropped_folders=frozenset({"src"}),
        index_files=frozenset({"mod", "lib", "main"}),
    ),
    Rules(
        name="c",
        macros="heads",
        grammar=("tree_sitter_c", "language"),
        extensions=(".c", ".h"),
        modifiers=frozenset({"storage_class_specifier"}),
        is_public=_c,
        documentation=("/*", "//"),
        file_documentation=("/*", "//"),
        hides_static=True,
        has_format=True,
    ),
    Rules(
        name="cpp",
        macros="alone",
        grammar=("tree_sitter_cpp", "language"),
        extensions=(".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".h"),
        modifiers=frozenset({"storage_class_specifier"}),
        is_public=_cpp,
        documentation=("/*", "//"),
        file_documentation=("/*", "//"),
        hides_static=True,
        has_format=True,
    ),
    Rules(
        name="csharp",
        grammar=("tree_sitter_c_sharp", "language"),
        extensions=(".cs",),
        modifiers=frozenset({"modifier"}),
        is_public=_csharp,
        documentation=("///", "/**"),
        file_documentation=_SLASHES,
        has_markup=True,
    ),
    Rules(
        name="ruby",
        grammar=("tree_sitter_ruby", "language"),
        extensions=(".rb", ".rake", ".gemspec"),
        modifiers=frozenset(),
        is_public=_ruby,
        documentation=("#",),
        file_documentation=("#",),
        dropped_folders=frozenset({"lib"}),
    ),
    Rules(
        name="php",
        grammar=("tree_sitter_php", "language_php"),
        extensions=(".php", ".phtml"),
        modifiers=frozenset({"visibility_modifier"}),
        is_public=_php,
        documentation=("/**",),
        file_documentation=("/**",),
    ),
)
RULES = {rules.name: rules for rules in _RULES}
