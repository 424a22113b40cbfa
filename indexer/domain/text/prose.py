"""Cuts prose files into sections by their headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from markdown_it import MarkdownIt

MAX_SECTION_LINES = 120
"""Longer sections are split, at blank lines where possible."""

_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
_RST = frozenset({".rst", ".rest"})
_PLAIN = frozenset({".txt", ".adoc", ".asciidoc"})
_BARE_NAMES = re.compile(r"(README|CHANGELOG|CHANGES|CONTRIBUTING|NEWS|HISTORY|INSTALL|AUTHORS)", re.IGNORECASE)

_BLOCKS = MarkdownIt("commonmark")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
# Without emphasis, as `__init__` in a title is a name, not bold text.
_TITLES = MarkdownIt("commonmark").disable("emphasis")
_HTML = re.compile(
    r"</?(?:a|b|br|code|em|i|img|p|picture|source|span|strong|sub|sup)(?:\s[^<>]{0,500})?>", re.IGNORECASE
)
_UNDERLINE = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{2,}[ \t]*$")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prose file with its own and its enclosing headings, outermost first; lines 1-based and inclusive."""

    titles: tuple[str, ...]
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    level: int
    title: str


def is_prose(path: str) -> bool:
    """Return whether a file is prose, by its suffix, or by its name if it has none."""
    name = PurePosixPath(path)
    return name.suffix.lower() in _MARKDOWN | _RST | _PLAIN or (
        not name.suffix and _BARE_NAMES.fullmatch(name.name) is not None
    )


def sections(path: str, text: str) -> tuple[Section, ...]:
    """Return the sections of a prose file in order, without blank ones; a file without headings is cut by length."""
    lines = text.removesuffix("\n").split("\n")
    suffix = PurePosixPath(path).suffix.lower()
    headings = _markdown(lines) if suffix in _MARKDOWN else _underlined(lines)
    found: list[Section] = []
    titles: list[_Heading] = []
    bounds = [_Heading(0, 0, ""), *headings, _Heading(len(lines), 0, "")]
    for heading, following in pairwise(bounds):
        if heading.title:
            titles = [each for each in titles if each.level < heading.level] + [heading]
        found.extend(_cut(tuple(each.title for each in titles), lines, heading.line, following.line))
    return tuple(found)


def _cut(titles: tuple[str, ...], lines: list[str], start: int, end: int) -> list[Section]:
    found = []
    while start < end:
        stop = min(end, start + MAX_SECTION_LINES)
        if stop < end:
            blank = next((line for line in range(stop, start, -1) if not lines[line - 1].strip()), stop)
            stop = blank if blank > start else stop
        body = "\n".join(lines[start:stop]).strip("\n")
        if body.strip():
            found.append(Section(titles, start + 1, max(start + 1, min(stop, len(lines))), body))
        start = stop
    return found


def _markdown(lines: list[str]) -> list[_Heading]:
    front = _front_matter(lines)
    references: dict[str, object] = {}
    tokens = _BLOCKS.parse("\n".join(lines[front:]), references)
    return [
        _Heading(front + heading.map[0], int(heading.tag[1]), _readable(title.content, references))
        for heading, title in pairwise(tokens)
        if heading.type == "heading_open" and heading.level == 0 and heading.map
    ]


def _readable(title: str, references: dict[str, object]) -> str:
    """Return the text of a Markdown title without images and link targets; the images' alt texts if there is none."""
    (line,) = _TITLES.parseInline(title, references)
    parts = line.children or []
    named = "".join(each.content for each in parts if each.type == "image")
    words = (
        f"{each.markup}{each.content}{each.markup}" if each.type == "code_inline" else each.content or " "
        for each in parts
        if each.type in ("text", "code_inline", "softbreak")
        or (each.type == "html_inline" and not _HTML.match(each.content))
    )
    return " ".join("".join(words).split()) or " ".join(named.split())


def _front_matter(lines: list[str]) -> int:
    """Return the number of lines of the YAML front matter of a Markdown file; 0 without one."""
    if lines[0].rstrip() != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines) if number and line.rstrip() == "---"), 0)


def _underlined(lines: list[str]) -> list[_Heading]:
    """Find reStructuredText titles; each style of line, with or without overline, is a level, in order of first use."""
    found = []
    styles: dict[tuple[str, bool], int] = {}
    for number in range(1, len(lines)):
        title, rule = lines[number - 1], lines[number]
        match = _UNDERLINE.match(rule)
        if not match or not title.strip() or _UNDERLINE.match(title) or len(rule.rstrip()) < len(title.rstrip()):
            continue
        over = number >= 2 and lines[number - 2].rstrip() == rule.rstrip()
        if title[0].isspace() and not over:
            continue
        level = styles.setdefault((match[1], over), len(styles) + 1)
        found.append(_Heading(number - 2 if over else number - 1, level, title.strip()))
    return found
