"""Turns a question or a whole report into weighted terms and mentions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms, words
from retriever.domain.ranking.cleaning import Zone, clean
from retriever.domain.ranking.mentions import Mentions, find_mentions
from retriever.domain.ranking.status_codes import spelled_out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.ranking.corpus import Floats

MAX_TERMS = 600
"""Most terms that are looked up: the ones with the highest weights."""

_DATA = re.compile(r"\S{400,}")
"""Runs of this length without white space are data; they are removed to save the time of other patterns."""

_SHORT = 200
"""Most characters of a question to which the nouns of its phrasal verbs are added (`compounds`)."""
_DETAILED = 16
"""Fewest different words of a question that counts as detailed."""
_PHRASAL = re.compile(
    r"\b(time|log|sign|set|start|shut|roll|back|fall|look|call|clean|check|tear|warm|lock|hand)"
    r"(?:s|d|[tpg]?ed|[tpg]?ing)?"
    r"[ -](out|in|up|down|back|off|over)\b",
    re.IGNORECASE,
)
_NOUNS = frozenset(
    {"timeout", "login", "logout", "signup", "signin", "signout", "setup", "startup", "shutdown", "rollback", "backup"}
    | {"backoff", "fallback", "lookup", "callback", "cleanup", "checkout", "checkin", "teardown", "warmup", "lockout"}
    | {"handoff", "handover"}
)
"""Nouns from phrasal verbs, which code writes as one word."""

_ZONE_WEIGHTS: Mapping[Zone, float] = {Zone.TITLE: 4.0, Zone.PROSE: 1.0, Zone.CODE: 0.3, Zone.TRACE: 0.3}


@dataclass(frozen=True, slots=True)
class Query:
    """
    An analysed question or report.

    Args:
        terms: What to look up, in order of first occurrence by zone.
        weights: Weights of the terms by view: "main" (everything, weighted by zone), "title", "prose", "code",
            "trace", "spans" (identifiers in running text) and "message" (of errors, and quoted).
        words: Every identifier and word of the text, and those of its first line.
        mentions: What the text names.
        is_report: More than one line is left after cleaning: a report rather than a question.
        is_detailed: A report, or a question of at least 16 different words.
        title: The first line.
        prose: Running text, without code and traces.
    """

    terms: tuple[str, ...]
    weights: Mapping[str, Floats]
    words: frozenset[str]
    title_words: frozenset[str]
    mentions: Mentions
    is_report: bool
    is_detailed: bool
    title: str
    prose: str


def analyse(text: str) -> Query:
    """Analyse a text of any length; one without words gives a query without terms."""
    text = _DATA.sub(" ", text)
    lines = clean(text)
    zones = {zone: "\n".join(line.text for line in lines if line.zone == zone) for zone in Zone}
    zones |= {zone: spelled_out(zones[zone]) for zone in (Zone.TITLE, Zone.PROSE)}
    if len(text) <= _SHORT:  # longer ones have words enough
        zones |= {zone: f"{zones[zone]} {compounds(zones[zone])}".rstrip(" ") for zone in (Zone.TITLE, Zone.PROSE)}
    prose = f"{zones[Zone.TITLE]}\n{zones[Zone.PROSE]}"
    mentions = find_mentions(prose, f"{zones[Zone.CODE]}\n{zones[Zone.TRACE]}", text)
    main: dict[str, float] = {}
    for zone, part in zones.items():
        for term, count in count_terms(part).items():
            main[term] = main.get(term, 0.0) + _ZONE_WEIGHTS[zone] * count
    views: dict[str, Mapping[str, float]] = {
        "main": main,
        **{zone.name.lower(): count_terms(part) for zone, part in zones.items()},
        "spans": count_terms(" ".join(mentions.in_code)),
        "message": count_terms(" ".join((*(message for _, message in mentions.raised), *mentions.quoted))),
    }
    heaviest = sorted(main, key=lambda term: -main[term])[:MAX_TERMS]
    kept = tuple(term for term in main if term in frozenset(heaviest))
    every_word, is_report = frozenset(words(text)), len(lines) > 1
    return Query(
        terms=kept,
        weights={view: _weights(kept, counts) for view, counts in views.items()},
        words=every_word,
        title_words=frozenset(words(zones[Zone.TITLE])),
        mentions=mentions,
        is_report=is_report,
        is_detailed=is_report or len(every_word) >= _DETAILED,
        title=zones[Zone.TITLE],
        prose=zones[Zone.PROSE],
    )


def compounds(text: str) -> str:
    """Return the nouns that code uses for phrasal verbs of a text: "timeout" for "times out"."""
    found = (f"{match[1]}{match[2]}".lower() for match in _PHRASAL.finditer(text))
    return " ".join(each for each in dict.fromkeys(found) if each in _NOUNS and each not in text.lower())


def _weights(terms: tuple[str, ...], counts: Mapping[str, float]) -> Floats:
    """Dampen counts: 1 + ln(count), or the count itself below 1."""
    found = (counts.get(term, 0.0) for term in terms)
    return np.array([1.0 + math.log(count) if count >= 1.0 else count for count in found])
