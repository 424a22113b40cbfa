"""What a model writes, whatever it repeats, is read in time that grows with its length alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from common.core.contract.evidence import Gap
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.grammar.extraction import extract_claims
from orchestrator.domain.writing import prose
from tests.fakes.latency import within

# Each takes some tenths of a second at most, and took from ten to longer than anybody waited.
MOST_SECONDS = 3.0


HOSTILE: dict[str, tuple[Callable[[str], object], str]] = {
    "blocks that nobody closes": (extract_claims, "``` a\n" * 40_000),
    "a sentence that never ends": (extract_claims, "`a` calls `b` and " * 20_000),
    "code marks that nobody closes": (extract_claims, "`a " * 60_000),
    "a list without end": (extract_claims, "`a`, " * 40_000),
    "parentheses that nobody closes": (extract_claims, "(`a` is `b` " * 20_000),
    "words without end": (extract_claims, "x" * 400_000),
    "calls that end in something else": (lambda text: gap_key(Gap("x", symbol=text)), "()" * 60_000 + "!"),
    "a page of links that nobody closes": (prose.plain, "[a](" * 20_000),
    "sentences without end": (lambda text: prose.opening_sentences(text, 2, 320), "a. B " * 40_000),
}


@pytest.mark.parametrize(("read", "text"), HOSTILE.values(), ids=HOSTILE)
def test_what_has_no_end_is_read_in_time(read: Callable[[str], object], text: str) -> None:
    """None looks anew at what follows from each of its letters or lines."""
    with within(MOST_SECONDS):
        read(text)


def test_a_block_that_nobody_closes_hides_no_claim() -> None:
    """A closed one does: what it quotes is not said by the answer."""
    text = "`Shop.one`\n```py\n`Shop.two`\n```\n`Shop.three`\n```\n`Shop.four`"
    names = [each.claim.subject for each in extract_claims(text)]

    assert names == ["Shop.one", "Shop.three", "Shop.four"]


def test_gaps_are_the_same_with_and_without_arguments() -> None:
    """Up to the last bracket, if that ends the name."""
    written = ("Shop.sell(item, key=f(1))", "shop.sell", "`Shop::sell()`")

    assert {gap_key(Gap("x", symbol=each)) for each in written} == {"::shop.sell"}
    assert gap_key(Gap("x", symbol="sell)")) == "::sell)"
