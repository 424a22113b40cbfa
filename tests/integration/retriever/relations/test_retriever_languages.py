"""Go, Java, JavaScript and Rust: names as they write them, and what is defined elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import evidence_pb2

from tests.fakes.retrieving import Stub

if TYPE_CHECKING:
    pass

FILES = {
    "go.mod": "module github.com/acme/shop\n",
    "order.go": 'package shop\n\nimport flag "github.com/spf13/pflag"\n\n// Order is bought.\ntype Order struct{}\n\n'
    "// Total sums up.\nfunc (o *Order) Total() int {\n\tflag.Parse()\n\treturn 1\n}\n",
    "src/main/java/org/acme/shop/Cart.java": "package org.acme.shop;\n\nimport org.web.ui.Model;\n\n"
    "public class Cart {\n  public void fill(Model model) {\n    model.put(1);\n  }\n}\n",
    "lib/reply.js": "var res = module.exports = {}\n\nres.json = function json(obj) {\n  return this.send(obj)\n}\n",
    "settings/shop.json": '{"currency": "EUR"}\n',
    "src/basket.rs": "pub fn weigh_basket() -> u32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n"
    "    #[test]\n    fn weigh_basket_twice() { assert_eq!(weigh_basket(), 1); }\n}\n",
}


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        ("(*Order).Total", "RESOLVED"),
        ("shop.Order.Total", "RESOLVED"),
        ("github.com/acme/shop.(*Order).Total", "RESOLVED"),
        ("shop.Order.Refund", "ABSENT"),
        ("pflag.FlagSet", "EXTERNAL"),
        ("Cart#fill", "RESOLVED"),
        ("org.acme.shop.Cart", "RESOLVED"),
        ("org.acme.shop.Basket", "ABSENT"),
        ("org.web.ui.Model", "EXTERNAL"),
    ],
)
async def test_names_of_go_and_java(stub: Stub, written: str, outcome: str) -> None:
    """A package at the top is called as its files declare, and what is imported from elsewhere is not absent."""
    request = retriever_pb2.ResolveGapsRequest(repository="shop", gaps=[evidence_pb2.Gap(symbol=written)])
    response = await stub.ResolveGaps(request)

    assert evidence_pb2.GapOutcome.Name(response.results[0].outcome) == f"GAP_OUTCOME_{outcome}"


@pytest.mark.parametrize(
    ("symbol", "path", "outcome", "shown"),
    [
        ("res.json", "", "RESOLVED", "lib/reply.js:3"),
        ("res.json", "lib/reply.js", "RESOLVED", "lib/reply.js:3"),
        ("shop.json", "", "RESOLVED", "settings/shop.json:1"),
        ("bill.json", "", "ABSENT", ""),
        ("json.go", "", "ABSENT", ""),
    ],
)
async def test_what_ends_like_a_file_may_be_a_member(
    stub: Stub, symbol: str, path: str, outcome: str, shown: str
) -> None:
    """`res.json` is a function where no file has that name, and what is neither is not taken for a package."""
    request = retriever_pb2.ResolveGapsRequest(repository="shop", gaps=[evidence_pb2.Gap(symbol=symbol, path=path)])
    response = await stub.ResolveGaps(request)

    places = [f"{each.span.path}:{each.span.start_line}" for each in response.evidence]
    assert evidence_pb2.GapOutcome.Name(response.results[0].outcome) == f"GAP_OUTCOME_{outcome}"
    assert places[:1] == ([shown] if shown else [])


async def test_tests_in_the_code_that_they_test_are_ranked_only_where_tests_are(stub: Stub) -> None:
    """Rust keeps them in a module of the same file."""

    async def found(*, include_tests: bool) -> list[str]:
        request = retriever_pb2.SearchRequest(
            repository="shop", query="weigh basket twice", include_tests=include_tests
        )
        return [each.symbol.qualified_name for each in (await stub.Search(request)).symbols]

    assert "tests.weigh_basket_twice" in await found(include_tests=True)
    assert await found(include_tests=False) == ["weigh_basket"]
