"""All supported languages and their linkers."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING

from indexer.adapters.languages.by_name.language import ByNameLanguage
from indexer.adapters.languages.by_name.packs import read_packs
from indexer.adapters.languages.go.language import GoLanguage
from indexer.adapters.languages.java.language import JavaLanguage
from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.adapters.languages.outlines import OutlineLanguage
from indexer.adapters.languages.packs import folders, read_pack
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.by_name.linker import NameLinker
from indexer.domain.linking.go.semantics import GoSemantics
from indexer.domain.linking.java.semantics import JavaSemantics
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.ports import Language, Linker

IN_FULL = (
    (PythonLanguage(), PythonSemantics()),
    (JavaScriptLanguage(), JavaScriptSemantics()),
    (JavaLanguage(), JavaSemantics()),
    (GoLanguage(), GoSemantics()),
)
"""Languages with an adapter and a linker of their own; each other one is a pack."""


def languages() -> Mapping[str, Language]:
    """Return all languages by name."""
    in_full: tuple[Language, ...] = tuple(language for language, _ in IN_FULL)
    by_name = (ByNameLanguage(pack.rules) for pack in read_packs())
    packs = ((folder.name, read_pack(folder.name)) for folder in folders())
    outlined = (OutlineLanguage(name, pack) for name, pack in packs if "definition" in pack)
    found = (*in_full, *by_name, *outlined)
    return {language.name: language for language in found}


def code_endings() -> Mapping[str, str]:
    """Return by ending the language of code files without an adapter: they are indexed as text, but count as code."""
    table = tomllib.loads((files("indexer") / "languages" / "endings.toml").read_text("utf-8"))
    return {ending: language for language, endings in table.items() for ending in endings}


def linkers() -> Mapping[str, Linker]:
    """Return the linker of each language that has one."""
    return {
        **{language.name: FlowLinker(semantics) for language, semantics in IN_FULL},
        **{pack.semantics.language: NameLinker(pack.semantics) for pack in read_packs()},
    }
