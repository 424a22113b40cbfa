"""
Parses the text between `<gaps>` and `</gaps>`, in any form that models write.

The forms are elements with attributes or child elements, JSON, list items and sentences. Anything else is returned as
unread, so that it can be reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping  # noqa: TC003 (a field of a dataclass)
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.answers.orders import Unneeded
from orchestrator.domain.model_text.gap_fields import aspect_of, field_of, read_fields, read_word
from orchestrator.domain.model_text.labels import read_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from common.core.contract.evidence import Gap

# A quantifier followed by "+" is possessive: nothing that a model wrote is scanned twice.
_ELEMENT = re.compile(r"<\s*+(?P<closes>/\s*+)?(?P<name>[A-Za-z][\w-]{0,40}+)(?=[\s/>=]|$)")
_NAME = re.compile(r"[A-Za-z_][\w-]*+")
_GIVEN = re.compile(r"\s*+[=:]\s*+")
_AFTER_VALUE = re.compile(r"\s*+(?:/?\s*+>|[A-Za-z_][\w-]*+\s*+(?:=|/?>)|<|\Z)")
_QUOTED = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_BRACES = {"{": "}"}
_BULLET = re.compile(r"[ \t]*+(?:[-*+•]|\d{1,4}+[.)])[ \t]++")
_KEY = re.compile(
    r"(?:^|[\n,;|(])[ \t]*+[*_`\"']{0,3}([A-Za-z][\w -]{0,20}?)[*_`\"']{0,3}[ \t]*+(?::(?!:)|=)[*_]{0,2}[ \t]*+"
)
_MARKED = re.compile(r"`+([^`]++)`+")
_FENCE = re.compile(r"\s*+(?:`{3,}|~{3,})[^\n]*+\n(.*?)\n?[ \t]*+(?:`{3,}|~{3,})?\s*+\Z", re.DOTALL)
_WORDS = re.compile(r"\w+")
_ITEMS = ("gaps", "items", "missing")
_DROP = "drop"
_LABEL = re.compile(r"(?<![\w:.-])(?=E\d)", re.IGNORECASE)
_TO = re.compile(r"\s*+[-\u2013]\s*+(?=E?\d)", re.IGNORECASE)
_NUMBER = re.compile(r"\b(?=\d)")
_LONGEST_LABELS = 1000
_AROUND_LABELS = " \t\n,;[]\"'"
_LONGEST_VALUE = 1000
_MOST_UNREAD = 200


@dataclass(frozen=True, slots=True)
class GapsRead:
    """
    The parsed content of a section.

    Args:
        gaps: What is missing, in order.
        unread: Requests in a form that cannot be read.
        prose: Paragraphs that are no list items; if the section is never closed, they may belong to the answer instead.
        dropped: Pieces and lines marked as not needed, as in `<drop labels="E2 E5-E7 E8:40-95"/>`.
    """

    gaps: tuple[Gap, ...] = ()
    unread: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()
    dropped: tuple[Unneeded, ...] = ()


@dataclass(frozen=True, slots=True)
class Tag:
    """Attributes of a tag as they are written, where it ends, and whether it closes itself."""

    fields: Mapping[str, str]
    end: int
    is_closed: bool = False


def read_section(section: str) -> GapsRead:
    """Read a section; its own tags are not part of it."""
    fenced = _FENCE.fullmatch(section)
    section = (fenced[1] if fenced else section).strip()
    if section[:1] in ("{", "["):
        found = read_json(section)
        if found is not None:
            return found
    pieces = list(_elements(section)) if _first_element(section, 0) else list(_paragraphs(section))
    return GapsRead(
        tuple(dict.fromkeys(gap for each in pieces for gap in each.gaps)),
        tuple(part for each in pieces for part in each.unread),
        tuple(part for each in pieces for part in each.prose),
        tuple(dropped for each in pieces for dropped in each.dropped),
    )


def read_json(text: str) -> GapsRead | None:
    """Read JSON: a list of gaps, an object with such a list, or consecutive objects; None if it is no JSON."""
    decoder, at, values = json.JSONDecoder(strict=False), 0, []
    text = text.strip()
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        values.append(value)
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
    gaps: list[Gap] = []
    unread: list[str] = []
    dropped: list[Unneeded] = []
    for item in _items(values):
        read, labels = read_item(item), _dropped(item)
        gaps += read
        dropped += labels
        if not (read or labels):
            unread.append(json.dumps(item, ensure_ascii=False)[:_MOST_UNREAD])
    return GapsRead(tuple(dict.fromkeys(gaps)), tuple(unread), dropped=tuple(dropped))


def _dropped(item: object) -> tuple[Unneeded, ...]:
    labels = item.get(_DROP) if isinstance(item, dict) else None
    return read_dropped(" ".join(map(str, labels)) if isinstance(labels, list) else str(labels or ""))


def read_dropped(labels: str) -> tuple[Unneeded, ...]:
    """Read labels of pieces and of lines of them, as in "E2, E5-E7 E8:40-95"; numbers alone are labels too."""
    labels = _TO.sub("-", labels[:_LONGEST_LABELS])
    if not _LABEL.search(labels):
        labels = _NUMBER.sub("E", labels)
    found: dict[Unneeded, None] = {}
    for label in _LABEL.split(labels):
        read, _ = read_label(label.strip(_AROUND_LABELS)) or ((), "")
        found.update((Unneeded(each.number, each.start_line, each.end_line), None) for each in read if not each.name)
    return tuple(each for each in found if each.number)


def json_end(text: str) -> int | None:
    """Return the end of the JSON value at the start of a text; None if the value is incomplete."""
    begun = len(text) - len(text.lstrip())
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, begun)[1]
    except (ValueError, RecursionError):
        return None


def read_item(item: object) -> tuple[Gap, ...]:
    """Read one gap of JSON: an object with fields, or a text."""
    if isinstance(item, dict):
        inner = next((item[name] for name in ("gap", "item") if isinstance(item.get(name), dict)), item)
        return read_fields({str(name): value for name, value in inner.items()})
    return read_sentence(item) if isinstance(item, str) else ()


def _items(values: list[object]) -> Iterator[object]:
    for value in values:
        listed = value
        if isinstance(value, dict):
            listed = next((value[name] for name in _ITEMS if isinstance(value.get(name), list)), value)
        yield from listed if isinstance(listed, list) else [listed]


# Elements ---------------------------------------------------------------------------------------------------------


def _elements(section: str) -> Iterator[GapsRead]:
    at = 0
    while element := _first_element(section, at):
        yield from _loose(section[at : element.start()])
        tag = read_tag(section, element.end())
        assert tag is not None, "the section is whole"
        if tag.is_closed:
            # A description may stand behind an element that is closed at once, on the same line.
            line = section[tag.end :].partition("\n")[0]
            further = _ELEMENT.search(line)
            content = line[: further.start()] if further else line
            at = tag.end + len(content)
        else:
            end, at = _content_end(section, tag.end, element["name"])
            content = section[tag.end : end]
        yield _element(element["name"], tag.fields, content, section[element.start() : at])
    yield from _loose(section[at:])


def _first_element(text: str, at: int) -> re.Match[str] | None:
    """Return the next opening tag of a gap, or of a field that stands for one; closing tags are skipped."""
    for found in _ELEMENT.finditer(text, at):
        if not found["closes"] and (_is_gap(found["name"]) or _is_drop(found["name"]) or field_of(found["name"])):
            return found
    return None


def _is_gap(name: str) -> bool:
    return name.casefold() in ("gap", "item", "missing")


def _is_drop(name: str) -> bool:
    return name.casefold() == _DROP


def _element(name: str, fields: Mapping[str, str], content: str, written: str) -> GapsRead:
    given = dict(fields)
    if _is_drop(name):
        return GapsRead(dropped=read_dropped(" ".join((*given.values(), content))))
    rest, begun = [], 0
    for child in _ELEMENT.finditer(content):
        if child.start() < begun or child["closes"]:
            continue
        tag = read_tag(content, child.end())
        assert tag is not None, "the content is whole"
        if not field_of(child["name"]) and not any(map(field_of, tag.fields)):
            continue
        end, after = (tag.end, tag.end) if tag.is_closed else _content_end(content, tag.end, child["name"])
        rest.append(content[begun : child.start()])
        given.update(tag.fields)
        value = content[tag.end : end].strip()
        if value or not tag.fields:
            given.setdefault(child["name"], value)
        begun = after
    rest.append(content[begun:])
    said = " ".join(rest).strip(" \t\n-\u2013\u2014:")
    field = "" if _is_gap(name) else field_of(name)
    if field and (field != "lines" or "path" not in map(field_of, given)):
        if any(map(field_of, given)):
            given.setdefault("kind", field)
        else:
            given[field], said = said, ""
    gaps = read_fields(given, said)
    return GapsRead(gaps) if gaps else GapsRead(unread=(written.strip()[:_MOST_UNREAD],))


def _content_end(text: str, at: int, name: str) -> tuple[int, int]:
    """Return where the content of an element ends, and where its closing tag does, if it has one."""
    for found in _ELEMENT.finditer(text, at):
        if found["closes"] and found["name"].casefold() == name.casefold():
            closed = text.find(">", found.end())
            return found.start(), closed + 1 if closed >= 0 else len(text)
        if not found["closes"] and _is_gap(found["name"]):
            return found.start(), found.start()
    return len(text), len(text)


def read_tag(text: str, at: int, *, is_end: bool = True) -> Tag | None:
    """
    Read the attributes of a tag.

    Args:
        text: What a model wrote.
        at: Offset just after the tag's name.
        is_end: The text is complete; otherwise None is returned for a tag that may continue.
    """
    fields: dict[str, str] = {}
    last = ""
    while at < len(text):
        if text[at] == ">":
            return Tag(fields, at + 1)
        if text[at] == "/" and text[at + 1 :].lstrip()[:1] == ">":
            return Tag(fields, text.index(">", at) + 1, is_closed=True)
        if text[at] == "<":
            # The tag was never closed, and the next one begins.
            return Tag(fields, at)
        name = _NAME.match(text, at)
        if name is None:
            at += 1
            continue
        given = _GIVEN.match(text, name.end())
        if given and given.end() < len(text):
            found = _value(text, given.end(), is_end=is_end)
            if found is None:
                return None
            is_quoted = text[given.end()] in _QUOTED or text[given.end()] in _BRACES
            last = "" if is_quoted else name[0].casefold()
            fields.setdefault(name[0].casefold(), found[0])
            at = found[1]
            continue
        at = name.end()
        if last:
            # Another word of an unquoted value.
            fields[last] += f" {name[0]}"
        elif field_of(name[0]):
            fields[name[0]] = ""
        else:
            word, at = _bare(text, name.start())
            fields.setdefault("name", word)
    return Tag(fields, at) if is_end else None


def _value(text: str, at: int, *, is_end: bool) -> tuple[str, int] | None:
    """Return an attribute's value and its end; None if its closing quote may be in later text."""
    closing = _QUOTED.get(text[at]) or _BRACES.get(text[at])
    if closing is None:
        return _bare(text, at)
    end = at
    while (end := text.find(closing, end + 1, at + _LONGEST_VALUE)) >= 0:
        # A quote closes the value only if an attribute or the end of the tag follows; else it is part of the value.
        if _AFTER_VALUE.match(text, end + 1):
            return text[at + 1 : end].strip("\"'`" if closing == "}" else None), end + 1
    if not is_end and len(text) < at + _LONGEST_VALUE:
        return None
    end = min((found for mark in (closing, ">", "\n") if (found := text.find(mark, at + 1)) >= 0), default=len(text))
    return text[at + 1 : end], end + (text[end : end + 1] == closing)


def _bare(text: str, at: int) -> tuple[str, int]:
    """Read a value without quotes: up to a blank or the end of the tag, type arguments in it included."""
    depth, end = 0, at
    while end < min(len(text), at + _LONGEST_VALUE):
        letter = text[end]
        is_end = letter.isspace() or letter == ">" or (letter == "/" and text[end + 1 : end + 2] == ">")
        if not depth and is_end:
            break
        if letter == "\n" or (letter == "<" and _ELEMENT.match(text, end) and text[end - 1].isspace()):
            break
        depth += (letter == "<") - (letter == ">")
        end += 1
    return text[at:end], end


# Lines ------------------------------------------------------------------------------------------------------------


def _loose(text: str) -> Iterator[GapsRead]:
    """Read the text between elements: further items, or sentences."""
    yield from _paragraphs(_ELEMENT.sub(lambda tag: "" if tag["closes"] else tag[0], text).strip(" \t\n>"))


def _paragraphs(text: str) -> Iterator[GapsRead]:
    """Read items of a list, or of YAML, one by one, and paragraphs between them."""
    item: list[str] = []
    is_item = False
    for line in (*text.splitlines(), ""):
        bullet = _BULLET.match(line)
        if bullet or not line.strip():
            yield from _item("\n".join(item), is_item=is_item)
            item, is_item = [], bullet is not None
        if line.strip():
            item.append(line[bullet.end() :] if bullet else line.strip())


def _item(text: str, *, is_item: bool) -> Iterator[GapsRead]:
    text = text.strip()
    if not _WORDS.search(text):
        return
    keys = [found for found in _KEY.finditer(text) if field_of(found[1])]
    if keys and keys[0].start() == 0:
        ends = [*(found.start() for found in keys[1:]), len(text)]
        given: dict[str, str] = {}
        for found, end in zip(keys, ends, strict=True):
            given.setdefault(found[1], text[found.end() : end].strip(" \t\n,;|\"'"))
        gaps = read_fields(given)
        yield GapsRead(gaps) if gaps else GapsRead(unread=(text[:_MOST_UNREAD],))
        return
    yield GapsRead(read_sentence(text)) if is_item else GapsRead(prose=(text,))


def read_sentence(text: str) -> tuple[Gap, ...]:
    """Read a sentence that asks for something: names in code marks, or a single name alone."""
    names = _MARKED.findall(text) or ([text] if len(text.split()) == 1 else [])
    given: dict[str, str] = {}
    for name in names:
        if len(name.split()) == 1:
            for field, value in read_word(name).items():
                given.setdefault(field, value)
    first, _, behind = text.partition(" ")
    if "symbol" in given and behind.startswith("of ") and aspect_of(first):
        given[aspect_of(first)] = given.pop("symbol")
    return read_fields(given, "" if text.strip("` ") in names else text)
