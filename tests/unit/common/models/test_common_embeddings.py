"""Embedders: the local model for real, remote ones over local HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np
import pytest

from common.model.embedders import open_embedder
from common.model.embeddings import EmbeddingConfig, Purpose
from common.model.failures import Cause, ModelFailed
from common.model.local_embedder import LocalEmbedder
from common.model.redaction import Redactor
from common.model.remote_embedder import BlockingBackoff, RemoteEmbedder
from tests.fakes.clock import FakeClock

PAIRS = (
    ("Read settings from a TOML file", "load the configuration"),
    ("Deliver an e-mail message through SMTP", "send mail"),
    ("Derive a salted digest of a secret", "hash a password"),
    ("Keep database connections open to share them", "connection pool"),
    ("Scale a picture to a thumbnail", "resize an image"),
    ("Split text into words and punctuation", "tokenizer"),
    ("Remove expired entries from the cache", "evict old cache items"),
    ("Retry a request with exponential backoff", "try again after failure"),
    ("Render a template to HTML", "produce a web page from a template"),
    ("Parse the arguments of the command line", "argparse options"),
)


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    """The model that the wheel ships."""
    return LocalEmbedder(max_tokens=64)


def test_local_model_finds_paraphrases(local: LocalEmbedder) -> None:
    """At least nine of ten short queries are nearest to the text that means the same."""
    documents = local.embed([text for text, _ in PAIRS], Purpose.DOCUMENT)
    queries = local.embed([query for _, query in PAIRS], Purpose.QUERY)

    nearest = (queries @ documents.T).argmax(axis=1)

    assert int((nearest == np.arange(len(PAIRS))).sum()) >= 9


def test_local_vectors_are_unit_rows_in_order_of_the_texts(local: LocalEmbedder) -> None:
    """Whatever their lengths, texts keep their place; long and empty texts are fine; no text gives no rows."""
    texts = ["word " * 500, "", "a", "deliver mail"]

    rows = local.embed(texts, Purpose.DOCUMENT)

    assert rows.shape == (4, local.dimensions)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert float(rows[3] @ local.embed(["deliver mail"], Purpose.QUERY)[0]) > 0.98
    assert local.embed([], Purpose.QUERY).shape == (0, local.dimensions)


def test_model_name_tells_how_much_is_read(local: LocalEmbedder) -> None:
    """Vectors of texts cut at different lengths are not comparable, so the name differs."""
    assert local.model.endswith("@64")
    assert LocalEmbedder(max_tokens=128).model != local.model


def test_unknown_provider_is_refused() -> None:
    """A provider that is not there is told with those that are."""
    with pytest.raises(ValueError, match="local, openai, voyage"):
        open_embedder(EmbeddingConfig(provider="magic"))


@dataclass
class Endpoint:
    """An embedding endpoint: answers from a script, then well; remembers what it was sent."""

    script: list[tuple[int, Mapping[str, str], object]] = field(default_factory=list)
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Listen on a free port."""
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.requests.append(body)
                endpoint.paths.append(self.path)
                endpoint.keys.append(self.headers.get("authorization"))
                status, headers, answer = endpoint.script.pop(0) if endpoint.script else (200, {}, good(body["input"]))
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Return the base that a client is given."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"


def good(texts: list[str]) -> dict[str, object]:
    """Return one vector for each text, in reverse order: the index tells which is which."""
    rows = [{"index": number, "embedding": [len(text), 1.0]} for number, text in enumerate(texts)]
    return {"data": rows[::-1]}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A running endpoint."""
    with Endpoint() as running:
        yield running


def remote(endpoint: Endpoint, clock: FakeClock, provider: str = "openai", **options: Any) -> RemoteEmbedder:
    """Return an embedder of that endpoint, on a clock that tests move."""
    config = EmbeddingConfig(
        provider=provider, model="m", url=endpoint.url, api_key="key", dimensions=2, **{"batch": 2, **options}
    )

    def sleep(seconds: float) -> None:
        clock.slept.append(seconds)
        clock.advance(seconds)

    return RemoteEmbedder(config, Redactor(), clock, BlockingBackoff(sleep, lambda: 0.0))


@pytest.mark.parametrize("provider", ["openai", "voyage"])
def test_remote_vectors_come_in_batches_and_in_order(endpoint: Endpoint, provider: str) -> None:
    """Texts go out in batches; vectors come back scaled to length 1 and in the order of the texts."""
    embedder = remote(endpoint, FakeClock(), provider)

    rows = embedder.embed(["a", "bb", "ccc"], Purpose.QUERY)
    embedder.close()

    assert [request["input"] for request in endpoint.requests] == [["a", "bb"], ["ccc"]]
    assert endpoint.paths[0] == "/v1/embeddings"
    assert endpoint.keys[0] == "Bearer key"
    assert rows[:, 0] / rows[:, 1] == pytest.approx([1.0, 2.0, 3.0], abs=1e-5)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert embedder.model == f"{provider}:m@2"
    if provider == "voyage":
        assert endpoint.requests[0]["input_type"] == "query"
        assert endpoint.requests[0]["output_dimension"] == 2


def test_remote_waits_as_long_as_it_is_asked(endpoint: Endpoint) -> None:
    """A rate limit that names a time is obeyed, never tried earlier."""
    clock = FakeClock()
    endpoint.script = [(429, {"retry-after": "7"}, {}), (503, {}, {})]
    embedder = remote(endpoint, clock)

    embedder.embed(["a"], Purpose.DOCUMENT)
    embedder.close()

    assert clock.slept[0] >= 7.0
    assert len(endpoint.requests) == 3


def test_documents_wait_for_an_endpoint_that_is_busy(endpoint: Endpoint) -> None:
    """They are many, and nobody looks on: a question is told soon."""
    endpoint.script = [(429, {"retry-after": "1"}, {})] * 9
    clock = FakeClock()
    embedder = remote(endpoint, clock, max_attempts=2)

    with pytest.raises(ModelFailed, match="429"):
        embedder.embed(["a"], Purpose.QUERY)
    asked = len(endpoint.requests)
    clock.advance(60.0)
    rows = embedder.embed(["a"], Purpose.DOCUMENT)
    embedder.close()

    assert asked == 2
    assert len(endpoint.requests) == 10
    assert len(rows) == 1


@pytest.mark.parametrize(
    ("status", "headers", "answer", "cause", "asked"),
    [
        (429, {"retry-after": "600"}, {}, Cause.RATE_LIMITED, 1),
        (401, {}, {}, Cause.UNAUTHORIZED, 1),
        (400, {}, {}, Cause.REJECTED, 2),
        (422, {}, {}, Cause.REJECTED, 2),
        (404, {}, {}, Cause.REJECTED, 1),
        (413, {}, {}, Cause.REJECTED, 1),
        (500, {}, {}, Cause.SERVER_ERROR, 2),
        (200, {}, b"not json", Cause.MALFORMED, 2),
        (200, {}, {"data": []}, Cause.MALFORMED, 2),
        (200, {}, {"data": [{"index": 0, "embedding": [1.0]}]}, Cause.MALFORMED, 2),
        (200, {}, {"data": [{"index": 0, "embedding": [1.0, None]}]}, Cause.MALFORMED, 2),
    ],
)
def test_remote_faults_have_names(
    endpoint: Endpoint, status: int, headers: Mapping[str, str], answer: object, cause: Cause, asked: int
) -> None:
    """What cannot be mended by asking again fails at once; the rest after the last attempt."""
    endpoint.script = [(status, headers, answer)] * 2
    embedder = remote(endpoint, FakeClock(), max_attempts=2)

    with pytest.raises(ModelFailed) as raised:
        embedder.embed(["a"], Purpose.DOCUMENT)
    embedder.close()

    assert raised.value.cause is cause
    assert len(endpoint.requests) == asked


def test_remote_of_one_length_is_not_told_the_length_again(endpoint: Endpoint) -> None:
    """Endpoints that speak the API refuse a field that their model has no use for; the length is still checked."""
    endpoint.script = [(400, {}, {"error": "dimensions is not supported"})]
    embedder = remote(endpoint, FakeClock())

    embedder.embed(["a", "bb", "ccc"], Purpose.DOCUMENT)
    embedder.close()

    assert ["dimensions" in request for request in endpoint.requests] == [True, False, False]


def test_remote_that_refuses_for_another_reason_is_told_the_length_again(endpoint: Endpoint) -> None:
    """One bad text must not let the next ones come back in the model's own length."""
    endpoint.script = [(400, {}, {})] * 2
    embedder = remote(endpoint, FakeClock())

    with pytest.raises(ModelFailed, match="answered 400"):
        embedder.embed(["a"], Purpose.DOCUMENT)
    embedder.embed(["b"], Purpose.DOCUMENT)
    embedder.close()

    assert "dimensions" in endpoint.requests[-1]


def test_remote_that_took_the_length_once_is_asked_in_one_way(endpoint: Endpoint) -> None:
    """What it refuses later is refused for its text, so that asking without the length would be in vain."""
    embedder = remote(endpoint, FakeClock())
    embedder.embed(["a"], Purpose.DOCUMENT)
    endpoint.script = [(400, {}, {"error": "too long"})] * 2

    with pytest.raises(ModelFailed, match="answered 400"):
        embedder.embed(["b"], Purpose.DOCUMENT)
    embedder.close()

    assert ["dimensions" in request for request in endpoint.requests] == [True, True]


def test_remote_that_is_not_there_is_unreachable() -> None:
    """Nobody listening is a failure with a name, after all attempts."""
    with Endpoint() as gone:
        embedder = remote(gone, FakeClock(), max_attempts=2)

    with pytest.raises(ModelFailed) as raised:
        embedder.embed(["a"], Purpose.DOCUMENT)
    embedder.close()

    assert raised.value.cause is Cause.UNREACHABLE


def test_secrets_do_not_leave(endpoint: Endpoint) -> None:
    """What goes to an endpoint has its secrets taken out before."""
    embedder = remote(endpoint, FakeClock())
    secret = "AKIA" + "ABCDEFGHIJKLMNOP"

    embedder.embed([f"aws_key = '{secret}'"], Purpose.DOCUMENT)
    embedder.close()

    assert secret not in json.dumps(endpoint.requests)
