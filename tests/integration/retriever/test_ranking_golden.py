"""
The ranking of real questions over the shop of the fixtures, as a file in git: a change of ranking is a diff to review.

`UPDATE_GOLDEN=1 pytest tests/integration/retriever/test_ranking_golden.py` writes the file anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2

if TYPE_CHECKING:
    from tests.integration.retriever.conftest import Retriever

GOLDEN = Path(__file__).parents[2] / "golden/ranking"
SHOWN = 5


async def test_ranking_is_the_golden_one(retriever: Retriever) -> None:
    """Files and symbols stand in the order of the golden file, and its recall@5 and MRR are what they give."""
    found = [await _ranked(retriever, question) for question in _questions()]
    summary = {
        "recall@5": round(sum(each["recall@5"] for each in found) / len(found), 3),
        "mrr": round(sum(each["mrr"] for each in found) / len(found), 3),
    }
    text = json.dumps({**summary, "questions": found}, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        (GOLDEN / "shop.json").write_text(text, encoding="utf-8")

    assert text == (GOLDEN / "shop.json").read_text(encoding="utf-8")


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


def _questions() -> list[dict[str, object]]:
    lines = (GOLDEN / "shop_questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def _ranked(retriever: Retriever, case: dict[str, object]) -> dict[str, float]:
    question, gold = case["question"], case["gold"]
    assert isinstance(gold, list)
    answer = await retriever.stub.Search(retriever_pb2.SearchRequest(repository="shop", query=str(question)))
    symbols = [f"{each.symbol.path}::{each.symbol.qualified_name}" for each in answer.symbols]
    first = next((rank for rank, name in enumerate(symbols, 1) if name in gold), 0)
    row: dict[str, object] = {
        "question": question,
        "recall@5": len(set(gold) & set(symbols[:SHOWN])) / len(gold),
        "mrr": round(1 / first, 3) if first else 0.0,
        "files": [each.path for each in answer.files[:SHOWN]],
        "symbols": symbols[:SHOWN],
    }
    return row  # type: ignore[return-value]  # a row of a file, of which two numbers are summed up
