"""
Languages whose pack is all that they need: `indexer/languages/<name>/pack.toml` and `tags.scm`.

Keys of pack.toml:
  grammar: package of the tree-sitter grammar
  extensions: endings of files, or names that a file has instead of one
  modifiers, hidden: types of nodes with words like `private`, and those of the words that hide a definition
  hidden_prefix: beginning of names that are seen by their file alone
  documentation, file_documentation, dropped_folders, has_format: see `Rules`
  bodies: types of nodes that are no part of a signature
  has_plain_names: names may hold dashes and dots
  joint: what stands between the parts of a name besides a dot
  unread: pattern of words that are left out, as the grammar takes them for something else
  value: pattern of what stands for a value within a text
  [linking]: fields of `NameSemantics`; `common` are names of methods, between blanks
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from indexer.adapters.languages.by_name.rules import DeclarationContext, Rules
from indexer.domain.linking.by_name.semantics import NameSemantics, common_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable


@dataclass(frozen=True, slots=True)
class Pack:
    """A language: how it is read, and how it is linked."""

    rules: Rules
    semantics: NameSemantics


@dataclass(frozen=True, slots=True)
class _Shown:
    """Tells that a definition has none of the words, and its name not the prefix, that hide it."""

    hidden: frozenset[str]
    prefix: str

    def __call__(self, about: DeclarationContext) -> bool:
        """Return whether a definition can be seen from outside."""
        return self.hidden.isdisjoint(about.words) and not (self.prefix and about.name.startswith(self.prefix))


def read_packs() -> tuple[Pack, ...]:
    """Read all packs that have a grammar, in order of their names."""
    folders = sorted((files("indexer") / "languages").iterdir(), key=lambda each: each.name)
    return tuple(_pack(folder) for folder in folders if (folder / "tags.scm").is_file())


def _pack(folder: Traversable) -> Pack:
    data: Mapping[str, Any] = tomllib.loads((folder / "pack.toml").read_text("utf-8"))
    linking = data.get("linking", {})
    rules = Rules(
        name=folder.name,
        grammar=(data["grammar"], "language"),
        extensions=tuple(data["extensions"]),
        modifiers=frozenset(data.get("modifiers", ())),
        is_public=_Shown(frozenset(data.get("hidden", ())), data.get("hidden_prefix", "")),
        documentation=tuple(data["documentation"]),
        file_documentation=tuple(data["file_documentation"]),
        dropped_folders=frozenset(data.get("dropped_folders", ())),
        has_format=data.get("has_format", False),
        bodies=frozenset(data.get("bodies", ())),
        has_plain_names=data.get("has_plain_names", False),
        counts_arguments=False,
        joint=data.get("joint", ""),
        value=data.get("value", ""),
        unread=data.get("unread", ""),
        query=f"languages/{folder.name}/tags.scm",
    )
    semantics = NameSemantics(
        folder.name,
        constructor=linking.get("constructor", ""),
        has_implicit_receiver=linking.get("has_implicit_receiver", False),
        has_open_types=linking.get("has_open_types", False),
        has_extensions=linking.get("has_extensions", False),
        names_types_by_imports=linking.get("names_types_by_imports", False),
        platform=linking.get("platform", ""),
        unnamed=linking.get("unnamed", ""),
        common=common_names(linking.get("common", "")),
        endings=tuple(linking.get("endings", ())),
    )
    return Pack(rules, semantics)
