"""What was worked out for a scope: once, and without keeping those waiting who ask for another."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from retriever.usecases.evidence.scope_cache import ScopeCache

if TYPE_CHECKING:
    from retriever.ports import Snapshot


def _snapshot(core: str, precise: str = "") -> Snapshot:
    return cast("Snapshot", SimpleNamespace(info=SimpleNamespace(core_digest=core, precise_digest=precise)))


def test_an_answer_is_made_once() -> None:
    """The same content and scope give what was made; another scope is another question, the oldest one is dropped."""
    cache: ScopeCache[list[str]] = ScopeCache(3)
    asked: list[str] = []

    def make(_: Snapshot, scope: str) -> list[str]:
        asked.append(scope)
        return [scope]

    assert cache.get(_snapshot("a"), "lib/", make) is cache.get(_snapshot("a"), "lib/", make)
    cache.get(_snapshot("a"), "app/", make)
    cache.get(_snapshot("b"), "lib/", make)
    cache.get(_snapshot("a"), "lib/", make)
    cache.get(_snapshot("a", precise="c"), "lib/", make)  # other edges over the same core
    cache.get(_snapshot("a"), "lib/", make)
    cache.get(_snapshot("a"), "app/", make)

    assert asked == ["lib/", "app/", "lib/", "lib/", "app/"]


def test_a_slow_answer_delays_only_who_asks_for_it() -> None:
    """While one scope is measured, another one can be."""
    cache: ScopeCache[str] = ScopeCache()
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: Snapshot, scope: str) -> str:
        begun.set()
        assert go_on.wait(timeout=30)
        return scope

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(cache.get, _snapshot("a"), "big/", slow)
        assert begun.wait(timeout=30)
        other = ThreadPoolExecutor(1).submit(cache.get, _snapshot("a"), "small/", lambda _, scope: scope)
        try:
            assert other.result(timeout=10) == "small/"
        finally:
            go_on.set()

        assert waiting.result(timeout=30) == "big/"


def test_what_failed_is_tried_again() -> None:
    """An error is not kept."""
    cache: ScopeCache[str] = ScopeCache()

    def fail(_: Snapshot, __: str) -> str:
        raise LookupError

    with pytest.raises(LookupError):
        cache.get(_snapshot("a"), "", fail)

    assert cache.get(_snapshot("a"), "", lambda _, scope: scope + "!") == "!"
