"""
Streaming parser of the format in which a model is asked to answer: text, then a tagged section of gaps.

    The text ...
    <gaps>
    <gap symbol="Query.names_to_path" path="db/models/sql/query.py">how lookups are split</gap>
    </gaps>

Code is shown unchanged: a tag in code marks is quoted text. The one exception is a fenced block that is nothing but a
section and ends the answer, as some models write it. Outside of code, the tags of this format are never shown, even if
malformed. All text outside of sections is shown unchanged, except for blanks around sections and at the end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.model_text.gap_fields import field_of
from orchestrator.domain.model_text.gap_section import json_end, read_section, read_sentence, read_tag
from orchestrator.domain.model_text.markdown_code import Kind, MarkdownLexer

if TYPE_CHECKING:
    from common.core.contract.evidence import Gap
    from orchestrator.domain.answers.orders import Unneeded
    from orchestrator.domain.model_text.gap_section import Tag
    from orchestrator.domain.model_text.markdown_code import Segment

# A quantifier followed by "+" is possessive: no run of blanks is scanned twice.
_TAG = re.compile(r"<\s*+(?P<closes>/\s*+)?(?P<name>gaps?)(?![\w-])", re.IGNORECASE)
_MARK = re.compile(r"[<{]")
_TAG_BEGUN = re.compile(r"<\s*+(?:/\s*+)?(?:g|ga|gap|gaps)?\Z", re.IGNORECASE)
_TAG_END = re.compile(r"[^<>\n]{0,200}+>")
_TAG_OPEN = re.compile(r"[^<>\n]{0,200}+\Z")
_CLOSED = re.compile(r"<\s*+(?:/\s*+gaps\s*+>|gap(?![\w-]))", re.IGNORECASE)
_GAP_END = re.compile(r"<\s*+/\s*+gap\s*+>|(?=<\s*+(?:/\s*+)?gaps?(?![\w-]))", re.IGNORECASE)
_JSON = re.compile(r'^[ \t]*+\{\s*+"gaps"\s*+:', re.MULTILINE)
_JSON_BEGUN = re.compile(r'^[ \t]*+\{\s*+(?:"(?:g|ga|gap|gaps|gaps"\s*+)?)?\Z', re.MULTILINE)
_BLOCK = re.compile(r'[^\n]*+\n\s*+(?:<\s*+gaps(?![\w-])|\{\s*+"gaps"\s*+:)', re.IGNORECASE)
_BLOCK_BEGUN = re.compile(
    r'[^\n]*+(?:\n\s*+(?:<\s*+(?:g|ga|gap|gaps)?|\{\s*+(?:"(?:g|ga|gap|gaps|gaps"\s*+)?)?)?)?\Z', re.IGNORECASE
)
_IN_BLOCK = re.compile(r"^[ \t]*+<\s*+gaps(?![\w-])", re.IGNORECASE | re.MULTILINE)
_IN_BLOCK_BEGUN = re.compile(r"^[ \t]*+<\s*+(?:g|ga|gap|gaps)?\Z", re.IGNORECASE | re.MULTILINE)
_OF_A_GAP = frozenset({"symbol", "path", "users", "implementers"})
"""Attributes that distinguish a gap from an element with the same name in a program."""
_NOTHING = frozenset({"none", "nothing", "n/a"})
_LONGEST_TAG = 2000
_LONGEST_CLOSING = 40
_MOST_SECTION = 20_000
_MOST_UNREAD = 200


class AnswerParser:
    """
    Splits a model's stream into text and gaps.

    Args:
        max_gaps: Further gaps count as unread.
    """

    def __init__(self, *, max_gaps: int = 20) -> None:
        self._max_gaps = max_gaps
        self._lexer = MarkdownLexer()
        self._section: str | None = None
        self._scanned = 0
        self._gaps: list[Gap] = []
        self._dropped: list[Unneeded] = []
        self._unread: list[str] = []
        self._blanks = ""
        self._last = "\n"
        self._has_shown = False
        self._is_behind_section = False
        self._is_never_closed = False

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Return the gaps in order, without duplicates; valid after `finish`."""
        return tuple(dict.fromkeys(self._gaps))[: self._max_gaps]

    @property
    def unread(self) -> tuple[str, ...]:
        """Return the requests that could not be read, and the number beyond the limit; valid after `finish`."""
        beyond = len(set(self._gaps)) - self._max_gaps
        return (*self._unread, *((f"{beyond} more than {self._max_gaps}",) if beyond > 0 else ()))

    @property
    def dropped(self) -> tuple[Unneeded, ...]:
        """Return the pieces and lines that the model marked as not needed; valid after `finish`."""
        return tuple(dict.fromkeys(self._dropped))

    def feed(self, chunk: str) -> str:
        """Take the next piece of the stream and return the text that is safe to show, maybe ""."""
        # Most chunks are a word.
        if self._section is None and not _MARK.search(chunk) and self._lexer.passes(chunk):
            return self._show(chunk)
        self._lexer.feed(chunk)
        return self._run(is_end=False)

    def finish(self) -> str:
        """Return the rest of the text, after the last chunk."""
        return self._run(is_end=True)

    def _run(self, *, is_end: bool) -> str:
        shown = []
        while (text := self._step(is_end=is_end)) is not None:
            shown.append(text)
        return "".join(shown)

    def _step(self, *, is_end: bool) -> str | None:
        """Consume one element and return its visible text; None if more input is needed, or nothing is left."""
        if self._section is not None:
            return self._read_section(self._section, is_end=is_end)
        segment = self._lexer.read(is_end=is_end)
        if segment is None:
            return None
        if segment.kind is Kind.TEXT:
            return self._read_text(segment, is_end=is_end)
        if segment.kind is Kind.FENCE:
            return self._read_block(segment, is_end=is_end)
        return self._show(self._lexer.take(segment))

    # Text ---------------------------------------------------------------------------------------------------------

    def _read_text(self, segment: Segment, *, is_end: bool) -> str | None:
        begun = self._marked(segment.text)
        if begun is None or begun > 0:
            return self._show(self._lexer.take(segment, begun))
        rest = self._lexer.rest
        tag = _TAG.match(rest)
        if tag is None and _TAG_BEGUN.match(rest):
            # At the end, a tag that the token limit cut within its name is dropped; a "<" alone is text.
            is_name = rest.strip("</ \t\n") != ""
            return (
                None if not is_end else self._skipped(len(rest)) if is_name else self._show(self._lexer.take(segment))
            )
        if tag is None:
            return self._read_json(segment, rest, is_end=is_end)
        if tag.end() == len(rest) and not is_end:
            return None
        is_outer = tag["closes"] or tag["name"].casefold() == "gaps"
        return self._read_outer(tag, is_end=is_end) if is_outer else self._read_single(segment, tag, is_end=is_end)

    def _marked(self, text: str) -> int | None:
        """Return the position of the first possible tag or JSON object; None if there is none."""
        tags = (found.start() for found in _TAG.finditer(text) if self._is_tag(found, text))
        others = (_JSON.search(text), _TAG_BEGUN.search(text), _JSON_BEGUN.search(text))
        begun = [next(tags, -1), *(found.start() if found else -1 for found in others)]
        return min((at for at in begun if at >= 0), default=None)

    def _is_tag(self, tag: re.Match[str], text: str) -> bool:
        last = text[tag.start() - 1] if tag.start() else self._last
        # Directly after a word, it is a type argument: `List<Gap>`.
        return tag["name"] == "gaps" or not (last.isalnum() or last == "_")

    def _read_outer(self, tag: re.Match[str], *, is_end: bool) -> str | None:
        """Read a tag that opens a section, or a closing tag without an opening one."""
        rest = tag.string
        ended = _TAG_END.match(rest, tag.end())
        if ended is None and not is_end and _TAG_OPEN.match(rest, tag.end()):
            return None
        self._skipped(ended.end() if ended else tag.end())
        if not (tag["closes"] or self._is_never_closed or (ended and ended[0].endswith("/>"))):
            self._section, self._scanned = "", 0
        return ""

    def _read_single(self, segment: Segment, begun: re.Match[str], *, is_end: bool) -> str | None:
        """Read a gap outside of a section."""
        rest = begun.string
        is_whole = is_end or len(rest) > _LONGEST_TAG
        tag = read_tag(rest, begun.end(), is_end=is_whole)
        if tag is None:
            return None
        fields = {*map(field_of, tag.fields)}
        is_ours = not fields or fields != {""} if begun["name"] == "gap" else not fields.isdisjoint(_OF_A_GAP)
        if not is_ours:
            return self._show(self._lexer.take(segment, 1))
        end = self._single_end(rest, tag, is_whole=is_whole)
        if end is None and not is_whole:
            return None
        if end is None and not fields:
            return self._skipped(tag.end)
        self._read_gaps(rest[: end or len(rest)])
        return self._skipped(end or len(rest))

    @staticmethod
    def _single_end(text: str, tag: Tag, *, is_whole: bool) -> int | None:
        if tag.is_closed:
            return tag.end
        found = _GAP_END.search(text, tag.end)
        following = _TAG.match(text, found.end()) if found else None
        # A tag name at the end of the input may be incomplete.
        is_cut = following is not None and following.end() == len(text) and not is_whole
        return found.end() if found and not is_cut else None

    def _read_json(self, segment: Segment, rest: str, *, is_end: bool) -> str | None:
        """Read a JSON object of gaps at the end of the answer; any other JSON object is text."""
        is_object = (_JSON if is_end else _JSON_BEGUN).match(rest) or _JSON.match(rest)
        if not is_object or self._last != "\n" or len(rest) > _MOST_SECTION:
            return self._show(self._lexer.take(segment, 1))
        end = json_end(rest)
        if not is_end and (end is None or not rest[end:].strip()):
            return None
        if end is None or rest[end:].strip():
            return self._show(self._lexer.take(segment, 1))
        self._read_gaps(rest)
        return self._skipped(len(rest))

    # Sections -----------------------------------------------------------------------------------------------------

    def _read_section(self, section: str, *, is_end: bool) -> str | None:
        more = self._lexer.skip(len(self._lexer.rest))
        section += more
        closed = self._section_end(section, is_end=is_end)
        if closed is not None:
            self._section = None
            self._lexer.feed(section[closed.end() :])
            self._read_gaps(section[: closed.start()])
            return ""
        self._section = section
        if not is_end:
            return None
        self._section = None
        read = read_section(section[:_MOST_SECTION])
        self._gaps += read.gaps
        self._dropped += read.dropped
        self._unread += read.unread
        # After an opening tag that is never closed, prose is the continuation of the answer.
        self._is_never_closed = True
        prose = "\n\n".join((*read.prose, section[_MOST_SECTION:])) if read.gaps or read.unread else section
        self._lexer.feed(prose)
        return ""

    def _section_end(self, section: str, *, is_end: bool) -> re.Match[str] | None:
        """Return the closing tag of the section, ignoring those in attribute values."""
        while found := _CLOSED.search(section, self._scanned):
            if "/" in found[0]:
                return found
            tag = read_tag(section, found.end(), is_end=is_end)
            if tag is None:
                self._scanned = found.start()
                return None
            self._scanned = max(tag.end, found.end())
        self._scanned = max(self._scanned, len(section) - _LONGEST_CLOSING)
        return None

    def _read_gaps(self, section: str) -> None:
        read = read_section(section[:_MOST_SECTION])
        gaps, unread = read.gaps, read.unread
        self._dropped += read.dropped
        for sentence in read.prose:
            if sentence.strip(" .()").casefold() in _NOTHING:
                continue
            if read.gaps:
                unread = (*unread, sentence[:_MOST_UNREAD])
            else:
                gaps += read_sentence(sentence)
        self._gaps += gaps
        self._unread += unread

    # Blocks -------------------------------------------------------------------------------------------------------

    def _read_block(self, segment: Segment, *, is_end: bool) -> str | None:
        """Show a piece of a fenced block, unless the block is a section that ends the answer."""
        is_long = len(segment.text) > _MOST_SECTION
        if segment.opens and _BLOCK.match(segment.text) and not is_long:
            is_last = not self._lexer.rest[len(segment.text) :].strip()
            if not is_end and (is_last or not segment.closes):
                return None
            if is_last:
                self._read_gaps(_without_tags(segment.text))
                return self._skipped(len(self._lexer.rest))
        elif segment.opens and _BLOCK_BEGUN.match(segment.text) and not segment.closes and not is_end:
            return None
        inner = None if segment.closes or is_long else _IN_BLOCK.search(segment.text)
        if inner is None and not segment.closes and not is_end:
            inner = _IN_BLOCK_BEGUN.search(segment.text)
        if inner is None or (inner.start() == 0 and self._last != "\n"):
            return self._show(self._lexer.take(segment))
        if inner.start():
            return self._show(self._lexer.take(segment, inner.start()))
        # A section in a fenced block that is never closed is read as a section, which is known only at the end.
        return self._open_in_block(segment) if is_end else None

    def _open_in_block(self, segment: Segment) -> str:
        ended = _TAG_END.match(segment.text, segment.text.index("<") + 1)
        self._section, self._scanned = "", 0
        return self._skipped(ended.end() if ended else len(segment.text))

    # Showing ------------------------------------------------------------------------------------------------------

    def _skipped(self, length: int) -> str:
        """Consume text that is not shown."""
        self._lexer.skip(length)
        self._blanks, self._last, self._is_behind_section = "", "\n", True
        return ""

    def _show(self, text: str) -> str:
        """Return a text without its trailing blanks, preceded by the held trailing blanks of the previous text."""
        self._last = text[-1:] or self._last
        whole = self._blanks + text
        shown = whole.rstrip()
        self._blanks = whole[len(shown) :]
        if shown and self._is_behind_section:
            # Blanks around a section become one paragraph break.
            said = shown.lstrip()
            _, newline, indent = shown[: len(shown) - len(said)].rpartition("\n")
            shown = ("\n\n" if self._has_shown else "") + (indent if newline else "") + said
            self._is_behind_section = False
        self._has_shown = self._has_shown or bool(shown)
        return shown


def _without_tags(block: str) -> str:
    """Return the content of a fenced block that is a section, without the tags of the section."""
    content = block.partition("\n")[2].strip().rstrip("`~").strip()
    opened = _TAG.match(content)
    ended = _TAG_END.match(content, opened.end()) if opened else None
    content = content[ended.end() if ended else 0 :]
    closed = _CLOSED.search(content, max(0, len(content) - _LONGEST_CLOSING))
    return content[: closed.start()] if closed and "/" in closed[0] else content
