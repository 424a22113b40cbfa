"""
Routes that source code registers: prefixes of known routes, and registrations of unknown frameworks.

Captures of the query files: @register and @annotation with @function and @arguments, @dispatch with @condition and
@body, where a condition compares the path of a request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.adapters.languages.syntax import children, end_line_of, field, line_of, text_of
from indexer.adapters.languages.value_calls import argument, last_name, on_one_line, text_in
from indexer.domain.model import Fact, FactKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from indexer.domain.model import SymbolDef

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_METHOD = re.compile(rf"(?:{'|'.join(_METHODS)})\b|Method(?:{'|'.join(each.capitalize() for each in _METHODS)})")
_GROUPS = re.compile(r"group|pathprefix|route|subrouter|\w*blueprint|\w*router|scope|namespace", re.IGNORECASE)
_WORDS = frozenset(("register", "mount", "resource", "resources"))
"""Methods whose path may be a single word without a slash: `router.register("users", UserViewSet)`."""
_PREFIXES = frozenset(("url_prefix", "prefix", "path"))
_CLIENT = re.compile(
    r"(?i)(?:^|\W)(?:http\w*|axios|client|fetch\w*|requests?|agent|ky|got|superagent)\W+\w+\W*$|Client$"
)
_PATH = re.compile(r"[\w{}<>:.*$/()?\[\]+\\^-]*/[\w{}<>:.*$/()?\[\]+\\^-]*")
_ROOT = re.compile(r"@?([A-Za-z_]\w*)\s*[.(]")
_HANDED = ("identifier", "attribute", "member", "selector", "field", "name", "constant", "class_literal", "scope")
_DEEPEST = 8
_LONGEST = 40
"""A call is indexed by at most so many lines after its first."""
_BELOW = 5
"""An annotation belongs to a definition that starts on its line or fewer than so many lines below."""
_STATEMENT = 8
"""A registration over more lines has no end line."""
_NOTHING = ("", "", 0)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call or annotation that may register a route or make a group of them."""

    node: Node
    function: str
    arguments: tuple[Node, ...]
    is_annotation: bool

    @property
    def texts(self) -> list[tuple[str, Node]]:
        """Texts among its arguments, those in lists too."""
        nested = (inner for each in self.arguments for inner in (each, *_items(each)))
        return [(text, each) for each in nested if (text := text_in(each)) is not None]

    @property
    def is_named(self) -> bool:
        """Whether a keyword argument gives its prefix."""
        return any(last_name(text_of(field(each, "name"))) in _PREFIXES for each in self.arguments)

    @property
    def prefix(self) -> str | None:
        """The prefix of the paths that are registered with its result; None if it makes no group."""
        for each in self.arguments:
            if last_name(text_of(field(each, "name"))) in _PREFIXES and (text := text_in(field(each, "value"))):
                return text
        if not _GROUPS.fullmatch(last_name(self.function)):
            return None
        first = text_in(self.arguments[0]) if self.arguments else None
        return first if first is not None else ""


def routed(
    matches: Sequence[tuple[str, Mapping[str, list[Node]]]],
    facts: Sequence[Fact],
    symbols: Sequence[SymbolDef],
    owner_of: Callable[[int], int],
) -> tuple[Fact, ...]:
    """
    Return the facts of a file, routes with their prefixes as detail, and routes of unknown frameworks.

    Args:
        matches: Kind and captures.
        owner_of: Gives the position of the symbol around a line.
    """
    routes = _Routes(matches, symbols, owner_of, {each.value: each.detail for each in facts if each.is_plain})
    found: list[Fact] = []
    known: dict[int, str] = {}
    for each in facts:
        if each.kind != FactKind.ENTRY_POINT or not each.value.startswith("route"):
            found.append(each)
            continue
        known[each.line] = f"{known.get(each.line, '')} {each.value}"
        call = routes.call_of(each)
        if call is None or not routes.is_client(call):
            last = end_line_of(call.node) if call and not call.is_annotation else 0
            last = last if 0 < last - each.line < _STATEMENT else 0
            found.append(replace(each, detail="\n".join(routes.before(call, each.line)), end_line=last))
    return (*found, *routes.others(known))


class _Routes:
    """The groups and registrations of one file."""

    def __init__(
        self,
        matches: Sequence[tuple[str, Mapping[str, list[Node]]]],
        symbols: Sequence[SymbolDef],
        owner_of: Callable[[int], int],
        constants: Mapping[str, str],
    ) -> None:
        self._symbols = symbols
        self._owner_of = owner_of
        self._constants = constants
        self._calls: dict[int, _Call] = {}
        self._dispatches: list[tuple[Node, Node]] = []
        self._lists: list[tuple[int, int, str]] = []
        for kind, captures in matches:
            if kind in ("register", "annotation"):
                self._take(captures[kind][0], captures, is_annotation=kind == "annotation")
            elif kind == "dispatch":
                self._dispatches.append((captures["condition"][0], captures["body"][0]))
            elif kind == "set":
                value = captures["value"][0]
                if end_line_of(value) > line_of(value):
                    self._lists.append((line_of(value), end_line_of(value), text_of(captures["name"][0])))
        self._made: dict[str, list[tuple[int, str, str]]] = {}
        self._around: list[tuple[int, int, str]] = []
        self._mounted: dict[str, list[str]] = {}
        self._by_line: dict[int, list[_Call]] = {}
        self._by_start: dict[int, list[_Call]] = {}
        self._annotated: dict[int, str] = {}
        self._starts = {each.start_line: position for position, each in reversed(list(enumerate(symbols)))}
        for call in self._calls.values():
            self._group(call)
            first, last = line_of(call.node), end_line_of(call.node)
            for line in range(first, min(last, first + _LONGEST) + 1):
                self._by_line.setdefault(line, []).append(call)
            self._by_start.setdefault(call.node.start_byte, []).append(call)
            if call.is_annotation and call.texts:
                self._annotated.setdefault(self._owner(call), call.texts[0][0])

    def _take(self, node: Node, captures: Mapping[str, list[Node]], *, is_annotation: bool) -> None:
        function = captures.get("function", [None])[0]
        written = text_of(function) if function else text_of(node).partition("(")[0]
        arguments = children(captures["arguments"][0])
        if captures["arguments"][0].type == "token_tree":
            arguments = [each for each in arguments if "string" in each.type]
        given = tuple(inner for each in arguments if (inner := argument(each)) is not None)
        decorated = node.parent is not None and node.parent.type == "decorator"
        self._calls[node.id] = _Call(node, written, given, is_annotation or decorated)

    def _group(self, call: _Call) -> None:
        prefix = call.prefix
        if prefix is not None:
            own = _assigned(call.node)
            root = _ROOT.match(call.function)
            is_path = prefix.startswith("/") or "." in call.function or "Namespace" in call.function or call.is_named
            if own:
                base = root[1] if root and "." in call.function else ""
                self._made.setdefault(own, []).append((line_of(call.node), prefix if is_path else "", base))
            elif end_line_of(call.node) > line_of(call.node) and any(_is_function(each) for each in call.arguments):
                self._around.append((line_of(call.node), end_line_of(call.node), prefix))
        for each in call.arguments[1:2]:
            text = text_in(call.arguments[0])
            if text is not None and last_name(text_of(field(each, "function"))) == "include":
                for inner in children(field(each, "arguments"))[:1]:
                    self._mounted.setdefault(text_of(inner), []).append(_joined(text))

    def call_of(self, fact: Fact) -> _Call | None:
        """Return the call or annotation on the line of a route fact: one named as its method, else the nearest."""
        line, methods = fact.line, fact.value.split(" ")[1].split(",")
        return min(
            self._by_line.get(line, ()),
            key=lambda each: (
                last_name(each.function).upper() not in methods,
                abs(_name_line(each) - line),
                -len(each.function),
            ),
            default=None,
        )

    def before(self, call: _Call | None, line: int) -> list[str]:
        """Return the possible prefixes of a path: those of its list, its group and the enclosing blocks, joined."""
        grouped = ""
        if call is not None and (root := _ROOT.match(f"{call.function}(")):
            grouped = self._of_group(root[1], line, 0)
            chain = [each for each in self._by_start[call.node.start_byte] if each.node.end_byte < call.node.end_byte]
            groups = [each for each in chain if last_name(each.function).lower() != "route"]
            grouped += "".join(
                _joined(each.prefix or "") for each in sorted(groups, key=lambda each: each.node.end_byte)
            )
        nested = "".join(_joined(prefix) for first, last, prefix in sorted(self._around) if first < line <= last)
        lists = (name for first, last, name in self._lists if first <= line <= last and name in self._mounted)
        mounts = self._mounted.get(next(lists, ""), [""])
        return [f"{mount}{grouped}{nested}" for mount in mounts]

    def _of_group(self, name: str, line: int, depth: int) -> str:
        made = [each for each in self._made.get(name, ()) if each[0] < line]
        if not made or depth > _DEEPEST:
            return ""
        at, prefix, base = made[-1]
        return (self._of_group(base, at, depth + 1) if base else "") + _joined(prefix)

    def others(self, known: Mapping[int, str]) -> Iterator[Fact]:
        """Yield probable routes of unknown frameworks: a path is a text, and a handler is passed or stands below."""
        for call in self._calls.values():
            told = "".join(known.get(line, "") for line in range(line_of(call.node), end_line_of(call.node) + 1))
            is_prefix = call.is_annotation and self._symbols[self._owner(call)].kind == SymbolKind.CLASS
            if (call.is_annotation or not told) and not is_prefix and not self.is_client(call):
                yield from self._registered(call, told)
        for condition, body in self._dispatches:
            path = next((each for each in self._compared(condition) if each.startswith("/")), "")
            handed = [each for each in _walk(body) if each.type in ("argument_list", "arguments")]
            last = [on_one_line(each) for each in handed[:1] for each in children(each) if _is_handed(each)]
            if path and last:
                method = _METHOD.search(text_of(condition))
                told = method[0].removeprefix("Method").upper() if method else ""
                yield self._fact(told, path, last[-1], line_of(condition), end_line_of(body))

    def _registered(self, call: _Call, told: str) -> Iterator[Fact]:
        name, line = last_name(call.function), line_of(call.node)
        handed = next((found for each in call.arguments if (found := _handler(each, name))[0]), _NOTHING)
        for text, node in call.texts:
            is_path = call.is_annotation or _PATH.fullmatch(text) or (name in _WORDS and text.isidentifier())
            if not is_path or not (handed[0] or call.is_annotation) or (told and text.strip("/") in told):
                continue
            before = self.before(call, line)[0]
            if call.is_annotation:
                around = self._symbols[self._owner(call)].parent
                before = _joined(self._annotated.get(around, "") if around > 0 else "") + before
            method = _METHOD.match(name.upper().removeprefix("HTTP").removesuffix("MAPPING"))
            path = f"{before}/{text.lstrip('/')}" if before else text
            handler, by_handler, last = _NOTHING if call.is_annotation else handed
            for each in (path, f"{path}/{{id}}") if name == "register" else (path,):
                fact = self._fact(method[0] if method else by_handler, each, handler, line_of(node), last)
                yield replace(fact, symbol=self._owner(call))

    def _owner(self, call: _Call) -> int:
        """Return the position of the definition around a call, or of the one right below an annotation."""
        line = line_of(call.node)
        below = (self._starts[at] for at in range(line, line + _BELOW) if at in self._starts)
        around = self._owner_of(line)
        return next(below, around) if call.is_annotation and self._symbols[around].start_line < line else around

    def is_client(self, call: _Call) -> bool:
        """Return whether a call requests a route of another server, or annotates a method of a client class."""
        owner = self._symbols[self._owner(call)]
        around = self._symbols[owner.parent] if owner.parent >= 0 else owner
        called = call.is_annotation and any(_CLIENT.search(each.partition("(")[0]) for each in around.decorators)
        return called or (not call.is_annotation and _CLIENT.search(call.function) is not None)

    def _compared(self, condition: Node) -> Iterator[str]:
        for each in (condition, *_walk(condition)):
            if (text := text_in(each)) is not None:
                yield text
            elif each.type == "identifier" and text_of(each) in self._constants:
                yield self._constants[text_of(each)].strip("\"'`")

    def _fact(self, method: str, path: str, handler: str, line: int, last: int) -> Fact:
        value = f"{method} {path}".strip()
        return Fact(self._owner_of(line), FactKind.ROUTE, value, line, last if last > line else 0, handler)


def _items(node: Node) -> list[Node]:
    return children(node) if any(part in node.type for part in ("list", "array", "tuple")) else []


def _handler(node: Node, registering: str) -> tuple[str, str, int]:
    """Return the handler that an argument passes, its HTTP method or "", and its line; `_NOTHING` for none."""
    if _is_handed(node):
        return on_one_line(node), "", line_of(node)
    if parts := _items(node):  # `[UserController::class, 'index']`
        told = [text_in(each) or text_of(each).strip("'\"").partition("::")[0] for each in parts[:2]]
        return (".".join(told), "", line_of(node)) if text_in(parts[0]) is None else _NOTHING
    if registering == "route" and (given := children(field(node, "arguments"))) and _is_handed(given[-1]):
        method = last_name(text_of(field(node, "function"))).upper()  # `.route("/users", get(users))`
        return on_one_line(given[-1]), method if method in _METHODS else "", line_of(node)
    return _NOTHING


def _is_handed(node: Node) -> bool:
    return any(part in node.type for part in _HANDED) and "string" not in node.type and "keyword" not in node.type


def _is_function(node: Node) -> bool:
    return any(part in node.type for part in ("function", "func", "lambda", "closure", "arrow", "block"))


def _name_line(call: _Call) -> int:
    """Return the line of the callee's name; a chain of calls begins on an earlier line."""
    function = field(call.node, "function")
    return end_line_of(function) if function is not None else line_of(call.node)


def _assigned(node: Node) -> str:
    """Return the variable to which the result of a call is assigned; "" for none."""
    around = node.parent
    for _ in range(2):
        if around is None or "argument" in around.type:
            return ""
        name = field(around, "left") or field(around, "name")
        if name is not None and name.start_byte < node.start_byte:
            return text_of(name)
        around = around.parent
    return ""


def _walk(node: Node) -> Iterator[Node]:
    pending = list(reversed(node.named_children))
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(current.named_children))


def _joined(path: str) -> str:
    """Return a part of a path with a leading and no trailing slash; "" for the root."""
    return f"/{path.strip('/')}" if path.strip("/") else ""
