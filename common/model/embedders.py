"""Opening the embedder that is configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.model.embeddings import Embedder, EmbeddingConfig
    from common.model.metrics import EndpointMeter


def open_embedder(config: EmbeddingConfig, *, meter: EndpointMeter | None = None) -> Embedder:
    """
    Return the configured embedder; nothing is loaded or sent before its first use. Close it.

    Args:
        meter: Records the state of an endpoint's circuit breaker, and each secret redacted from a text sent to it.

    Raises:
        ValueError: for a provider that is not known.
    """
    # Loading only what is used keeps the runtime of the local model out of services that never embed.
    if config.provider == "local":
        from common.model.local_embedder import LocalEmbedder

        return LocalEmbedder(max_tokens=config.max_tokens, threads=config.threads)
    from common.model.metrics import Unmetered
    from common.model.remote_embedder import FORMATS, open_remote_embedder

    if config.provider not in FORMATS:
        raise ValueError(f"unknown embedding provider {config.provider!r}; there are local, {', '.join(FORMATS)}")
    return open_remote_embedder(config, meter or Unmetered())
