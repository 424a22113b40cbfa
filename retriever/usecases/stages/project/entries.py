"""Finds the entry files and main functions of a project: by manifests, the README, and conventional names."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from common.core.contract.snapshot import FileRole
from retriever.domain.values import SymbolKind, SymbolMark
from retriever.domain.views.prose import paragraphs
from retriever.usecases.locating.about_project import folders_of, project_names, readme
from retriever.usecases.locating.manifests import properties
from retriever.usecases.locating.naming import module_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.values import File, Symbol
    from retriever.ports import Snapshot

_FIRST, _NAMED = 3, 4
"""Most main functions returned, and most names shown for a file."""
_ENTERED, _RUN = frozenset({"entry.main", "entry.module", "entry.exports.."}), "entry.bin."
"""Properties of manifests that name entries."""
_CONVENTIONAL = frozenset({"lib", "main", "index"})
"""Names of files at the root or in `src` that are entries."""
_CALLED = "called as the entry of a package is"
_BY_NAME = "by its name"
_NESTED = 2
"""In at least this many folders, a file with a conventional name is the entry of a part only."""
_MAIN = "main"
_DEFINED = frozenset({SymbolKind.CLASS, SymbolKind.FUNCTION})


def uses_of(snapshot: Snapshot, own: Mapping[str, File]) -> Mapping[str, list[str]]:
    """Map each of the project's own files to the own files that it uses."""
    uses: dict[str, list[str]] = defaultdict(list)
    for each in snapshot.structure.dependencies():
        if each.path in own and each.depends_on in own:
            uses[each.path].append(each.depends_on)
    return uses


def entered(snapshot: Snapshot, own: Mapping[str, File], uses: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """
    Map the entry files of the project to the reason for each.

    If no manifest names a library entry, files that the README uses come before commands of the package.
    Files that define nothing and only import others come last.
    """
    found, is_library = _entries(snapshot, own, uses)
    begun = {path: why for path, why in found.items() if _stem(path) in _CONVENTIONAL and path.count("/") < _NESTED}
    told = {**begun, **({} if is_library else _of_readme(snapshot, own)), **found}
    told = told or {path: _CALLED for path in own if _folded(_stem(path)) in _names(snapshot)}
    handing_on = {
        path for path in told if not defines(snapshot, path) and uses.get(path) and _BY_NAME not in told[path]
    }
    return {path: told[path] for path in sorted(told, key=lambda path: path in handing_on)}


def _names(snapshot: Snapshot) -> frozenset[str]:
    """Return the folded names of the project: from its manifests, its README and its repository."""
    titles = [each.title for each in snapshot.documents.at([readme(snapshot)])][:1]
    return frozenset(map(_folded, (*project_names(snapshot), *titles, snapshot.info.repository.rpartition("/")[2])))


def _folded(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def defines(snapshot: Snapshot, path: str) -> bool:
    """Return whether a file defines a class or function, or is a script."""
    symbols = snapshot.symbols.in_file(path)
    is_run = bool(symbols) and bool(symbols[0].marks & SymbolMark.BEGINS)
    return is_run or any(each.kind not in (SymbolKind.MODULE, SymbolKind.VARIABLE) for each in symbols)


def _entries(
    snapshot: Snapshot, own: Mapping[str, File], uses: Mapping[str, Sequence[str]]
) -> tuple[dict[str, str], bool]:
    """Return the entry files by manifests or file names, and whether the manifest declares a library."""
    said = [each for each in properties(snapshot, "entry.") if each.name in _ENTERED or each.name.startswith(_RUN)]
    manifests = [each.path for each in properties(snapshot, "name")]
    nearest = [each for each in said if each.path.count("/") == manifests[0].count("/")] if manifests else []
    found = {}
    for each in nearest:
        if path := _file_of(own, each.path.rpartition("/")[0], each.value):
            found[path] = _why(each)
    names = frozenset(name.replace("-", "_").lower() for name in project_names(snapshot))
    folders = _packages(snapshot, uses) if not found else {}
    for path, file in own.items() if names else ():
        named, is_package = _named_after(snapshot, path)
        is_alike = named in _CONVENTIONAL or (named in names and bool(found or is_package or _stem(path) == _MAIN))
        is_alike = is_alike and bool(uses.get(path) or defines(snapshot, path))
        if is_alike and file.lines and file.role is not FileRole.STUB:
            found.setdefault(path, _CALLED)
    for folder in folders if not found else ():
        begins = (f"{folder}/{each}" for each in ("src/", "lib/", ""))
        inside = [path for each in begins for path in own if path.startswith(each) and "/" not in path[len(each) :]]
        if path := next((each for each in inside if _stem(each) in _CONVENTIONAL), ""):
            found[path] = f"the entry of the package {folders[folder]}, {_BY_NAME}"
    return found, any(not each.name.startswith(_RUN) for each in nearest)


def _packages(snapshot: Snapshot, uses: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """
    Map the folders of the packages of a workspace to their names.

    The package with the repository's name comes first, then the packages that others use most.
    """
    names = {each.path.rpartition("/")[0]: each.value for each in properties(snapshot, "name") if each.name == "name"}
    used: Counter[str] = Counter()
    for path, targets in uses.items():
        own, *others = (next((one for one in folders_of(each) if one in names), "") for each in (path, *targets))
        used.update(set(others) - {own})
    own_name = _folded(snapshot.info.repository.rpartition("/")[2])
    ranked = sorted(names, key=lambda each: (_folded(names[each].rpartition("/")[2]) != own_name, -used[each], each))
    return {each: names[each] for each in ranked if each}


def _why(entry: GivenValue) -> str:
    if not entry.name.startswith(_RUN):
        return f"the entry of the package, by {entry.path}"
    function = entry.value.partition(":")[2]
    runs = f", which runs its {function}" if function else ""
    return f"the entry of the command {entry.name.removeprefix(_RUN)}{runs}, by {entry.path}"


def _file_of(own: Mapping[str, File], folder: str, written: str) -> str:
    """Return the file of an entry, written as a path, with or without extension, or as `module:function`."""
    path = written.removeprefix("./").partition(":")[0]
    dotted = path.replace(".", "/") if "/" not in path else path
    stems = [f"{base}{each}".strip("/") for base in (f"{folder}/", f"{folder}/src/") for each in (path, dotted)]
    wanted = {end for stem in stems for end in (stem, f"{stem}/index", f"{stem}/__init__")}
    found = (each for each in own if each in wanted or each.rpartition(".")[0] in wanted)
    return next((each for each in found if own[each].lines and own[each].role is not FileRole.STUB), "")


def _named_after(snapshot: Snapshot, path: str) -> tuple[str, bool]:
    """Return the name that a file near the root stands for, maybe its folder's, and whether it is a package file."""
    folder, _, name = path.removeprefix("src/").rpartition("/")
    stem = name.partition(".")[0]
    if stem == _MAIN and folder:
        return folder.rpartition("/")[2], False
    if stem not in _CONVENTIONAL and "/" not in folder and folder:
        module = module_of(snapshot, path)
        if module and module.marks & SymbolMark.PACKAGE:
            return folder, True
    return (stem if folder in ("", "lib") else ""), False


def _of_readme(snapshot: Snapshot, own: Mapping[str, File]) -> dict[str, str]:
    """
    Return the files whose public classes and called functions occur in the README's code, with these names.

    The file with the class of the project's name comes first, then the others in order of occurrence.
    """
    code = "\n".join(each.text for each in paragraphs(snapshot.files.text(readme(snapshot))) if each.is_code)
    names = Counter("".join(letter if letter.isalnum() or letter == "_" else " " for letter in code).split())
    found: dict[str, list[Symbol]] = defaultdict(list)
    for name in names:
        outer = [each for each in snapshot.symbols.named(name) if each.name == name and each.path in own]
        public = [each for each in outer if "." not in each.qualified_name and each.is_public and each.kind in _DEFINED]
        meant = _imported_from(snapshot, public, names) if f"{name}(" in code or name[:1].isupper() else None
        if meant:
            found[meant.path].append(meant)
    titles, first = _names(snapshot), list(names)

    def order(path: str) -> tuple[bool, int]:
        classes = [_folded(each.name) for each in found[path] if each.kind == SymbolKind.CLASS]
        return titles.isdisjoint(classes), min(first.index(each.name) for each in found[path])

    return {
        path: f"the README uses {', '.join(each.name for each in found[path][:_NAMED])}"
        for path in sorted(found, key=order)
    }


def _imported_from(snapshot: Snapshot, found: Sequence[Symbol], names: Iterable[str]) -> Symbol | None:
    """Return the definition whose path has the most of the names as parts; of equals, the most used one."""
    said = frozenset(names)
    used = snapshot.graph.fan_in([each.id for each in found])

    def worth(symbol: Symbol) -> tuple[int, int]:
        return len(said & set(symbol.path.replace(".", "/").split("/"))), used.get(symbol.id, 0)

    return max(found, key=worth, default=None)


def mains_of(snapshot: Snapshot, own: Mapping[str, File], uses: Mapping[str, Sequence[str]]) -> list[Symbol]:
    """Return the main modules and functions, those nearest to the root first."""
    named = [each for each in snapshot.symbols.named(_MAIN) if each.path in own and each.name == _MAIN]
    symbols = snapshot.lexical.corpus().symbols
    programs = symbols.ids[symbols.is_module & ((symbols.marks & SymbolMark.BEGINS) > 0)].tolist()
    run = [each for each in snapshot.symbols.get(programs) if each.path in own]
    mains = [each for each in named if each.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}]
    mains = [each for each in mains if own[each.path].role is FileRole.CODE]
    # A script in another language that uses no file of the project is no entry of it.
    lines: Counter[str] = Counter()
    for file in own.values():
        lines[file.language] += file.lines
    main_language = max(lines, key=lambda each: lines[each], default="")
    mains = [each for each in mains if uses.get(each.path) or own[each.path].language == main_language]

    def order(symbol: Symbol) -> tuple[bool, int, int, str]:
        return not uses.get(symbol.path), symbol.path.count("/"), -symbol.lines, symbol.path

    return sorted((*run, *mains), key=order)[:_FIRST]
