"""Words and vectors together: what is near gains, and without vectors the words stand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common.core.errors import DependencyUnavailable
from retriever.domain.questions.question import Ranking, SearchQuery
from retriever.ports import VectorHit
from retriever.usecases.searching.hybrid import Hybrid, Lift
from tests.fakes.rankers import WordRanker
from tests.fakes.served_snapshots import Served
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from retriever.ports import Snapshot

_TEXT = "def fetch_page(): ...\n\n\ndef download(): ...\n\n\ndef fetch_row(): ...\n"


@dataclass
class _Near:
    """Vectors that say what is near, after some seconds, or fail."""

    symbols: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    seconds: float = 0.0
    fails: bool = False

    async def nearest(self, text: str, *, symbols: int, documents: int) -> tuple[VectorHit, ...]:
        await asyncio.sleep(self.seconds)
        if self.fails:
            raise DependencyUnavailable("the vector server does not answer")
        hits = [VectorHit(key, None, 0.9) for key in self.symbols[:symbols]]
        return (*hits, *(VectorHit(None, key, 0.9) for key in self.documents[:documents]))


async def _rank(
    data: Path,
    near: _Near | None,
    *,
    use: bool = True,
    seconds: float = 5.0,
    below: str = "",
    text: str = _TEXT,
) -> Ranking:
    builder = SnapshotBuilder().python("net.py", text).python("test_net.py", "def test_it(): ...\n", is_test=True)
    builder.document("a.md", "Fetching", "how to fetch").document("b.md", "Other", "unrelated words")
    builder.publish(data, "net")
    hybrid = Hybrid(WordRanker(), Lift(symbols=1.0, documents=1.0), seconds=lambda: seconds)
    async with Served(data).store.open("net", "") as opened:
        snapshot: Snapshot = replace(opened, vectors=near)
        query = SearchQuery("fetch a page", path_prefix=below, max_symbols=3, use_vectors=use)
        return await hybrid.run(snapshot, query)


def _names(ranking: Ranking) -> list[str]:
    return [each.symbol.name for each in ranking.symbols]


async def test_what_is_near_rises_though_it_shares_no_word(tmp_path: Path) -> None:
    """The nearest neighbour gains as much as the best match by words has; tests stay out."""
    ids = {"fetch_page": 2, "download": 3, "fetch_row": 4, "test_it": 6}

    ranking = await _rank(tmp_path, _Near(symbols=[ids["test_it"], ids["download"]], documents=[2]))

    assert _names(ranking) == ["fetch_page", "download", "fetch_row"]
    assert ranking.symbols[1].signals == ("vectors",)
    assert [each.document.title for each in ranking.documents] == ["Fetching", "Other"]
    assert ranking.ran == ("lexical", "vectors")


async def test_overloads_rise_as_one(tmp_path: Path) -> None:
    """Whether words found one of them or only vectors did; the one with a body is shown."""
    body = "(x):\n    x = open(x)\n    return x\n\n\n"
    text = f"def fetch(x): ...\n\n\ndef fetch{body}def load(x): ...\n\n\ndef load{body}"
    ids = {"fetch": (2, 3), "load": (4, 5)}

    ranking = await _rank(tmp_path, _Near(symbols=[*ids["load"], *ids["fetch"]]), text=text)

    assert [(each.symbol.name, each.symbol.lines > 1) for each in ranking.symbols] == [("fetch", True), ("load", True)]


@pytest.mark.parametrize(
    ("near", "use", "note"),
    [
        (None, True, ""),
        (_Near(symbols=[3]), False, "vectors: turned off"),
        (_Near(symbols=[3], fails=True), True, "vectors: the vector server does not answer"),
        (_Near(symbols=[3], seconds=30), True, "vectors: not in time"),
    ],
)
async def test_without_vectors_the_words_stand(tmp_path: Path, near: _Near | None, use: bool, note: str) -> None:
    """Not there, turned off, failing or late: the answer comes, and says what there is and was left out."""
    ranking = await _rank(tmp_path, near, use=use, seconds=0.05)

    assert _names(ranking) == ["fetch_page", "fetch_row"]
    assert ranking.skipped == ((note,) if note else ())
    assert "vectors" not in ranking.ran


@pytest.mark.parametrize("below", ["a", "b"])
async def test_pages_of_other_paths_are_left_out(tmp_path: Path, below: str) -> None:
    """Whether words or vectors found them: the prefix holds for pages as it does for files."""
    ranking = await _rank(tmp_path, _Near(documents=[1, 2]), below=below)

    assert [each.document.path for each in ranking.documents] == [f"{below}.md"]


async def test_words_alone_find_no_pages_of_other_paths(tmp_path: Path) -> None:
    """The page that has the words lies elsewhere."""
    assert (await _rank(tmp_path, None, below="b")).documents == ()
