"""
The ranking of real questions over the shop of the fixtures, as a file in git: a change of ranking is a diff to review.

`make golden` writes the file anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2

from tests.fakes.golden_ranking import golden_file, golden_text, read_questions

if TYPE_CHECKING:
    from tests.integration.retriever.conftest import Retriever


async def test_ranking_is_the_golden_one(retriever: Retriever) -> None:
    """Files and symbols stand in the order of the golden file, and its recall@5 and MRR are what they give."""
    text = await golden_text(retriever.stub, "shop", read_questions("shop_questions.jsonl"))

    assert text == golden_file("shop.json", text)


async def test_a_query_without_known_words_ranks_nothing(retriever: Retriever) -> None:
    """Words that stand nowhere give an empty ranking, not an error."""
    answer = await retriever.stub.Search(retriever_pb2.SearchRequest(repository="shop", query="的 zzzz ????"))

    assert not answer.files
    assert not answer.symbols


async def test_ranking_keeps_to_a_path(retriever: Retriever) -> None:
    """With a prefix only files and symbols below it are ranked; tests only when wanted."""
    request = retriever_pb2.SearchRequest(repository="shop", query="cart checkout", path_prefix="shop/ch")
    below = await retriever.stub.Search(request)
    tests = await retriever.stub.Search(
        retriever_pb2.SearchRequest(repository="shop", query="cart checkout", path_prefix="tests/", include_tests=True)
    )

    assert {each.path for each in below.files} == {"shop/checkout.py"}
    assert {each.symbol.path for each in below.symbols} == {"shop/checkout.py"}
    assert {each.path for each in tests.files} == {"tests/test_checkout.py"}
