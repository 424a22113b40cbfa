"""Routes: the one that a question names by its path, those that code registers, and how well the two match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest

from common.core.contract.understanding import Intent, MentionKind, Understanding
from common.core.words.terms import count_terms

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "ALL", "ANY", "QUERY")
_TEMPLATE = re.compile(r"[{}<>$*()\[\]|\\^]|^:|^\+")
_VALUE = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,}", re.IGNORECASE)
"""A number or id in a copied path, where the route has a parameter."""
_REGEX_GROUP = re.compile(r"\((?:\?P?<(\w+)>|\?:)?(?:[^()]|\([^()]*\))*\)[?*+]?")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_ANY = "\0"
_NAMED, _HELD, _PART = 2.0, 1.0, 0.75
_FURTHER = 0.6
"""Deduction for a segment that only one of the two paths has."""
_MOUNTED = re.compile(r"api|rest|v\d+")
"""Words that most paths begin with; code often adds them elsewhere than where it registers the routes."""
_LEAST = 0.5
"""Share of the words of the path asked for that the route or the names around it must have."""


@dataclass(frozen=True, slots=True)
class AskedRoute:
    """
    The route that a question names.

    Args:
        words: Method and path as the question writes them.
        method: Upper case; "" for none.
        segments: Of the path, parameters as `_ANY`.
    """

    words: tuple[str, ...]
    method: str
    segments: tuple[str, ...]

    @property
    def word(self) -> str:
        """The last word of the path, to search files for it; "" if the path has none."""
        return next((word for each in reversed(self.segments) for word in re.findall(r"[a-z]\w+", each)), "")


@dataclass(frozen=True, slots=True)
class Registered:
    """
    A route as code registers it.

    Args:
        methods: Upper case; () where the code does not say.
        handler: The expression that handles it; "" where the registration is a decorator or annotation of the handler.
    """

    methods: tuple[str, ...]
    path: str
    handler: str


def asked_route(understanding: Understanding) -> AskedRoute | None:
    """Return the route that a question asks about; None if it names none, or a bare path but asks for other things."""
    is_about = any(understanding.of(Intent.ROUTE))
    for named in understanding.named(MentionKind.ROUTE):
        method, _, path = named.rpartition(" ")
        segments = segments_of(path)
        if (is_about or method) and any(each != _ANY for each in segments):
            return AskedRoute(tuple(filter(None, (method, path))), method.upper(), segments)
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
    if not handler and _DOTTED.fullmatch(path):  # no path of its own: that of its group applies
        path, handler = "", path
    return Registered(methods, path, handler.strip()) if methods or path or handler else None


def segments_of(path: str) -> tuple[str, ...]:
    """Split a path as the frameworks write it: `{id}`, `:id`, `<int:id>`, `(?P<id>[0-9]+)`, `[id]` are parameters."""
    plain = _REGEX_GROUP.sub("*", path.split("?", 1)[0] if "(" not in path else path)
    return tuple(_segment(each) for each in plain.strip("^$").split("/") if each)


def _segment(written: str) -> str:
    return _ANY if _TEMPLATE.search(written) or _VALUE.fullmatch(written) else written.casefold()


def ends_alike(asked: AskedRoute, registered: Registered) -> bool:
    """Return whether the last segment of a registered path fits that of the path asked for: a cheap filter."""
    own = segments_of(registered.path)
    return not own or own[-1] in (_ANY, asked.segments[-1])


def nearness(asked: AskedRoute, registered: Registered, prefix: str, around: str) -> float:
    """
    Return a score of how well a registered route matches the one asked for; 0 if it does not.

    The shorter path must be the end of the longer one. Each further segment lowers the score; but one of the path asked
    for raises it if the names around the registration have its words, since prefixes often stand in other files.

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
    # `/checks/<uuid:code>` and `/checks/<sha1:key>` differ in the names of their parameters.
    score += 0.1 * len(set(count_terms(asked.words[-1])) & set(count_terms(registered.path)))
    # A route with the method ranks above one for any method.
    score += 0.5 * bool(asked.method and registered.methods)
    return score if held >= _LEAST * words and held else 0.0


def is_exact(asked: AskedRoute, registered: Registered, prefix: str, around: str) -> bool:
    """Return whether a route, or what is around it, has each word of the path that is asked for; `{id}` is no word."""
    own = segments_of(f"{prefix}/{registered.path}")
    told = set(count_terms(around))
    for wanted, given in zip_longest(reversed(asked.segments), reversed(own[-len(asked.segments) :])):
        is_known = wanted in (given, _ANY) or _MOUNTED.fullmatch(wanted) is not None
        if not is_known and (given is not None or told.isdisjoint(count_terms(wanted))):
            return False
    return True
