"""Expands macros of the same file that define functions or build their names; line numbers stay."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFINE = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\(([\w ,]*)\)[ \t]+((?:[^\n\\]|\\\n|\\[^\n])*)", re.MULTILINE
)
_NAME = re.compile(rb"\w*(?:[ \t]*##[ \t]*\w+)+")
_HEAD = re.compile(rb"(?:\w++[ \t*]++)+(\w++(?:[ \t]*##[ \t]*\w++)*)[ \t]*\([^;{}()]*\)[ \t]*(\{.*\})?", re.DOTALL)
"""A function's head, with or without its body; the name may be pasted together."""
_RULES = re.compile(rb"\bmacro_rules!\s*(\w+)\s*\{\s*\(((?:\s*\$\w+:\w+\s*,?)*)\)\s*=>\s*\{")
_ITEMS = re.compile(
    rb"^[ \t]*(?!macro_rules\b)(\w+![ \t]*\{)(?=(?:\s|//[^\n]*\n|#!?\[[^\]]*\])*+"
    rb"(?:pub|fn|async[ ]fn|unsafe|impl|struct|enum|trait|type|mod|use|const|static|extern|\w+!\s*\{)(?!\w))",
    re.MULTILINE,
)
"""A macro call on a line of its own, up to its brace, whose argument begins with an item or another such call."""
_BRACE = re.compile(rb"//[^\n]*|\"(?:[^\"\\]|\\.)*\"|'[{}]'|[{}]", re.DOTALL)
_INTERPOLATED = re.compile(rb"(?<![\w/])#\w")
_MAX_EXPANDED = 4000
_MAX_MACROS = 100


class _Macro(NamedTuple):
    name: bytes
    parameters: tuple[bytes, ...]
    body: bytes
    is_name: bool


def expanded_c(text: bytes) -> bytes:
    """Return C or C++ with macros expanded that paste names together or define functions."""
    macros = list(islice(_defined(text), _MAX_MACROS))
    if not macros:
        return text
    lines = _logical_lines(text)
    for macro in macros:
        before = rb"\b" if macro.is_name else rb"^[ \t]*(?:(?:static|inline|extern)[ \t]+)*"
        lines = [line if line.lstrip().startswith(b"#") else _replaced(line, macro, before) for line in lines]
    return b"".join(lines)


def expanded_rust(text: bytes) -> bytes:
    """Return Rust with one-rule macros that define functions expanded, and items moved out of other macro calls."""
    for found in list(_RULES.finditer(text)):
        name, written = found.groups()
        body = _until_closed(text, found.end())
        parameters = tuple(re.findall(rb"\$(\w+):", written))
        if not any(re.search(rb"\bfn\s+\$" + each + rb"\b", body) for each in parameters):
            continue
        use = re.compile(rb"^([ \t]*)" + name + rb"!\s*[({]([\w:, \t]*)[)}];?", re.MULTILINE)

        def write(match: re.Match[bytes], body: bytes = body, parameters: tuple[bytes, ...] = parameters) -> bytes:
            given = [each.strip() for each in match[2].split(b",")]
            if len(given) != len(parameters):
                return match[0]
            for parameter, value in zip(parameters, given, strict=True):
                body = re.sub(rb"\$" + parameter + rb"\b", value, body)
            return match[1] + b" ".join(body.split()) if len(body) <= _MAX_EXPANDED else match[0]

        text = use.sub(write, text)
    return _with_items(text)


def _with_items(text: bytes) -> bytes:
    """Move items behind the macro calls that take them, such as macros for conditional compilation."""
    end = 0
    while found := _ITEMS.search(text, end):
        end = found.end(1)
        size = len(_until_closed(text, end, len(text)))
        if size and not _INTERPOLATED.search(text, end, end + size):
            text = b"".join((text[:end], b"}", text[end : end + size], text[end + size + 1 :]))
    return text


def _defined(text: bytes) -> Iterator[_Macro]:
    for name, written, raw in _DEFINE.findall(text):
        parameters = tuple(each.strip() for each in written.split(b","))
        body = b" ".join(raw.replace(b"\\\n", b" ").split())
        is_name = _NAME.fullmatch(body) is not None
        head = _HEAD.fullmatch(body)
        named = body if is_name else head[1] if head else b""
        if any(each in parameters for each in re.split(rb"\W+", named)):
            yield _Macro(name, parameters, body, is_name)


def _logical_lines(text: bytes) -> list[bytes]:
    """Split into lines, with a directive and its continuation lines as one."""
    return re.findall(rb"[ \t]*#(?:[^\n\\]|\\\n|\\[^\n])*\n?|[^\n]*\n|[^\n]+", text)


def _replaced(line: bytes, macro: _Macro, before: bytes) -> bytes:
    if macro.name not in line:
        return line
    use = re.compile(rb"(" + before + rb")" + macro.name + rb"[ \t]*\(([\w ,\t]*)\)")

    def write(match: re.Match[bytes]) -> bytes:
        given = [each.strip() for each in match[2].split(b",")]
        if len(given) != len(macro.parameters):
            return match[0]
        values = dict(zip(macro.parameters, given, strict=True))
        body = re.sub(rb"\w+", lambda word: values.get(word[0], word[0]), macro.body)
        return match[1] + re.sub(rb"[ \t]*##[ \t]*", b"", body)

    return use.sub(write, line)


def _until_closed(text: bytes, start: int, limit: int = _MAX_EXPANDED) -> bytes:
    depth = 1
    for found in _BRACE.finditer(text, start, min(len(text), start + limit)):
        depth += {b"{": 1, b"}": -1}.get(found[0], 0)
        if depth == 0:
            return text[start : found.start()]
    return b""
