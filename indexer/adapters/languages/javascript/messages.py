"""Error strings: the fixed parts of the messages that code throws, logs and asserts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.constants import Constants
from indexer.adapters.languages.javascript.exports import property_name
from indexer.adapters.languages.javascript.symbols import bound_names, parameter_names
from indexer.adapters.languages.javascript.syntax import (
    FUNCTIONS,
    arguments_of,
    bare,
    dotted,
    fragment_of,
    last_name,
    string_of,
)
from indexer.adapters.languages.placeholders import PLACEHOLDER, says_something
from indexer.adapters.languages.syntax import MAX_NAMES, children, field, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

_PERCENT = re.compile(r"%[sdifjoO]")
_LEVELS = frozenset(("trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical", "log"))
_FAILURES = frozenset(("error", "warn", "fatal", "critical", "fail", "abort", "panic", "die"))
_CHECKS = frozenset(("assert", "invariant", "ok", "strict"))
_TRANSLATIONS = frozenset(("t", "i18n", "gettext", "_", "String", "format", "sprintf", "translate", "inspect"))
_TRIMMING = frozenset(("trim", "toLowerCase", "toUpperCase", "concat", "toString", "replace", "replaceAll"))
_ERROR_CLASS = re.compile(r"(?:Error|Exception|Fault|Failure|Rejection|Warning)$|^(?:Error|Exception)\w*$")
_DEPTH = 6


def message_texts(node: Node | None, constants: Constants) -> tuple[str, ...]:
    """
    Render every message that an expression can be seen to give.

    Parts that vary become `{}`. Names are looked up in `constants` (name or `object.key` to texts). Expressions without
    a fixed word give nothing.
    """
    found = dict.fromkeys(_render(node, constants, _DEPTH))
    return tuple(text for text in found if says_something(text))


def _render(node: Node | None, constants: Constants, depth: int) -> Iterator[str]:
    node = bare(node)
    if node is None or depth == 0:
        return
    constant = string_of(node)
    if constant is not None:
        yield constant
    elif node.type == "template_string":
        yield _template(node)
    elif node.type == "binary_expression":
        yield from _rendered_binary(node, constants, depth)
    elif node.type == "ternary_expression":
        yield from _render(field(node, "consequence"), constants, depth - 1)
        yield from _render(field(node, "alternative"), constants, depth - 1)
    elif node.type == "call_expression":
        yield from _rendered_call(node, constants, depth)
    elif node.type in ("identifier", "member_expression"):
        yield from constants.texts(dotted(node), node)


def _template(node: Node) -> str:
    return "".join(
        PLACEHOLDER if part.type == "template_substitution" else fragment_of(part) for part in node.named_children
    )


def _rendered_binary(node: Node, constants: Constants, depth: int) -> Iterator[str]:
    left, right, operator = field(node, "left"), field(node, "right"), text_of(field(node, "operator"))
    if operator == "+":
        first = next(_render(left, constants, depth), PLACEHOLDER)
        yield first + next(_render(right, constants, depth - 1), PLACEHOLDER)
    elif operator in ("||", "??"):
        yield from _render(left, constants, depth - 1)
        yield from _render(right, constants, depth - 1)


def _rendered_call(node: Node, constants: Constants, depth: int) -> Iterator[str]:
    function, arguments = bare(field(node, "function")), arguments_of(node)
    name = last_name(function)
    if function is not None and function.type == "member_expression":
        owner = bare(field(function, "object"))
        if name == "join" and owner is not None and owner.type == "array" and arguments:
            glue = string_of(arguments[0]) or ""
            parts = [next(_render(part, constants, depth - 1), PLACEHOLDER) for part in children(owner)]
            yield glue.join(parts)
            return
        if name in _TRIMMING:
            yield from _render(owner, constants, depth - 1)
            return
    if name in _TRANSLATIONS and arguments:
        yield from unpercent(_render(arguments[0], constants, depth - 1))


def unpercent(texts: Iterable[str]) -> Iterator[str]:
    """Replace `%s` and the like, which are filled in later, with placeholders."""
    return (_PERCENT.sub(PLACEHOLDER, text) for text in texts)


def constants_of(nodes: Sequence[Node]) -> Constants:
    """
    Collect the texts that declarations and assignments give to names and to keys of object literals.

    Args:
        nodes: Those of the whole file, each body in order of the text.
    """
    found = Constants(node for node in nodes if node.type in FUNCTIONS or node.type == "catch_clause")
    for node in nodes:
        if node.type in FUNCTIONS:
            for parameter in parameter_names(node):
                found.bind(parameter, node)
        elif node.type == "variable_declarator":
            for name in bound_names(field(node, "name")):
                found.bind(name, node)
            _assign(field(node, "name"), field(node, "value"), found)
        elif node.type == "catch_clause":
            for name in bound_names(field(node, "parameter")):
                found.bind(name, node)
        elif node.type == "assignment_expression":
            _assign(field(node, "left"), field(node, "right"), found)
    return found


def _assign(target: Node | None, assigned: Node | None, found: Constants) -> None:
    name, value = dotted(target), bare(assigned)
    if value is not None and value.type == "call_expression" and dotted(field(value, "function")).endswith("freeze"):
        value = next(iter(arguments_of(value)), None)
    if target is None or not name or value is None:
        return
    if value.type != "object":
        found.assign(name, target, message_texts(value, found))
        return
    for part in children(value):
        found.assign(f"{name}.{property_name(part)}", target, message_texts(field(part, "value"), found))


def is_error_class(name: str) -> bool:
    """Return whether a name looks like that of an error."""
    return bool(_ERROR_CLASS.search(name.rpartition(".")[2]))


def made_messages(node: Node, constants: Constants) -> tuple[str, ...]:
    """Return the messages among the arguments of `new SomeError(...)`, in an object literal too."""
    found: dict[str, None] = {}
    for argument in arguments_of(node):
        parts = children(argument) if argument.type == "object" else [argument]
        for part in parts:
            value = field(part, "value") if part.type == "pair" else part
            if part.type == "pair" and property_name(part) not in (
                "message",
                "error",
                "detail",
                "reason",
                "description",
            ):
                continue
            found.update(dict.fromkeys(unpercent(message_texts(value, constants))))
    return tuple(found)


def reported_messages(call: Node, constants: Constants) -> tuple[str, ...]:
    """Return the messages of a call that logs, warns, asserts or reports a failure; none for other calls."""
    function = bare(field(call, "function"))
    written, name = dotted(function), last_name(function)
    receiver = written.rpartition(".")[0].rpartition(".")[2].lower()
    arguments = arguments_of(call)
    if is_check(call):
        arguments = arguments[1:]
    elif receiver == "console":
        if name not in ("error", "warn"):
            return ()
    elif not (name in _LEVELS and "log" in receiver) and not (
        name in _FAILURES and (function is None or function.type == "member_expression" or name in ("fail", "die"))
    ):
        return ()
    found = (text for argument in arguments[:3] for text in unpercent(message_texts(argument, constants)))
    return tuple(dict.fromkeys(found))


def is_check(call: Node) -> bool:
    """Return whether a call asserts something: `assert(...)`, `assert.equal(...)`, `invariant(...)`."""
    written = dotted(field(call, "function"))
    first, _, last = written.partition(".")
    return first in ("assert", "invariant") or written == "console.assert" or (last in _CHECKS and first == "assert")


def is_expectation(call: Node) -> bool:
    """Return whether a call is the matcher of an `expect(...)`."""
    node = bare(field(call, "function"))
    for _ in range(MAX_NAMES):
        if node is None or node.type != "member_expression":
            return False
        node = bare(field(node, "object"))
        if node is not None and node.type == "call_expression":
            function = field(node, "function")
            if function is not None and function.type == "identifier" and text_of(function) == "expect":
                return True
            node = bare(function)
    return False
