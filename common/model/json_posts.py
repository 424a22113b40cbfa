"""Posts JSON from any thread and waits for the whole answer, within a time and a size that hold whatever comes."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping


class Closed(Exception):
    """The poster was closed before the answer was there."""


class TooLarge(Exception):
    """The answer is larger than any that was asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class JsonPosts:
    """
    A client with an event loop in a thread of its own, since only there a whole exchange can be given a time: the
    timeouts of a blocking client begin anew with each byte. Those who wait are woken when it closes.

    Args:
        headers: Sent with each request.
        trust_env: Whether a proxy of the environment is used.
    """

    def __init__(self, headers: Mapping[str, str], *, trust_env: bool) -> None:
        self._headers = dict(headers)
        self._trust_env = trust_env
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._http: httpx.AsyncClient | None = None
        self._is_closed = False

    def post(self, url: str, body: object, *, seconds: float, max_bytes: int) -> Answer:
        """
        Post, and return the answer.

        Raises:
            TimeoutError: if it is not whole within so many seconds.
            TooLarge: if it has more bytes.
            httpx.HTTPError: if the endpoint cannot be reached, or breaks off.
            Closed: if `close` was called.
        """
        with self._lock:
            if self._is_closed:
                raise Closed
            answer = asyncio.run_coroutine_threadsafe(self._post(url, body, seconds, max_bytes), self._running())
        try:
            return answer.result()
        except concurrent.futures.CancelledError:
            raise Closed from None

    def close(self) -> None:
        """Close all connections and break off what still runs."""
        with self._lock:
            self._is_closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(self._break_off(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="json-posts", daemon=True)
            self._thread.start()
        return self._loop

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

    async def _break_off(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._http is not None:
            await self._http.aclose()
