"""Command lines that the pages of a project show: those in blocks of code, and those quoted in prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.snapshot import FileRole
from retriever.domain.values import DocumentKind
from retriever.domain.views.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from retriever.ports import Snapshot

_GUIDES = ("contributing", "development", "developing", "hacking")
_PAGES = (*_GUIDES, "readme", "installation", "install", "getting-started", "getting_started", "quickstart")
"""Names of pages for developers of a project, then for its users; a folder of that name counts too."""
_DEEPEST = {"readme": 0}
_LONGEST = 100
_SHELL = ("|", "${", "<", "&&", ";", "->")
"""Characters of lines that are shell scripts rather than one command."""
_TYPED = ("$", "bash", "cmd", "console", "powershell", "sh", "term", "text", "zsh")
"""Languages of code blocks that show typed commands (prefixes)."""
_CODE = ("from", "import", "require", "use")
"""First words of lines that are code, although they contain the name of a program."""
_PROMPTS = ("$ ", "% ", "> ")


@dataclass(frozen=True, slots=True)
class Documented:
    """A command line on a page, with the heading above it; `is_shown` is true in a code block, false in prose."""

    text: str
    path: str
    line: int
    heading: str
    is_shown: bool

    @property
    def is_for_developers(self) -> bool:
        """Return whether a guide for developers shows it, rather than a page for users."""
        return is_guide(self.path)


def documented(snapshot: Snapshot, programs: Collection[str]) -> Iterator[Documented]:
    """Yield the command lines that start with or run one of some programs, page by page in order of line."""
    for path in _pages(snapshot):
        sections = [each for each in snapshot.documents.at([path]) if each.kind == DocumentKind.SECTION]
        for paragraph in paragraphs(snapshot.files.text(path)):
            if paragraph.language and not paragraph.language.lower().startswith(_TYPED):
                continue
            for at, line in enumerate(paragraph.text.split("\n"), paragraph.start_line):
                told = [line] if paragraph.is_code else line.replace("``", "`").split("`")[1::2]
                found = (typed(written, programs) for written in told)
                # A word in prose is a name: "with `pip`".
                for each in (one for one in found if one and (paragraph.is_code or " " in one or "/" in one)):
                    above = [section.title for section in sections if section.start_line <= at <= section.end_line]
                    heading = above[-1].rpartition(" > ")[2] if above else ""
                    yield Documented(each, path, at, heading, paragraph.is_code)


def is_guide(path: str) -> bool:
    """Return whether a page is for developers of the project, by its name."""
    return _stem(path) in _GUIDES


def _pages(snapshot: Snapshot) -> list[str]:
    """Return the pages about developing or using the project, the most specific first, then those near the root."""
    found: list[tuple[int, int, str]] = []
    for file in snapshot.files.all():
        stem, depth = _stem(file.path), file.path.count("/")
        is_prose = not file.parsed and file.role is not FileRole.CHANGES and depth <= _DEEPEST.get(stem, 1)
        if is_prose and stem in _PAGES:
            found.append((_PAGES.index(stem), depth, file.path))
    return [path for _, _, path in sorted(found)]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def typed(line: str, programs: Collection[str]) -> str:
    """Return a command line as typed, without prompt and comment; "" if it runs none of the programs."""
    text = line.strip()
    for prompt in _PROMPTS:
        text = text.removeprefix(prompt)
    text = text.partition(" #")[0].strip()
    first, *rest = text.split()[:4] or [""]
    is_known = first in programs or (first.isalpha() and first not in _CODE and any(each in programs for each in rest))
    is_plain = len(text) <= _LONGEST and not any(each in text for each in _SHELL)
    return text if is_known and is_plain else ""
