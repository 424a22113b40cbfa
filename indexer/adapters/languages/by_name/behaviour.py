"""What a file raises, and the messages that it raises and logs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.placeholders import PLACEHOLDER, from_format, says_something
from indexer.adapters.languages.syntax import line_of, text_of
from indexer.domain.model import Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from indexer.adapters.languages.by_name.rules import Rules
    from indexer.adapters.languages.by_name.tags import Tag

_BRACES = re.compile(r"\{[^{}]*\}")
_QUOTED = re.compile(r"""^[a-zA-Z@$#]*("|')(.*)\1#*$""", re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\"}
_SILENT = ("_start", "_end", "_brace", "encoding")
_TEXTS = ("string_value", "line_str_text", "template_literal")
_RUNTIME_ERROR = "RuntimeError"


def facts_of(tag: Tag, symbol: int, rules: Rules) -> Iterator[Fact]:
    """Yield the facts of one tag: what it raises, and its message."""
    if tag.kind.startswith("throw"):
        written = text_of(tag.parts.get("type")) or _RUNTIME_ERROR
        written = written.partition("<")[0].lstrip("\\").removesuffix("::new")
        yield Fact(symbol, FactKind.RAISES, written, line_of(tag.node))
    message = tag.parts.get("message")
    if message is not None and (tag.kind.startswith("throw") or tag.kind == "log"):
        text = _rendered(message)
        text = re.sub(rules.value, PLACEHOLDER, text) if rules.value else text
        text = from_format(text) if rules.has_format else _BRACES.sub(PLACEHOLDER, text)
        if says_something(text):
            yield Fact(symbol, FactKind.ERROR_STRING, text.strip(), line_of(message))


def _rendered(node: Node) -> str:
    """Return the text of a literal with `{}` for each inserted value."""
    if node.type == "binary_expression":
        return "".join(_rendered(child) for child in node.named_children)
    if "string" not in node.type or node.type == "string_content":
        return PLACEHOLDER
    if not node.named_children:
        quoted = _QUOTED.match(text_of(node))
        return quoted[2] if quoted else ""
    if not any(_is_text(child) for child in node.named_children):
        return _between(node)
    parts = []
    for child in node.named_children:
        if _is_text(child):
            parts.append(_ESCAPES.get(text_of(child), text_of(child)))
        elif not any(word in child.type for word in _SILENT):
            parts.append(PLACEHOLDER)
    return "".join(parts)


def _is_text(node: Node) -> bool:
    return "content" in node.type or "escape" in node.type or node.type in _TEXTS


def _between(node: Node) -> str:
    """Return the text of a literal whose tree has nodes for the inserted values only."""
    whole, at, pieces = node.text or b"", 0, list[str]()
    for child in node.named_children:
        pieces += [whole[at : child.start_byte - node.start_byte].decode("utf-8", "replace"), PLACEHOLDER]
        at = child.end_byte - node.start_byte
    pieces.append(whole[at:].decode("utf-8", "replace"))
    quoted = _QUOTED.match("".join(pieces))
    return quoted[2].strip("\"'") if quoted else ""
