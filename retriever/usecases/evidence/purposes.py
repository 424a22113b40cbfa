"""Finds the purpose of a folder without documentation: in sentences of pages, in its users, in texts of code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.snapshot import FileRole
from retriever.domain.views.prose import paragraphs, sentences
from retriever.usecases.locating.about_project import is_project
from retriever.usecases.locating.naming import enclosing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.ports import Snapshot

_LEAST_WORDS = 4
"""A sentence of at most this many words is a label: "Source code: lib/a.py"."""
_DEEPEST = 1
"""Most folders above a page that is about the whole project."""
_ITEM = "\n- "
"""Start of an item in a Markdown list."""
_FOUND = 200
_LABELS, _JOINED = ("[", "]", "|"), ("/", "-", "_")
"""Start of link definitions, checkboxes and tables, and characters that join the parts of a name."""
_QUOTES = ('"', "'", "`")


def purposes_of(snapshot: Snapshot, folder: str) -> Iterator[str]:
    """Yield what a page says of a folder, and how many files use it; if none do, the function that has it in a text."""
    yield from () if is_project(snapshot, folder.rpartition("/")[2]) else _said(snapshot, folder)
    using = {each.path for each in snapshot.structure.dependencies() if each.depends_on.startswith(f"{folder}/")}
    outside = sorted(path for path in using if not path.startswith(f"{folder}/"))
    yield from [_used(snapshot, outside)] if outside else []
    yield from _read(snapshot, folder) if not outside else ()


def _said(snapshot: Snapshot, folder: str) -> Iterator[str]:
    """Yield the first sentence of a page near the root that names the folder as a folder: in backticks or as a path."""
    name = folder.rpartition("/")[2]
    signs = (f"`{name}`", f"`{name}/", f"{folder}/", f"{name} directory", f"{name} folder")
    pages = [each for each in snapshot.files.all() if each.path.count("/") <= _DEEPEST and not each.parsed]
    prose = sorted(
        (each.path for each in pages if each.role is FileRole.PROSE), key=lambda path: (path.count("/"), path)
    )
    for path in prose:
        for paragraph in (each for each in paragraphs(snapshot.files.text(path)) if not each.is_code):
            items = f"\n{paragraph.text}".replace("\n* ", _ITEM).split(_ITEM)
            for sentence in (each for item in items for each in sentences(item)):
                is_told = any(_has(sentence, each) for each in signs) and len(sentence.split()) > _LEAST_WORDS
                if is_told and not sentence.startswith(_LABELS):
                    yield f"{path} says of it: {sentence}"
                    return


def _has(sentence: str, sign: str) -> bool:
    """Return whether a sentence contains a mark other than as the end of a longer name: not "test/" in "latest/"."""
    before, found, _ = sentence.partition(sign)
    return bool(found) and not (before[-1:].isalnum() or before[-1:] in _JOINED)


def _used(snapshot: Snapshot, paths: Sequence[str]) -> str:
    files = [snapshot.files.at(path) for path in paths]
    in_tests = sum(each is not None and each.is_test for each in files)
    count = f"{len(paths)} file{'s' * (len(paths) > 1)}"
    tests = ", all of tests" if in_tests == len(paths) else f", {in_tests} of tests" if in_tests else ""
    return f"its files are used by {count}{tests}"


def _read(snapshot: Snapshot, folder: str) -> Iterator[str]:
    """Yield the first function that has the path of the folder in a string."""
    for hit in snapshot.texts.find(folder, limit=_FOUND):
        if hit.path.startswith(f"{folder}/"):
            continue
        line = snapshot.files.lines(hit.path, hit.line, hit.line)
        before, _, _ = line.partition(folder)
        function = enclosing(snapshot, hit.path, hit.line) if before[-1:] in _QUOTES else None
        if function:
            yield f"it is named in {function.qualified_name} ({hit.path}:{hit.line})"
            return
