"""
Languages that need no code of their own, only a pack: `indexer/languages/<name>/pack.toml` and `tags.scm`.

Keys of pack.toml:
  grammar: package of the tree-sitter grammar
  extensions: endings of files, or names that a file has instead of one
  modifiers: types of nodes with words like `private`
  hidden: words that make a definition private; without effect within a type where `sections` is set, as in C++
  hidden_sections: words of lines like `private:` that make the definitions below them private
  sections: section that holds at the beginning of a type, by the first word of the type (`class`)
  hidden_prefix: beginning of names that are visible in their file alone
  headers: endings of files in which `hidden` has no effect
  shown: beginnings of words of which a public definition has one; without this key all are public
  shown_within: first words of types whose members are public without such a word
  documentation, file_documentation, dropped_folders, index_files, hides_static, macros, has_format, has_markup,
    counts_arguments: see `Rules`
  bodies: types of nodes that are no part of a signature
  has_plain_names: names may hold dashes and dots
  joint: what stands between the parts of a name besides a dot
  unread: pattern of words that are blanked out before parsing, as the grammar misreads them
  closed: pattern of a blank that is replaced by `;`, as the grammar needs the end of a statement there
  package_scheme, manifests: see `Rules`
  operators: beginning of names of functions that define operators
  value: pattern of a placeholder for a value within a text
  [operands]: types of nodes by their role as operands (see `Rules`)
  [linking]: fields of `NameSemantics`; `common` are names of methods, between blanks
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from indexer.adapters.languages.by_name.rules import DeclarationContext, Rules
from indexer.adapters.languages.packs import folders, read_pack
from indexer.domain.linking.by_name.semantics import NameSemantics, common_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Pack:
    """A language: how it is read, and how it is linked."""

    rules: Rules
    semantics: NameSemantics


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """Tells whether a definition can be seen from outside, by the keys of a pack."""

    pack: Mapping[str, Any]

    def __call__(self, about: DeclarationContext) -> bool:
        """Return whether a definition can be seen from outside."""
        read = self.pack.get
        sections: Mapping[str, str] = read("sections", {})
        if (about.section or sections.get(about.owner, "")) in read("hidden_sections", ()):
            return False
        words_count = not (about.owner and sections) and not about.path.endswith(tuple(read("headers", ())))
        if words_count and not about.words.isdisjoint(read("hidden", ())):
            return False
        if (prefix := read("hidden_prefix", "")) and about.name.startswith(prefix):
            return False
        shown = tuple(read("shown", ()))
        return not shown or about.owner in read("shown_within", ()) or any(map(_begins(shown), about.words))


def _begins(beginnings: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda word: word.startswith(beginnings)


def read_packs() -> tuple[Pack, ...]:
    """Read all packs with a query for symbols, in order of their names."""
    return tuple(_pack(folder.name, read_pack(folder.name)) for folder in folders() if (folder / "tags.scm").is_file())


def _pack(name: str, data: Mapping[str, Any]) -> Pack:
    package, _, function = data["grammar"].partition(":")
    linking = dict(data.get("linking", {}))
    roles = {node: role for role, nodes in data.get("operands", {}).items() for node in nodes}
    common = common_names(linking.pop("common", ""))
    rules = {"counts_arguments": False, "modifiers": frozenset(), **_fields(Rules, data)} | {
        "grammar": (package, function or "language"),
        "operands": roles,
    }
    return Pack(
        Rules(name=name, is_public=_Shown(data), **rules),
        NameSemantics(name, common=common, **_fields(NameSemantics, linking)),
    )


def _fields(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass that a table has; lists become tuples or frozensets, by the field's type."""
    found = {each.name: (str(each.type), data[each.name]) for each in fields(kind) if each.name in data}
    return {
        name: (frozenset(value) if "frozenset" in wanted else tuple(value)) if isinstance(value, list) else value
        for name, (wanted, value) in found.items()
    }
