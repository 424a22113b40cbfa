"""An endpoint that speaks OpenAI's embeddings API on the loopback address, and can hold its answers back."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

DIMENSIONS = 4


class EmbeddingEndpoint:
    """
    Answers with a vector for each text; remembers the texts.

    Args:
        held_after: So many requests are answered at once, the later ones when `go` is set.
    """

    def __init__(self, held_after: int) -> None:
        self.texts: list[str] = []
        self.go = threading.Event()
        self.held = threading.Event()
        self._free = held_after
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))

    @property
    def environ(self) -> dict[str, str]:
        """Return the variables that lead a service here."""
        return {
            "CGRAG_EMBEDDING_URL": f"http://127.0.0.1:{self._server.server_port}/v1",
            "CGRAG_EMBEDDING_MODEL": "tiny",
            "CGRAG_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        }

    def __enter__(self) -> Self:
        """Start to listen."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.go.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, texts: list[str]) -> bytes:
        """Return the answer to one request, when it is time."""
        with self._lock:
            self.texts += texts
            self._free -= 1
            waits = self._free < 0
        if waits:
            self.held.set()
            self.go.wait()
        rows = [{"index": place, "embedding": [1.0, float(len(text)), 0.5, 0.1]} for place, text in enumerate(texts)]
        return json.dumps({"data": rows}).encode()


def _handler(endpoint: EmbeddingEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = endpoint.answer(body["input"])
            try:
                self.send_response(200)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
            except OSError:
                return  # whoever asked was killed

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
