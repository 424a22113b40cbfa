"""A line on loopback to a server that is slow, or dead: what the server says comes late, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager


class SlowLine:
    """
    Hands bytes on, those of the server so many seconds late.

    While `is_dead` nothing of the server's comes through, and no connection breaks, as where a process is stopped.
    """

    def __init__(self, seconds: float = 0.0, *, is_dead: bool = False) -> None:
        self.seconds = seconds
        self.is_dead = is_dead
        self.target = ""

    async def carry(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side leaves."""
        async with AsyncExitStack() as stack:
            stack.callback(writer.close)
            from_server, to_server = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(to_server.close)
            both = {
                asyncio.create_task(self._hand_on(reader, to_server, is_servers=False)),
                asyncio.create_task(self._hand_on(from_server, writer, is_servers=True)),
            }
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in both:
                    task.cancel()
                await asyncio.gather(*both, return_exceptions=True)

    async def _hand_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_servers: bool) -> None:
        while data := await reader.read(65536):
            if is_servers:
                await asyncio.sleep(self.seconds)
                if self.is_dead:
                    continue
            writer.write(data)


@asynccontextmanager
async def slow_line(port: int, seconds: float = 0.0, *, is_dead: bool = False) -> AsyncIterator[SlowLine]:
    """Listen on a free port before a server's on this machine; `target` is the address."""
    line, running = SlowLine(seconds, is_dead=is_dead), set[asyncio.Task[None]]()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(line.carry(port, reader, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    line.target = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        for task in tuple(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await server.wait_closed()
