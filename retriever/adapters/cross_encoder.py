"""Reads a question beside source: the network `retriever/data/cross_encoder.onnx`, run by onnxruntime on the CPU."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime
    import tokenizers

    from retriever.domain.ranking.corpus import Floats

_QUESTION, _LENGTH = 48, 128
"""Most tokens of a question, and of question and source with the three marks, as in training."""


class OnnxCrossEncoder:
    """
    A cross-encoder of six layers, trained by `scripts/cross_encoder_fit.py`.

    Safe to call from several threads at once. The network is loaded at the first call: some 0.2 s and 60 MB. Each
    source is read by itself, so that its score does not depend on the others and none is padded to another's length.

    Args:
        threads: How many sources are read at once.
    """

    def __init__(self, *, threads: int = 2) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="cross-encoder")
        self._lock = threading.Lock()
        self._loaded: tuple[onnxruntime.InferenceSession, tokenizers.Tokenizer] | None = None

    def scores(self, question: str, sources: Sequence[str]) -> Floats:
        """Return how well each source answers the question; only differences have a meaning."""
        session, tokenizer = self._load()
        begin, end = (tokenizer.token_to_id(each) or 0 for each in ("[CLS]", "[SEP]"))
        asked, *read = (each.ids for each in tokenizer.encode_batch([question, *sources], add_special_tokens=False))
        first = [begin, *asked[:_QUESTION], end]

        def score(own: list[int]) -> float:
            tokens = np.array([[*first, *own[: _LENGTH - len(first) - 1], end]], dtype=np.int64)
            sides = np.ones_like(tokens)
            sides[:, : len(first)] = 0
            (scores,) = session.run(None, {"tokens": tokens, "sides": sides, "mask": np.ones_like(tokens)})
            return float(np.asarray(scores)[0])

        return np.array(list(self._pool.map(score, read)))

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def _load(self) -> tuple[onnxruntime.InferenceSession, tokenizers.Tokenizer]:
        with self._lock:
            if self._loaded is None:
                import onnxruntime
                import tokenizers

                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = options.inter_op_num_threads = 1
                data = files("retriever").joinpath("data")
                with as_file(data / "cross_encoder.onnx") as network:
                    session = onnxruntime.InferenceSession(str(network), options, providers=["CPUExecutionProvider"])
                tokenizer = tokenizers.Tokenizer.from_str(
                    data.joinpath("cross_encoder_tokenizer.json").read_text(encoding="utf-8")
                )
                self._loaded = (session, tokenizer)
            return self._loaded
