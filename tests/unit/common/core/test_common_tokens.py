"""What counts tokens."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from common.core.words.tokens import BpeTokenCounter

TEXTS = (
    "",
    "def add(first: int, second: int) -> int:\n    return first + second\n",
    "Grüße, 世界! \t\r\n\n  <|endoftext|> 0123456789 …",
    "x" * 5000,
)


@pytest.mark.parametrize("text", TEXTS)
def test_counts_are_those_of_the_packages_own_interface(text: str) -> None:
    """The compiled half, taken alone, counts what the package as a whole encodes to."""
    import bpe_openai

    encoded = bpe_openai.get_encoding("o200k_base").encode_ordinary(text)

    assert BpeTokenCounter(margin=0.0).count(text) == len(encoded)


def test_a_margin_is_added_and_the_sum_is_rounded_up() -> None:
    """Ten in a hundred are added, and a part of a token counts as a whole one."""
    text = "one two three four five six seven"
    tokens = BpeTokenCounter(margin=0.0).count(text)

    assert tokens == 7
    assert BpeTokenCounter().count(text) == math.ceil(7.7)


def test_half_a_character_is_counted_too() -> None:
    """A lone surrogate, which no file can hold but a request can, is no error."""
    assert BpeTokenCounter().count("a\ud800b") > 0


def test_no_vocabulary_is_read_at_import() -> None:
    """Neither the import nor a counter brings in the half that reads all vocabularies."""
    script = (
        "import sys; from common.core.words.tokens import BpeTokenCounter;"
        " before = 'bpe_openai._bindings' in sys.modules;"
        " BpeTokenCounter().count('text'); print(before, 'bpe_openai' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert printed.split() == ["False", "False"]
