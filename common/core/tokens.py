"""Counts tokens without a network: the o200k encoding, with a margin for models that count otherwise."""

from __future__ import annotations

import math
import warnings
from typing import Protocol


class TokenCounter(Protocol):
    """Says what a text costs."""

    def count(self, text: str) -> int:
        """Return the tokens of a text, margin included; 0 for the empty text."""
        ...


class BpeTokenCounter:
    """
    Counts with the o200k vocabulary and adds a margin.

    The answering model's own tokenizer is not public; the margin (default 10 %) keeps the count on the safe side.

    Args:
        margin: Share that is added, 0 or more; the sum is rounded up.
    """

    def __init__(self, margin: float = 0.10) -> None:
        self._factor = 1.0 + margin
        with warnings.catch_warnings():
            # The package reads its data by a call that Python 3.11 has deprecated.
            warnings.simplefilter("ignore", DeprecationWarning)
            import bpe_openai

            self._encoding = bpe_openai.get_encoding("o200k_base")

    def count(self, text: str) -> int:
        """Return the tokens of a text, margin included; 0 for the empty text."""
        return math.ceil(len(self._encoding.encode_ordinary(text)) * self._factor)
