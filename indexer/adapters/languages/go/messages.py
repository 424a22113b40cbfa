"""Error strings: the fixed parts of the messages that Go code returns, logs and panics with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.go.syntax import arguments_of, dotted, string_of
from indexer.adapters.languages.placeholders import PLACEHOLDER, from_format, says_something
from indexer.adapters.languages.syntax import field, first_child, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_MAKING = frozenset(("errors.New", "fmt.Errorf", "errors.Errorf", "xerrors.Errorf", "xerrors.New", "http.Error"))
_WRAPPING = frozenset(("Wrap", "Wrapf", "WithMessage", "WithMessagef", "Annotate", "Annotatef"))
_LEVEL = re.compile(
    r"^(?:Debug|Info|Warn|Warning|Error|Fatal|Panic|Print|Log|Trace)(?:f|ln|w|Context|s)?$"
    r"|^(?:Msg|Msgf|Skip|Skipf|NewError)$"
)
_LOGGERS = ("log", "slog", "logger", "klog", "glog", "zap", "logrus", "t", "b", "tb", "sugar")


def messages_of(node: Node) -> Iterator[str]:
    """Return the messages of a call that makes an error, logs, panics or fails a test."""
    if node.type != "call_expression":
        return
    function, arguments = field(node, "function"), arguments_of(node)
    written = dotted(function)
    owner, _, name = written.rpartition(".")
    if function is not None and function.type == "selector_expression":
        name = text_of(field(function, "field"))
    if (
        written in _MAKING
        or written == "panic"
        or (owner == "errors" and name in _WRAPPING)
        or (owner == "status" and name in ("Error", "Errorf", "New", "Newf"))
        or (_LEVEL.match(name) and _is_logger(owner, function))
    ):
        yield from _texts(arguments)


def _is_logger(owner: str, function: Node | None) -> bool:
    last = owner.rpartition(".")[2].lower()
    if last in _LOGGERS or last.endswith(("log", "logger")):
        return True
    operand = field(function, "operand")
    return operand is not None and operand.type == "call_expression" and "log" in text_of(operand).lower()


def _texts(nodes: list[Node]) -> Iterator[str]:
    """Return the first text among the arguments; later ones are values or names of fields."""
    for node in nodes:
        text = _render(node)
        if text is not None and says_something(text):
            yield from_format(text)
            return


def _render(node: Node | None) -> str | None:
    if node is None:
        return None
    if (text := string_of(node)) is not None:
        return text
    if node.type == "binary_expression" and text_of(field(node, "operator")) == "+":
        parts = [_render(field(node, side)) for side in ("left", "right")]
        return None if parts == [None, None] else "".join(PLACEHOLDER if part is None else part for part in parts)
    if node.type == "call_expression" and dotted(field(node, "function")) in ("fmt.Sprintf", "fmt.Sprint", *_MAKING):
        return next((text for text in map(_render, arguments_of(node)) if text is not None), None)
    if node.type == "parenthesized_expression":
        return _render(first_child(node))
    return None
