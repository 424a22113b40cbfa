"""What is read out of documentation: the first whole sentences, without markup."""

from __future__ import annotations

import pytest

from orchestrator.domain.writing import prose


def test_names_that_a_page_lists_are_no_prose() -> None:
    """The body of a list of contents is left out, that of a note is not."""
    listed = ".. autosummary::\n   :toctree: generated/\n\n   decode_item\n   read_item\n"
    text = f"{listed}\n.. note::\n\n   Items are read once.\n"

    assert prose.plain(text).split() == ["Items", "are", "read", "once."]


def test_links_and_boxes_of_a_page_are_read_out() -> None:
    """Where they lead means nothing elsewhere, and pictures say nothing."""
    text = "![badge](x.svg) See the [guide](docs/a_(b).md) or the [docs][d][\\*](http://a).\n"

    assert " ".join(prose.plain(text).split()) == "See the guide or the docs."


def test_lists_and_relations_of_a_page_are_no_prose() -> None:
    """What a module's page lists, and what it ends with, is left out of what it says."""
    listed = "Public symbols:\n- final class Cart: Holds items.\n  - void add(Item item)"
    page = f"Counts what is sold.\n\n{listed}\n\nUses: shop.cart\n\nPart of: shop\nConcepts: cart, items"

    assert prose.opening_sentences(prose.plain(page), 2, 300) == "Counts what is sold."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ask the bank for money.\n\nArgs:\n    total: In cents.\n", "Ask the bank for money."),
        ("Sell it. Then book it. Then ring.", "Sell it. Then book it."),
        ("Tells the type. Examples:", "Tells the type."),
        ("Takes a {@link Box#lid lid} off {@code box}.", "Takes a lid off `box`."),
        ("Reads RFC 8259</a> of a <a href='x'>kind</a>.", "Reads RFC 8259 of a kind."),
        ("", ""),
    ],
)
def test_the_first_sentences_are_told_whole(text: str, told: str) -> None:
    """Fields of a docstring end it, and what only leads on is left out."""
    assert prose.opening_sentences(text, 2, 300) == told
