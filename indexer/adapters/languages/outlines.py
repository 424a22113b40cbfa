"""
Languages that are read by regular expressions of their packs: symbols, raised errors and messages.

There is no parser, hence no syntax error, and no calls are found. Keys of `indexer/languages/<name>/pack.toml`:
  extensions: endings of files
  comment: what begins a comment up to the end of its line; such lines above a definition are its documentation
  mask: pattern of comments and texts, in which no definition is looked for
  nesting: where a definition ends: "braces" (the closing one, or a semicolon before any), "indent" (the next line that
    is indented no more), "statements" (the next semicolon)
  documentation: pattern of what stands behind the head of a definition and documents it, with a group `text`
  [[definition]]: kind (class, function, variable) and pattern, with a group `name`
  [[message]]: pattern with a group `text`, and `value`, the pattern of what stands for a value in it
  [[raise]]: pattern with a group `name`
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from indexer.adapters.languages.placeholders import PLACEHOLDER, says_something
from indexer.adapters.languages.symbol_table import line_count, module_symbol
from indexer.adapters.languages.syntax import one_line
from indexer.domain.model import Fact, FactKind, ParsedFile, SymbolDef, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

_KINDS = {"class": SymbolKind.CLASS, "function": SymbolKind.FUNCTION, "variable": SymbolKind.VARIABLE}
_FLAGS = re.MULTILINE | re.DOTALL
_MAX_SIGNATURE = 500
_MAX_SYMBOLS = 20_000
_NOT_A_LINE_END = re.compile(r"[^\n]")
_WORDY = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition: its kind and name, where it begins and ends, and where its head ends, in characters."""

    kind: SymbolKind
    name: str
    start: int
    end: int
    head: int


class OutlineLanguage:
    """A language that is read by the patterns of its pack."""

    manifests: tuple[str, ...] = ()

    def __init__(self, name: str, pack: Mapping[str, Any]) -> None:
        self.name = name
        self._pack = pack

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return the endings of its files."""
        return tuple(self._pack["extensions"])

    def label(self, _path: str) -> str:
        """Name the language; it is the same for all its files."""
        return self.name

    def module_names(self, paths: Collection[str], *_: object) -> Mapping[str, str]:
        """Name each file by its path."""
        return {path: path for path in paths}

    def parse(self, _path: str, module: str, text: str) -> ParsedFile:
        """Read one file; text that matches no pattern is ignored."""
        masked = re.sub(self._pack["mask"], lambda match: _NOT_A_LINE_END.sub(" ", match[0]), text, flags=_FLAGS)
        found = sorted(self._definitions(masked), key=lambda each: (each.start, -each.end))[:_MAX_SYMBOLS]
        top = self._above(text, 0) if not found or text[: found[0].start].count("\n") else ""
        symbols = _nested(found, text, module_symbol(module, line_count(text), top), self._documented)
        return ParsedFile(self.name, symbols, tuple(self._facts(text, masked, symbols)), b"")

    def _definitions(self, masked: str) -> Iterator[_Found]:
        for each in self._pack["definition"]:
            for match in re.finditer(each["pattern"], masked, _FLAGS):
                first = _WORDY.search(match[0])
                start = match.start() + (first.start() if first else 0)
                head, end = self._end(masked, start, match.end("name"))
                yield _Found(_KINDS[each["kind"]], match["name"], start, end, head)

    def _end(self, masked: str, start: int, behind: int) -> tuple[int, int]:
        """Return the offsets at which the head of a definition and the definition end."""
        if self._pack["nesting"] == "indent":
            return _indented(masked, start, behind)
        semicolon = masked.find(";", behind)
        semicolon = len(masked) - 1 if semicolon < 0 else semicolon
        opened = masked.find("{", behind)
        if self._pack["nesting"] == "statements" or not -1 < opened < semicolon:
            return semicolon, semicolon
        return opened, _closed(masked, opened)

    def _documented(self, text: str, found: _Found) -> str:
        pattern = self._pack.get("documentation", "")
        inside = re.compile(pattern, _FLAGS).match(text, found.head + 1) if pattern else None
        return cleandoc(inside["text"]).strip() if inside else self._above(text, found.start)

    def _above(self, text: str, start: int) -> str:
        """Return the comment above an offset; for offset 0 the comment at the top of the text."""
        mark = self._pack["comment"]
        lines = text.split("\n") if not start else text[:start].split("\n")[-2::-1]
        comment = []
        for line in lines:
            if not line.strip().startswith(mark):
                break
            comment.append(line.strip().lstrip(mark[0]).strip())
        return "\n".join(comment if not start else comment[::-1]).strip()

    def _facts(self, text: str, masked: str, symbols: Sequence[SymbolDef]) -> Iterator[Fact]:
        facts: list[Fact] = []
        for each in self._pack.get("raise", ()):
            for match in re.finditer(each["pattern"], masked, _FLAGS):
                line = text.count("\n", 0, match.end()) + 1
                facts.append(Fact(_around(symbols, line), FactKind.RAISES, match["name"], line))
        for each in self._pack.get("message", ()):
            for match in re.finditer(each["pattern"], text, _FLAGS):
                line = text.count("\n", 0, match.start("text")) + 1
                message = re.sub(each["value"], PLACEHOLDER, match["text"]) if each.get("value") else match["text"]
                if says_something(message):
                    facts.append(Fact(_around(symbols, line), FactKind.ERROR_STRING, message.strip(), line))
        yield from sorted(dict.fromkeys(facts), key=lambda fact: fact.line)


def _nested(
    found: Sequence[_Found], text: str, module: SymbolDef, documented: Callable[[str, _Found], str]
) -> tuple[SymbolDef, ...]:
    """Return the symbols, each within the innermost one around it."""
    symbols = [module]
    opened: list[tuple[int, int]] = []
    for each in found:
        while opened and opened[-1][1] < each.end:
            opened.pop()
        parent = opened[-1][0] if opened else 0
        prefix = symbols[parent].qualified_name
        is_member = each.kind == SymbolKind.FUNCTION and symbols[parent].kind == SymbolKind.CLASS
        symbols.append(
            SymbolDef(
                SymbolKind.METHOD if is_member else each.kind,
                each.name,
                f"{prefix}.{each.name}" if prefix else each.name,
                parent,
                text.count("\n", 0, each.start) + 1,
                text.count("\n", 0, each.end) + 1,
                one_line(text[each.start : each.head]).rstrip(" :;={(")[:_MAX_SIGNATURE],
                documented(text, each),
                (),
                is_public=True,
            )
        )
        opened.append((len(symbols) - 1, each.end))
    return tuple(symbols)


def _around(symbols: Sequence[SymbolDef], line: int) -> int:
    """Return the position of the innermost symbol around a line."""
    inside = (place for place, each in enumerate(symbols) if each.start_line <= line <= each.end_line)
    return max(inside, default=0)


def _closed(masked: str, opened: int) -> int:
    depth = 0
    for match in re.finditer(r"[{}]", masked[opened:]):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return opened + match.start()
    return len(masked) - 1


def _indented(masked: str, start: int, behind: int) -> tuple[int, int]:
    """Return the offset of the colon that ends a head, and the end of the last line that is indented more than it."""
    indent = start - (masked.rfind("\n", 0, start) + 1)
    colon = masked.find(":\n", behind)
    line_end = masked.find("\n", behind)
    line_end = len(masked) if line_end < 0 else line_end
    # A head continues on the next line while a bracket is open.
    head = colon if colon > -1 and masked.count("(", start, line_end) > masked.count(")", start, line_end) else line_end
    end = at = head
    for line in masked[head + 1 :].split("\n"):
        at += 1 + len(line)
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        if _WORDY.search(line):
            end = at
    return head, min(end, len(masked) - 1)
