"""Calls that declare, look up or pass a value, and reads of environment variables, in trees of any grammar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from indexer.adapters.languages.placeholders import PLACEHOLDER
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    Given: TypeAlias = tuple[str, Node, Node, Origin]

MAX_VALUE = 200
_MOST_ABOVE = 10
_COMMENTS = ("#", "//", "/*", "*", ";", "--", '"""')
_DECLARES = re.compile(r"option|argument|arg$|flag", re.IGNORECASE)
_LOOKS_UP = re.compile(
    r"(?!getattr)\w*(?:env|config|default|setting|opt|conf|flag|param|value|get|lookup|fetch|field|prop"
    r"|^(?:int|string|bool|duration|float)\w*$)",
    re.IGNORECASE,
)
_SETS = re.compile(r"(?:set|with)(?:_(?=[a-z])|(?=[A-Z]))(\w+)")
_NAME = re.compile(r"[A-Za-z][\w.-]{1,80}")
_KEY = re.compile(r"[A-Za-z][\w .-]{1,80}")
"""Key of a value that is passed to a store of settings, as in `set(key, value)`; it may have blanks."""
_PLACEHOLDER = re.compile(r"\$\{([A-Za-z][\w.-]{1,80}):-?([^${}]*)\}")
_LAST = re.compile(r"[\w$-]+\Z")
_TEXT = re.compile(r"[A-Za-z@$]{0,3}(\"\"\"|'''|\"|'|`)(.*)\1", re.DOTALL)
_INSERTED = re.compile(r"\$?\{[^{}]*\}|#\{[^{}]*\}|\\\([^()]*\)|%[-+# 0-9.]*[a-zA-Z]")
"""Placeholders of values within texts, of any language."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_MAX_TEXT = 300
_OTHERWISE = frozenset(("||", "??", "or"))
_WORDS_OF_LITERALS = """
string integer float number true false none null nil boolean bool int_lit
"""
_LITERALS = tuple(_WORDS_OF_LITERALS.split())
_GROUPS = ("list", "tuple", "set", "array", "unary", "binary", "parenthesized", "expression_list", "literal_element")
_CONSTANT = re.compile(r"[\w.:$>-]*?(?:[A-Z][A-Z0-9_]{2,}|[Dd]efault[A-Z]\w*)")


def last_name(written: str) -> str:
    """Return the last part of a name, without quotation marks and the signs `$` and `@`; "" if it is no name."""
    found = _LAST.search(written[-MAX_VALUE:].strip("\"'`: "))  # what is called may be a whole module in parentheses
    return found[0].lstrip("$@") if found else ""


def text_in(node: Node | None) -> str | None:
    """Return the text of a string literal; None if it is no literal, or has interpolated values."""
    if node is None or ("string" not in node.type and "template" not in node.type and "symbol" not in node.type):
        return None
    if any("interpolation" in each.type or "substitution" in each.type for each in node.named_children):
        return None
    found = _TEXT.fullmatch(text_of(node))
    return found[2] if found else text_of(node).lstrip(":") if "symbol" in node.type else None


def words_of(literal: str) -> str:
    """Return the text of a literal, `{}` for inserted values; "" if it has fewer than two words or several lines."""
    found = _TEXT.fullmatch(literal) if len(literal) <= _MAX_TEXT and "\n" not in literal else None
    said = _INSERTED.sub(PLACEHOLDER, found[2]).strip() if found else ""
    return said if len(_WORD.findall(said)) > 1 else ""


def on_one_line(node: Node) -> str:
    """Write a value on one line, without comments; "" if that is too long."""
    if node.end_byte - node.start_byte > MAX_VALUE * 4:
        return ""
    written, at = b"", node.start_byte
    whole = node.text or b""
    for comment in _comments(node):
        written += whole[at - node.start_byte : comment.start_byte - node.start_byte]
        at = comment.end_byte
    told = " ".join((written + whole[at - node.start_byte :]).decode("utf-8", "replace").split())
    for opened in "([{":
        told = told.replace(f"{opened} ", opened) if "\n" in text_of(node) else told
    for closed in ")]}":
        told = told.replace(f", {closed}", closed).replace(f" {closed}", closed) if b"\n" in whole else told
    return told if len(told) <= MAX_VALUE else ""


def is_plain(node: Node) -> bool:
    """Return whether a value is a literal, a constant, or made of them alone."""
    if node.type.startswith(_LITERALS) or ("_literal" in node.type and "composite" not in node.type):
        return True
    if any(each in node.type for each in _GROUPS):
        return all(is_plain(each) for each in children(node))
    return _CONSTANT.fullmatch(text_of(node)) is not None


def placeholders(text: str) -> Iterator[tuple[str, str]]:
    """Yield (name, default) of each placeholder with a default in a text: `${port:80}`."""
    for found in _PLACEHOLDER.finditer(text):
        yield found[1], found[2].strip()


def comments_above(lines: Sequence[str], line: int) -> int:
    """Count the lines of comment right above a line, ten at most."""
    count = 0
    while count < min(_MOST_ABOVE, line - 1) and lines[line - 2 - count].lstrip().startswith(_COMMENTS):
        count += 1
    return count


def called(function: Node, arguments: Node) -> Iterator[Given]:
    """Yield the values that a call declares, looks up or passes: (name, node, value, origin)."""
    name = last_name(text_of(function))
    given = [argument(each) for each in children(arguments)]
    declared = list(_options(name, given)) if _DECLARES.search(name) else []
    if declared:
        yield from declared
    elif (setter := _SETS.fullmatch(name)) and len(given) == 1 and given[0] is not None:
        if is_plain(given[0]):
            own = setter[1][:1].lower() + setter[1][1:]
            yield own, (function.named_children or [function])[-1], given[0], Origin.PASSED
    elif name == "set" and len(given) == 2:
        said = text_in(given[0])
        if said and _KEY.fullmatch(said) and given[0] and given[1] and is_plain(given[1]):
            yield said, given[0], given[1], Origin.PASSED
    elif _LOOKS_UP.match(name):
        for at, each in enumerate(given[:2]):
            said = text_in(each)
            if each is not None and said is not None and _NAME.fullmatch(said) and at + 1 < len(given):
                other = given[at + 1]
                value = _of_keyword(other) or other
                if value is not None:
                    yield said, each, value, Origin.LOOKED_UP
                return


def environment_variable(place: Node, whole: Node) -> Iterator[tuple[str, str, Origin]]:
    """
    Yield (name, default, origin) of an environment variable that is read.

    Args:
        place: The arguments of the call, the index or the property that names it.
        whole: The whole expression.
    """
    given = [place] if "argument" not in place.type and place.type != "token_tree" else children(place)
    first = argument(given[0]) if given else None
    if first is None or _is_target(whole):
        return
    value = _of_keyword(argument(given[1])) or argument(given[1]) if len(given) > 1 else _otherwise(whole)
    told = on_one_line(value) if value else ""
    said = text_in(first)
    if said is None and first.type == "property_identifier":
        said = text_of(first)
    written = text_of(first)
    if said is not None:
        yield said, told, Origin.NONE
    elif re.fullmatch(r"[\w.:$]+", written) and (
        written.rpartition(".")[2].isupper() or "." in written or _is_constant(written)
    ):
        yield last_name(written), told, Origin.CONSTANT
    else:
        yield on_one_line(first), told, Origin.COMPUTED


def _is_constant(name: str) -> bool:
    return any(sign.isupper() for sign in name) or "_" in name


def _is_target(node: Node) -> bool:
    around = node.parent
    return around is not None and "assignment" in around.type and field(around, "left") == node


def _otherwise(node: Node) -> Node | None:
    """Return the default of a read: the operand behind `||`, `??` or `or`, or the argument of `unwrap_or`."""
    around = node.parent
    if around is None:
        return None
    operator = field(around, "operator")
    if operator is not None and text_of(operator) in _OTHERWISE and field(around, "left") == node:
        return field(around, "right")
    if around.type == "field_expression" and text_of(field(around, "field")).startswith("unwrap_or"):
        given = children(field(around.parent, "arguments"))
        return given[0] if given else None
    return None


def argument(node: Node | None) -> Node | None:
    """Return the expression inside the nodes that a grammar wraps around an argument."""
    while node is not None and node.type in ("argument", "attribute_argument", "value_argument", "literal_element"):
        inner = children(node)
        node = inner[-1] if inner else None
    return node


def _of_keyword(node: Node | None) -> Node | None:
    return field(node, "value") if node is not None and node.type in ("keyword_argument", "pair") else None


def _options(name: str, given: list[Node | None]) -> Iterator[Given]:
    """Yield the command-line options that a call declares with a default."""
    said = [(text, each) for each in given if each is not None and (text := text_in(each)) is not None]
    named = [(text.lstrip("-").split()[0], each) for text, each in said if text.startswith("-") and len(text) > 2]
    if not named and name.lower() == "option" and said:
        named = [(said[0][0], said[0][1])]
    members = [each for each in given if each is not None and each.type == "keyword_argument"]
    members += [inner for each in given if each is not None and each.type == "object" for inner in children(each)]
    for member in members:
        key = last_name(text_of(field(member, "name") or field(member, "key")))
        value = field(member, "value")
        if value is not None and key in ("default", "defaultValue", "default_value"):
            for own, at in named:
                if _NAME.fullmatch(own):
                    yield own, at, value, Origin.OPTION


def _comments(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        current = pending.pop()
        if "comment" in current.type:
            yield current
        elif current.end_point.row > current.start_point.row:
            pending.extend(reversed(current.named_children))
