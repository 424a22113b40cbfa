"""Server-sent events that come in awkward ways: long, many at once, cut anywhere; the work stays in proportion."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import pairwise

import anthropic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.model.server_events import ServerEvent, ServerEvents

MEGABYTE = 1024 * 1024


async def _each(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def _all(chunks: Iterable[bytes]) -> list[ServerEvent]:
    events, found = ServerEvents(_each(chunks)), []
    while (event := await events.next()) is not None:
        found.append(event)
    return found


class _Recorded:
    def __init__(self, data: bytes) -> None:
        self._data = data

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        yield self._data


_LINES = st.sampled_from(["event: a", "event:b", "data: é 1", "data:2", "data", ": ping", "id: 7", "retry: 3", "x", ""])


@given(st.lists(_LINES, max_size=12), st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.integers(0, 200), max_size=6))
def test_reads_events_as_the_sdk_does(lines: list[str], end: str, cuts: list[int]) -> None:
    """However bytes are cut, names and data are those that the official client reads."""
    data = "".join(line + end for line in lines).encode()
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    chunks = [data[begin:finish] for begin, finish in pairwise(places)]

    async def theirs() -> list[tuple[str, str]]:
        response: object = _Recorded(data)
        return [
            (event.event or "", event.data)
            async for event in anthropic.AsyncStream.raw_events(response)  # type: ignore[arg-type]  # all that it reads
            if event.event or event.data
        ]

    ours = [(event.name, event.data) for event in asyncio.run(_all(chunks)) if event.name or event.data]

    assert ours == asyncio.run(theirs())


def _seconds(chunks: list[bytes]) -> float:
    """Return the processor time of reading; of several attempts the least, since others use the processor too."""

    async def read() -> float:
        events = ServerEvents(_each(chunks))
        started = time.thread_time()
        while await events.next() is not None:
            pass
        return time.thread_time() - started

    gc.disable()
    try:
        return min(asyncio.run(read()) for _ in range(4))
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(lambda n: [b"data: 1\n\n" * n], id="many events in a chunk"),
        pytest.param(lambda n: [b"data: ", *[b"x" * 16] * n, b"\n\n"], id="a line in many chunks"),
        pytest.param(lambda n: [b"data: 1\n" * n + b"\n"], id="many lines in an event"),
    ],
)
def test_work_grows_with_the_bytes_alone(chunks: Callable[[int], list[bytes]]) -> None:
    """Eight times as much takes some eight times as long, not sixty-four times."""
    few, many = _seconds(chunks(8_000)), _seconds(chunks(64_000))

    assert many / few < 24


@pytest.mark.parametrize("line", [b"data: 1\n\n", b": ping\n"])
async def test_others_have_their_turn(line: bytes) -> None:
    """While very many small events or comments of one chunk are read, the event loop goes on."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    await _all([line * 20_000])
    beside.cancel()

    assert turns >= 50


@pytest.mark.parametrize("piece", [b"x" * 1000, b"data: " + b"x" * 1000 + b"\n"])
async def test_an_event_has_a_bound(piece: bytes) -> None:
    """What never ends is a fault after a megabyte, as one line or as many; many events that end are none."""
    sent = 0

    def endless() -> Iterable[bytes]:
        nonlocal sent
        yield b"data: "
        while True:
            sent += len(piece)
            yield piece

    events = ServerEvents(_each(endless()))
    with pytest.raises(ValueError, match="too large"):
        await events.next()
    whole = [b"data: " + b"x" * 1000 + b"\n\n"] * 3000

    assert MEGABYTE - 10 <= sent <= MEGABYTE + 2000
    assert len(await _all(whole)) == 3000


async def test_a_carriage_return_ends_a_line_at_once() -> None:
    """An event is there when its last carriage return is: the line feed after it may come late, or never."""
    events = await _all([b"data: 1\r\n\r", b"\ndata: 2\r", b"", b"\n\r", b"\n"])

    assert [event.data for event in events] == ["1", "2"]
