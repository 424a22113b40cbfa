"""The wiki: an overview, a page for each package and module, and the sections of prose files."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from indexer.domain.model import SymbolDef, SymbolKind
from indexer.domain.snapshots.core import IndexedFile, LinkedEdges, Page, PageKind
from indexer.domain.text.prose import is_prose, sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.domain.snapshots.core import FileMetadata

MAX_RELATIONS = 12
"""Greatest number of used files, and of using files, that the page of a file lists."""

_MAX_SYMBOLS = 60
_LANGUAGES = "Languages: "
_CUT, _CUT_SHORT = "Calls may be missing in: ", "; linking was cut short"
_HEAD = 3
"""Leading paragraphs of an overview that the indexer makes: sizes, languages, and where calls may be missing."""
_MAX_README_CHARACTERS = 4000
_PACKAGE_FILES = frozenset({"__init__.py", "index.ts", "index.js", "mod.rs", "lib.rs", "package-info.java", "doc.go"})


def make_pages(
    repository: str, files: Sequence[IndexedFile], edges: Sequence[LinkedEdges], metadata: Sequence[FileMetadata]
) -> tuple[Page, ...]:
    """
    Return all pages, in order of path; made from docstrings, prose files, public symbols and their relations.

    Args:
        metadata: In the order of the files.
    """
    relations = _Relations(files, edges)
    members = list_members([outline for file in files if (outline := outline_of(file))])
    cut = [linked.language or "calls between languages" for linked in edges if linked.cut]
    pages = [_overview(repository, files, metadata, cut)]
    for position, file in enumerate(files):
        surroundings = PageSurroundings(
            () if (folder := package_folder(file.source.path)) is None else members.get(folder, ()),
            relations.names(relations.uses.get(position)),
            relations.names(relations.used_by.get(position)),
            metadata[position],
        )
        pages.extend(
            dataclasses.replace(page, symbol=(position, 0)) if page.documents_module else page
            for page in pages_of(file, surroundings)
        )
    return tuple(pages)


@dataclass(frozen=True, slots=True)
class Outline:
    """What the page of a package needs of one of its files; only the first line of `docstring` is used."""

    path: str
    module: str
    docstring: str


@dataclass(frozen=True, slots=True)
class PageSurroundings:
    """
    Parts of a file's page that depend on other files.

    Args:
        members: Lines about the modules of a package; none for other files.
        uses: Titles of the files that it uses most, most used first.
        used_by: Titles of the files that use it most, most frequent first.
        metadata: Domain and concepts of the file.
    """

    members: Sequence[str]
    uses: Sequence[str]
    used_by: Sequence[str]
    metadata: FileMetadata


def outline_of(file: IndexedFile) -> Outline | None:
    """Return the outline of a file for the page of its package; None for tests and files that are not parsed."""
    if file.parsed is None or file.is_test:
        return None
    return Outline(file.source.path, file.module, file.parsed.symbols[0].docstring)


def pages_of(file: IndexedFile, surroundings: PageSurroundings) -> tuple[Page, ...]:
    """Return the pages about one file; `symbol` of a module's page is not set."""
    if file.parsed is not None and not file.is_test:
        return (_module_page(file, surroundings),)
    if not file.language and is_prose(file.source.path):
        return tuple(_prose_pages(file))
    return ()


class _Relations:
    """Which files use which, by edges between their symbols, without tests; most edges first, ties by path."""

    def __init__(self, files: Sequence[IndexedFile], edges: Sequence[LinkedEdges]) -> None:
        uses: dict[int, Counter[int]] = {}
        used_by: dict[int, Counter[int]] = {}
        for linked in edges:
            for edge in linked.edges:
                if edge.target is None or edge.target[0] == edge.source[0]:
                    continue
                source, target = linked.files[edge.source[0]], linked.files[edge.target[0]]
                if files[source].is_test or files[target].is_test:
                    continue
                uses.setdefault(source, Counter())[target] += 1
                used_by.setdefault(target, Counter())[source] += 1
        self._files = files
        self.uses = uses
        self.used_by = used_by

    def names(self, counts: Counter[int] | None) -> list[str]:
        """Return the titles of counted files."""
        ranked = sorted((counts or {}).items(), key=lambda item: (-item[1], self._files[item[0]].source.path))
        files = (self._files[position] for position, _ in ranked)
        names = dict.fromkeys(title_of(file.source.path, file.module) for file in files)
        return list(names)[:MAX_RELATIONS]


def _about(metadata: FileMetadata) -> str:
    lines = (("Part of", metadata.domain), ("Concepts", ", ".join(metadata.concepts)))
    return "\n".join(f"{name}: {value}" for name, value in lines if value)


def without_metadata(body: str) -> str:
    """Return a page without domain and concepts, which change with other files of the repository."""
    return body.split("\n\nPart of: ")[0].split("\n\nConcepts: ")[0]


def _overview(
    repository: str, files: Sequence[IndexedFile], metadata: Sequence[FileMetadata], cut: Sequence[str]
) -> Page:
    readme = next((file for file in files if _is_root_readme(file.source.path)), None)
    parts = [f"{repository}: {len(files)} files, {sum(file.source.lines for file in files)} lines"]
    languages = _counted(file.language for file in files if not _is_configuration(file.source.path))
    if languages:
        parts.append(_LANGUAGES + ", ".join(languages))
    own = (each for file, each in zip(files, metadata, strict=True) if file.parsed and not file.is_test)
    domains = _counted(each.domain for each in own)
    if domains:
        parts.append("Parts: " + ", ".join(domains[:MAX_RELATIONS]))
    packages = [
        f"- {file.module}{_dash(_summary(file.parsed.symbols[0].docstring))}"
        for file in files
        if file.parsed and not file.is_test and file.module.count(".") <= 1 and _is_package(file.source.path)
    ]
    if packages:
        parts.append("Packages:\n" + "\n".join(packages[:_MAX_SYMBOLS]))
    if readme:
        parts.append(_clipped(readme.source.text))
    return Page(PageKind.OVERVIEW, "", repository, with_cut("\n\n".join(parts), cut))


def _counted(names: Iterable[str]) -> list[str]:
    """Return each name with the number of files that have it, most frequent first; empty names are ignored."""
    ranked = sorted(Counter(filter(None, names)).items(), key=lambda item: (-item[1], item[0]))
    return [f"{name} ({count} files)" for name, count in ranked]


def with_cut(overview: str, cut: Sequence[str]) -> str:
    """Return an overview with the paragraph about languages with incomplete calls added, replaced or removed."""
    parts = overview.split("\n\n", _HEAD)
    kept = [each for each in parts[:_HEAD] if not (each.startswith(_CUT) and each.endswith(_CUT_SHORT))]
    if cut:
        behind = sum(each.startswith(_LANGUAGES) for each in kept[:2]) + 1
        kept.insert(behind, f"{_CUT}{', '.join(cut)}{_CUT_SHORT}")
    return "\n\n".join((*kept, *parts[_HEAD:]))


def _is_root_readme(path: str) -> bool:
    return "/" not in path and PurePosixPath(path).stem.lower() == "readme" and is_prose(path)


def _is_configuration(path: str) -> bool:
    """Return whether a file is configuration, such as `package.json`, whose language an overview does not list."""
    return path.endswith(".json")


def _is_package(path: str) -> bool:
    return path.rpartition("/")[2] in _PACKAGE_FILES


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _module_page(file: IndexedFile, surroundings: PageSurroundings) -> Page:
    assert file.parsed is not None
    symbols = file.parsed.symbols
    parts = [symbols[0].docstring] if symbols[0].docstring else []
    if surroundings.members:
        parts.append("Modules:\n" + "\n".join(surroundings.members[:_MAX_SYMBOLS]))
    listed = [_symbol_line(symbol) for symbol in symbols[1:] if _is_listed(symbol, symbols)]
    if listed:
        parts.append("Public symbols:\n" + "\n".join(listed[:_MAX_SYMBOLS]))
    if surroundings.uses:
        parts.append("Uses: " + ", ".join(surroundings.uses))
    if surroundings.used_by:
        parts.append("Used by: " + ", ".join(surroundings.used_by))
    if about := _about(surroundings.metadata):
        parts.append(about)
    kind = PageKind.PACKAGE if _is_package(file.source.path) else PageKind.MODULE
    title = title_of(file.source.path, file.module)
    return Page(kind, file.source.path, title, "\n\n".join(parts), 1, max(1, file.source.lines))


def title_of(path: str, module: str) -> str:
    """Return the title of a file's page: the module, with the file name added if the module does not end with it."""
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    told = module == path or f".{module}".endswith((f".{stem}", f".{name}"))
    return module if told or _is_package(path) else f"{module} ({name})"


def package_folder(path: str) -> str | None:
    """Return the folder of a file that makes it a package, such as `__init__.py`; None for other files."""
    return _folder(path) if _is_package(path) else None


def list_members(modules: Iterable[Outline]) -> Mapping[str, Sequence[str]]:
    """Return by folder the lines about the modules directly in it and the packages directly below it."""
    found: dict[str, list[str]] = {}
    for each in modules:
        folder = _folder(each.path)
        if _is_package(each.path):
            if not folder:
                continue
            folder = _folder(folder)
        found.setdefault(folder, []).append(f"- {title_of(each.path, each.module)}{_dash(_summary(each.docstring))}")
    return found


def _is_listed(symbol: SymbolDef, symbols: Sequence[SymbolDef]) -> bool:
    if not symbol.is_public or symbol.kind == SymbolKind.VARIABLE:
        return False
    return symbol.parent == 0 or symbols[symbol.parent].kind == SymbolKind.CLASS


def _symbol_line(symbol: SymbolDef) -> str:
    indent = "  " * symbol.qualified_name.count(".")
    return f"{indent}- {symbol.signature or symbol.qualified_name}{_dash(_summary(symbol.docstring))}"


def _prose_pages(file: IndexedFile) -> Iterator[Page]:
    for section in sections(file.source.path, file.source.text):
        title = " > ".join(section.titles) or file.source.path
        yield Page(PageKind.SECTION, file.source.path, title, section.text, section.start_line, section.end_line)


def _summary(docstring: str) -> str:
    return docstring.strip().partition("\n")[0].strip()


def _dash(text: str) -> str:
    return f": {text}" if text else ""


def _clipped(text: str) -> str:
    """Cut a README at the last blank line before `_MAX_README_CHARACTERS`."""
    if len(text) <= _MAX_README_CHARACTERS:
        return text.strip()
    head = text[:_MAX_README_CHARACTERS]
    return (head.rpartition("\n\n")[0] or head).strip()
