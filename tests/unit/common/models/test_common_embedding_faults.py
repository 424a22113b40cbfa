"""Embedding endpoints that are ill: each is given up in time, under its name, and holds up nobody else."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, suppress
from typing import Self

import pytest

from common.model.embeddings import EmbeddingConfig, Purpose
from common.model.failures import Cause, ModelFailed
from common.model.redaction import Redactor
from common.model.remote_embedder import RemoteEmbedder
from tests.fakes.clock import FakeClock

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n"


class RawEndpoint:
    """
    Answers every request with bytes as they are, and then says no more until the other side leaves.

    Args:
        answer: What it says.
        pause_seconds: After each byte; without one all of it comes at once.
    """

    def __init__(self, answer: bytes, pause_seconds: float = 0.0) -> None:
        self._answer = answer
        self._pause = pause_seconds
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.asked = threading.Event()
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """Return the base that an embedder is given."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._listener.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65536)
            self.asked.set()
            step = 1 if self._pause else max(1, len(self._answer))
            for start in range(0, len(self._answer), step):
                connection.sendall(self._answer[start : start + step])
                if self._ended.wait(self._pause):
                    return
            self._ended.wait()


def whole(body: bytes) -> bytes:
    return HEAD % len(body) + body


def embedder_of(endpoint: RawEndpoint, seconds: float) -> RemoteEmbedder:
    config = EmbeddingConfig(
        provider="openai", model="m", url=endpoint.url, dimensions=2, timeout_seconds=seconds, max_attempts=1
    )
    return RemoteEmbedder(config, Redactor(), FakeClock())


@pytest.mark.parametrize(
    ("answer", "pause_seconds"),
    [(b"", 0.0), (HEAD % 1000, 0.0), (HEAD % 1000, 0.3), ((HEAD % 1000) + b" " * 1000, 0.1)],
    ids=["silent", "stalled after headers", "headers byte by byte", "body byte by byte"],
)
def test_an_endpoint_that_does_not_come_to_an_end_costs_its_time(answer: bytes, pause_seconds: float) -> None:
    """However many signs of life it gives, the whole answer is there in time or given up."""
    with RawEndpoint(answer, pause_seconds) as endpoint, closing(embedder_of(endpoint, 0.6)) as embedder:
        begun = time.monotonic()
        with pytest.raises(ModelFailed) as raised:
            embedder.embed(["a"], Purpose.QUERY)
        took = time.monotonic() - begun

    assert raised.value.cause is Cause.TIMEOUT
    assert 0.5 < took < 6  # byte by byte it would be more than ten


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"data": [{"index": Infinity, "embedding": [1, 2]}]}',
        b'{"data": [{"index": 0, "embedding": [1%b, 2]}]}' % (b"0" * 400),
        b'{"data": [{"index": 0, "embedding": "\xff\xfe"}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0]}]}',
        b'["data"]',
        b" " * (4 << 20),
    ],
    ids=["nested", "no number", "too large a number", "no UTF-8", "all zero", "a list", "too much"],
)
def test_an_answer_of_another_form_has_its_name(body: bytes) -> None:
    """Nothing that an endpoint writes is an error of ours."""
    with (
        RawEndpoint(whole(body)) as endpoint,
        closing(embedder_of(endpoint, 5.0)) as embedder,
        pytest.raises(ModelFailed) as raised,
    ):
        embedder.embed(["a"], Purpose.QUERY)

    assert raised.value.cause is Cause.MALFORMED


def test_closing_wakes_who_waits() -> None:
    """A process that ends does not wait for an endpoint, and afterwards nothing is asked."""
    told: list[Cause] = []
    with RawEndpoint(b"") as endpoint:
        embedder = embedder_of(endpoint, 60.0)

        def ask() -> None:
            with pytest.raises(ModelFailed) as raised:
                embedder.embed(["a"], Purpose.QUERY)
            told.append(raised.value.cause)

        waiting = threading.Thread(target=ask)
        waiting.start()
        assert endpoint.asked.wait(10)
        embedder.close()
        waiting.join(10)
        ask()

    assert told == [Cause.UNREACHABLE] * 2
