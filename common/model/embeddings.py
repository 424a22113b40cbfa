"""
Texts to vectors: a small local model that needs no account, or a remote endpoint.

Embedders are synchronous, since they compute or wait: call them in a thread or a process of its own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from common.core.runtime.breaker import BreakerPolicy

if TYPE_CHECKING:
    from collections.abc import Sequence


Vectors: TypeAlias = NDArray[np.float32]

LOCAL_DIMENSIONS = 384


class Purpose(Enum):
    """Purpose of an embedding; some models embed documents and queries differently."""

    DOCUMENT = "document"
    QUERY = "query"


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model(self) -> str:
        """Return the identity that comparable vectors share: the model and every option that changes vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        ...

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        """Return one unit vector for each text, as rows; raises ModelFailed."""
        ...

    def close(self) -> None:
        """Release the model or the connections."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """
    Which embedder is used, and how.

    Args:
        provider: "local", "openai" (any endpoint with OpenAI's embeddings API) or "voyage".
        model: The model's name at the endpoint; not used by the local model.
        url: Base URL of the endpoint, for example https://api.openai.com/v1.
        api_key: Sent as bearer token; may be empty for self-hosted endpoints.
        dimensions: Length of a vector; the local model's is 384.
        max_tokens: Number of tokens of a text that the local model reads, 8 to 256; half as many double its speed.
        threads: Threads of the local model.
        batch: Texts in one request to an endpoint.
        timeout_seconds: Time limit of one attempt at an endpoint.
        max_attempts: Greatest number of attempts of one request, the first included.
        breaker: When the circuit breaker of an endpoint opens.
    """

    provider: str = "local"
    model: str = ""
    url: str = ""
    api_key: str = field(default="", repr=False)
    dimensions: int = LOCAL_DIMENSIONS
    max_tokens: int = 128
    threads: int = 1
    batch: int = 64
    timeout_seconds: float = 30.0
    max_attempts: int = 4
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)


def unit_rows(vectors: Vectors) -> Vectors:
    """Scale each row to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0.0, 1.0, lengths), dtype=np.float32)


def text_key(model: str, text: str) -> str:
    """Return the key under which the vector of a text may be kept: SHA-256 over model and text."""
    return hashlib.sha256(f"{model}\0{text}".encode(errors="surrogatepass")).hexdigest()
