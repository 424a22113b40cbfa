"""Entry points of Java code: routes, schedules, listeners, commands, test fixtures, `main`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import annotations_of, modifiers, parameters_of, simple_name, string_of
from indexer.adapters.languages.syntax import child_of, children, field, first_child, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_SPRING = {
    **{f"{verb.capitalize()}Mapping": verb for verb in ("GET", "POST", "PUT", "DELETE", "PATCH")},
    "RequestMapping": "",
    "MessageMapping": "MESSAGE",
}
_JAX = frozenset(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"))
_OTHERS = {
    **dict.fromkeys(("Scheduled", "Schedules"), "schedule"),
    **dict.fromkeys(("EventListener", "KafkaListener", "RabbitListener", "JmsListener", "SqsListener"), "listener"),
    **dict.fromkeys(("PostConstruct", "PreDestroy"), "hook"),
    **dict.fromkeys(("BeforeEach", "BeforeAll", "Before"), "fixture"),
    **dict.fromkeys(("ShellMethod", "Command"), "command"),
}


def declared(node: Node) -> Iterator[str]:
    """Yield the entry points that a method or class is, such as `route GET /users`."""
    marks = {text_of(field(each, "name")).rpartition(".")[2]: each for each in annotations_of(node)}
    is_method = node.type == "method_declaration"
    for name, annotation in marks.items():
        if name in _SPRING and is_method:
            path = _joined(_class_path(node, "RequestMapping"), _path(annotation))
            yield f"route {_SPRING[name] or _verb(annotation)} {path}".strip()
        elif name in _JAX and is_method:
            own = _path(marks["Path"]) if "Path" in marks else ""
            yield f"route {name} {_joined(_class_path(node, 'Path'), own)}".strip()
        elif name == "ExceptionHandler":
            yield f"error handler {', '.join(_handled(node, annotation))}"
        elif name in _OTHERS:
            yield f"{_OTHERS[name]} {_path(annotation) or text_of(field(node, 'name'))}"
        elif name == "WebServlet":
            yield f"route {_path(annotation)}"
    if is_method and _is_main(node):
        yield "main"


def _handled(node: Node, annotation: Node) -> list[str]:
    """Return the exceptions that a handler handles: those of its annotation, else the type of its first parameter."""
    literals = [part for part in walk(annotation) if part.type == "class_literal"]
    named = [simple_name(first_child(part)) for part in literals]
    return named or [simple_name(kind) for _, kind, _ in parameters_of(node)[:1]] or [text_of(field(node, "name"))]


def _is_main(node: Node) -> bool:
    parameters = parameters_of(node)
    takes_strings = len(parameters) == 1 and simple_name(parameters[0][1]) == "String"
    return text_of(field(node, "name")) == "main" and "static" in modifiers(node) and takes_strings


def _class_path(node: Node, name: str) -> str:
    holder = node.parent.parent if node.parent is not None else None
    if holder is not None:
        for annotation in annotations_of(holder):
            if text_of(field(annotation, "name")).rpartition(".")[2] == name:
                return _path(annotation)
    return ""


def _path(annotation: Node) -> str:
    """Return the first string among an annotation's arguments."""
    arguments = child_of(annotation, "annotation_argument_list")
    for argument in children(arguments):
        if argument.type == "element_value_pair" and text_of(field(argument, "key")) not in ("value", "path", "cron"):
            continue
        for part in (argument, *walk(argument)):
            if (text := string_of(part)) is not None:
                return text
    return ""


def _verb(annotation: Node) -> str:
    for part in walk(annotation):
        name = text_of(part).rpartition(".")[2]
        if part.type in ("identifier", "field_access") and name in _JAX:
            return name
    return ""


def _joined(first: str, second: str) -> str:
    if first and second:
        return f"{first.rstrip('/')}/{second.lstrip('/')}"
    return first or second
