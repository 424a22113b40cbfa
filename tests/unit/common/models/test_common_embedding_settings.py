"""What makes vectors, by the settings of indexer and retriever."""

from __future__ import annotations

import pytest

from common.model.embedding_settings import EmbeddingSettings


@pytest.mark.parametrize(
    ("settings", "provider"),
    [
        (EmbeddingSettings(), "none"),
        (EmbeddingSettings(qdrant_host="qdrant"), "local"),
        (EmbeddingSettings(embedding_provider="local"), "local"),
        (EmbeddingSettings(embedding_provider="none", qdrant_host="qdrant"), "none"),
    ],
)
def test_vectors_are_made_where_one_setting_asks_for_them(settings: EmbeddingSettings, provider: str) -> None:
    """Not by default; a Qdrant server asks for them, and what is named holds in any case."""
    assert settings.provider == provider
    assert settings.embedding.provider == provider
