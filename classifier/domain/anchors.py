"""What a question or task mentions that can be looked up: files, symbols, frames, exceptions, messages, keywords."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from classifier.domain.log_lines import read_log
from classifier.domain.plain_messages import plain_message
from classifier.domain.reading.tokens import OPERATOR
from classifier.domain.traces import MAX_MESSAGE_CHARS, find_traces
from common.core.contract.question import Anchors, StackFrame
from common.core.words.terms import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_EACH = 60

_EXTENSIONS = (
    "py|pyi|pyx|ts|tsx|mts|cts|js|jsx|mjs|cjs|java|kt|go|rs|c|h|cc|cpp|cxx|hpp|hh|cs|rb|php|scala|swift|"
    "md|rst|txt|toml|yaml|yml|json|ini|cfg|sql|html|css|xml|proto|sh|vue|svelte|ipynb|gradle|lock"
)
_URL = re.compile(r"(?:https?|ftp|file)://[^\s)>\]\"'`]+")
_BLOB_URL = re.compile(r"/(?:blob|tree|raw|src)/[^/\s]+/(?P<path>[^\s#?)>\]\"'`]+)")
_FILE = re.compile(
    r"(?<![\w/.@+\-])(?:~?/|\./|\.\./)?(?:[\w.@+\-]+/)*[\w@+\-][\w.@+\-]*\.(?:" + _EXTENSIONS + r")(?![\w(])(?!\.\w)"
)
_MEMBER_OR_FILE = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.(?:json|ya?ml|toml|cfg|ini|xml|html|css|sql|proto|lock|sh|c|h|go|rs|cs|rb|js|ts)"
)
"""`res.json` may be a function of Express as well as a file, so it is looked up as both."""
_FOLDER = re.compile(
    r"(?<![\w/.:@\-<])(?:\./)?(?:[A-Za-z_][\w\-]*/){2,}(?:[\w\-]+)?(?![\w\-/]|\.\w)|(?<=`)(?:\./)?(?:[\w\-]+/)+[\w\-]*(?=`)"
)
_EXCEPTION = re.compile(
    r"(?<![\w.])(?<!\w::)(?<!\w\\)(?:[A-Za-z_]\w*(?:\.|::|\\))*(?:[A-Z]\w*(?:Error|Exception|Warning|Fault|Panic|Interrupt)"
    r"|ImproperlyConfigured|ObjectDoesNotExist|DoesNotExist|MultipleObjectsReturned|StopIteration|StopAsyncIteration"
    r"|GeneratorExit|SystemExit|Http404|DisallowedHost|TemplateSyntaxError|NoReverseMatch|PermissionDenied)\b"
)
_RAISED = re.compile(
    r"\b(?:raises?|raising|throws?|throwing|catch(?:es)?|except) (?:an? |the )?`?"
    r"(?P<type>(?:\w+\.)*[A-Z][a-z]\w*[A-Z]\w*)\b"
)
_MESSAGE_AFTER_TYPE = re.compile(
    r"(?:Error|Exception|Warning|ImproperlyConfigured|DoesNotExist)`?: ?`?(?P<message>[^\n`]{4,300})"
)
_TYPE = r"(?:\w+\.)*[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*+"
_GOT = re.compile(
    rf"(?i:\b(?:get(?:s|ting)?|got|see(?:ing)?|saw|hit(?:s|ting)?)) (?:an? |the |this )?`?(?P<type>{_TYPE})`?: ?"
    r"`?(?P<message>[^\n`]{4,300})"
)
"""An error whose type has no ending such as "Error": "why do I get SchemeUnsupported: …"."""
_PASTED = re.compile(
    r"\A\s*(?=[\w.]*(?:Not[A-Z]|Unsupported|Invalid|Fail|Denied|Missing|Malformed|Unknown|Cannot|Mismatch|Timeout|Refused"
    r"|Exceeded|Conflict|Unavailable|Abort|Reject|Expired|Forbidden|Unauthorized|Broken|Bad[A-Z]|NoSuch|Too[A-Z]|Illegal"
    rf"|Unexpected|Duplicate|AlreadyExists))(?P<type>{_TYPE}): (?P<message>[^\n?]{{4,300}})\s*\Z"
)
"""A text of one line that is only such an error; its type has a word of failure, such as "Unsupported"."""
_MESSAGE_LINE = re.compile(r"(?mi)^[ \t>]*(?:\w+: )?(?:fatal|error|panic)(?: [A-Z]*\d+)?: (?P<message>[^\n]{4,300})")
_QUOTED = re.compile(
    r"\"(?P<a>[^\"\n]{0,300}(?:(?<=[ (=])\"[\w.-]{1,80}\"(?=[ ,.):])[^\"\n]{0,300}){0,3})\""
    r"|(?<!\w)'(?P<b>[^'\n]{0,300})'(?!\w)|`{1,2}(?P<c>[^`\n]{1,300})`{1,2}"
    r"|\u201c(?P<d>[^\u201c\u201d\n]{0,300})\u201d"
)
"""Quoted text; between straight double quotes it may contain single words in such quotes."""
_LEAST_QUOTED = 6
_COMMAND = re.compile(r"(?:^|\s)(?:-{1,2}\w|[^\s/]*/\S)|\w\(")
"""Signs that text between backticks is a command or code: an option, a path, a call."""
_AROUND = ' .?`"'
"""Characters that are stripped from both ends of a message."""
_CLOSING = {'"': '"', "'": "'", "\u201c": "\u201d"}
_LONGEST_TYPE = 100
_ERROR_WORD = re.compile(
    r"(?i)\b(?:error|errors|exception|message|warning|warns|says|saying|fails?|failed|failure|complain\w*|raises?|raised|throws?|thrown|crash\w*|panic\w*"
    r"|log(?:s|ged|ging)?|print(?:s|ed)?|emit(?:s|ted)?|produc(?:es?|ed)|comes? from|caus(?:es?|ed|ing)"
    r"|trigger(?:s|ed|ing)?|why)\b"
)
_MEANS = re.compile(r"(?i)\bmean(?:s|t|ing)?\b")
_LEAST_MEANT = 4
"""Words from which on quoted text is a message where the question asks what it means; fewer may be a term."""
_THEN_WHY = re.compile(
    r"\A\s*+(?P<message>(?![^\n]*\b(?i:i|we|my|our|you)\b)\S+(?: \S+){3,40}?)"
    r"(?:(?: [-\u2013\u2014]|:)\s*+|[^\S\n]*+\n\s*+)(?i:why)\b[^\n]{0,30}\Z"
)
"""A message that is followed only by a short "why?"."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_NAME = re.compile(OPERATOR + r"|@?(?:\w+(?:\.|::|->|#|\\))*[A-Za-z_$][\w$]*[?!]?")
_MENTION = re.compile(
    r"(?<![\w.@/$\-])(?:"
    rf"(?P<operator>(?a:{OPERATOR}))"
    r"|(?P<dotted>[A-Za-z_]\w*+(?:(?:\.|::|->)[A-Za-z_]\w*+)++(?!-\w))"
    r"|(?P<call>[A-Za-z_]\w*)(?=\(\)|\([\w\"'*=, .]{0,60}\))"
    r"|(?P<camel>(?:[A-Z][a-z0-9]+){2,}[A-Z]?|(?![A-Z]{2,}s\b)[A-Z]{2,}[a-z]\w*[A-Z]?\w*|[a-z]+(?:[A-Z][a-z0-9]+)+"
    r"|[a-z]{2,}(?:[A-Z][a-z0-9]+)*[A-Z]{2,}(?<!OS)(?:[a-z]\w*)?"
    r"|(?=[A-Za-z0-9]{1,60}?[a-z0-9][A-Z])[A-Z][A-Za-z0-9]{0,60}?(?:[A-Z]{2}[a-z]|[A-Z]\d{1,4}[A-Z][a-z])[A-Za-z0-9]*+"
    r"|_[A-Za-z](?=[A-Za-z0-9]{0,60}?[a-z0-9][A-Z])[A-Za-z0-9]*+)\b"
    r"|(?P<dollar>\$[a-z]\w{2,})\b"
    r"|(?P<snake>_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*|__\w+)"
    r")"
)
_BUILT_IN = frozenset(
    {"print", "len", "next", "iter", "open", "True", "False", "None", "true", "false", "null", "self", "this"}
)
_NOT_DOTTED = re.compile(
    r"(?i)^(?:e\.g|i\.e|etc\.\w+|www\..*|.*\.(?:com|org|net|io|dev|edu))$|^(?:Node|Vue|Next|Nuxt|Express|ASP)\.(?:js|net)$"
)
_KEYWORD = re.compile(r"[A-Za-z][A-Za-z0-9\-]{2,40}")
_LINE = re.compile(r"\blines? (\d{1,7})\b|(?<=\w)(?::|#L)(\d{1,7})\b", re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def find_anchors(text: str) -> Anchors:
    """
    Find what a text mentions.

    Frames of stack traces are not repeated as paths or symbols, and exception types are not repeated as symbols.
    No list but that of the frames is longer than MAX_EACH.
    """
    text = text.replace("\r\n", "\n")
    trace = find_traces(text)
    logged, rest = read_log(_without(text, trace.spans))
    linked = [match["path"] for match in _BLOB_URL.finditer(rest)]
    plain = _URL.sub(" ", rest)
    named = (match[0] for match in _EXCEPTION.finditer(plain))
    exceptions = _distinct((*trace.exceptions, *named, *_raised(plain), *(match["type"] for match in _told(plain))))
    paths = _distinct((*_files(plain), *linked, *_folders(plain)))
    files = {path for path in paths if not _MEMBER_OR_FILE.fullmatch(path)}
    symbols = _distinct(name for name in _symbols(plain) if name not in {*exceptions, *files, *_BUILT_IN})
    messages = _distinct(
        (*trace.messages, *(each.strip(_AROUND)[:MAX_MESSAGE_CHARS] for each in logged), *_messages(plain))
    )
    shows_error = bool(trace.frames or exceptions or messages)
    known = {part.lower() for name in (*symbols, *exceptions) for part in _KEYWORD.findall(name)}
    return Anchors(
        paths=paths,
        symbols=symbols,
        frames=trace.frames if shows_error else _pointed_at(plain, paths),
        exceptions=exceptions,
        error_messages=messages,
        keywords=_keywords(plain, known),
    )


def _pointed_at(text: str, paths: Sequence[str]) -> tuple[StackFrame, ...]:
    """Return a frame for a line number in a text with one file: `app.py:42`, "line 42 of app.py"; else nothing."""
    line, files = _LINE.search(text), [path for path in paths if _FILE.search(path)]
    if line is None or len(files) != 1:
        return ()
    return (StackFrame(files[0], int(line[1] or line[2]), "", ""),)


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        parts.extend((text[done : max(start, done)], " "))
        done = max(end, done)
    parts.append(text[done:])
    return "".join(parts)


def _raised(text: str) -> Iterable[str]:
    return (match["type"] for match in _RAISED.finditer(text))


def _told(text: str) -> Iterator[re.Match[str]]:
    """Yield type and message of errors whose types have no ending such as "Error": by `_GOT` and `_PASTED`."""
    yield from _GOT.finditer(text)
    if pasted := _PASTED.match(text):
        yield pasted


def _files(text: str) -> Iterable[str]:
    found = (match[0] for match in _FILE.finditer(text))
    return (path for path in found if not _BLOB_URL.search(path) and not _NOT_DOTTED.match(path))


def _folders(text: str) -> Iterable[str]:
    return (match[0] for match in _FOLDER.finditer(text) if not _FILE.search(match[0]))


def _symbols(text: str) -> Iterable[str]:
    found: list[tuple[int, str]] = []
    for match in _SPAN.finditer(text):
        name = _NAME.match(match[1].strip())
        rest = match[1].strip()[name.end() :] if name else ""
        if name and len(name[0]) > 1 and (not rest or rest[0] in "([<:"):
            found.append((match.start(1), name[0].lstrip("@")))
    for match in _MENTION.finditer(text):
        name_text = match[0]
        if match["dotted"] and (_NOT_DOTTED.match(name_text) or _is_file(name_text)):
            continue
        found.append((match.start(), name_text))
    return (name for _, name in sorted(found))


def _is_file(name: str) -> bool:
    return bool(_FILE.fullmatch(name)) and not _MEMBER_OR_FILE.fullmatch(name)


def _messages(text: str) -> Iterable[str]:
    found = [(match.start(), _up_to_quote(text, match)) for match in _MESSAGE_AFTER_TYPE.finditer(text)]
    found.extend((match.start(), match["message"]) for match in (*_MESSAGE_LINE.finditer(text), *_told(text)))
    if asked := _THEN_WHY.match(text):
        found.append((0, asked["message"]))
    if not found and (message := plain_message(text)):
        return (message.strip(_AROUND)[:MAX_MESSAGE_CHARS],)
    for match in _QUOTED.finditer(_FENCE.sub(lambda block: " " * len(block[0]), text)):
        quoted = next(group for group in match.groups() if group is not None)
        is_code = match["c"] is not None and _COMMAND.search(quoted)
        behind = "" if is_code else text[match.end() : match.end() + 30]  # words behind a command are about its output
        near = f"{text[max(0, match.start() - 60) : match.start()]} {behind}"
        is_meant = len(_WORD.findall(quoted)) >= _LEAST_MEANT and _MEANS.search(near)
        if len(quoted) >= _LEAST_QUOTED and " " in quoted.strip() and (is_meant or _ERROR_WORD.search(near)):
            found.append((match.start(), quoted))
    ordered = sorted(found, key=lambda each: each[0])
    return (message.strip(_AROUND)[:MAX_MESSAGE_CHARS] for _, message in ordered)


def _up_to_quote(text: str, match: re.Match[str]) -> str:
    """Cut a message at the end of the quotation that contains its exception; quotations in the message are kept."""
    message: str = match["message"]
    start = match.start()
    least = max(0, start - _LONGEST_TYPE)
    while start > least and (text[start - 1].isalnum() or text[start - 1] in "_.:\\"):
        start -= 1
    closing = _CLOSING.get(text[start - 1 : start], "")
    is_inside = False
    for place, sign in enumerate(message if closing else ""):
        if sign != closing:
            continue
        if is_inside:
            is_inside = False
        elif place and message[place - 1] not in " (=":
            if not message[place + 1 : place + 2].isalnum():
                return message[:place]
        else:
            is_inside = True
    return message


def _keywords(text: str, known: set[str]) -> tuple[str, ...]:
    words = (match[0].lower().strip("-") for match in _KEYWORD.finditer(text))
    return _distinct(word for word in words if word not in STOP_WORDS and word not in known)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))[:MAX_EACH]
