"""Finds what a text names: paths, dotted names, frames of a traceback, identifiers, quoted messages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from common.core.contract.question import StackFrame

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

_EXTENSIONS = "pyi?|pyx|jsx?|mjs|cjs|tsx?|java|go|rs|rb|php|cs|cc|cpp|cxx|c|hpp|h"
_PATH = re.compile(
    rf"(?<![\w.])((?:[\w.\-@+]+[/\\])*[\w.\-@+]+\.(?:{_EXTENSIONS}))(?:(?::|#L|\", line |, line )(\d+))?(?!\w)"
)
_PYTHON_FRAME = re.compile(r"File \"([^\"\n]+)\", line (\d+)(?:, in ([\w<>.]+))?")
CALL_FRAME = re.compile(
    r"\s*(?:File )?([^\s:\"'()]+\.pyx?)"
    r"(?::(\d+)[,:] in ([\w<>.]+)(?:\(.*\))?| in (?:([\w<>.]+)\(.*\)|(<\w+>)))\s*"
)
"""Frames of notebooks and pytest: `~/shop/app.py in run(self)`, `File app.py:12, in App.run()`, `app.py:12: in run`."""
ARROW = re.compile(r"-+> ?(\d+)\b")
"""The arrow that points at the line of such a frame."""
_JS_FRAME = re.compile(
    rf"\bat (?:async )?(?:new )?([\w$.<>\[\] ]{{1,200}}?) \(?([^\s()]+\.(?:{_EXTENSIONS})):(\d+)(?::\d+)?\)?"
)
_JAVA_FRAME = re.compile(r"\bat ((?:[\w$]+\.)+)([\w$<>]+)\(([\w$]+\.java):(\d+)\)")
_GO_FRAME = re.compile(r"^[\w./\-~()*\[\]]*?(\w+)\(.*\)\n\s+(\S+\.go):(\d+)", re.MULTILINE)
_DOTTED = re.compile(r"(?<![\w.@/\\])([^\W\d]\w*(?:\.[^\W\d]\w*)+)(?!\w)")
_SPAN = re.compile(r"``([^`\n]+)``|`([^`\n]+)`")
_CALL = re.compile(r"\b([^\W\d]\w*)\s?\(")
_WORD = re.compile(r"[^\W\d]\w*")
_COMPOUND = re.compile(
    r"\w*[a-z0-9]_[A-Za-z0-9]\w*|_+[a-zA-Z]\w+|[A-Z]*[a-z][a-z0-9]*[A-Z]\w*|[A-Z]{2,}[a-z]\w*|[A-Z]+_[A-Z_]+\w*"
)
_NO_WORD = re.compile(r"\w{201,}+")
_NO_PATH = re.compile(r"\S{1001,}+")
"""Data, not a name; it is removed, since each pattern would otherwise be tried at each of its characters."""
_QUOTED = re.compile(r"(?<!\w)\"([^\"\n]{8,200})\"|(?<!\w)'([^'\n]{8,200})'|[“]([^”\n]{8,200})[”]|`([^`\n]{8,200})`")
_RAISED = re.compile(
    r"^[^\S\n]*+(?:E[^\S\n]+)?((?:\w+\.)*[A-Z]\w*(?:Error|Exception|Warning|Fault|Exit|Interrupt))\b:?[ \t]*(.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """
    What a text names, each once, in order of first occurrence.

    Args:
        paths: (path as written with forward slashes, line or 0).
        frames: Outermost first, as Python prints them.
        dotted: Names with dots.
        in_code: Identifiers in code spans and those written like a call or a compound, outside of code blocks.
        in_blocks: Identifiers in blocks of code.
        raised: (exception type, message) of the last lines of tracebacks.
        quoted: Longer quoted texts.
    """

    paths: tuple[tuple[str, int], ...] = ()
    frames: tuple[StackFrame, ...] = ()
    dotted: tuple[str, ...] = ()
    in_code: tuple[str, ...] = ()
    in_blocks: tuple[str, ...] = ()
    raised: tuple[tuple[str, str], ...] = ()
    quoted: tuple[str, ...] = ()


def find_mentions(prose: str, code: str, whole: str) -> Mentions:
    """
    Find mentions.

    Args:
        prose: Title and running text, with code spans.
        code: Blocks of code and tracebacks.
        whole: The text before cleaning: links to source files are in it.
    """
    prose, code, whole = (_NO_PATH.sub(" ", _NO_WORD.sub(" ", each)) for each in (prose, code, whole))
    spans = "\n".join(first or second for first, second in _SPAN.findall(prose))
    return Mentions(
        paths=_unique((path.replace("\\", "/"), int(line or 0)) for path, line in _PATH.findall(whole)),
        frames=_frames(whole),
        dotted=_unique(name for name in _DOTTED.findall(f"{prose}\n{code}")),
        in_code=_unique([*_WORD.findall(spans), *_CALL.findall(prose), *_COMPOUND.findall(prose)]),
        in_blocks=_unique(_WORD.findall(code)),
        raised=_unique((kind, message.strip()) for kind, message in _RAISED.findall(whole)),
        quoted=_unique(next(filter(None, groups)) for groups in _QUOTED.findall(prose)),
    )


def _frames(whole: str) -> tuple[StackFrame, ...]:
    found = [StackFrame(path.replace("\\", "/"), int(line), name) for path, line, name in _PYTHON_FRAME.findall(whole)]
    found += _call_frames(whole.splitlines())
    # In the following formats the innermost frame comes first.
    found += [StackFrame(path, int(line), name.strip()) for name, path, line in reversed(_JS_FRAME.findall(whole))]
    for package, name, file, line in reversed(_JAVA_FRAME.findall(whole)):
        folder = "/".join(package.split(".")[:-2])
        found.append(StackFrame(f"{folder}/{file}" if folder else file, int(line), name))
    found += [StackFrame(path, int(line), name) for name, path, line in reversed(_GO_FRAME.findall(whole))]
    return _unique(found)


def _call_frames(lines: Iterable[str]) -> list[StackFrame]:
    """Read frames that begin with the call; older notebooks mark the line only with an arrow below it."""
    found: list[StackFrame] = []
    for line in lines:
        if head := CALL_FRAME.fullmatch(line):
            name = (head[3] or head[4] or head[5]).rpartition(".")[2]
            found.append(StackFrame(head[1].replace("\\", "/"), int(head[2] or 0), name))
        elif found and not found[-1].line and (arrow := ARROW.match(line)):
            found[-1] = replace(found[-1], line=int(arrow[1]))
    return found


def _unique(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
