"""Posts JSON from any thread and waits for the whole answer, with hard limits of time and size."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from common.core.runtime.loop_thread import LoopThread

if TYPE_CHECKING:
    from collections.abc import Mapping


class TooLarge(Exception):
    """The response is larger than the limit."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and body of a response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class JsonPosts:
    """
    A client on an event loop of its own, where a whole exchange can have a time limit: the timeouts of a blocking
    client start anew with each byte. Threads that wait for an answer are woken when the client closes.

    Args:
        headers: Sent with each request.
        trust_env: Whether a proxy of the environment is used.
    """

    def __init__(self, headers: Mapping[str, str], *, trust_env: bool) -> None:
        self._headers = dict(headers)
        self._trust_env = trust_env
        self._loop = LoopThread("json-posts")
        self._http: httpx.AsyncClient | None = None

    def post(self, url: str, body: object, *, seconds: float, max_bytes: int) -> Answer:
        """
        Post a JSON body and return the answer.

        Raises:
            TimeoutError: if the answer is not complete within `seconds`.
            TooLarge: if the answer has more than `max_bytes`.
            httpx.HTTPError: if the endpoint cannot be reached, or the connection breaks.
            Closed: if `close` was called.
        """
        return self._loop.run(lambda: self._post(url, body, seconds, max_bytes))

    def close(self) -> None:
        """Close all connections and break off what still runs."""
        self._loop.close(self._leave)

    async def _post(self, url: str, body: object, seconds: float, max_bytes: int) -> Answer:
        if self._http is None:
            self._http = httpx.AsyncClient(headers=self._headers, timeout=None, trust_env=self._trust_env)  # noqa: S113 (the time of the whole is below)
        async with asyncio.timeout(seconds), self._http.stream("POST", url, json=body) as response:
            data = bytearray()
            async for chunk in response.aiter_bytes():
                data += chunk
                if len(data) > max_bytes:
                    raise TooLarge
            return Answer(response.status_code, response.headers, bytes(data))

    async def _leave(self) -> None:
        if self._http is not None:
            await self._http.aclose()
