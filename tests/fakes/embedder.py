"""An embedder without a model: equal words make near vectors; it remembers what it was asked."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from common.model.embeddings import Purpose, Vectors, unit_rows

_WORD = re.compile(r"[a-z]{3,}")


class FakeEmbedder:
    """Counts words into hashed dimensions."""

    def __init__(self, *, model: str = "words", dimensions: int = 64, error: Exception | None = None) -> None:
        self.model = model
        self.dimensions = dimensions
        self.asked: list[tuple[str, Purpose]] = []
        self.error = error

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        """Return one unit vector for each text."""
        self.asked.extend((text, purpose) for text in texts)
        if self.error is not None:
            raise self.error
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.lower()):
                row[zlib.crc32(word.encode()) % self.dimensions] += 1.0
        return unit_rows(rows)

    def close(self) -> None:
        """Hold nothing."""
