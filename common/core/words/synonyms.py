"""Synonyms of words for what code does or offers; a short list."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.words.spellings import spellings
from common.core.words.terms import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROUPS = """
abort cancel
abandon crash dead die died dies kill lost
authenticate authorize login signin
backoff, exponential delay
cache memoize
close disconnect hangup lost
compress brotli deflate gzip zip
cron schedule
deadline timeout
deduplicate, unique
delete remove
encrypt cipher ssl tls
exhaust full overflow
expire evict outdated stale ttl
i18n l10n internationalize locale localize translate
paginate, next page
pubsub, publish subscribe
retry reattempt, try again
shutdown stop terminate
telemetry opentelemetry tracing
throttle, rate limit
watch reload
websocket ws
"""
"""Each line is a group of synonyms: single words, and after each comma several words that form one synonym."""


def _read() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in _GROUPS.strip().split("\n"):
        first, *phrases = line.split(",")
        ways = [*((word,) for word in first.split()), *(tuple(each.split()) for each in phrases)]
        for own in ways:
            found.setdefault(_key(own), []).extend(each for each in ways if each != own)
    return MappingProxyType({key: tuple(ways) for key, ways in found.items()})


def _key(way: tuple[str, ...]) -> str:
    return " ".join(stem(word) for word in way)


_WAYS = _read()


def synonyms_of(*words: str) -> tuple[tuple[str, ...], ...]:
    """Return the synonyms of a word, or of several words together, in any form of them; () if none is known."""
    keys = [" ".join(form) for form in _forms(words)]
    return next((_WAYS[key] for key in keys if key in _WAYS), ())


def _forms(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the forms of one word, or the first forms of several."""
    if len(words) == 1:
        return [(form,) for form in spellings(words[0])]
    return [tuple(spellings(word)[-1] if spellings(word) else word.lower() for word in words)]
