"""
Settings of embeddings and of where vectors live, alike in the service that makes them and the one that searches them.

Their names in the environment carry no service: one variable sets both sides, which must agree.
"""

from __future__ import annotations

from dataclasses import dataclass

from common.core.errors import StartupError
from common.core.settings import HOST, URL, setting
from common.model.embeddings import LOCAL_DIMENSIONS, EmbeddingConfig
from common.rpc.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class EmbeddingSettings(ServerSettings):
    """Settings of the vectors, the same on both sides; a service's settings extend it."""

    embedding_provider: str = setting(
        "auto",
        "What makes vectors: a small local model, an endpoint, or nothing. auto: local with Qdrant, else none.",
        env="CGRAG_EMBEDDING_PROVIDER",
        choices=("auto", "local", "openai", "voyage", "none"),
    )
    embedding_model: str = setting("", "Name of the model at the endpoint.", env="CGRAG_EMBEDDING_MODEL")
    embedding_url: str = setting(
        "",
        "Base of the endpoint, for example https://api.openai.com/v1.",
        env="CGRAG_EMBEDDING_URL",
        pattern=f"({URL})?",
    )
    embedding_api_key: str = setting(
        "", "Sent to the endpoint as bearer token.", env="CGRAG_EMBEDDING_API_KEY", secret=True
    )
    embedding_dimensions: int = setting(
        LOCAL_DIMENSIONS,
        "Length of a vector; 384 for the local model.",
        env="CGRAG_EMBEDDING_DIMENSIONS",
        minimum=1,
        maximum=65536,
    )
    embedding_max_tokens: int = setting(
        64,
        "Tokens of a text that the local model reads; doubling halves its speed.",
        env="CGRAG_EMBEDDING_MAX_TOKENS",
        minimum=8,
        maximum=256,
    )
    embedding_threads: int = setting(
        1, "Threads of the local model.", env="CGRAG_EMBEDDING_THREADS", minimum=1, maximum=64
    )
    qdrant_host: str = setting(
        "",
        "Qdrant server that holds the vectors; none keeps them in the snapshot.",
        env="CGRAG_QDRANT_HOST",
        pattern=f"({HOST})?",
    )
    qdrant_grpc_port: int = setting(
        6334, "gRPC port of the Qdrant server.", env="CGRAG_QDRANT_GRPC_PORT", minimum=1, maximum=65535
    )
    qdrant_tls: bool = setting(False, "Reach the Qdrant server over TLS.", env="CGRAG_QDRANT_TLS")
    qdrant_api_key: str = setting("", "Key of the Qdrant server.", env="CGRAG_QDRANT_API_KEY", secret=True)

    @property
    def provider(self) -> str:
        """Return what makes vectors; "none" if nothing does, which leaves search to words and the call graph."""
        automatic = "local" if self.qdrant_host else "none"
        return automatic if self.embedding_provider == "auto" else self.embedding_provider

    @property
    def embedding(self) -> EmbeddingConfig:
        """Return how embeddings are made. Raises StartupError if an endpoint lacks its address or model."""
        if self.embedding_provider in ("openai", "voyage") and not (self.embedding_url and self.embedding_model):
            raise StartupError(
                f"embedding provider {self.embedding_provider} needs CGRAG_EMBEDDING_URL and CGRAG_EMBEDDING_MODEL"
            )
        return EmbeddingConfig(
            provider=self.provider,
            model=self.embedding_model,
            url=self.embedding_url,
            api_key=self.embedding_api_key,
            dimensions=self.embedding_dimensions,
            max_tokens=self.embedding_max_tokens,
            threads=self.embedding_threads,
        )
