"""Entry points: routes, commands, tasks, fixtures, scripts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.messages import dotted, last_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERBS = frozenset(("get", "post", "put", "patch", "delete", "head", "options", "trace", "websocket"))
_DECORATORS = {
    **dict.fromkeys(("command", "group"), "command"),
    **dict.fromkeys(("task", "shared_task", "periodic_task"), "task"),
    **dict.fromkeys(("fixture", "yield_fixture"), "fixture"),
    **dict.fromkeys(("errorhandler", "exception_handler"), "error handler"),
    "middleware": "middleware",
    **dict.fromkeys(("before_request", "after_request", "teardown_request", "teardown_appcontext", "on_event"), "hook"),
    "receiver": "signal",
    "api_view": "route",
    "tool": "tool",
}
_BASES = {
    "BaseCommand": "command",
    "Task": "task",
    **dict.fromkeys(("View", "MethodView", "APIView", "ViewSet", "ModelViewSet", "Resource"), "route"),
    **dict.fromkeys(("RequestHandler", "BaseHTTPRequestHandler"), "route"),
}
_URL_CALLS = frozenset(("path", "re_path", "url", "add_url_rule", "add_api_route", "add_route"))


def decorated(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[tuple[str, int]]:
    """Give what makes a definition an entry point, such as `route GET /users`, with its line."""
    for decorator in node.decorator_list:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        arguments = decorator.args if isinstance(decorator, ast.Call) else []
        name, written = last_name(function), dotted(function)
        detail = _text(arguments[0]) if arguments else ""
        if name == "route":
            yield _route(_methods(decorator), detail), decorator.lineno
        elif name in _VERBS and "." in written:
            if arguments and (detail.startswith("/") or not detail):
                yield _route([name.upper()], detail), decorator.lineno
        elif name in _DECORATORS and (name != "task" or "." in written or written == "task"):
            yield f"{_DECORATORS[name]} {detail or node.name}", decorator.lineno
    if isinstance(node, ast.ClassDef):
        for base in node.bases:
            if kind := _BASES.get(last_name(base)):
                yield f"{kind} {node.name}", node.lineno


def _route(verbs: Sequence[str], pattern: str) -> str:
    return " ".join(["route", ",".join(verbs), pattern]).strip()


def registered(call: ast.Call) -> Iterator[str]:
    """Return the route that a call registers, as Django's `path("users/", view)` does."""
    if last_name(call.func) in _URL_CALLS and len(call.args) >= 2 and (view := dotted(_view(call.args[-1]))):
        pattern = _text(call.args[0])
        if isinstance(call.args[0], ast.Constant):
            yield f"route {pattern} {view}".replace("  ", " ")


def is_main_guard(node: ast.AST) -> bool:
    """Return whether a statement is `if __name__ == "__main__":`."""
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant(value="__main__")])):
            return True
    return False


def _view(node: ast.expr) -> ast.expr:
    return node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node


def _methods(decorator: ast.expr) -> list[str]:
    if isinstance(decorator, ast.Call):
        for keyword in decorator.keywords:
            if keyword.arg == "methods" and isinstance(keyword.value, ast.List | ast.Tuple | ast.Set):
                return [_text(item) for item in keyword.value.elts]
    return ["GET"]


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
