"""Vectors bring what words do not lead to; where they fail, the words decide alone."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common.core.errors import DependencyUnavailable
from retriever.adapters.learned import read_describing_model
from retriever.ports import VectorHit
from retriever.usecases.searching.describing import FindDescribed, Meant
from tests.integration.retriever.conftest import Retriever
from tests.integration.retriever.opened_tree import opened_current, opened_tree

if TYPE_CHECKING:
    from retriever.ports import Snapshot


@dataclass
class _Near:
    """Vectors that find one symbol near, or fail; they remember the texts."""

    symbol_id: int
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    async def nearest(self, text: str, *, symbols: int, documents: int) -> tuple[VectorHit, ...]:
        self.asked.append(text)
        if self.fails:
            raise DependencyUnavailable("the vector server does not answer")
        return (VectorHit(self.symbol_id, None, 0.9),)


async def _meant(
    data: Path, text: str, *, fails: bool = False, use: bool = True, asked: list[str] | None = None
) -> Meant:
    with closing(opened_current(data)) as opened:
        near = _Near(opened.snapshot.symbols.named("release_overdue")[0].id, fails, [] if asked is None else asked)
        snapshot: Snapshot = replace(opened.snapshot, vectors=near)
        described = FindDescribed(read_describing_model(), seconds=lambda: 5.0)
        return await described.run(snapshot, text, limit=3, use_vectors=use)


async def test_what_is_near_is_found_without_a_word_in_common(retriever: Retriever) -> None:
    """The nearest symbol is a candidate by that alone, with a certainty of its own."""
    meant = await _meant(retriever.data, "zorblat")

    assert [symbol.name for symbol in meant.symbols] == ["release_overdue"]
    assert 0 < meant.certainty < 1


@pytest.mark.parametrize(("fails", "use"), [(True, True), (False, False)])
async def test_without_vectors_the_words_decide(retriever: Retriever, fails: bool, use: bool) -> None:
    """No word leads anywhere, so nothing is meant; a server that fails is not the caller's problem."""
    assert await _meant(retriever.data, "zorblat", fails=fails, use=use) == Meant()


async def test_of_a_long_text_the_beginning_is_read(retriever: Retriever) -> None:
    """A whole question may stand for a description; what is far behind neither costs time nor leads anywhere."""
    asked: list[str] = []
    meant = await _meant(retriever.data, "zorblat " * 12_000 + "reserve", asked=asked)

    assert [symbol.name for symbol in meant.symbols] == ["release_overdue"]
    assert [len(text) for text in asked] == [4000]


async def test_a_function_that_is_declared_for_several_types_is_meant_once() -> None:
    """Overloads say the same in other types: they leave room for others."""
    documented = '(amount: {0}) -> {0}:\n    """Convert a weight in pounds to kilograms."""\n\n\n'
    declared = "".join(f"@overload\ndef to_kilograms{documented.format(kind)}" for kind in ("int", "float", "str"))
    code = declared + f"def to_kilograms{documented.format('object')}def weigh(things):\n    return things\n"

    with closing(opened_tree({"units.py": code})) as opened:
        described = FindDescribed(read_describing_model(), seconds=lambda: 5.0)
        meant = await described.run(opened.snapshot, "convert or weigh a weight in pounds", limit=3, use_vectors=False)

    assert [symbol.name for symbol in meant.symbols] == ["weigh", "to_kilograms"]
    assert [symbol.decorators for symbol in meant.symbols] == [(), ()]
