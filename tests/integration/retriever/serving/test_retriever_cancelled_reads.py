"""What is read for a call that has ended is read no further, and holds no thread that others wait for."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from common.core.errors import Cancelled
from common.core.runtime.concurrency import start_token
from retriever.usecases.evidence.scope_cache import ScopeCache
from retriever.usecases.stages.structure.modules import Dependencies, dependencies_around
from tests.integration.retriever.opened_tree import opened_tree


def test_nothing_is_read_for_a_call_that_has_ended() -> None:
    """Rows and texts, those too that are kept; but what is made once for all callers is made to its end."""
    kept: ScopeCache[Dependencies] = ScopeCache()
    snapshot = opened_tree({"shop/a.py": "def f():\n    return 1\n"}).snapshot

    def read() -> None:
        snapshot.files.text("shop/a.py")
        start_token().is_cancelled = True
        for fetch in (
            lambda: snapshot.symbols.named("f"),
            lambda: snapshot.facts.messages(("f",), 1),
            lambda: snapshot.files.text("shop/a.py"),
        ):
            with pytest.raises(Cancelled):
                fetch()
        assert len(snapshot.lexical.corpus().symbols.ids) > 0
        assert kept.get(snapshot, "", dependencies_around).files == ()

    copy_context().run(read)
