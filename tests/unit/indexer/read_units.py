"""Files of one language, read as its linker takes them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from indexer.adapters.languages.registry import languages, linkers
from indexer.adapters.parsing.child import read_file
from indexer.domain.model import EdgeKind, Fact, FactKind, LinkUnit, Tier
from indexer.domain.parsing import ParseRequest
from indexer.ports import Language
from indexer.usecases.indexing.read_facts import languages_of

_LANGUAGES = languages()


def units_of(language: Language, texts: Mapping[str, str]) -> list[LinkUnit]:
    """Read files given by path, in order of path."""
    modules = language.module_names(texts, {}, None)
    return [
        LinkUnit(path, modules[path], language.parse(path, modules[path], text)) for path, text in sorted(texts.items())
    ]


def units_below(root: Path, language: Language) -> list[LinkUnit]:
    """Read the files of a language below a folder, in order of path."""
    found = (path for path in root.rglob("*") if path.suffix in language.extensions)
    return units_of(language, {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found})


def led(language: str, files: Mapping[str, str], kind: EdgeKind) -> dict[str, list[tuple[str, Tier]]]:
    """Return the (path, tier) of what the edges of each file lead to, the name of what is outside."""
    reader = languages()[language]
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    own = {path: text for path, text in texts.items() if path.endswith(reader.extensions)}
    manifests = {path: text for path, text in texts.items() if path.endswith(reader.manifests)}
    names = reader.module_names(own, manifests, None)
    units = [LinkUnit(path, names[path], reader.parse(path, names[path], texts[path])) for path in sorted(names)]
    found: dict[str, list[tuple[str, Tier]]] = {}
    for edge in linkers()[language].link(units).edges:
        if edge.kind == kind:
            target = units[edge.target[0]].path if edge.target else edge.target_name
            found.setdefault(units[edge.source[0]].path, []).append((target, edge.tier))
    return found


def facts_of(path: str, text: str, kind: FactKind = FactKind.VALUE) -> list[Fact]:
    """Return what is read of one kind in a file, as the indexer reads it."""
    [language] = languages_of([path], _LANGUAGES)
    read = read_file(ParseRequest("key", language.name if language else "", path, path, text), _LANGUAGES)
    assert read.parsed or kind is FactKind.VALUE
    return [each for each in (read.parsed.facts if read.parsed else read.values) if each.kind == kind]
