"""Replies of tools: the same content as text and as data, limited in size, with the way to get more."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import asynccontextmanager, suppress
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated

from cgrag.type.v1 import code_pb2
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from cgrag_client.errors import ClientError, UsageError
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from typing import TypeVar

    from cgrag_client.client import Client

    T = TypeVar("T")

MOST_LINES = 1000
LINE_CHARACTERS = 160
MOST_CHARACTERS = 50_000
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_NO_REPOSITORY = "ERROR_REASON_REPOSITORY_NOT_FOUND"

Repository = Annotated[
    str | None, Field(description="Name of the repository, as `repositories` lists it; leave out if there is but one.")
]
Several = Annotated[list[str], Field(min_length=1, max_length=50)]
Offset = Annotated[int | None, Field(ge=0, le=10_000, description="Results to pass over; as the last reply said.")]


class Tools:
    """
    Base of all tools.

    Args:
        client: To the services; stays open as long as the server runs.
        choose: Returns the repository for a name that may be empty; raises UsageError if it cannot decide.
    """

    def __init__(self, client: Client, choose: Callable[[Client, str, str], Awaitable[str]]) -> None:
        self.client = client
        self._choose = choose

    @asynccontextmanager
    async def meant(self, repository: str | None) -> AsyncIterator[str]:
        """Yield the name of the chosen repository; errors of the block become errors of the tool."""
        try:
            yield await self._choose(self.client, repository or "", "repository")
        except (ClientError, UsageError) as error:
            raise await self._tool_error(error) from error

    @asynccontextmanager
    async def errors_told(self) -> AsyncIterator[None]:
        """Turn errors of the block into errors of the tool."""
        try:
            yield
        except (ClientError, UsageError) as error:
            raise await self._tool_error(error) from error

    async def _tool_error(self, error: ClientError | UsageError) -> ToolError:
        if isinstance(error, UsageError):
            return ToolError(str(error))
        next_step = error.next_step
        if error.reason == _NO_REPOSITORY:
            with suppress(ClientError):  # the first of the two errors is the cause
                names = ", ".join(each.repository for each in await self.client.indexes.repositories())
                next_step = f"there are: {names}; {next_step}" if names else next_step
        return ToolError(f"{error.message} ({error.reason})" + (f"; next: {next_step}" if next_step else ""))


def reply(text: str, data: dict[str, object]) -> CallToolResult:
    """Return the reply of a tool, from the same content as text and as data."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


def paged(found: Sequence[T], offset: int | None, limit: int) -> tuple[Sequence[T], int | None]:
    """Return a page of `found`, which has one more result if there are more, and the next page's offset or None."""
    first = offset or 0
    page = found[first : first + limit]
    return page, first + limit if len(found) > first + limit else None


def more(next_offset: int | None) -> str:
    """Return how to get the next page; "" on the last one."""
    return "" if next_offset is None else f"\n[more: go on with offset {next_offset}]"


def bare_path(path: str | None) -> str:
    """Return a path without the prefixes that agents write."""
    return (path or "").removeprefix("./")


def several(given: str | Sequence[str]) -> Sequence[str]:
    """Return a list: agents may pass a single text instead of a list of one."""
    return [given] if isinstance(given, str) else given


def within(parts: Sequence[str]) -> list[str]:
    """Return as many of the first parts as fit into a reply; a first part that is too long alone is cut."""
    ends = list(accumulate(map(len, parts)))
    fitting = bisect_right(ends, MOST_CHARACTERS)
    return [*parts[:fitting]] if fitting or not parts else [f"{parts[0][:MOST_CHARACTERS]} [cut]\n"]


def place(ref: code_pb2.SymbolRef) -> str:
    """Write where a symbol is defined."""
    return words.place(code_pb2.Span(path=ref.path, start_line=ref.start_line, end_line=ref.end_line))


def located(ref: code_pb2.SymbolRef | code_pb2.Span) -> dict[str, object]:
    """Return a place as data."""
    return {"path": ref.path, "start_line": ref.start_line, "end_line": ref.end_line}


def named(ref: code_pb2.SymbolRef) -> dict[str, object]:
    """Return a symbol as data."""
    return {"name": ref.qualified_name, **located(ref)}
