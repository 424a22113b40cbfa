"""Private members of JavaScript are found by their names, with the sign and without."""

from __future__ import annotations

from contextlib import closing

import pytest

from retriever.domain.questions.names import parse
from retriever.usecases.locating.naming import find_symbols
from tests.integration.retriever.opened_tree import opened_tree

TILL = """export class Till {
  charge(order) {
    return this.#settle(order);
  }

  #settle(order) {
    return order.total;
  }

  close() {}

  #close() {}
}
"""


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Till.#settle", ["Till.#settle"]),
        ("#settle", ["Till.#settle"]),
        ("this.#settle(order)", ["Till.#settle"]),
        ("Till.settle", ["Till.#settle"]),
        ("settle", ["Till.#settle"]),
        ("Till#settle", ["Till.#settle"]),
        ("Till.close", ["Till.close"]),
        ("Till.#close", ["Till.#close"]),
        ("Till.#charge", []),
        ("Till.gone", []),
    ],
)
def test_a_private_member_is_found(written: str, found: list[str]) -> None:
    """A public one of the same name comes before it where the sign is left out."""
    with closing(opened_tree({"till.js": TILL})) as at:
        name = parse(written)
        assert name
        assert [each.qualified_name for each in find_symbols(at.snapshot, name)] == found
