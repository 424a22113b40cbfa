"""Entry points: routes, events, commands, jobs, scripts."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.exports import property_name
from indexer.adapters.languages.javascript.modules import without_ending
from indexer.adapters.languages.javascript.syntax import arguments_of, bare, dotted, last_name, string_of
from indexer.adapters.languages.syntax import children, field, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from indexer.domain.model import SymbolDef

_MAX_GUARD = 100
_VERBS = frozenset(("get", "post", "put", "patch", "delete", "del", "head", "options", "all"))
_LISTENING = frozenset(("on", "once", "addEventListener", "addListener", "prependListener"))
# Decorators of Nest, TypeGraphQL and their like.
_DECORATORS = {
    **{name: f"route {name.upper()}" for name in ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options", "All")},
    **{name: name.lower() for name in ("Controller", "Resolver", "Query", "Mutation", "Subscription", "Command")},
    **dict.fromkeys(("SubscribeMessage", "EventPattern", "MessagePattern", "OnEvent", "HostListener"), "event"),
    **dict.fromkeys(("Cron", "Interval", "Process", "Processor"), "job"),
}
_HTTP = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"))


def decorated(symbol: SymbolDef, above: SymbolDef | None) -> Iterator[str]:
    """Give what decorators make of a definition, such as `route GET /users/:id`, the path of its class included."""
    for decorator in symbol.decorators:
        name, _, rest = decorator.partition("(")
        kind = _DECORATORS.get(name)
        if kind is None:
            continue
        path = _first_text(rest)
        if kind.startswith("route"):
            holders = [text for text in (above.decorators if above else ()) if text.startswith("Controller(")]
            base = _first_text(holders[0].partition("(")[2]) if holders else ""
            joined = "/".join(part.strip("/") for part in (base, path) if part.strip("/"))
            yield f"{kind} /{joined}"
        else:
            yield f"{kind} {path or symbol.name}"


def registered(call: Node) -> Iterator[str]:
    """Return the route or event that a call registers."""
    function, arguments = bare(field(call, "function")), arguments_of(call)
    if function is None or function.type != "member_expression" or not arguments:
        return
    name, first = text_of(field(function, "property")), string_of(arguments[0])
    if name in _VERBS and first is not None and first.startswith(("/", "*")) and len(arguments) > 1:
        yield _described(f"route {name.upper()} {first}", arguments[-1])
    elif name in _VERBS and len(arguments) >= 1 and (path := _chained_route(function)):
        yield _described(f"route {name.upper()} {path}", arguments[-1])
    elif name == "route" and arguments[0].type == "object":
        yield from _route_object(arguments[0])
    elif name in _LISTENING and first is not None and len(arguments) > 1:
        yield _described(f"event {first}", arguments[1])


def is_main_guard(node: Node) -> bool:
    """Return whether a condition is `require.main === module`."""
    if node.type != "binary_expression" or node.end_byte - node.start_byte > _MAX_GUARD:
        return False
    return text_of(node).replace(" ", "") in (
        "require.main===module",
        "module===require.main",
        "require.main==module",
    )


def by_path(path: str, symbol: SymbolDef, *, is_default: bool) -> str:
    """Return the route that a file of Next.js is by its place; "" for anything else."""
    stem = without_ending(path)
    folder, name = posixpath.split(f"/{stem}")
    if name == "route" and "/app/" in f"{folder}/" and symbol.name in _HTTP:
        return f"route {symbol.name} /{_below(folder, '/app/')}"
    if is_default and name == "page" and "/app/" in f"{folder}/":
        return f"route GET /{_below(folder, '/app/')}"
    if is_default and "/pages/" in f"/{stem}":
        return f"route {'ALL' if '/pages/api/' in f'/{stem}' else 'GET'} /{_below(f'/{stem}', '/pages/')}"
    return ""


def _below(folder: str, mark: str) -> str:
    return f"{folder}/".partition(mark)[2].strip("/").removesuffix("index").strip("/")


def _described(what: str, handler: Node) -> str:
    named = dotted(handler)
    return f"{what} {named}" if named else what


def _chained_route(function: Node) -> str:
    """Find the path in `router.route("/users").get(handler)`."""
    owner = bare(field(function, "object"))
    while owner is not None and owner.type == "call_expression":
        inner = bare(field(owner, "function"))
        if last_name(inner) == "route":
            given = arguments_of(owner)
            return string_of(given[0]) or "" if given else ""
        owner = bare(field(inner, "object")) if inner is not None and inner.type == "member_expression" else None
    return ""


def _route_object(literal: Node) -> Iterator[str]:
    """Read `fastify.route({method, url, handler})`."""
    parts = {property_name(part): field(part, "value") for part in children(literal)}
    url = string_of(parts.get("url") or parts.get("path"))
    method = parts.get("method")
    if url is not None and method is not None:
        verbs = [string_of(item) or "" for item in (children(method) if method.type == "array" else [method])]
        handler = parts.get("handler")
        what = f"route {','.join(verbs)} {url}"
        yield _described(what, handler) if handler is not None else what


def _first_text(arguments: str) -> str:
    for quote in ("'", '"', "`"):
        if arguments.lstrip(" {[").startswith(quote):
            return arguments.split(quote)[1]
    return ""
