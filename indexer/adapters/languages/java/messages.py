"""Error strings: the fixed parts of the messages that Java code throws, logs and asserts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.constants import Constants
from indexer.adapters.languages.java.syntax import (
    FIELDS,
    METHODS,
    arguments_of,
    dotted,
    parameters_of,
    string_of,
)
from indexer.adapters.languages.placeholders import PLACEHOLDER, from_format, says_something
from indexer.adapters.languages.syntax import children, field, first_child, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_LEVELS = frozenset(
    ("trace", "debug", "info", "warn", "warning", "error", "fatal", "severe", "log", "fine", "finer", "finest")
)
_CHECKS = frozenset(
    ("requireNonNull", "checkArgument", "checkState", "checkNotNull", "notNull", "isTrue", "hasText", "state", "fail")
)
_SCOPES = METHODS | {"class_body", "enum_body", "interface_body", "lambda_expression", "static_initializer"}
_BINDING = frozenset(
    (
        "variable_declarator",
        "formal_parameter",
        "catch_formal_parameter",
        "enhanced_for_statement",
        "resource",
        "instanceof_expression",
    )
)
# Prefix of keys for fields that are written as `object.field`.
_MEMBER = "."
_ERROR_CLASS = re.compile(r"(Error|Exception|Failure|Fault)$")


def is_error_class(name: str) -> bool:
    """Return whether a class looks like an exception by its name."""
    return bool(_ERROR_CLASS.search(name))


def rendered(node: Node | None, constants: Constants) -> str | None:
    """Render a message with `{}` for what varies; None where nothing is fixed."""
    text = _render(node, constants)
    return text if text is not None and says_something(text) else None


def _render(node: Node | None, constants: Constants) -> str | None:
    if node is None:
        return None
    if node.type == "string_literal":
        return string_of(node)
    if node.type == "parenthesized_expression":
        return _render(first_child(node), constants)
    if node.type == "binary_expression" and text_of(field(node, "operator")) == "+":
        parts = [_render(field(node, side), constants) for side in ("left", "right")]
        return None if parts == [None, None] else "".join(PLACEHOLDER if part is None else part for part in parts)
    if node.type in ("identifier", "field_access"):
        name = dotted(node)
        if node.type == "field_access":
            name = _MEMBER + name.rpartition(".")[2]
        return next(iter(constants.texts(name, node)), None)
    if node.type == "method_invocation":
        return _rendered_call(node, constants)
    return None


def _rendered_call(node: Node, constants: Constants) -> str | None:
    name, arguments = text_of(field(node, "name")), arguments_of(node)
    if name == "format" and arguments:
        texts = [_render(argument, constants) for argument in arguments[:2]]
        text = next((text for text in texts if text is not None), None)
        return from_format(text) if text is not None else None
    if name == "formatted":
        text = _render(field(node, "object"), constants)
        return from_format(text) if text is not None else None
    return None


def constants_of(root: Node) -> Constants:
    """
    Collect the texts of variables that are initialized with one.

    Variables and parameters of methods and lambdas are visible there only. Fields are visible in their class, and in
    the whole file if they are written as `object.field` or no nearer binding has the name.
    """
    nodes = list(walk(root))
    found = Constants(node for node in nodes if node.type in _SCOPES)
    for node in nodes:
        if node.type in _BINDING:
            found.bind(text_of(field(node, "name")), node, _initial(node, found))
        elif node.type == "lambda_expression":
            for name, _, _ in parameters_of(node):
                found.bind(name, node)
        elif node.type in FIELDS:
            for declarator in children(node):
                if declarator.type == "variable_declarator":
                    name, texts = text_of(field(declarator, "name")), _initial(declarator, found)
                    found.bind(_MEMBER + name, node, texts)
                    found.bind_in_file(name, texts)
                    found.bind_in_file(_MEMBER + name, texts)
    return found


def _initial(node: Node, found: Constants) -> tuple[str, ...]:
    text = rendered(field(node, "value"), found) if node.type == "variable_declarator" else None
    return () if text is None else (text,)


def messages_of(node: Node, constants: Constants) -> Iterator[str]:
    """Return the messages of an exception that is made, of a logging call, a failed check or an assertion."""
    if _makes_error(node):
        yield from _texts(arguments_of(node), constants)
    elif node.type == "method_invocation":
        name = text_of(field(node, "name"))
        owner = dotted(field(node, "object")).rpartition(".")[2].lower()
        if name in _LEVELS and "log" in owner:
            yield from map(from_format, _texts(arguments_of(node)[:2], constants))
        elif name in _CHECKS or name.startswith("assert"):
            yield from map(from_format, _assertion_texts(name, node, constants))
    elif node.type == "assert_statement" and len(children(node)) > 1:
        yield from _texts(children(node)[1:], constants)


def _makes_error(node: Node) -> bool:
    if node.type == "object_creation_expression":
        return is_error_class(_created(node))
    return node.type == "explicit_constructor_invocation" and text_of(field(node, "constructor")) == "super"


def _assertion_texts(name: str, node: Node, constants: Constants) -> Iterator[str]:
    """Yield the messages of an assertion: the last or, in older libraries, first argument; not expected values."""
    arguments = arguments_of(node)
    least = {"fail": 0, "assertTrue": 1, "assertFalse": 1, "assertNotNull": 1, "assertNull": 1}.get(
        name, 2 if name.startswith("assert") else 1
    )
    if len(arguments) > least:
        yield from _texts(arguments[1:] if name in _CHECKS and name != "fail" else arguments[-1:], constants)


def _texts(nodes: list[Node], constants: Constants) -> Iterator[str]:
    for node in nodes:
        if (text := rendered(node, constants)) is not None:
            yield text


def _created(node: Node) -> str:
    return text_of(field(node, "type")).partition("<")[0].rpartition(".")[2]
