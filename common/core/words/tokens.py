"""Counts tokens without a network: the o200k encoding, with a margin for models that count otherwise."""

from __future__ import annotations

import math
import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Protocol


class TokenCounter(Protocol):
    """Counts the tokens of a text."""

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
        self._tokens_of = _o200k().count

    def count(self, text: str) -> int:
        """Return the tokens of a text, margin included; a lone surrogate counts as one unknown character."""
        try:
            tokens = self._tokens_of(text)
        except UnicodeEncodeError:
            tokens = self._tokens_of(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        return math.ceil(tokens * self._factor)


class _Tokenizer(Protocol):
    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        ...


@cache
def _o200k() -> _Tokenizer:
    """
    Load only the compiled module of the package bpe_openai; it contains the vocabulary.

    The package's Python code reads three vocabularies when it is imported, which takes half a second and 70 MB.
    """
    name = "bpe_openai._bindings"
    if name not in sys.modules:  # it can be initialised once in a process
        package = find_spec("bpe_openai")
        spec = PathFinder.find_spec(name, package.submodule_search_locations) if package else None
        if spec is None or spec.loader is None:
            raise ImportError("bpe_openai is not installed as it should be", name=name)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    tokenizer: _Tokenizer = sys.modules[name].tokenizer_for_encoding("o200k_base")
    return tokenizer
