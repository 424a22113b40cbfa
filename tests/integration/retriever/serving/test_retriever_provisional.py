"""Answers over a provisional snapshot: an edit is found, read and walked before everything is linked again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2

from indexer.domain.jobs import JobSpec, LocalSource, Published
from indexer.settings import IndexerSettings
from tests.fakes.parsing import index_inline
from tests.fakes.retrieving import retriever_over

SHOP = Path(__file__).parents[3] / "fixtures/shop"
EDIT = '''

def surcharge(cart):
    """Parcels of great weight cost extra postage."""
    if total_of(cart) > 10_000:
        raise OverflowError("too heavy for the courier")
    return 500
'''


class _Stopped(Exception):
    """Ends a run between its two publications."""


class _Stop:
    def tell(self, event: object) -> None:
        """Stop when the edit is shown."""
        if isinstance(event, Published) and event.provisional:
            raise _Stopped


def index(settings: IndexerSettings, folder: Path) -> None:
    """Index until an edit is shown, or to the end if there is none to show."""
    with index_inline(settings) as indexer:
        indexer.run(JobSpec("shop", LocalSource(str(folder))), _Stop())


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """Return a data folder with a provisional snapshot: a function was added, a file removed."""
    folder = tmp_path / "shop"
    shutil.copytree(SHOP, folder)
    settings = IndexerSettings(data_dir=tmp_path / "data", allowed_roots=(str(tmp_path),), parse_processes=1)
    index(settings, folder)
    with (folder / "shop/pricing.py").open("a") as file:
        file.write(EDIT)
    (folder / "shop/janitor.py").unlink()
    with pytest.raises(_Stopped):
        index(settings, folder)
    return settings.data_dir


async def test_an_edit_is_searched_read_walked_and_resolved(edited: Path) -> None:
    """The new function is found by words and name, its source is read, its callee and gaps lead where they should."""
    async with retriever_over(edited) as stub:
        query = "postage surcharge for parcels of great weight"
        search = await stub.Search(pb.SearchRequest(repository="shop", query=query, max_docs=5))
        found = (await stub.LookupSymbols(pb.LookupSymbolsRequest(repository="shop", name="surcharge"))).symbols[0]
        span = code_pb2.Span(path=found.ref.path, start_line=found.ref.start_line, end_line=found.ref.end_line)
        texts = (await stub.ReadSpans(pb.ReadSpansRequest(repository="shop", spans=[span]))).texts
        walk = await stub.ExpandGraph(
            pb.ExpandGraphRequest(repository="shop", seeds=[found.ref], direction=pb.DIRECTION_FORWARD, hops=1)
        )
        gaps = [
            evidence_pb2.Gap(gap_id="new", symbol="surcharge", path="shop/pricing.py"),
            evidence_pb2.Gap(gap_id="gone", symbol="release_overdue", path="shop/janitor.py"),
        ]
        resolved = await stub.ResolveGaps(pb.ResolveGapsRequest(repository="shop", gaps=gaps, pass_number=1))

    assert search.symbols[0].symbol.qualified_name == "surcharge"
    assert search.files[0].path == "shop/pricing.py"
    assert "shop/janitor.py" not in [each.path for each in search.files]
    assert texts[0].text == EDIT.lstrip("\n")
    assert (list(found.raises), list(found.error_strings)) == (["OverflowError"], ["too heavy for the courier"])
    assert code_pb2.SymbolRef(path="shop/pricing.py", qualified_name="total_of") in [
        code_pb2.SymbolRef(path=edge.target.path, qualified_name=edge.target.qualified_name) for edge in walk.edges
    ]
    assert resolved.results[0].outcome == evidence_pb2.GAP_OUTCOME_RESOLVED
    assert resolved.results[0].candidates[0].qualified_name == "surcharge"
    assert "shop/janitor.py" not in [each.path for result in resolved.results for each in result.candidates]
