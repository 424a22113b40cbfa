"""Lists the contents of folders and files, each described by its own documentation where it has any."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.snapshot import FileRole
from common.core.contract.understanding import Relation
from common.core.words.terms import count_terms, words
from retriever.domain.values import SymbolKind, SymbolMark
from retriever.domain.views.listing import User, UserList
from retriever.domain.views.prose import paragraphs, summary
from retriever.usecases.evidence.drafting import list_draft
from retriever.usecases.evidence.purposes import purposes_of
from retriever.usecases.locating.about_project import (
    PROJECT,
    folders_of,
    own_files,
    paths_of_definitions,
    paths_of_packages,
)
from retriever.usecases.locating.manifests import properties
from retriever.usecases.locating.naming import find_files, module_of
from retriever.usecases.using.implementing import methods_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import File, Symbol
    from retriever.ports import Snapshot

_LISTED = 24
_NAMED, _METHODS = 4, 6
"""Most definitions named for a file without documentation, and most methods for such a class."""
_LEAST_WORDS = 3
"""Least words of a sentence of documentation; headings in comments have fewer."""
_MOSTLY = 0.6
"""A definition with more than this share of a file's lines is its main one; likewise the root among packages."""
_NAMELESS = frozenset({"default", "exports"})
"""Names of a module's export as a whole; they describe nothing."""
_SEVERAL = 2
_CODE = (FileRole.CODE, FileRole.GENERATED)
_MOST_OF_ALL = 0.9
"""A folder with at least this share of the code is not a part: the parts are inside of it."""


def list_of(found: UserList) -> Draft:
    """Draft a list about the project; it mentions the definitions that it names."""
    mentions = dict.fromkeys(each.symbol for each in found.listed if each.symbol)
    return list_draft(found, mentions, title=f"What {found.name} {found.relation.value}")


def place_of(snapshot: Snapshot, written: str) -> UserList | None:
    """Return the contents of a folder or file, given as a path or in words: "the net folder"."""
    names = [each.strip("/`'\"") for each in (written, *written.split())]
    found = [held for each in names if (held := _held(snapshot, each)) and held.count]
    if found:
        return found[0]
    # A file that was moved is found by its file name.
    moved = ((each, _held(snapshot, each.rpartition("/")[2])) for each in names if "/" in each and "." in each)
    said = ((held, f"there is no {each}; this has its name") for each, held in moved if held and held.count)
    return next((replace(held, notes=(note, *held.notes)) for held, note in said), None)


def said_of(symbol: Symbol) -> str:
    """Return the first sentence of a definition's documentation, without its full stop; "" if there is none."""
    said = summary(symbol.docstring).rstrip(".")
    return said if len(said.split()) >= _LEAST_WORDS and not said.startswith("@") else ""


def said_of_file(snapshot: Snapshot, file: File) -> str:
    """
    Return the purpose of a file: from its docstring, else from its main definition's, else the names it defines.

    The main definition is the one with the name of the file, else the one with most of its lines.
    """
    module = module_of(snapshot, file.path)
    if module and (said := said_of(module)):
        return said
    outer = [each for each in _outer(snapshot, file) if each.name not in _NAMELESS]
    stem = "".join(words(file.path.rpartition("/")[2].partition(".")[0])).lower()
    most = sum(each.lines for each in outer) * _MOSTLY
    main = next((each for each in outer if _folded(each) == stem), outer[0] if outer else None)
    if main and (_folded(main) == stem or main.lines > most) and (said := said_of(main)):
        return f"{main.qualified_name}: {said}"
    return _defines([each.qualified_name for each in outer])


def _told(snapshot: Snapshot, symbol: Symbol) -> str:
    """Return the first sentence of a definition's docstring; for a class without one, the names of its methods."""
    said = said_of(symbol)
    if said or symbol.kind != SymbolKind.CLASS:
        return said
    names = list(dict.fromkeys(each.name for each in methods_of(snapshot, symbol)))
    more = f" and {len(names) - _METHODS} more" if len(names) > _METHODS else ""
    return f"has {', '.join(names[:_METHODS])}{more}" if names else ""


def _folded(symbol: Symbol) -> str:
    return "".join(words(symbol.name)).lower()


def parts_of(snapshot: Snapshot) -> UserList | None:
    """
    Return the packages of a workspace, or the first folder that has several parts; None without code.

    Files that define nothing, such as settings of tools, count only if there are no other files.
    """
    every = [each for each in own_files(snapshot) if each.role in _CODE]
    defining, packages = paths_of_definitions(snapshot), paths_of_packages(snapshot)
    every = [
        each for each in every if each.path in defining or (each.path in packages and said_of_file(snapshot, each))
    ]
    every = every or own_files(snapshot)
    name, lines = PROJECT, _lines(every, _packages(snapshot))
    if len(lines) < _SEVERAL or lines[""] > _MOSTLY * sum(lines.values()):
        name, lines = _divided(every)
    ranked = sorted(filter(None, lines), key=lambda part: (not part.endswith("/"), -lines[part], part))
    return _list(snapshot, name, ranked, every) if ranked else None


def _divided(files: Sequence[File]) -> tuple[str, Counter[str]]:
    """Return the first folder that has several parts, and the lines of code of each part."""
    base = ""
    while True:
        lines: Counter[str] = Counter()
        for file in files:
            first, slash, _ = file.path.removeprefix(base).partition("/")
            lines[f"{base}{first}{slash}"] += file.lines
        largest = max(lines, key=lambda part: (lines[part], part), default="")
        if not largest.endswith("/") or lines[largest] < _MOST_OF_ALL * sum(lines.values()):
            return base.strip("/") or PROJECT, Counter({_single(base, each, files): lines[each] for each in lines})
        base, files = largest, [file for file in files if file.path.startswith(largest)]


def _single(base: str, part: str, files: Iterable[File]) -> str:
    """Return the innermost folder with all files of a part; at the root, or if there is none, the part itself."""
    if not base:
        return part
    within = [file.path.split("/")[:-1] for file in files if part.endswith("/") and file.path.startswith(part)]
    shared = [names[0] for names in takewhile(lambda each: len(set(each)) == 1, zip(*within, strict=False))]
    return "".join(f"{each}/" for each in shared) or part


def _packages(snapshot: Snapshot) -> set[str]:
    """Return the folders with a manifest that names a package, and the root."""
    return {"", *(each.path.rpartition("/")[0] for each in properties(snapshot, "name"))}


def _lines(files: Iterable[File], folders: Collection[str]) -> Counter[str]:
    """Count the lines of code below each of some folders, each file in the innermost one; "" is the root."""
    lines: Counter[str] = Counter()
    for file in files:
        own = next(each for each in folders_of(file.path) if each in folders)
        lines[f"{own}/" if own else ""] += file.lines
    return lines


def _list(
    snapshot: Snapshot, name: str, parts: Sequence[str], files: Sequence[File], notes: tuple[str, ...] = ()
) -> UserList:
    by_path = {file.path: file for file in files}
    listed = tuple(
        _folder(snapshot, each, files) if each.endswith("/") else _file(snapshot, by_path[each])
        for each in parts[:_LISTED]
    )
    return UserList(name, Relation.HOLDS, None, len(parts), listed, notes=notes)


def _folder(snapshot: Snapshot, folder: str, files: Iterable[File]) -> User:
    """Return a folder with the first sentence of its package file or README, and its number of files."""
    within = [file for file in files if file.path.startswith(folder)]
    said, module = _speaking(snapshot, folder, within)
    largest = max(within, key=lambda file: (file.parsed, file.lines, file.path))
    said = said or _said_of_largest(snapshot, within)
    count = f"{len(within)} file" + ("s" if len(within) != 1 else "")
    shown = module or module_of(snapshot, largest.path)
    place = Span(shown.path if shown else largest.path, 1, 1)
    return User(folder.rstrip("/"), shown, place, f"{said} ({count})" if said else count)


def _said_of_largest(snapshot: Snapshot, within: Sequence[File]) -> str:
    """Return the main definitions of a folder's largest files; for a single file its purpose."""
    if len(within) == 1:
        return said_of_file(snapshot, within[0])
    largest = sorted((each for each in within if each.parsed and not each.is_test), key=lambda file: -file.lines)
    return _defines([outer[0].qualified_name for each in largest if (outer := _outer(snapshot, each))])


def _defines(names: Sequence[str]) -> str:
    named = list(dict.fromkeys(names))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"defines {', '.join(named[:_NAMED])}{more}" if named else ""


def _speaking(snapshot: Snapshot, folder: str, within: Iterable[File]) -> tuple[str, Symbol | None]:
    """Return the documentation of a folder, from its package file, manifest or README, and that file's module."""
    direct = (each.path for each in within if "/" not in each.path.removeprefix(folder))
    modules = (module_of(snapshot, path) for path in direct)
    module = next((each for each in modules if each and each.marks & SymbolMark.PACKAGE), None)
    manifests = (each for each in properties(snapshot, "description") if each.path.rpartition("/")[0] == folder[:-1])
    described = next((each.value.rstrip(".") for each in manifests), "")
    said = (said_of(module) if module else "") or described or _of_page(snapshot, f"{folder}README.md")
    return said, module


def _of_page(snapshot: Snapshot, path: str) -> str:
    """Return the first sentence of a file of prose; "" if there is none."""
    found = (each for each in paragraphs(snapshot.files.text(path)) if not each.is_code)
    said = (summary(each.text).rstrip(".:") for each in found)
    return next((each for each in said if len(each.split()) > _LEAST_WORDS and each[:1].isalnum()), "")


def _held(snapshot: Snapshot, path: str) -> UserList | None:
    folders = snapshot.files.folders()
    if not path or path in folders:
        return _of_folder(snapshot, path) if path else None
    if "." not in path and (named := _nearest(_with_code(snapshot, path))):
        sizes = Counter(
            {each: sum(file.path.startswith(f"{each}/") for file in snapshot.files.all()) for each in named}
        )
        largest = max(named, key=lambda each: (sizes[each], each))
        return _among(_of_folder(snapshot, largest), named)
    own = {file.path for file in own_files(snapshot)}
    files = {each.path: each for each in find_files(snapshot, path)}
    nearest = _nearest([each for each in files if each in own] or list(files))
    largest = max(nearest, key=lambda each: (files[each].lines, each), default="")
    return _among(_of_file(snapshot, files[largest]), nearest) if largest else None


def _among(found: UserList | None, named: Sequence[str]) -> UserList | None:
    """Return the contents of a place with a note of the other places of the same name."""
    if found is None or len(named) < _SEVERAL:
        return found
    others = ", ".join(each for each in named if each != found.name)
    return replace(found, notes=(f"the largest of {len(named)} that are called so, beside {others}", *found.notes))


def _with_code(snapshot: Snapshot, name: str) -> list[str]:
    """Return the folders of this name, else of its singular or plural; those with code if there are any."""
    folders, alike = snapshot.files.folders(), count_terms(name)
    named = [each for each in folders if each.endswith(f"/{name}")]
    named = named or [each for each in folders if alike and count_terms(each.rpartition("/")[2]) == alike]
    own = {file.path for file in own_files(snapshot)} if len(named) > 1 else ()
    return [each for each in named if any(path.startswith(f"{each}/") for path in own)] or named


def _nearest(paths: Sequence[str]) -> list[str]:
    """Return the paths that are nearest to the root."""
    depth = min((path.count("/") for path in paths), default=0)
    return [path for path in paths if path.count("/") == depth]


def _outer(snapshot: Snapshot, file: File) -> list[Symbol]:
    """Return the outermost definitions of a file, public and long ones first; variables only if there are no others."""
    own = [each for each in snapshot.symbols.in_file(file.path) if each.kind != SymbolKind.MODULE]
    outer = [each for each in own if "." not in each.qualified_name and each.kind != SymbolKind.VARIABLE] or own
    lines: Counter[str] = Counter()
    for each in own:
        lines[each.qualified_name.partition(".")[0]] += each.lines
    return sorted(outer, key=lambda each: (not each.is_public, -lines[each.qualified_name]))


def _of_file(snapshot: Snapshot, file: File) -> UserList:
    module, outer = module_of(snapshot, file.path), _outer(snapshot, file)
    listed = tuple(User(each.qualified_name, each, each.span, _told(snapshot, each)) for each in outer[:_LISTED])
    said = said_of_file(snapshot, file)
    notes = (said,) if said and not said.startswith("defines ") else ()
    return UserList(file.path, Relation.HOLDS, module, len(outer), listed, notes=notes)


def _of_folder(snapshot: Snapshot, folder: str) -> UserList | None:
    prefix = f"{folder}/"
    files = [file for file in snapshot.files.all() if file.path.startswith(prefix)]
    rest = {file.path: file.path.removeprefix(prefix).partition("/") for file in files}
    below = dict.fromkeys(f"{prefix}{first}/" for first, slash, _ in rest.values() if slash)
    direct = [file for file in files if not rest[file.path][1]]
    said, speaking = _speaking(snapshot, prefix, files)
    spoken = speaking.path if speaking else ""
    notes = (said,) if said else tuple(purposes_of(snapshot, folder))
    direct.sort(key=lambda file: (not file.parsed, file.path == spoken, "/_" in file.path.removeprefix(folder)))
    return _list(snapshot, folder, [*below, *(file.path for file in direct)], files, notes) if files else None


def _file(snapshot: Snapshot, file: File) -> User:
    return User(file.path, module_of(snapshot, file.path), Span(file.path, 1, 1), said_of_file(snapshot, file))
