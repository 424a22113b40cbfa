"""Routes: the one that a question names by its path, those that code registers, and how near the two are."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from common.core.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "ALL", "ANY", "QUERY")
_METHOD = rf"(?:{'|'.join(METHODS)})"
_PATH = re.compile(rf"(?:\b(?P<method>{_METHOD})\b[\s`'\"]+)?(?<![\w/.<:])(?P<path>/[^\s`'\"?,;]*)")
_ASKS_FOR_ROUTE = re.compile(
    r"\b(?:routes?|endpoints?|handlers?|handl(?:es?|ed|ing)|serv(?:es?|ed|ing)|views?|controllers?|urls?|apis?|requests?"
    r"|respon(?:ds?|se|ses)|implement(?:s|ed)?|call(?:s|ed)?|hit)\b",
    re.IGNORECASE,
)
_FILE = re.compile(r"\.(?:py|go|java|kt|[jt]sx?|rb|rs|php|cs|ya?ml|toml|md|conf|sh|txt|log)$")
_TEMPLATE = re.compile(r"[{}<>$*()\[\]|\\^]|^:|^\+")
_VALUE = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,}", re.IGNORECASE)
"""What a path that somebody copied has in place of a parameter."""
_REGEX_GROUP = re.compile(r"\((?:\?P?<(\w+)>|\?:)?(?:[^()]|\([^()]*\))*\)[?*+]?")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_ANY = "\0"
_LONGEST = 400
"""Characters of a question in which a path is looked for: one further down is hardly what it is about."""
_NAMED, _HELD, _PART = 2.0, 1.0, 0.75
_FURTHER = 0.6
"""What a segment costs that only one of both has."""
_MOUNTED = re.compile(r"api|rest|v\d+")
"""Words that most paths begin with; where that is said, the routes themselves are not."""
_LEAST = 0.5
"""Share of the words of a path that must be accounted for."""


@dataclass(frozen=True, slots=True)
class AskedRoute:
    """
    What a question names.

    Args:
        words: As the question writes it.
        method: Upper case; "" for none.
        segments: Of the path, parameters as `_ANY`.
    """

    words: tuple[str, ...]
    method: str
    segments: tuple[str, ...]

    @property
    def word(self) -> str:
        """The last word of the path, by which files that have it are found."""
        return next((word for each in reversed(self.segments) for word in re.findall(r"[a-z]\w+", each)), "")

    @property
    def resource(self) -> AskedRoute:
        """What the path is one of, without a parameter at its end."""
        return replace(self, segments=self.segments[:-1]) if self.segments[-1] == _ANY else self


@dataclass(frozen=True, slots=True)
class Registered:
    """
    A route as code registers it.

    Args:
        methods: Upper case; () where the code does not say.
        handler: The expression that handles it; "" where that is what the registration stands on.
    """

    methods: tuple[str, ...]
    path: str
    handler: str


def asked_route(question: str) -> AskedRoute | None:
    """Return the route that a question asks about; None if it names no path, or a file's."""
    question = question[:_LONGEST]
    for found in _PATH.finditer(question):
        path = found["path"].rstrip(".:!)")
        segments = segments_of(path)
        is_about = found["method"] or _ASKS_FOR_ROUTE.search(question)
        if is_about and not _FILE.search(path) and any(each != _ANY for each in segments):
            method = found["method"] or ""
            return AskedRoute(tuple(filter(None, (method, path))), method, segments)
    return None


def read_registered(value: str) -> Registered | None:
    """Read the value of an entry point (`route GET /users listUsers`); None if it registers no path."""
    kind, _, rest = value.partition(" ")
    first, _, behind = rest.partition(" ")
    methods = tuple(first.split(","))
    if kind != "route":
        return None
    if not all(each in METHODS for each in methods):
        methods, behind = (), rest
    path, _, handler = behind.partition(" ")
    if not handler and _DOTTED.fullmatch(path):  # that of the group alone
        path, handler = "", path
    return Registered(methods, path, handler.strip()) if methods or path or handler else None


def segments_of(path: str) -> tuple[str, ...]:
    """Split a path as the frameworks write it: `{id}`, `:id`, `<int:id>`, `(?P<id>[0-9]+)`, `[id]` are parameters."""
    plain = _REGEX_GROUP.sub("*", path.split("?", 1)[0] if "(" not in path else path)
    return tuple(_segment(each) for each in plain.strip("^$").split("/") if each)


def _segment(written: str) -> str:
    return _ANY if _TEMPLATE.search(written) or _VALUE.fullmatch(written) else written.casefold()


def ends_alike(asked: AskedRoute, registered: Registered) -> bool:
    """Tell whether the last part of a registered path can be that of the one asked for; cheap, for many routes."""
    own = segments_of(registered.path)
    return not own or own[-1] in (_ANY, asked.segments[-1])


def nearness(asked: AskedRoute, registered: Registered, prefix: str, around: str) -> float:
    """
    Return how likely a registered route is the one that is asked for; 0 if it is not.

    The shorter path must be the end of the longer one. What the longer one has before it counts where the names around
    the registration speak of it: prefixes often stand in other files.

    Args:
        prefix: Known beginning of the registered path.
        around: File, class and handler of the registration.
    """
    if asked.method and registered.methods and not {asked.method, "ALL", "ANY"} & set(registered.methods):
        return 0.0
    own = segments_of(f"{prefix}/{registered.path}")
    both = min(len(own), len(asked.segments))
    score, held = 0.0, 0.0
    words = sum(each != _ANY and not _MOUNTED.fullmatch(each) for each in asked.segments)
    for wanted, given in zip(reversed(asked.segments), reversed(own), strict=False):
        if wanted == given:
            score += _NAMED if wanted != _ANY else _HELD
            held += wanted != _ANY
        elif given == _ANY:
            score += _HELD / 2  # `/users/me` may be what `/users/{id}` handles
        else:
            return 0.0
    told = set(count_terms(around))
    for wanted in asked.segments[: len(asked.segments) - both]:
        is_told = wanted != _ANY and bool(set(count_terms(wanted)) & told)
        score += _PART if is_told else -_FURTHER
        held += is_told
    score -= _FURTHER * sum(each != _ANY for each in own[: len(own) - both])
    # `/checks/<uuid:code>` and `/checks/<sha1:key>` differ in what they call their parameters.
    score += 0.1 * len(set(count_terms(asked.words[-1])) & set(count_terms(registered.path)))
    # A route that says its method is meant before one that takes any.
    score += 0.5 * bool(asked.method and registered.methods)
    return score if held >= _LEAST * words and held else 0.0


def is_exact(asked: AskedRoute, registered: Registered, prefix: str, around: str) -> bool:
    """Tell whether a route, or what is around it, has each word of the path that is asked for; `{id}` is no word."""
    own = segments_of(f"{prefix}/{registered.path}")
    told = set(count_terms(around))
    for wanted, given in zip_longest(reversed(asked.segments), reversed(own[-len(asked.segments) :])):
        is_known = wanted in (given, _ANY) or _MOUNTED.fullmatch(wanted) is not None
        if not is_known and (given is not None or told.isdisjoint(count_terms(wanted))):
            return False
    return True


_ASKS_ELSEWHERE = re.compile(
    r"\b(?:http\w*|axios|client|fetch\w*|requests?|agent|ky|got|superagent)\s*\.\s*\w+\s*(?:<[^()]{0,80}>)?\(",
    re.IGNORECASE,
)
_ANNOTATION = re.compile(
    r"\s*(?:@|#?\[)[\w.:]*?\b((?:http)?(?:get|post|put|patch|delete|head|options|route|path|request|url|endpoint)(?:mapping)?)\s*\(",
    re.IGNORECASE,
)
_LONGEST_CALL = 8


def asks_elsewhere(line: str) -> bool:
    """Tell a line that calls a route, as clients do: `this.http.post("/users", user)`."""
    return _ASKS_ELSEWHERE.search(line) is not None


def is_annotation(line: str) -> bool:
    """Tell a line that gives what is below it a route: `@Get("/x")`, `[HttpGet("x")]`, `#[get("/x")]`."""
    return _ANNOTATION.match(line) is not None


def annotated_methods(line: str) -> tuple[str, ...]:
    """Return the method of HTTP that an annotation names; () if it names none."""
    found = _ANNOTATION.match(line)
    method = found[1].upper().removeprefix("HTTP").removesuffix("MAPPING") if found else ""
    return (method,) if method in METHODS else ()


def call_around(lines: Sequence[str], line: int) -> tuple[int, str]:
    """Return the innermost call that has a line in it and begins at most two above, with its first line; "" if none."""
    for first in range(line, max(0, line - 3), -1):
        depth, text = 0, ""
        for at in range(first, min(len(lines), first + _LONGEST_CALL) + 1):
            text += lines[at - 1] + "\n"
            depth += lines[at - 1].count("(") - lines[at - 1].count(")")
            if depth <= 0 or at == len(lines):
                break
        if "(" in text and first + text.count("\n") - 1 >= line:
            return first, text.rstrip("\n")
    return line, ""
