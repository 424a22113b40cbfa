"""
A model server for benchmarks, as a process: answers at once, or slowly where the question says so.

It speaks the Messages API, remembers nothing but the prefixes that it was asked to cache, and reports them in `usage`.
Started with the length of an answer in pieces, it prints its URL on a line of its own.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import deque
from typing import Any

from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer, ReceivedRequest

SLOWLY = "[one piece every {seconds} s]"
_SLOWLY = re.compile(r"\[one piece every ([\d.]+) s\]")
_PIECE = "The order is made where the cart is turned into lines, and each of the lines is checked before it is paid. "
_PIECE_CHARS = 240
_CHARS_PER_TOKEN = 4


class InstantModel:
    """
    Makes replies.

    Args:
        pieces: Text deltas of an answer, each long enough to be sent on by itself.
    """

    def __init__(self, pieces: int) -> None:
        self._pieces = [(_PIECE * 3)[:_PIECE_CHARS] + f"[E1] ({number})\n" for number in range(pieces)]
        self._known: set[str] = set()

    def reply(self, request: ReceivedRequest) -> Message:
        """Answer one request; what the question asks about speed holds for each piece."""
        asked = _SLOWLY.search(request.body.decode("utf-8"))
        cached, everything = self._cache(request.json)
        return Message(
            pieces=self._pieces,
            pause_seconds=float(asked[1]) if asked else 0.0,
            input_tokens=everything - cached,
            cached_tokens=cached,
        )

    def _cache(self, body: Any) -> tuple[int, int]:
        """
        Return the tokens of the longest known prefix, and of the whole prompt.

        Prefixes become known where a block is marked, and are found again at marks and up to 20 blocks before them.
        """
        blocks = [*body.get("system", ()), *(block for turn in body["messages"] for block in turn["content"])]
        digest, tokens, cached = hashlib.sha256(), 0, 0
        for block in blocks:
            digest.update(block["text"].encode())
            tokens += max(1, len(block["text"]) // _CHARS_PER_TOKEN)
            if digest.hexdigest() in self._known:
                cached = tokens
            if "cache_control" in block:
                self._known.add(digest.hexdigest())
        return cached, tokens


def main() -> int:
    """Serve until standard input is closed."""
    model = InstantModel(int(sys.argv[1]))
    with AnthropicServer(fallback=model.reply, requests=deque(maxlen=1)) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
