"""The tool that looks symbols up: by name, or all those of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cgrag.type.v1 import code_pb2
from mcp_types import CallToolResult  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from pydantic import Field

from cgrag_client.agents.replies import (
    LINE_CHARACTERS,
    Offset,
    Repository,
    Several,
    Tools,
    bare_path,
    more,
    named,
    paged,
    place,
    reply,
    several,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_SYMBOLS, _OUTLINED = 25, 200
_SOURCE_LINES = 150


class Symbols:
    """The tool that looks symbols up."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def lookup_symbol(
        self,
        name: Annotated[
            str | Several | None,
            Field(description="Like send, Client.send or app.client.Client.send; several in a list."),
        ] = None,
        repository: Repository = None,
        path: Annotated[
            str | None,
            Field(description="Only files whose path ends with this; without a name, all that the file defines."),
        ] = None,
        source: Annotated[
            bool | None, Field(description=f"Show the source of each, at most {_SOURCE_LINES} lines.")
        ] = None,
        offset: Offset = None,
    ) -> CallToolResult:
        """
        Find definitions by name, or all those of a file, with signature, documentation, and what they raise and change.

        Use it when you know the name or the file; `source` saves a `read`, and `users` lists callers and tests.
        """
        first, parts, rows, similar = offset or 0, list[str](), list[dict[str, object]](), list[str]()
        following, most = None, MOST_SYMBOLS if name else _OUTLINED
        async with self._tools.meant(repository) as chosen:
            for each in several(name) if name else [""]:
                found, alike = await self._tools.client.code.lookup_or_similar(
                    each, repository=chosen, path=bare_path(path), limit=first + most + 1
                )
                page, after = paged(found, offset, most)
                if not name:
                    variable = code_pb2.SYMBOL_KIND_VARIABLE
                    page = [one for one in page if one.ref.kind != variable or "." not in one.ref.qualified_name]
                elif source:
                    page = [one for one in page if not any(_is_within(one.ref, other.ref) for other in page)]
                texts = await self._sources(chosen, page) if source else [""] * len(page)
                parts += [f"{_symbol(one, text, is_brief=not name)}\n" for one, text in zip(page, texts, strict=True)]
                rows += [{**named(one.ref), "signature": one.signature} for one in page]
                similar += alike
                following = following or after
                if not found:
                    meant = f"; did you mean {' or '.join(alike)}?" if alike else ""
                    parts.append(f"no symbol is named {each}{meant}\n" if each else f"{path} defines nothing\n")
        shown = within(parts)
        following = first + len(shown) if len(shown) < len(parts) else following
        text = "\n".join(shown) if name else "".join(shown)
        data: dict[str, object] = {"symbols": rows, "similar_names": similar, "next_offset": following}
        return reply(text.rstrip("\n") + more(following), data)

    async def _sources(self, repository: str, symbols: Sequence[code_pb2.Symbol]) -> list[str]:
        """Return the source of each symbol, cut to the most lines."""
        refs = [each.ref for each in symbols]
        ends = [min(each.end_line, each.start_line + _SOURCE_LINES - 1) for each in refs]
        spans = [
            code_pb2.Span(path=each.path, start_line=each.start_line, end_line=end)
            for each, end in zip(refs, ends, strict=True)
        ]
        read = await self._tools.client.code.read(spans, repository=repository)
        return [
            f"\n{each.text}" + (f"[goes on to line {ref.end_line}]\n" if end < ref.end_line else "")
            for each, ref, end in zip(read, refs, ends, strict=True)
        ]


def _is_within(ref: code_pb2.SymbolRef, other: code_pb2.SymbolRef) -> bool:
    """Return whether the shown source of another symbol, such as a constructor's class, includes this one's."""
    size, others = ref.end_line - ref.start_line, min(other.end_line - other.start_line, _SOURCE_LINES - 1)
    return (
        ref.path == other.path
        and other.start_line <= ref.start_line
        and ref.end_line <= other.start_line + others
        and size < others
    )


def _symbol(symbol: code_pb2.Symbol, source: str, *, is_brief: bool) -> str:
    """Write a symbol with its facts; if its source is shown, signature and documentation are left out."""
    ref = symbol.ref
    if is_brief:
        said = " ".join(symbol.docstring.partition("\n\n")[0].split())[:LINE_CHARACTERS]
        at = f"{ref.start_line}-{ref.end_line}" if ref.end_line > ref.start_line else f"{ref.start_line}"
        at = place(ref) if ref.kind == code_pb2.SYMBOL_KIND_MODULE else "  " * ref.qualified_name.count(".") + at
        return " ".join(filter(None, (at, symbol.signature))) + (f": {said}" if said else "") + source
    lines = [f"{place(ref)} {ref.qualified_name if source else symbol.signature}"]
    if symbol.docstring and not source:
        lines.append(symbol.docstring)
    lines += [f"{label}: {', '.join(names)}" for label, names in _facts(symbol) if names]
    return "\n".join(lines) + source


def _facts(symbol: code_pb2.Symbol) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("raises", list(symbol.raises)), ("changes", list(symbol.mutates)), ("errors", list(symbol.error_strings))
