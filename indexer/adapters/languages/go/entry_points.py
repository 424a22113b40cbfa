"""Entry points of Go code: `main`, `init`, routes of the usual routers, commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.go.syntax import arguments_of, dotted, string_of
from indexer.adapters.languages.syntax import children, field, one_line, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_VERBS = frozenset(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT"))
_ANY = frozenset(("HandleFunc", "Handle", "Any", "ANY", "Route"))
MAX_HANDLER = 60


def declared(node: Node, package: str) -> Iterator[str]:
    """Yield the kind of entry point that a function is, `main` or `init`."""
    name = text_of(field(node, "name"))
    if node.type == "function_declaration" and (name == "init" or (name == "main" and package == "main")):
        yield name


def registered(node: Node) -> Iterator[str]:
    """Yield the route that a call registers, or the command that a literal describes."""
    if node.type == "call_expression":
        yield from _route(node)
    elif node.type == "composite_literal" and text_of(field(node, "type")).rpartition(".")[2] == "Command":
        for item in children(field(node, "body")):
            if text_of(field(item, "key")) == "Use":
                for part in walk(item):
                    if (text := string_of(part)) is not None:
                        yield f"command {text}"


def _route(node: Node) -> Iterator[str]:
    function, arguments = field(node, "function"), arguments_of(node)
    if function is None or function.type != "selector_expression" or len(arguments) < 2:
        return
    name, path = text_of(field(function, "field")), string_of(arguments[0])
    if path is None:
        return
    verb = name.upper() if name.upper() in _VERBS and name in (name.upper(), name.capitalize()) else ""
    is_pattern = path.startswith("/") or not path or path.partition(" ")[0] in _VERBS
    if is_pattern and (verb or name in _ANY):
        last = arguments[-1]
        handler = dotted(last) or (one_line(text_of(last)) if last.type != "func_literal" else "")
        yield " ".join(part for part in ("route", verb, path, handler[:MAX_HANDLER]) if part)
